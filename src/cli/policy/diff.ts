/** `countersign policy diff OLD NEW`: describes the changes, and which recorded decisions they would change. */

import { listWords } from '../../base/format.ts';
import type { Decision } from '../../policy/decide/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { explain } from '../../presentation/decisions/explain.ts';
import { diffPolicies } from '../../review/diffPolicy.ts';
import type { PolicyChange } from '../../review/policyChange.ts';
import { redecide, unknownLimits } from '../../review/redecide.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { limitOption, shownId, timeWords, withHistory } from '../records/history.ts';
import { readPolicy } from './read.ts';

const USUAL_LIMIT = 1_000;

/** Returns the parts of a decision that are compared. */
const outcome = (decision: Decision) => ({
  effect: decision.effect,
  codes: decision.reasonCodes,
  explain: explain(decision),
  ...(decision.ruleId === undefined ? {} : { ruleId: decision.ruleId }),
});
type Outcome = ReturnType<typeof outcome>;

interface ChangedDecision {
  readonly id: string;
  readonly time: string;
  readonly planId: string;
  readonly stageId: string;
  readonly operation: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

export const diffPolicyCommand: Command = async (input) => {
  const [, oldPath, newPath] = input.words;
  if (oldPath === undefined || newPath === undefined) {
    throw new SetupError('Which two files?', 'countersign policy diff OLD NEW');
  }
  const old = await readPolicy(oldPath, input.terminal);
  const next = await readPolicy(newPath, input.terminal);
  if (old === undefined || next === undefined) return 1;
  const changes = diffPolicies(old.policy, next.policy);
  const past = await decideAgain(input, old, next);
  if (input.options.json === true) {
    input.terminal.print(JSON.stringify({ changes, ...past }));
    return 0;
  }
  printChanges(input, changes);
  printPast(input, past, unknownLimits(old.policy, next.policy));
  return 0;
};

interface Past {
  /** Recorded decisions decided again under both files. */
  readonly decided: number;
  readonly changed: readonly ChangedDecision[];
  /** Number of decisions whose inputs are missing. */
  readonly unseen: number;
}

async function decideAgain(input: CommandInput, old: LoadedPolicy, next: LoadedPolicy): Promise<Past> {
  const limit = limitOption(input, USUAL_LIMIT);
  const changed: ChangedDecision[] = [];
  let [decided, unseen] = [0, 0];
  await withHistory(input, async (history) => {
    for await (const { id, time, planId, stageId, decision } of history.decisions()) {
      if (decided + unseen >= limit) break;
      const recorded = (await history.ledger.rows('decisions', { id, inputs: true }))[0]?.made;
      if (recorded === undefined) {
        unseen += 1;
        continue;
      }
      decided += 1;
      const { before, after, changed: differs } = redecide({ decision, ...recorded }, old, next);
      if (!differs) continue;
      const { operation } = recorded.inputs.plan;
      const compared = { before: outcome(before), after: outcome(after) };
      changed.push({ id, time: timeWords(time), planId, stageId, operation, ...compared });
    }
    return 0;
  });
  return { decided, changed, unseen };
}

const SIGNS: Readonly<Record<PolicyChange['way'], string>> = { wider: '+', narrower: '-', other: '~' };

function printChanges({ terminal }: CommandInput, changes: readonly PolicyChange[]): void {
  const columns = columnsFor(terminal.columns);
  if (changes.length === 0) {
    terminal.print('The two files are equivalent.');
    return;
  }
  terminal.print('+ lets the agent do more   - less   ~ something else');
  terminal.print('');
  for (const { way, text } of changes) {
    for (const line of wrap(text, columns, `${SIGNS[way]} `)) terminal.print(line);
  }
}

function printPast({ terminal }: CommandInput, past: Past, unknown: readonly string[]): void {
  const columns = columnsFor(terminal.columns);
  const print = (text: string, first = '') => {
    for (const line of wrap(text, columns, first)) terminal.print(line);
  };
  terminal.print('');
  if (past.decided === 0) print('No decisions are recorded here that could be decided again.');
  else print(`${past.changed.length} of ${past.decided} recorded decisions would come out differently.`);
  if (unknown.length > 0 && past.decided > 0) {
    print(`The use of ${listWords(unknown)} at the time is unknown and counts as zero.`);
  }
  if (past.unseen > 0) print(`${past.unseen} more have no facts.`);
  for (const same of alike(past.changed)) {
    const [first] = same;
    if (first === undefined) continue;
    const { planId, operation, time, before, after } = first;
    terminal.print('');
    print(`${planId}  ${operation}  ${time}`);
    const stages = [...new Set(same.map(({ stageId }) => shownId(stageId)))];
    print(`${stages.length === 1 ? 'stage' : 'stages'} ${listWords(stages)}`, '  ');
    print(listWords(same.map(({ id }) => id)), '  ');
    print(outcomeWords(before), '  old  ');
    print(outcomeWords(after), '  new  ');
  }
}

/** Groups decisions on one plan that change in the same way. */
function alike(changed: readonly ChangedDecision[]): ChangedDecision[][] {
  const groups = new Map<string, ChangedDecision[]>();
  for (const each of changed) {
    const { planId, before, after } = each;
    const key = [planId, before.effect, ...before.codes, after.effect, ...after.codes].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

const outcomeWords = ({ effect, codes, explain }: Outcome): string =>
  `${effect}${codes.length === 0 ? '' : ` [${codes.join(' ')}]`}: ${explain}`;
