/** How addresses, amounts and holders are written in sentences about acts, and what makes the sentences more exact. */
import { decimal, SOL_DECIMALS } from '../../base/words.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActOf, Asset, Earner, Holder } from '../acts.ts';
import type { PoolTerms } from '../poolTerms/terms.ts';

/** How addresses and amounts are written. */
export interface Naming {
  /** An address as the reader knows it: `your wallet`, or the address. */
  readonly address: (address: Address) => string;
  /** Whether the address has a name that says what it is, so that its owner need not be said. */
  readonly isNamed?: (address: Address) => boolean;
  /** Decimals of a mint, where they are known. */
  readonly decimals?: (mint: Address) => number | undefined;
  /** Text from outside, marked as such. */
  readonly quoted: (text: string) => string;
  readonly known?: Known;
}

/** Settings of pools as their account shows them. */
export interface PoolSettings {
  readonly feeClaimer: Address;
  readonly leftoverReceiver: Address;
  readonly terms: PoolTerms;
}

export type Payout = ActOf<'claim'>['payouts'][number];

/** What is known besides an act itself: other acts of the transaction, and what a chain shows. */
export interface Known {
  /** The wallet of the reader. */
  readonly wallet?: Address;
  /** Whether a chain was asked. */
  readonly online: boolean;
  /** The settings of a pool that the plan's request names. */
  readonly askedSettings?: Address;
  /** Step numbers, from 1, in which fee shares are set up. */
  readonly feeShareSteps: readonly number[];
  /** The token whose fee share an address is, by derivation from the tokens the transaction names. */
  feeShareOf(address: Address): Address | undefined;
  /** Whether an address is the wallet, or a token account of it by its address. */
  isOwn(address: Address): boolean;
  /** Who may change the earners of a config once the transaction has run. */
  managerOf(config: Address): Address | undefined;
  /** The earners of a config before the transaction, in order. */
  earnersOf(config: Address): readonly Earner[] | undefined;
  /** The partner of a config, where it has one. */
  partnerOf(config: Address): Address | undefined;
  /** A partner's part of the fees in basis points. */
  partnerBps(partner: Address): number | undefined;
  settingsOf(config: Address): PoolSettings | undefined;
  /** The position whose NFT a mint is. */
  positionOf(mint: Address): Address | undefined;
  /** Who holds a position once the transaction has run. */
  controllerOf(position: Address): Address | undefined;
  /** Fees set aside for a payout now, in base units of its asset. */
  owed(claim: ActOf<'claim'>, payout: Payout): bigint | undefined;
}

const U64_MAX = 2n ** 64n - 1n;
/** A limit that binds: programs take the largest number for none. */
export const bounded = (most: bigint | undefined): most is bigint => most !== undefined && most < U64_MAX;

export const sol = (lamports: bigint): string => `${decimal(lamports, SOL_DECIMALS)} SOL`;

/** `SOL`, or a token by its address. */
export const assetName = (asset: Asset | undefined, n: Naming): string => {
  if (asset === undefined) return 'a token the accounts do not show';
  if (asset === 'SOL') return 'SOL';
  if (asset === WSOL_MINT) return 'wrapped SOL';
  const position = n.known?.positionOf(asset);
  return position === undefined
    ? `the token ${n.address(asset)}`
    : `the NFT whose holder controls the position ${n.address(position)}`;
};

/** An amount with what it counts, never rounded; in base units where the decimals are not known. */
export function actAmount(amount: bigint, asset: Asset | undefined, n: Naming): string {
  if (asset === 'SOL') return sol(amount);
  if (asset === WSOL_MINT) return `${decimal(amount, SOL_DECIMALS)} wrapped SOL`;
  if (amount === 1n && asset !== undefined && n.known?.positionOf(asset) !== undefined)
    return assetName(asset, n);
  const known = asset === undefined ? undefined : n.decimals?.(asset);
  if (known !== undefined) return `${decimal(amount, known)} of ${assetName(asset, n)}`;
  return `${decimal(amount)} base ${amount === 1n ? 'unit' : 'units'} of ${assetName(asset, n)}`;
}

/** An account, with its owner where that is known. */
export function holderName({ account, owner }: Holder, n: Naming): string {
  if (owner === undefined || owner === account || n.isNamed?.(account) === true) return n.address(account);
  const name = n.address(owner);
  return name.includes(' of ')
    ? `the account ${n.address(account)} of ${name}`
    : `${name}'s account ${n.address(account)}`;
}

/** An address that gets a right, and that it is not the reader's wallet. */
export function withWarning(address: Address, n: Naming): string {
  const wallet = n.known?.wallet;
  return wallet === undefined || wallet === address
    ? n.address(address)
    : `${n.address(address)}, NOT ${n.address(wallet)},`;
}
