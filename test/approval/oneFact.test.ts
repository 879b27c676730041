/**
 * The question of each kind of plan has the same amounts, parties and terms on the page, in the terminal, in a client's
 * dialog and in the agent's result.
 */
import { expect, it } from 'vitest';
import { factsOf } from '../../src/page/questionFacts.ts';
import { amountsOf, type QuestionFact } from '../../src/presentation/question/questionFacts.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { approvalLines } from '../../src/presentation/question/textLines.ts';
import type { Home } from '../execution/home.ts';
import { LEGITIMATE_KINDS } from '../policy/legitimate.ts';
import { type Played, playApproved } from './asksOnce.ts';

/** Shortens addresses and removes self-chosen token names, which a home may know from elsewhere. */
const bare = (text: string): string =>
  text
    .replaceAll(
      /(?:token |“[^”]*” )?\b([1-9A-HJ-NP-Za-km-z]{4})(?:[1-9A-HJ-NP-Za-km-z]{24,36}|…)([1-9A-HJ-NP-Za-km-z]{4})\b/g,
      '$1…$2',
    )
    .replaceAll(' (not in your address book)', '')
    .replaceAll(/\s+/g, ' ');

const linesOf = (facts: readonly QuestionFact[]) =>
  facts.flatMap((fact) => ('lines' in fact ? fact.lines.map((line) => ({ ...line, kind: fact.kind })) : []));

/** Facts the agent gets as a status or from its own quote, not as a sentence. */
const NOT_FOR_THE_AGENT: readonly QuestionFact['kind'][] = ['what', 'halfway', 'exposed'];

async function expectSameOnSurfaces(
  { kind, submitted: asked, questions }: Played,
  home: Home,
): Promise<void> {
  const [row] = questions.slice(-1);
  const view = row && (await readApprovalView(home.ledger, row.id));
  if (view === undefined) throw new Error(`no question about a ${kind}`);
  const [page, terminal, dialog] = [
    `${factsOf(view.facts)}`,
    approvalLines(view, view.createdAt, 400).join('\n'),
    approvalLines(view, view.createdAt).join('\n'),
  ];
  const surfaces = { page, terminal, dialog: dialog.replaceAll(/\s+/g, ' ') };
  // Amounts.
  const units = (side: 'leaves' | 'arrives') =>
    Object.fromEntries(amountsOf(view.facts, side).map(({ asset, units: all }) => [asset, all]));
  const raws = (amounts: readonly { asset: string; raw: string }[] = []) =>
    Object.fromEntries(amounts.map(({ asset, raw }) => [asset, raw]));
  expect([kind, raws(asked.expected?.leavesAtMost)]).toEqual([kind, units('leaves')]);
  expect([kind, raws(asked.expected?.arrivesAtLeast)]).toEqual([kind, units('arrives')]);
  for (const { number } of [...amountsOf(view.facts, 'leaves'), ...amountsOf(view.facts, 'arrives')])
    for (const [name, text] of Object.entries(surfaces))
      expect([name, text]).toEqual([name, expect.stringContaining(number)]);
  // Claimers.
  const claimers = view.facts.flatMap((fact) =>
    fact.kind === 'claimers' ? [...fact.rows, ...fact.more, ...fact.folded] : [],
  );
  expect(asked.claimers?.after.count ?? 0).toBe(claimers.filter(({ bps }) => bps !== 0).length);
  // Sentences.
  const summary = (asked.says ?? []).map(bare);
  const lines = linesOf(view.facts).map((line) => ({ ...line, bare: bare(line.text) }));
  for (const sentence of summary) expect(lines.map((line) => line.bare)).toContain(sentence);
  const warnings = lines.filter(
    (line) => line.tone !== 'plain' && line.kind !== 'price' && !NOT_FOR_THE_AGENT.includes(line.kind),
  );
  for (const line of warnings) expect(summary).toContain(line.bare);
  for (const line of lines) {
    const escaped = line.text.replaceAll("'", '&#39;');
    expect(page.includes(line.text) || page.includes(escaped)).toBe(true);
    expect(bare(terminal)).toContain(line.bare);
  }
}

it('shows the same content for a question on every surface', async () => {
  const kinds = new Set<string>();
  await playApproved(11, LEGITIMATE_KINDS.length, {
    watch: async (played, home) => {
      await expectSameOnSurfaces(played, home);
      kinds.add(played.kind);
    },
  });
  expect([...kinds].sort()).toEqual([...LEGITIMATE_KINDS].sort());
});
