/**
 * Which tokens may come and go, and with which powers of others over them (T20, T27–T31). Mints are known by
 * address only; a symbol proves nothing.
 */

import { percent } from '../../../base/format.ts';
import { asRecord } from '../../../base/record.ts';
import { type MintState, mintOf } from '../../../programs/token/accounts.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { DENIED_EXTENSIONS } from '../../file/schema.ts';
import { askAboutIssuer } from '../asks/issuerPowers.ts';
import type { Checklist } from '../checklist.ts';
import { assetOf, type DecisionContext, mintAt, saidAmount } from '../decisionContext.ts';
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
      // The mint of a swap or a claim exists; one we cannot see cannot be judged. SOL is known.
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

/** Transfer fee in basis points from which a token is not bought, whoever issued it. */
const REFUSED_TRANSFER_FEE_BPS = 5_000;

/** Neither schedule of a bought token takes half of a sale: the newer one may begin any epoch. */
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
 * The token of a launch, as the chain shows it now and as the simulation leaves it: no other key holds a power
 * over the wallet's tokens that the request did not ask for (T4, T27, T67).
 */
function checkLaunched(c: DecisionContext, list: Checklist): void {
  const { plan, simulation } = c.inputs;
  if (plan.operation !== 'launch') return;
  const mint = plan.request.tokenMint;
  const after = simulation.status === 'done' ? simulation.after : [];
  // A pool of its own is launched in steps: where every instruction is read, the one that seals the supply is one of them.
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

/** Whether the stage opens a pool that makes its token: then no later one seals the supply. */
const makesToken = ({ acts }: DecisionContext): boolean =>
  acts.some((act) => act.act === 'createPool' && act.token !== undefined);

/** A transfer fee is within the limits that were asked for, by both schedules: one may begin any epoch now (T29). */
function checkTransferFee(
  c: DecisionContext,
  mint: Address,
  { transferFee }: MintState,
  list: Checklist,
): void {
  const { feeLimits } = c.inputs.plan.request;
  if (transferFee === undefined || !Array.isArray(feeLimits)) return;
  const says = (basisPoints: number, most: bigint) =>
    `${percent(basisPoints)}, at most ${saidAmount(c, most, mint)}`;
  for (const limit of feeLimits) {
    if (!isFeeLimit(limit) || limit.asset.mint !== mint) continue;
    for (const { basisPoints, maximumFee } of [transferFee.older, transferFee.newer]) {
      const held = basisPoints <= limit.basisPoints && maximumFee <= BigInt(limit.maximumFeeRaw);
      list.expect(held, 'REQUEST_MISMATCH', 'askedTransferFee', {
        observed: says(basisPoints, maximumFee),
        allowed: says(limit.basisPoints, BigInt(limit.maximumFeeRaw)),
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

/** Mints of the transfers in the bytes. */
function movedMints(c: DecisionContext): string[] {
  return c.instructions.flatMap((i) =>
    i.kind === 'token.transferChecked' || i.kind === 'transferFee.transferCheckedWithFee'
      ? [i.accounts.mint.address]
      : [],
  );
}
