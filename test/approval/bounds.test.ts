/**
 * Bounds shown to agent and owner before the first signature, compared with the amounts honest plans of every kind
 * moved: "at most" is never exceeded, "at least" never missed, network fees are at most four times too high.
 */
import { expect, it } from 'vitest';
import { approvalOfRow } from '../../src/ledger/sqlite/approvals.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { LEGITIMATE_KINDS } from '../policy/legitimate.ts';
import { type Played, playApproved } from './asksOnce.ts';

const PLANS = EXHAUSTIVE ? 200 : 2 * LEGITIMATE_KINDS.length;

const lamports = (sol: string | undefined): bigint => BigInt(Math.round(Number(sol ?? '0') * 1e9));

/** Returns the assets that violate the stated bounds. */
function broken({ built, answer }: Played): string[] {
  const { expected, decision } = built;
  // An undecided stage states no bounds.
  if (decision.effect === 'deny') return [];
  if (expected === undefined) return ['nothing was said'];
  if (answer.changes === undefined) return ['what moved is not known'];
  const sums = (amounts: readonly { asset: string; raw: string }[]) =>
    new Map(amounts.map(({ asset, raw }) => [asset, BigInt(raw)]));
  const [most, least, moved] = [expected.leavesAtMost, expected.arrivesAtLeast, answer.changes].map(sums);
  if (most === undefined || least === undefined || moved === undefined) return [];
  moved.set('SOL', (moved.get('SOL') ?? 0n) - lamports(answer.cost?.networkFee));
  return [...new Set([...most.keys(), ...least.keys(), ...moved.keys()])].filter(
    (asset) => (moved.get(asset) ?? 0n) < (least.get(asset) ?? 0n) - (most.get(asset) ?? 0n),
  );
}

/** Returns the ratio of the maximum fees in the question to the fees paid. */
function feesShown({ answer, questions }: Played): number {
  const [question] = questions;
  const lines = question === undefined ? [] : approvalOfRow(question).statement.lines;
  const statedBound = lines.reduce(
    (sum, line) => (line.id === 'pays' && line.why === 'networkFee' ? sum + line.atMost : sum),
    0n,
  );
  return statedBound === 0n ? 0 : Number(statedBound) / Number(lamports(answer.cost?.networkFee));
}

it.each([
  ['asks about everything', {}],
  ['allows', { policy: <T>(file: T): T => file }],
])('holds its bounds under a policy that %s', async (_, playing) => {
  const found: unknown[] = [];
  const watch = (played: Played) => {
    const { kind, built, answer } = played;
    const [over, times] = [broken(played), feesShown(played)];
    if (over.length === 0 && times <= 4) return;
    const { changes, cost, status } = answer;
    found.push({ kind, over, times, expected: built.expected, changes, cost, status, asked: built.asked });
  };
  await playApproved(7, PLANS, { ...playing, watch });
  expect(found).toEqual([]);
});
