/**
 * Additional accounts of claims through an unsupported program: the curve of the claimed token, and new token accounts of
 * the fee share. The approval request mentions both; any other account is refused (T66, T71).
 */
import { amountOfAsset } from '../../../base/format.ts';
import { virtualPool } from '../../../programs/dbc/accounts.ts';
import { tokenAccountOf } from '../../../programs/token/accounts.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import type { Address } from '../../../transaction/types.ts';
import { type DecisionContext, rentOf } from '../decisionContext.ts';
import { accountOf } from '../operations/chain.ts';
import { textOf } from '../operations/request.ts';

/** Claims of one token. */
const ABOUT_A_TOKEN: readonly string[] = ['holding_claim', 'position_claim'];

/** Whether an account is the curve of the claimed token, which contains its creator's key. */
export function isClaimedCurve({ inputs: { plan } }: DecisionContext, account: AccountFact): boolean {
  const base = textOf(plan.request, 'tokenMint') ?? textOf(plan.request, 'baseMint');
  const mint = accountOf(account, virtualPool)?.baseMint;
  return mint !== undefined && mint === base && ABOUT_A_TOKEN.includes(plan.operation);
}

/**
 * Returns the rent in lamports of token accounts that a simulated claim opens for the fee share: of these mints, at the
 * associated address of an account owned by a called program, with exactly the rent and without delegate or close authority.
 */
export function feeShareRent(c: DecisionContext, mints: readonly Address[]): bigint {
  const { simulation } = c.inputs;
  if (simulation.status !== 'done') return 0n;
  const programs = new Set(c.opaque.map(({ program }) => program));
  return simulation.after.reduce((sum, account, i) => {
    const { exists, address, lamports, owner, data } = account;
    const state = exists && simulation.before[i]?.exists === false ? tokenAccountOf(account) : undefined;
    if (state === undefined || !mints.includes(state.mint)) return sum;
    const isFeeShare =
      programs.has(c.accounts.get(state.owner)?.owner ?? '') &&
      address === associatedTokenAddress(state.owner, state.mint, owner) &&
      state.closeAuthority === undefined &&
      state.delegate === undefined;
    const rent = rentOf(c.inputs, Buffer.byteLength(data, 'base64'));
    return isFeeShare && BigInt(lamports) === rent ? sum + rent : sum;
  }, 0n);
}

/** Returns a clause for the approval request about each additional account. */
export function claimNotes(c: DecisionContext, opened: bigint): readonly string[] {
  const handed = c.opaque.flatMap(({ accounts }) => accounts);
  const creates = handed.some(({ address }) => {
    const account = c.accounts.get(address);
    if (account === undefined || !isClaimedCurve(c, account)) return false;
    return c.own.has(accountOf(account, virtualPool)?.creator ?? '');
  });
  return [
    ...(opened === 0n
      ? []
      : [
          `the wallet pays ${amountOfAsset(opened, 'SOL')} of non-refundable rent for an account of the fee share`,
        ]),
    ...(creates ? ['the unsupported program can use the curve of the token, which the wallet created'] : []),
  ];
}
