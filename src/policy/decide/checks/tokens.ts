/**
 * Allowed tokens, and the powers that other keys may hold over them (T20, T27–T31). Mints are identified by address, never
 * by symbol.
 */

import { percent } from '../../../base/format.ts';
import { asRecord } from '../../../base/record.ts';
import { type MintState, mintOf } from '../../../programs/token/accounts.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { DENIED_EXTENSIONS } from '../../file/schema.ts';
import { askAboutIssuer } from '../asks/issuerPowers.ts';
import type { Checklist } from '../checklist.ts';
import { assetOf, type DecisionContext, formatAmount, mintAt } from '../decisionContext.ts';
import type { Matched } from '../operations/operation.ts';

export function checkTokens(c: DecisionContext, matched: Matched, list: Checklist): void {
  checkLaunched(c, list);
  const { mints, extensions } = c.policy.tokens;
  const moved = new Set([...matched.mints, ...movedMints(c)]);
  for (const mint of moved) {
    const asset = assetOf(mint);
    if (mints !== undefined && matched.mints.includes(mint)) {
      list.expect(mints.includes(asset), 'NO_RULE', 'tokenListed', { observed: asset });
    }
    const state = mintAt(c, mint);
    if (state === undefined) {
      // The mint of a swap or claim must be visible, because its extensions are checked.
      if (mint !== WSOL_MINT && matched.mints.includes(mint) && c.inputs.plan.operation !== 'config') {
        list.fail('TOKEN_EXTENSION_DENIED', 'tokenVisible', { observed: mint });
      }
      continue;
    }
    const denied = state.extensions.filter(
      (name) => extensions.deny.includes(name) || name.startsWith('unknown'),
    );
    list.expect(denied.length === 0, 'TOKEN_EXTENSION_DENIED', 'noDeniedPower', {
      observed: `${mint}: ${denied.join(', ') || 'none'}`,
    });
    checkTransferFee(c, mint, state, list);
    if (matched.trade?.outputMint === mint) {
      checkBoughtFee(mint, state, list);
      askAboutIssuer(c, mint, list);
    }
  }
}

/** Tokens with a transfer fee of this many basis points or more are never bought. */
const REFUSED_TRANSFER_FEE_BPS = 5_000;

/** Checks that both fee schedules of a bought token are below the maximum: the newer one may apply in the next epoch. */
function checkBoughtFee(mint: Address, { transferFee }: MintState, list: Checklist): void {
  if (transferFee === undefined) return;
  const { older, newer } = transferFee;
  const highest = Math.max(older.basisPoints, newer.basisPoints);
  list.expect(highest < REFUSED_TRANSFER_FEE_BPS, 'TOKEN_EXTENSION_DENIED', 'boughtTokenFee', {
    observed: `${mint}: ${percent(highest)}`,
    allowed: `below ${percent(REFUSED_TRANSFER_FEE_BPS)}`,
  });
}

/**
 * Checks the launched token on chain and after the simulation: no other key may hold powers over it that the request did
 * not ask for (T4, T27, T67).
 */
function checkLaunched(c: DecisionContext, list: Checklist): void {
  const { plan, simulation } = c.inputs;
  if (plan.operation !== 'launch') return;
  const mint = plan.request.tokenMint;
  const after = simulation.status === 'done' ? simulation.after : [];
  // A pool launch of supported instructions revokes the mint authority in one of its own stages.
  const isUnsupported = c.opaque.length > 0 && c.inputs.stage.kind === 'launch';
  if (isUnsupported || makesToken(c)) {
    const minted = after.find(({ address }) => address === mint);
    const minter = minted && mintOf(minted)?.mintAuthority;
    list.expect(minter === undefined || c.own.has(minter), 'REQUEST_MISMATCH', 'noStrangerMints', {
      simulated: true,
      observed: minter,
    });
  }
  for (const account of [...c.inputs.accounts, ...after]) {
    const state = account.address === mint ? mintOf(account) : undefined;
    if (state === undefined) continue;
    const freezer = state.freezeAuthority;
    list.expect(freezer === undefined || c.own.has(freezer), 'REQUEST_MISMATCH', 'noStrangerFreezes', {
      observed: freezer,
    });
    const powers = state.extensions.filter(
      (name) => DENIED_EXTENSIONS.includes(name) || name.startsWith('unknown'),
    );
    const feeSetter = state.transferFee?.configAuthority;
    if (feeSetter !== undefined && !c.own.has(feeSetter)) powers.push('transferFeeConfig');
    list.expect(powers.length === 0, 'TOKEN_EXTENSION_DENIED', 'launchedTokenPowers', {
      observed: powers.join(', ') || 'none',
    });
  }
}

/** Whether the stage creates the token together with the pool; then no later stage revokes the mint authority. */
const makesToken = ({ acts }: DecisionContext): boolean =>
  acts.some((act) => act.act === 'createPool' && act.token !== undefined);

/** Checks both transfer fee schedules against the requested limits: the newer one may apply in the next epoch (T29). */
function checkTransferFee(
  c: DecisionContext,
  mint: Address,
  { transferFee }: MintState,
  list: Checklist,
): void {
  const { feeLimits } = c.inputs.plan.request;
  if (transferFee === undefined || !Array.isArray(feeLimits)) return;
  const format = (basisPoints: number, most: bigint) =>
    `${percent(basisPoints)}, at most ${formatAmount(c, most, mint)}`;
  for (const limit of feeLimits) {
    if (!isFeeLimit(limit) || limit.asset.mint !== mint) continue;
    for (const { basisPoints, maximumFee } of [transferFee.older, transferFee.newer]) {
      const held = basisPoints <= limit.basisPoints && maximumFee <= BigInt(limit.maximumFeeRaw);
      list.expect(held, 'REQUEST_MISMATCH', 'askedTransferFee', {
        observed: format(basisPoints, maximumFee),
        allowed: format(limit.basisPoints, BigInt(limit.maximumFeeRaw)),
      });
    }
  }
}

interface FeeLimit {
  readonly asset: { readonly mint: string };
  readonly basisPoints: number;
  readonly maximumFeeRaw: string;
}

function isFeeLimit(value: unknown): value is FeeLimit {
  const { asset, basisPoints, maximumFeeRaw } = asRecord(value);
  return (
    typeof asRecord(asset).mint === 'string' &&
    typeof basisPoints === 'number' &&
    typeof maximumFeeRaw === 'string' &&
    /^[0-9]{1,20}$/.test(maximumFeeRaw)
  );
}

/** Returns the mints of the transfer instructions. */
function movedMints(c: DecisionContext): string[] {
  return c.readings.flatMap(({ reading: { instruction: i } }) =>
    i?.kind === 'token.transferChecked' || i?.kind === 'transferFee.transferCheckedWithFee'
      ? [i.accounts.mint.address]
      : [],
  );
}
