/**
 * What an unsupported instruction could touch. A program may do anything with the accounts it is handed, with the
 * privileges they have in the whole message: so it is handed nothing of ours but what the operation is about (T71).
 */
import { spaced } from '../../../base/format.ts';
import { type TokenAccountState, tokenAccountOf } from '../../../programs/token/accounts.ts';
import { METADATA_PROGRAM } from '../../../programs/tokenMetadata/addresses.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { AccountUse, Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { DENIED_PROGRAMS, STOCK_PROGRAMS } from '../checks/deniedPrograms.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { Matched } from '../operations/operation.ts';
import { isClaimedCurve } from './claimed.ts';
import { rightsOf, VOTES } from './rights.ts';

/** Refuses an unsupported instruction that names something of ours the operation has nothing to do with. */
export function checkReach(c: DecisionContext, { reach = [] }: Matched, list: Checklist): void {
  if (c.opaque.length === 0) return;
  const mints = new Set(reach.length === 0 ? [] : [...reach, WSOL_MINT]);
  let found = false;
  for (const instruction of c.opaque) {
    if (instruction.kind !== 'unknown') continue;
    for (const use of instruction.accounts) {
      const owner = unlistedOwner(c, use);
      if (owner !== undefined) {
        list.fail('AUTHORITY_CHANGE', 'unlistedOwner', {
          params: { program: owner },
          observed: `#${instruction.index} ${NAMES_US}: ${use.address} of ${owner}`,
        });
      }
      const what = reached(c, use, mints);
      if (what === undefined) continue;
      found = true;
      list.fail('AUTHORITY_CHANGE', 'reach', { observed: `#${instruction.index} ${what}: ${use.address}` });
    }
  }
  if (!found) list.pass('reach');
}

const NAMES_US = 'an account of a program the policy does not name, in which the wallet stands';

/**
 * Whether an account says something of us to a program the policy does not name: a deposit, a loan, a seat in a
 * council. What the wallet may do there cannot be read, and the operation is not about it.
 */
const namesUs = (c: DecisionContext, account: AccountFact): boolean =>
  !account.executable &&
  !READ_OWNERS.has(account.owner) &&
  !c.policy.programs.some(({ address }) => address === account.owner) &&
  c.own.standIn(account);

/** The program to list before an account that names us may be handed over; the wallets themselves are looked at apart. */
function unlistedOwner(c: DecisionContext, { address }: AccountUse): Address | undefined {
  const account = c.own.has(address) ? undefined : c.accounts.get(address);
  const isOthers = account?.exists === true && namesUs(c, account) && !isClaimedCurve(c, account);
  return isOthers ? account.owner : undefined;
}

/** Owners whose accounts are read: what they say of us is in `rightsOf`. */
const READ_OWNERS: ReadonlySet<Address> = new Set([...STOCK_PROGRAMS, ...DENIED_PROGRAMS, METADATA_PROGRAM]);

/** Whether holding a token may be what lets the wallet sign for something else; a claim from a position is about one. */
const standsFor = ({ own, inputs }: DecisionContext, { owner, amount }: TokenAccountState): boolean =>
  own.has(owner) && amount > 0n && inputs.plan.operation !== 'position_claim';

/** What of ours an account is, unless it is the wallet itself or its account of a token that comes or goes here. */
function reached(
  c: DecisionContext,
  { address, writable }: AccountUse,
  mints: ReadonlySet<Address>,
): string | undefined {
  if (address === c.wallet) return undefined;
  if (c.own.has(address)) return writable ? 'another wallet of yours' : undefined;
  const account = c.accounts.get(address);
  if (account === undefined || !account.exists) return undefined;
  const [right] = rightsOf(c.own, account);
  if (right === undefined) return undefined;
  const what = `the ${spaced(right.right)}`;
  const tokens = tokenAccountOf(account);
  // Signing is enough to vote, or to use a right that a token carries: the holder of a position's token may empty it.
  // Everything else has to be written to.
  const speaks =
    right.right === VOTES || (tokens !== undefined && !mints.has(tokens.mint) && standsFor(c, tokens));
  if (!writable) return speaks ? what : undefined;
  if (tokens === undefined || !mints.has(tokens.mint)) return what;
  // An account of a stranger that lets us spend from it belongs to a trade; one of another wallet of ours does not.
  const theirs = !c.own.has(tokens.owner) && c.inputs.plan.operation === 'swap';
  return tokens.owner === c.wallet || theirs ? undefined : what;
}
