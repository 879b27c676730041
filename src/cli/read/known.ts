/**
 * What is known of one transaction besides its single acts: what its other acts say, and what our own RPC shows of the
 * accounts that decide who earns and who controls. Pure.
 */

import { attempt } from '../../base/attempt.ts';
import type { AccountLayout } from '../../programs/account.ts';
import { readAs } from '../../programs/account.ts';
import type { Act, ActOf, Asset, Earner } from '../../programs/acts.ts';
import { pool, position } from '../../programs/dammV2/accounts.ts';
import { positionAddress, positionNftAccountAddress } from '../../programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../../programs/dbc/accounts.ts';
import { feeShareAuthority, feeShareConfig, partnerConfig } from '../../programs/feeShare/accounts.ts';
import {
  feeShareAuthorityAddress,
  feeShareConfigAddress,
  partnerConfigAddress,
} from '../../programs/feeShare/addresses.ts';
import { termsOfCurve } from '../../programs/poolTerms/curve.ts';
import { readTokenAccount } from '../../programs/token/accounts.ts';
import type { Known, Payout, PoolSettings } from '../../programs/words/naming.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAccounts } from './ownAccounts.ts';
import { heldAfter } from './settled.ts';
import type { AccountAt } from './surroundings.ts';

/** An act and the instruction it is of, counted from 1. */
export interface StepAct {
  readonly step: number;
  readonly act: Act;
}

/** What is known of a transaction. */
export interface TransactionKnown extends Known {
  /** Decimals of a token that is made in it. */
  decimalsOf(mint: Address): number | undefined;
}

/** What acts and chain together say. */
export function knownOf(
  steps: readonly StepAct[],
  wallet: Address | undefined,
  accountAt: AccountAt,
  online: boolean,
  askedSettings?: Address,
): TransactionKnown {
  const acts = steps.map(({ act }) => act);
  const chain = new ChainFacts(accountAt);
  const shares = new Map(
    pairsOf(acts).map(([base, quote]) => [feeShareAuthorityAddress(base, quote), base] as const),
  );
  const own = wallet === undefined ? new Map() : derivedAccounts([wallet], listedIn(acts));
  return {
    ...(wallet === undefined ? {} : { wallet }),
    online,
    ...(askedSettings === undefined ? {} : { askedSettings }),
    feeShareSteps: steps.filter(({ act }) => act.act === 'createConfig').map(({ step }) => step),
    feeShareOf: (address) => shares.get(address),
    isOwn: (address) => address === wallet || own.has(address),
    managerOf: (config) => managerOf(acts, config) ?? chain.config(config)?.manager ?? undefined,
    earnersOf: (config) => chain.config(config)?.earners,
    partnerOf: (config) => chain.config(config)?.partner ?? undefined,
    partnerBps: (partner) =>
      partnerIn(acts, partner) ?? chain.read(partnerConfig, partnerConfigAddress(partner))?.bps,
    settingsOf: (config) => settingsOf(acts, config) ?? chain.settings(config),
    positionOf: (mint) => positionIn(acts, mint) ?? chain.positionOf(mint),
    controllerOf: (address) => openedFor(acts, address) ?? chain.holderOf(address),
    owed: (claim, payout) => chain.owed(claim, payout),
    decimalsOf: (mint) =>
      decimalsIn(acts, mint, (config) => settingsOf(acts, config) ?? chain.settings(config)),
  };
}

/** Every pair of mints a launch's fee share could be derived from. */
function pairsOf(acts: readonly Act[]): readonly (readonly [base: Address, quote: Address])[] {
  return acts.flatMap((act): (readonly [Address, Address])[] => {
    if ('base' in act && 'quote' in act) return [[act.base, act.quote]];
    if (act.act === 'tableExtend') return act.addresses.map((mint) => [mint, WSOL_MINT]);
    if (act.act !== 'claim') return [];
    const mints = [act.base, ...act.payouts.map(({ asset }) => asset)];
    return mints.flatMap((mint): (readonly [Address, Address])[] =>
      mint === undefined || mint === 'SOL' || mint === WSOL_MINT ? [] : [[mint, WSOL_MINT]],
    );
  });
}

/** Addresses that are put in tables: mints among them show which others are derived from them. */
const listedIn = (acts: readonly Act[]): readonly Address[] =>
  acts.flatMap((act) => (act.act === 'tableExtend' ? act.addresses : []));

const managerOf = (acts: readonly Act[], config: Address): Address | undefined =>
  acts.flatMap((act) => (act.act === 'setManager' && act.config === config ? [act.manager] : [])).at(-1);

const partnerIn = (acts: readonly Act[], partner: Address): number | undefined =>
  acts.flatMap((act) => (act.act === 'createPartner' && act.partner === partner ? [act.bps] : [])).at(-1);

const settingsOf = (acts: readonly Act[], config: Address): PoolSettings | undefined =>
  acts.flatMap((act) => (act.act === 'createPoolConfig' && act.config === config ? [act] : [])).at(-1);

const positionIn = (acts: readonly Act[], mint: Address): Address | undefined =>
  acts.flatMap((act) => (act.act === 'openPosition' && act.nftMint === mint ? [act.position] : [])).at(-1);

/** Who a position is opened for, or who its NFT is moved to afterwards; absent where that is not known. */
function openedFor(acts: readonly Act[], address: Address): Address | undefined {
  const opened = acts.find((act) => act.act === 'openPosition' && act.position === address);
  return opened?.act === 'openPosition' ? heldAfter(opened, acts).owner : undefined;
}

/** A token's decimals as the act that makes it says them: by itself, or by the settings of the pool made with it. */
function decimalsIn(
  acts: readonly Act[],
  mint: Address,
  settings: (config: Address) => PoolSettings | undefined,
): number | undefined {
  for (const act of acts) {
    if (act.act === 'createMint' && act.mint === mint) return act.decimals;
    if (act.act !== 'createPool' || act.base !== mint || act.token === undefined) continue;
    return act.config === undefined ? undefined : settings(act.config)?.terms.curve?.decimals;
  }
  return undefined;
}

/** Fees for each unit of liquidity are counted in units of 2^-128. */
const FEE_SCALE = 128n;
const littleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** Accounts as the chain shows them, read by their programs' readers. */
class ChainFacts {
  private readonly accountAt: AccountAt;

  constructor(accountAt: AccountAt) {
    this.accountAt = accountAt;
  }

  read<F>(layout: AccountLayout<string, F>, address: Address): F | undefined {
    const account = this.accountAt(address);
    if (!account) return undefined;
    const fields = readAs(layout, account);
    return typeof fields === 'string' ? undefined : fields;
  }

  config = (address: Address) => this.read(feeShareConfig, address);

  settings(address: Address): PoolSettings | undefined {
    const fields = this.read(poolConfig, address);
    if (fields === undefined) return undefined;
    return { ...fields, terms: termsOfCurve(fields) };
  }

  /** Who holds the NFT of a position. */
  holderOf(address: Address): Address | undefined {
    const found = this.read(position, address);
    const held = found === undefined ? undefined : this.tokens(positionNftAccountAddress(found.nftMint));
    // The NFT can be moved to another account.
    return held?.amount === 1n ? held.owner : undefined;
  }

  positionOf(mint: Address): Address | undefined {
    const address = positionAddress(mint);
    return this.read(position, address) === undefined ? undefined : address;
  }

  /** What a position has earned: what was counted before, and what each unit of liquidity has earned since. */
  private earnedBy(address: Address, asset: Asset): bigint | undefined {
    const held = this.read(position, address);
    const market = held === undefined ? undefined : this.read(pool, held.pool);
    if (held === undefined || market === undefined) return undefined;
    const isA = asset === market.tokenAMint;
    const [now, then] = isA
      ? [market.feeAPerLiquidity, held.feeAPerTokenCheckpoint]
      : [market.feeBPerLiquidity, held.feeBPerTokenCheckpoint];
    const liquidity = held.unlockedLiquidity + held.vestedLiquidity + held.permanentLockedLiquidity;
    const since = (liquidity * (littleEndian(now) - littleEndian(then))) >> FEE_SCALE;
    return (isA ? held.feeAPending : held.feeBPending) + since;
  }

  /** What is set aside for a payout, where an account of its program says it. */
  owed(claim: ActOf<'claim'>, payout: Payout): bigint | undefined {
    const { from, beneficiary, base } = claim;
    const { asset } = payout;
    // What several receive of is said where the first of them stands.
    if (claim.payouts.find((each) => each.asset === asset) !== payout) return undefined;
    const curve = this.read(virtualPool, from);
    if (curve !== undefined) {
      const isBase = asset === curve.baseMint;
      if (beneficiary === curve.creator) return isBase ? curve.creatorBaseFee : curve.creatorQuoteFee;
      return isBase ? curve.partnerBaseFee : curve.partnerQuoteFee;
    }
    const earned = this.earnedBy(from, asset);
    if (earned !== undefined) return earned;
    if (asset === 'SOL') return this.tokens(associatedTokenAddress(from, WSOL_MINT, TOKEN_PROGRAM))?.amount;
    if (base === undefined || beneficiary === undefined) return undefined;
    const places = this.config(feeShareConfigAddress(base, asset))?.earners;
    const fees = this.read(feeShareAuthority, from)?.fees;
    const place = places?.findIndex((earner: Earner) => earner.wallet === beneficiary);
    return place === undefined ? undefined : fees?.[place];
  }

  private tokens(address: Address) {
    const account = this.accountAt(address);
    if (!account || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
    return attempt(() => readTokenAccount(account.data));
  }
}
