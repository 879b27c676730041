/** Accounts of supported programs, decoded from the data of our own RPC. */
import { type AccountLayout, readAs } from '../../../programs/account.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import type { Address } from '../../../transaction/types.ts';
import type { DecisionContext } from '../decisionContext.ts';

/** Returns the decoded account at an address, or `undefined` if it is missing or of another type. */
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

/** Decodes an account by a layout. Returns `undefined` if it is missing or of another type. */
export function accountOf<F>(
  account: AccountFact | undefined,
  layout: AccountLayout<string, F>,
): F | undefined {
  if (account?.exists !== true || account.owner !== layout.program) return undefined;
  const fields = readAs(layout, { owner: account.owner, data: Buffer.from(account.data, 'base64') });
  return typeof fields === 'string' ? undefined : fields;
}

/** Returns the decoded account after a successful simulation, or `undefined`. */
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
