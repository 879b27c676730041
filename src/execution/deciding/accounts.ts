/**
 * Reads the accounts a decision depends on, without program code: code can be megabytes, decision inputs are stored
 * permanently, and programs are identified by the slot they were deployed in (`programs.ts`).
 */
import { accountOf } from '../../policy/decide/operations/chain.ts';
import { poolConfig } from '../../programs/dbc/accounts.ts';
import type { AccountFact, AtSlot, Chain, SimulationFact } from '../../rpc/types.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Returns the current accounts, plus the fee claimers of curves among them. Rejects with `ChainError`. */
export async function readAccounts(
  chain: Chain,
  addresses: readonly Address[],
): Promise<AtSlot<readonly AccountFact[]>> {
  const first = await chain.accounts(addresses, 'confirmed');
  const claimers = first.value.flatMap(claimerBy).filter((address) => !addresses.includes(address));
  if (claimers.length === 0) return first;
  const { value } = await chain.accounts(claimers, 'confirmed');
  return { slot: first.slot, value: [...first.value, ...value] };
}

/** Returns the fee claimer of a curve that is not quoted in SOL; a SOL curve's claimer is derived from the token. */
function claimerBy(account: AccountFact): readonly Address[] {
  const terms = accountOf(account, poolConfig);
  return terms === undefined || terms.quoteMint === WSOL_MINT ? [] : [terms.feeClaimer];
}

/** Removes the code of accounts that are programs both before and after a simulation. */
export function simulationWithoutCode(simulation: SimulationFact): SimulationFact {
  if (simulation.status !== 'done') return simulation;
  const { before, after } = simulation;
  const stays = (i: number) => before[i]?.executable === true && after[i]?.executable === true;
  const strip = (account: AccountFact, i: number) => (stays(i) ? withoutCode(account) : account);
  return { ...simulation, before: before.map(strip), after: after.map(strip) };
}

export const withoutCode = (account: AccountFact): AccountFact =>
  account.executable ? { ...account, data: '' } : account;
