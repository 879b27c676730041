/** Who gains from a launch, and who of them asks. */
import { positionNftAccountAddress } from '../../../../programs/dammV2/addresses.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { isLocalChain } from '../../unsupported/entries.ts';
import type { Run } from '../run.ts';
import { partOf } from './liquidity.ts';

/** Whether an address is ours, in the address book or in the service's profile. */
const isNamed = ({ inputs, own, policy }: DecisionContext, address: Address): boolean =>
  [...policy.addressBook, ...inputs.serviceAddresses].some((each) => each.address === address) ||
  own.has(address);

/** A profile that names no treasury knows no party; a local chain then goes without some questions. */
const mayBeAnyone = ({ inputs }: DecisionContext): boolean =>
  isLocalChain(inputs) && !inputs.serviceAddresses.some(({ label }) => label === 'treasury');

/** Whether an address may gain from a launch without a question. */
export const isKnownParty = (c: DecisionContext, address: Address): boolean =>
  isNamed(c, address) || mayBeAnyone(c);

/** Who holds the positions that a run opens, with the liquidity in them; `authority` is the fee share of the token. */
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
 * Asks about each holder of positions that is neither the fee share nor named, with its part of the liquidity. On a local
 * chain whose profile names nobody, the key that made the token may hold some.
 */
export function askAboutHolders(
  c: DecisionContext,
  { all }: Pick<Run, 'all'>,
  holders: ReadonlyMap<Address, bigint>,
  authority: Address,
  list: Checklist,
): void {
  const whole = [...holders.values()].reduce((sum, each) => sum + each, 0n);
  const isMaker = (owner: Address) => all.some((act) => act.act === 'mintTo' && act.authority === owner);
  for (const [owner, part] of holders)
    if (owner !== authority && !isNamed(c, owner) && !(mayBeAnyone(c) && isMaker(owner)))
      list.ask('PARTY_UNKNOWN', 'liquidityHolder', { observed: `${owner} with ${partOf(part, whole)}` });
}
