/** The inventory after a changed stage compared with the honest one, by test/oracle/. */
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { transactionFee } from '../../src/programs/solana/fee.ts';
import { accountsFrom } from '../oracle/accounts.ts';
import { type Inventory, inventoryOf } from '../oracle/inventory.ts';
import { type Allowance, allowanceOf, worse } from '../oracle/judge.ts';
import { read } from './oracle.ts';

/** Inventories before and after a stage, from the accounts in its inputs. */
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
 * Returns the deterioration of a changed stage compared with the honest one. Higher network fees and tracking transfers
 * are bounded elsewhere; `isLess` selects lines that may bring less, as the request allows.
 */
export function harmsAgainst(honest: DecisionInputs, changed: DecisionInputs, isLess: boolean): string[] {
  const allowance = allowanceOf(...inventoriesOf(honest));
  const fees = transactionFee(read(changed.stage)).total - transactionFee(read(honest.stage)).total;
  const more = (fees > 0n ? fees : 0n) + TRACKING_LAMPORTS;
  return worse(...inventoriesOf(changed), withMore(withEntries(allowance), more, isLess));
}

/**
 * Allows any table entries where the honest stage adds some: a table grants no right over its entries, its rent is
 * counted separately, and the stage that uses it is decided on its actual content.
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
