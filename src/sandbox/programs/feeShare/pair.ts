/** What the fee share programs derive their addresses from: a token and the token its fees are paid in. */
import { associatedTokenAddress } from '../../../transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { derivedAddress, FEE_SHARE_PROGRAM, QUOTE_SHARE_PROGRAM } from '../addresses.ts';

/** A token and what its fees are paid in. */
export interface FeePair {
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly quoteProgram: Address;
}

export const inSol = (baseMint: Address): FeePair => ({
  baseMint,
  quoteMint: WSOL_MINT,
  quoteProgram: TOKEN_PROGRAM,
});

/** The program that shares fees in a quote token. */
export const feeShareProgram = ({ quoteMint }: Pick<FeePair, 'quoteMint'>): Address =>
  quoteMint === WSOL_MINT ? FEE_SHARE_PROGRAM : QUOTE_SHARE_PROGRAM;

const ofPair =
  (word: string) =>
  (pair: FeePair, ...before: readonly Address[]): Address =>
    derivedAddress(feeShareProgram(pair), [word], ...before, pair.baseMint, pair.quoteMint);

export const feeShareConfig = (pair: FeePair): Address => ofPair('fee_share_config')(pair);
/** Holds what was earned and not yet claimed; earns at the venues. */
export const feeShareAuthority = (pair: FeePair): Address => ofPair('fee_share_authority')(pair);
/** Where a claimer's part lies when it was paid out for it. */
export const userFeeVault = (user: Address, pair: FeePair): Address => ofPair('user_fee_vault')(pair, user);
export const partnerConfig = (partner: Address, pair: Pick<FeePair, 'quoteMint'>): Address =>
  derivedAddress(feeShareProgram(pair), ['partner_config'], partner);
export const programConfig = (pair: FeePair): Address =>
  derivedAddress(feeShareProgram(pair), ['program_config']);

/** Where an owner holds the quote token. */
export const quoteOf = (owner: Address, { quoteMint, quoteProgram }: Omit<FeePair, 'baseMint'>): Address =>
  associatedTokenAddress(owner, quoteMint, quoteProgram);
export const partnerPair = (partner: Address | undefined, pair: FeePair): Address | undefined =>
  partner === undefined ? undefined : partnerConfig(partner, pair);
