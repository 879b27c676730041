/**
 * The accounts a decision looks at, without the code of programs: it can be megabytes, it says nothing a decision reads,
 * and facts are kept for good. Code that matters is known by the slot it was deployed in (`programs.ts`).
 */
import type { AccountFact, AtSlot, Chain, SimulationFact } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';

/** The accounts as they are now; those of programs are asked for without their data. Rejects with `ChainError`. */
export async function readAccounts(
  chain: Chain,
  addresses: readonly Address[],
): Promise<AtSlot<readonly AccountFact[]>> {
  const heads = await chain.accounts(addresses, 'confirmed', 0);
  const programs = new Set(heads.value.filter(({ executable }) => executable).map(({ address }) => address));
  const { slot, value } = await chain.accounts(
    addresses.filter((address) => !programs.has(address)),
    'confirmed',
  );
  const found = new Map([...heads.value, ...value].map((account) => [account.address, account]));
  return { slot, value: addresses.flatMap((address) => found.get(address) ?? []).map(withoutCode) };
}

/** A simulation's snapshots without the code of programs that were programs before and after. */
export function simulationWithoutCode(simulation: SimulationFact): SimulationFact {
  if (simulation.status !== 'done') return simulation;
  const { before, after } = simulation;
  const stays = (i: number) => before[i]?.executable === true && after[i]?.executable === true;
  const strip = (account: AccountFact, i: number) => (stays(i) ? withoutCode(account) : account);
  return { ...simulation, before: before.map(strip), after: after.map(strip) };
}

const withoutCode = (account: AccountFact): AccountFact =>
  account.executable ? { ...account, data: '' } : account;
