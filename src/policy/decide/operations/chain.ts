/** Accounts of programs there is a reader for, as our own RPC shows them. */
import { type AccountLayout, readAs } from '../../../programs/account.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import type { Address } from '../../../transaction/types.ts';
import type { DecisionContext } from '../decisionContext.ts';

/** The account at an address, when it is there and of this type. */
export function accountAt<F>(
  { accounts, accountReadings: all }: Pick<DecisionContext, 'accounts' | 'accountReadings'>,
  address: Address,
  layout: AccountLayout<string, F>,
): F | undefined {
  const readings = all.get(layout) ?? new Map<Address, unknown>();
  all.set(layout, readings);
  if (!readings.has(address)) readings.set(address, accountOf(accounts.get(address), layout));
  return readings.get(address) as F | undefined;
}

/** An account fact read by a layout; `undefined` when it is not of that type. */
export function accountOf<F>(
  account: AccountFact | undefined,
  layout: AccountLayout<string, F>,
): F | undefined {
  if (account?.exists !== true || account.owner !== layout.program) return undefined;
  const fields = readAs(layout, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
  return typeof fields === 'string' ? undefined : fields;
}

/** The account as the simulation leaves it, when there was one and it is of this type then. */
export function accountAfter<F>(
  { inputs }: Pick<DecisionContext, 'inputs'>,
  address: Address,
  layout: AccountLayout<string, F>,
): F | undefined {
  const { simulation } = inputs;
  if (simulation.status !== 'done' || simulation.error !== null) return undefined;
  return accountOf(
    simulation.after.find((account) => account.address === address),
    layout,
  );
}
