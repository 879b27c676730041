/**
 * Which tokens may come and go, and with which powers of others over them (T20, T27–T31). Mints are known by
 * address only; a symbol proves nothing.
 */

import type { MintState } from '../../../programs/token/accounts.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import { assetOf, type DecisionContext, mintAt } from '../decisionContext.ts';
import { isFeeLimit } from '../profiles/config/configRecord.ts';
import type { Bound } from '../profiles/profile.ts';

export function checkTokens(c: DecisionContext, bound: Bound, list: Checklist): void {
  const { mints, extensions } = c.policy.tokens;
  const moved = new Set([...bound.mints, ...movedMints(c)]);
  for (const mint of moved) {
    const asset = assetOf(mint);
    if (mints !== undefined && bound.mints.includes(mint)) {
      list.expect(mints.includes(asset), 'NO_RULE', 'token is one of the policy', { observed: asset });
    }
    const state = mintAt(c, mint);
    if (state === undefined) {
      // The mint of a swap or a claim exists; one we cannot see cannot be judged. SOL is known.
      if (mint !== WSOL_MINT && bound.mints.includes(mint) && c.facts.plan.operation !== 'config') {
        list.fail('TOKEN_EXTENSION_DENIED', 'token can be looked at', { observed: mint });
      }
      continue;
    }
    const denied = state.extensions.filter(
      (name) => extensions.deny.includes(name) || name.startsWith('unknown'),
    );
    list.expect(denied.length === 0, 'TOKEN_EXTENSION_DENIED', 'token gives nobody a denied power', {
      observed: `${mint}: ${denied.join(', ') || 'none'}`,
    });
    checkTransferFee(c, mint, state, list);
  }
}

/** A transfer fee is within the limits that were asked for, by both schedules: one may begin any epoch now (T29). */
function checkTransferFee(
  c: DecisionContext,
  mint: Address,
  { transferFee }: MintState,
  list: Checklist,
): void {
  const { feeLimits } = c.facts.plan.request;
  if (transferFee === undefined || !Array.isArray(feeLimits)) return;
  for (const limit of feeLimits) {
    if (!isFeeLimit(limit) || limit.asset.mint !== mint) continue;
    for (const { basisPoints, maximumFee } of [transferFee.older, transferFee.newer]) {
      const held = basisPoints <= limit.basisPoints && maximumFee <= BigInt(limit.maximumFeeRaw);
      list.expect(held, 'REQUEST_MISMATCH', 'transfer fee is within the limits asked for', {
        observed: `${basisPoints} basis points, at most ${maximumFee}`,
        allowed: `${limit.basisPoints} basis points, at most ${limit.maximumFeeRaw}`,
      });
    }
  }
}

/** Mints of the transfers in the bytes. */
function movedMints(c: DecisionContext): string[] {
  return c.instructions.flatMap((i) =>
    i.kind === 'token.transferChecked' || i.kind === 'transferFee.transferCheckedWithFee'
      ? [i.accounts.mint.address]
      : [],
  );
}
