/**
 * The accounts a decision looks at, without the code of programs: it can be megabytes, it says nothing a decision reads,
 * and inputs are kept for good. Code that matters is known by the slot it was deployed in (`programs.ts`).
 */
import { accountOf } from '../../policy/decide/operations/chain.ts';
import { poolConfig } from '../../programs/dbc/accounts.ts';
import type { AccountFact, AtSlot, Chain, SimulationFact } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** The accounts as they are now, and who earns by the terms of a curve among them. Rejects with `ChainError`. */
export async function readAccounts(
  chain: Chain,
  addresses: readonly Address[],
): Promise<AtSlot<readonly AccountFact[]>> {
  const asked = await chain.accounts(addresses, 'confirmed');
  const claimers = asked.value.flatMap(claimerBy).filter((address) => !addresses.includes(address));
  if (claimers.length === 0) return asked;
  const { value } = await chain.accounts(claimers, 'confirmed');
  return { slot: asked.slot, value: [...asked.value, ...value] };
}

/** Who earns by the terms of a curve, where that is no address that follows from the token: in another quote than SOL. */
function claimerBy(account: AccountFact): readonly Address[] {
  const terms = accountOf(account, poolConfig);
  return terms === undefined || terms.quoteMint === WSOL_MINT ? [] : [terms.feeClaimer];
}

/** A simulation's snapshots without the code of programs that were programs before and after. */
export function simulationWithoutCode(simulation: SimulationFact): SimulationFact {
  if (simulation.status !== 'done') return simulation;
  const { before, after } = simulation;
  const stays = (i: number) => before[i]?.executable === true && after[i]?.executable === true;
  const strip = (account: AccountFact, i: number) => (stays(i) ? withoutCode(account) : account);
  return { ...simulation, before: before.map(strip), after: after.map(strip) };
}

export const withoutCode = (account: AccountFact): AccountFact =>
  account.executable ? { ...account, data: '' } : account;
