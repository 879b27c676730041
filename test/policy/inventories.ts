/** What a changed stage leaves of everything the wallet controls, beside the honest one: the judge of test/oracle/. */
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { transactionFee } from '../../src/programs/computeBudget/fee.ts';
import { accountsFrom } from '../oracle/accounts.ts';
import { type Inventory, inventoryOf } from '../oracle/inventory.ts';
import { type Allowance, allowanceOf, worse } from '../oracle/judge.ts';
import { read } from './oracle.ts';

/** Inventories before and after a stage, as its inputs show the accounts. */
export function inventoriesOf({
  plan,
  accounts,
  simulation,
}: DecisionInputs): readonly [Inventory, Inventory] {
  if (simulation.status !== 'done') throw new Error('no simulation');
  const known = [...accounts, ...simulation.before];
  const touched = new Set(simulation.after.map(({ address }) => address));
  const left = [...known.filter(({ address }) => !touched.has(address)), ...simulation.after];
  const taken = (list: typeof known) => inventoryOf([plan.wallet], accountsFrom(list));
  return [taken(known), taken(left)];
}

/**
 * What is worse after the changed stage than after the honest one. A higher network fee and the lamports of a tracking
 * transfer are bounded elsewhere; `isLess` is for what may bring less, as far as the request leaves that open.
 */
export function harmsBeside(honest: DecisionInputs, changed: DecisionInputs, isLess: boolean): string[] {
  const allowance = allowanceOf(...inventoriesOf(honest));
  const fees = transactionFee(read(changed.stage)).total - transactionFee(read(honest.stage)).total;
  const more = (fees > 0n ? fees : 0n) + TRACKING_LAMPORTS;
  return worse(...inventoriesOf(changed), withMore(withEntries(allowance), more, isLess));
}

/**
 * Which addresses a stage adds to a lookup table is left open where the honest one adds some: a table names accounts and
 * gives no right over them, its rent is counted apart, and the stage that uses it is decided on with what it really holds.
 */
function withEntries(allowance: Allowance): Allowance {
  const added = Object.keys(allowance.says ?? {}).filter((line) => line.startsWith('entries of '));
  return {
    ...allowance,
    says: { ...allowance.says, ...Object.fromEntries(added.map((line) => [line, '*'])) },
  };
}

const TRACKING_LAMPORTS = 5_000n;

function withMore(allowance: Allowance, lamports: bigint, isLess: boolean): Allowance {
  const { out = {}, in: least = {} } = allowance;
  const { SOL: brings, ...others } = least;
  if (isLess) return { ...allowance, in: {}, out: { ...out, SOL: (out.SOL ?? 0n) + lamports } };
  if (brings === undefined) return { ...allowance, out: { ...out, SOL: (out.SOL ?? 0n) + lamports } };
  const rest = brings - lamports;
  const sol = rest >= 0n ? { in: { ...others, SOL: rest } } : { in: others, out: { ...out, SOL: -rest } };
  return { ...allowance, ...sol };
}
