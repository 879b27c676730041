/** A question about unsupported instructions marks every part that could not be decoded (T73). */
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Binding } from '../../src/policy/decide/types.ts';
import { briefWords } from '../../src/presentation/question/brief.ts';
import { UNVERIFIED } from '../../src/presentation/question/marks.ts';
import { amountsOf } from '../../src/presentation/question/questionFacts.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { approvalLines } from '../../src/presentation/question/textLines.ts';
import type { ApprovalView } from '../../src/presentation/question/view.ts';
import { handClock } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { askAbout, launchDecisions, launchPlan, QUESTION_TIME, samplePolicy } from './samples.ts';

const amounts = (view: ApprovalView) => [
  ...amountsOf(view.facts, 'leaves'),
  ...amountsOf(view.facts, 'arrives'),
];
const control = (view: ApprovalView) =>
  view.facts.flatMap((fact) => (fact.kind === 'control' ? fact.lines : []));

/** Returns the question about a launch whose last stage was decoded to this extent. */
async function askUnsupported(binding: Binding, changes = true, staticOnly = true) {
  const ledger = openLedger({ home: temporaryHome(), clock: handClock(QUESTION_TIME) });
  const policy = samplePolicy();
  const plan = launchPlan('sandbox');
  const decided = launchDecisions(policy).map(({ id, decision }) => ({
    id,
    decision: {
      ...decision,
      ...(changes ? {} : { changes: [], statement: { lines: [], made: {} } }),
      ...(id === 'LAUNCH' ? { binding, staticOnly } : {}),
    },
  }));
  const row = await askAbout(ledger, policy, plan, decided);
  const view = await readApprovalView(ledger, row.id, policy);
  if (view === undefined) throw new Error('no view');
  return { view, lines: approvalLines(view, QUESTION_TIME) };
}

describe('a question about a partly unsupported stage', () => {
  it('marks each of its amounts and steps, in the view that pending --json prints', async () => {
    const { view } = await askUnsupported('effects');
    expect(view.read).toBe(false);
    for (const each of amounts(view)) expect(each.mark).toBe(UNVERIFIED);
    expect(view.stages.find(({ id }) => id === 'LAUNCH')?.mark).toBe(UNVERIFIED);
    expect(view.stages.find(({ id }) => id === 'CREATE_TOKEN')?.mark).toBeUndefined();
    expect(control(view)[0]).toMatchObject({ text: expect.stringContaining('Unknown'), tone: 'bad' });
    expect(briefWords(view)).toContain(UNVERIFIED);
  });

  it("states the mark beside each of them in a terminal and in a client's dialog", async () => {
    const { view, lines } = await askUnsupported('effects');
    const text = lines.join('\n');
    expect(text).not.toContain('No stranger gains control');
    expect(text.replaceAll(/\s+/g, ' ')).toContain('may give control to another address');
    const joined = text.replaceAll(/\s+/g, ' ');
    for (const { words } of amounts(view)) expect(joined).toContain(`${words} (${UNVERIFIED})`);
    expect(lines.find((line) => line.includes('3. Launch'))).toContain(UNVERIFIED);
    expect(lines[0]).toContain(UNVERIFIED);
    expect(lines.filter((line) => line.startsWith('Asked for'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('Requested, not verified'))).toHaveLength(1);
  });

  it('attributes amounts to a simulation only if there was one', async () => {
    const notes = async (staticOnly: boolean) =>
      JSON.stringify((await askUnsupported('effects', true, staticOnly)).view.facts);
    expect(await notes(true)).toContain('Not all of it can be decoded: see the marked values.');
    expect(await notes(true)).not.toContain('come from a simulation');
    expect(await notes(false)).toContain('Amounts come from a simulation.');
  });

  it('does not claim that nothing leaves the wallet', async () => {
    const { view, lines } = await askUnsupported('effects', false);
    expect(briefWords(view)).toContain(`nothing leaves (${UNVERIFIED})`);
    expect(lines).toContain(`  nothing (${UNVERIFIED})`);
    expect(lines).toContain(`  nothing has to arrive (${UNVERIFIED})`);
  });
});

describe('a question about fully decoded stages', () => {
  it('marks nothing the policy decided about and may state that no other address gains control', async () => {
    const { view } = await askUnsupported('exact');
    expect(view.read).toBe(true);
    for (const each of amounts(view)) expect(each.mark).toBeUndefined();
    for (const stage of view.stages.filter(({ messageSha256 }) => messageSha256 !== undefined))
      expect(stage.mark).toBeUndefined();
    expect(control(view)).toMatchObject([{ tone: 'bad' }]);
  });
});
