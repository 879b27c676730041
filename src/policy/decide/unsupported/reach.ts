/**
 * Accounts that unsupported instructions may use. A program can do anything with its accounts, with their privileges in the
 * whole message, so it may get only those of our accounts that the operation involves (T71).
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

/** Refuses unsupported instructions that use accounts of ours outside the operation. */
export function checkReach(c: DecisionContext, { reach = [] }: Matched, list: Checklist): void {
  if (c.opaque.length === 0) return;
  const mints = new Set(reach.length === 0 ? [] : [...reach, WSOL_MINT]);
  let found = false;
  for (const { index, accounts } of c.opaque) {
    for (const use of accounts) {
      const owner = unlistedOwner(c, use);
      if (owner !== undefined) {
        list.fail('AUTHORITY_CHANGE', 'unlistedOwner', {
          params: { program: owner },
          observed: `#${index} ${NAMES_US}: ${use.address} of ${owner}`,
        });
      }
      const what = reached(c, use, mints);
      if (what === undefined) continue;
      found = true;
      list.fail('AUTHORITY_CHANGE', 'reach', { observed: `#${index} ${what}: ${use.address}` });
    }
  }
  if (!found) list.pass('reach');
}

const NAMES_US = 'an account of an unlisted program that names the wallet';

/**
 * Whether an account of an unlisted program names us, such as for a deposit, a loan or a governance seat. The wallet's rights
 * there are unknown and not part of the operation.
 */
const containsOwnAddress = (c: DecisionContext, account: AccountFact): boolean =>
  !account.executable &&
  !KNOWN_OWNERS.has(account.owner) &&
  !c.policy.programs.some(({ address }) => address === account.owner) &&
  c.own.standIn(account);

/** Returns the unlisted program that owns an account which names us, or `undefined`. `reached` covers the wallets. */
function unlistedOwner(c: DecisionContext, { address }: AccountUse): Address | undefined {
  const account = c.own.has(address) ? undefined : c.accounts.get(address);
  const isOthers = account?.exists === true && containsOwnAddress(c, account) && !isClaimedCurve(c, account);
  return isOthers ? account.owner : undefined;
}

/** Owners of accounts that `rightsOf` covers. */
const KNOWN_OWNERS: ReadonlySet<Address> = new Set([...STOCK_PROGRAMS, ...DENIED_PROGRAMS, METADATA_PROGRAM]);

/** Whether holding a token may give the wallet rights elsewhere; position claims use such a token on purpose. */
const canCarryRights = ({ own, inputs }: DecisionContext, { owner, amount }: TokenAccountState): boolean =>
  own.has(owner) && amount > 0n && inputs.plan.operation !== 'position_claim';

/** Describes an account of ours that is outside the operation; `undefined` for the wallet and its accounts of moved tokens. */
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
  // A read-only account suffices for a multisig vote or for a right of a token's holder, such as emptying a position.
  // Other rights need a writable account.
  const usableReadOnly =
    right.right === VOTES || (tokens !== undefined && !mints.has(tokens.mint) && canCarryRights(c, tokens));
  if (!writable) return usableReadOnly ? what : undefined;
  if (tokens === undefined || !mints.has(tokens.mint)) return what;
  // Routers may delegate accounts of others to us in a swap; accounts of our other wallets are never part of one.
  const theirs = !c.own.has(tokens.owner) && c.inputs.plan.operation === 'swap';
  return tokens.owner === c.wallet || theirs ? undefined : what;
}
