/**
 * What a claim through an unsupported program may be handed and may open, beside what is the wallet's: the curve of its
 * own token, and token accounts of the fee share that pays it. A person is told of both; all else stays refused (T66, T71).
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

/** Claims that are about one token. */
const ABOUT_A_TOKEN: readonly string[] = ['holding_claim', 'position_claim'];

/** Whether an account is the curve of the token a claim is about. Its creator stands in it; a program may name no other. */
export function isClaimedCurve({ inputs: { plan } }: DecisionContext, account: AccountFact): boolean {
  const base = textOf(plan.request, 'tokenMint') ?? textOf(plan.request, 'baseMint');
  const mint = accountOf(account, virtualPool)?.baseMint;
  return mint !== undefined && mint === base && ABOUT_A_TOKEN.includes(plan.operation);
}

/**
 * Lamports for token accounts that a claim opens for the fee share, by the simulation: each of one of these mints, at the
 * associated address of an account that a called program keeps, with exactly its rent, and no other key over it.
 */
export function openedForShare(c: DecisionContext, mints: readonly Address[]): bigint {
  const { simulation } = c.inputs;
  if (simulation.status !== 'done') return 0n;
  const programs = new Set(c.opaque.map(({ program }) => program));
  return simulation.after.reduce((sum, account, i) => {
    const { exists, address, lamports, owner, data } = account;
    const state = exists && simulation.before[i]?.exists === false ? tokenAccountOf(account) : undefined;
    if (state === undefined || !mints.includes(state.mint)) return sum;
    const isItsOwn =
      programs.has(c.accounts.get(state.owner)?.owner ?? '') &&
      address === associatedTokenAddress(state.owner, state.mint, owner) &&
      state.closeAuthority === undefined &&
      state.delegate === undefined;
    const rent = rentOf(c.inputs, Buffer.byteLength(data, 'base64'));
    return isItsOwn && BigInt(lamports) === rent ? sum + rent : sum;
  }, 0n);
}

/** What a person is told of both, a sentence part each. */
export function toldOfClaim(c: DecisionContext, opened: bigint): readonly string[] {
  const handed = c.opaque.flatMap((each) => (each.kind === 'unknown' ? each.accounts : []));
  const creates = handed.some(({ address }) => {
    const account = c.accounts.get(address);
    if (account === undefined || !isClaimedCurve(c, account)) return false;
    return c.own.has(accountOf(account, virtualPool)?.creator ?? '');
  });
  return [
    ...(opened === 0n
      ? []
      : [
          `the wallet pays ${amountOfAsset(opened, 'SOL')} for an account of the fee share, which does not come back`,
        ]),
    ...(creates ? ['it is handed the curve of the token, whose creator the wallet is'] : []),
  ];
}
