/** Beneficiaries of a launch, and which of them ask. */
import { positionNftAccountAddress } from '../../../../programs/dammV2/addresses.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { isLocalChain } from '../../unsupported/entries.ts';
import type { Run } from '../run.ts';
import { partOf } from './liquidity.ts';

/** Whether an address is ours, in the address book or in the service profile. */
const isNamed = ({ inputs, own, policy }: DecisionContext, address: Address): boolean =>
  [...policy.addressBook, ...inputs.serviceAddresses].some((each) => each.address === address) ||
  own.has(address);

/** Whether unknown parties are accepted: on a local chain whose profile has no treasury. */
const acceptsUnknownParties = ({ inputs }: DecisionContext): boolean =>
  isLocalChain(inputs) && !inputs.serviceAddresses.some(({ label }) => label === 'treasury');

/** Whether an address may benefit from a launch without asking. */
export const isKnownParty = (c: DecisionContext, address: Address): boolean =>
  isNamed(c, address) || acceptsUnknownParties(c);

/** Returns the liquidity by owner of the positions that a run opens; `authority` is the token's fee share. */
export function holdersOf({ all }: Pick<Run, 'all'>, authority: Address): ReadonlyMap<Address, bigint> {
  const holders = new Map<Address, bigint>();
  for (const act of all) {
    if (act.act !== 'openPosition') continue;
    const account = positionNftAccountAddress(act.nftMint);
    let owner = act.owner;
    for (const later of all) {
      if (later.act === 'transfer' && (later.asset === act.nftMint || later.from.account === account))
        owner = later.to.owner ?? authority;
      if (later.act === 'setRight' && later.of === account && later.right === 'owner' && later.to !== null)
        owner = later.to;
    }
    const added = all.reduce(
      (sum, each) =>
        each.act === 'addLiquidity' && each.position === act.position ? sum + each.liquidity : sum,
      0n,
    );
    holders.set(owner, (holders.get(owner) ?? 0n) + added);
  }
  return holders;
}

/**
 * Asks about each unknown position holder other than the fee share, with its share of the liquidity. On a local chain
 * without a treasury, the key that minted the token may hold positions.
 */
export function askAboutHolders(
  c: DecisionContext,
  { all }: Pick<Run, 'all'>,
  holders: ReadonlyMap<Address, bigint>,
  authority: Address,
  list: Checklist,
): void {
  const whole = [...holders.values()].reduce((sum, each) => sum + each, 0n);
  const isMinter = (owner: Address) => all.some((act) => act.act === 'mintTo' && act.authority === owner);
  for (const [owner, part] of holders)
    if (owner !== authority && !isNamed(c, owner) && !(acceptsUnknownParties(c) && isMinter(owner)))
      list.ask('PARTY_UNKNOWN', 'liquidityHolder', { observed: `${owner} with ${partOf(part, whole)}` });
}
