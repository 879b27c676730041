/** Changes of balances and rights by a rehearsed stage, from the accounts before and after it. Pure. */
import { assetOf } from '../policy/decide/decisionContext.ts';
import { type Right, rightsOf } from '../policy/decide/unsupported/rights.ts';
import { tokenAccountOf } from '../programs/token/accounts.ts';
import type { AccountFact, RehearsedStage } from '../rpc/types.ts';
import type { Address } from '../transaction/types.ts';

type Changed = Pick<RehearsedStage, 'changes' | 'rights'>;

/** Compares the writable accounts of a stage, given in the same order. `own`: all wallets of this home. */
export function changesOf(
  wallet: Address,
  own: ReadonlySet<Address>,
  before: readonly AccountFact[],
  after: readonly AccountFact[],
): Changed {
  const total = new Map<string, bigint>();
  const add = (account: AccountFact, sign: bigint): void => {
    if (!account.exists) return;
    const token = tokenAccountOf(account);
    const [asset, units] =
      account.address === wallet
        ? ['SOL', BigInt(account.lamports)]
        : token?.owner === wallet
          ? [assetOf(token.mint), token.amount]
          : ['', 0n];
    if (units !== 0n) total.set(asset, (total.get(asset) ?? 0n) + sign * units);
  };
  for (const account of before) add(account, -1n);
  for (const account of after) add(account, 1n);
  return {
    changes: [...total].flatMap(([asset, by]) => (by === 0n ? [] : [{ asset, by: `${by}` }])),
    rights: after.flatMap((is, i) => {
      const was = before[i];
      return was === undefined ? [] : changedRights(own, was, is);
    }),
  };
}

/** Returns the rights that our keys lost or gained, and grants to other keys. */
function changedRights(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): Changed['rights'] {
  const [old, now] = [rightsOf(own, was), rightsOf(own, is)];
  const isNot = (others: readonly Right[]) => (mine: Right) =>
    others.every(({ right, holder }) => right !== mine.right || holder !== mine.holder);
  const row = ({ right, holder }: Right, isAfter: boolean) => ({
    account: is.address,
    right,
    before: isAfter ? null : holder,
    after: isAfter ? holder : null,
  });
  // The amounts cover the contents of a closed token account.
  const isClosed = ({ right }: Right) => right === 'tokenAccount' && !is.exists;
  const lost = old.filter((mine) => isNot(now)(mine) && !isClosed(mine)).map((right) => row(right, false));
  const gained = was.exists ? now.filter(isNot(old)).map((right) => row(right, true)) : [];
  return [...lost, ...gained, ...grants(own, was, is)];
}

/** Returns the new delegates and close authorities of our token accounts, except our own keys. */
function grants(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): Changed['rights'] {
  const [old, now] = [tokenAccountOf(was), tokenAccountOf(is)];
  if (now === undefined || !own.has(now.owner)) return [];
  const row = (right: string, before: Address | undefined, after: Address | undefined) =>
    after === undefined || after === before || own.has(after)
      ? []
      : [{ account: is.address, right, before: before ?? null, after }];
  return [
    ...row('rightToSpendFromTheTokenAccount', old?.delegate, now.delegate),
    ...row('rightToCloseTheTokenAccount', old?.closeAuthority, now.closeAuthority),
  ];
}
