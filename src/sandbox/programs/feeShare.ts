/**
 * Instructions of the fee share program (version 2) and the addresses they use. Its quote is wrapped SOL; configs in
 * another token are made with the same instructions by a program of our own.
 */

import type { EncodedInstruction } from '../../programs/instructions.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAddress, FEE_SHARE_PROGRAM, QUOTE_SHARE_PROGRAM } from './addresses.ts';
import { Bytes, eventInstruction, type Named } from './writing.ts';

/** Who earns which part, in basis points. */
export interface Claimer {
  readonly address: Address;
  readonly bps: number;
}

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
const remaining = (claimers: readonly Claimer[]): Named[] => claimers.map(({ address }) => [address, 'r']);
const shares = (claimers: readonly Claimer[]): number[] => claimers.map(({ bps }) => bps);

/** Who pays, and the service's key that allows it. */
export interface Allowed {
  readonly payer: Address;
  readonly admin: Address;
}

/** Makes a config with its first claimers; `last` when there are no more to come. */
export function createFeeConfig(
  { payer, admin }: Allowed,
  pair: FeePair,
  claimers: readonly Claimer[],
  { last, partner }: { readonly last: boolean; readonly partner?: Address },
): EncodedInstruction {
  const authority = feeShareAuthority(pair);
  return eventInstruction(
    feeShareProgram(pair),
    new Bytes('d6ac694008e4d1cc').list16(shares(claimers)).bool(last).done(),
    [
      [payer, 'ws'],
      [admin, 'ws'],
      [programConfig(pair), 'r'],
      [feeShareConfig(pair), 'w'],
      [authority, 'w'],
      [quoteOf(authority, pair), 'w'],
      [partnerPair(partner, pair), 'r'],
      [partner, 'r'],
      [pair.baseMint, 'r'],
      [pair.quoteMint, 'r'],
      [SYSTEM_PROGRAM, 'r'],
      [pair.quoteProgram, 'r'],
      [ASSOCIATED_TOKEN_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );
}

/** Adds claimers to a config that is not finished. */
export const extendFeeConfig = (
  { payer, admin }: Allowed,
  pair: FeePair,
  claimers: readonly Claimer[],
  { last, partner }: { readonly last: boolean; readonly partner?: Address },
): EncodedInstruction =>
  eventInstruction(
    feeShareProgram(pair),
    new Bytes('cdac71fee13b524f').list16(shares(claimers)).bool(last).done(),
    [
      [payer, 'ws'],
      [admin, 'ws'],
      [programConfig(pair), 'r'],
      [feeShareConfig(pair), 'w'],
      [feeShareAuthority(pair), 'w'],
      [partner, 'r'],
      [partnerPair(partner, pair), 'r'],
      [pair.baseMint, 'r'],
      [pair.quoteMint, 'r'],
      [SYSTEM_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );

/** Lets the service say who may change a config from now on. */
export const updateFeeConfigManager = ({ payer, admin }: Allowed, pair: FeePair, manager: Address) =>
  eventInstruction(feeShareProgram(pair), new Bytes('c408a8c7a6044dd4').done(), [
    [payer, 'ws'],
    [admin, 'ws'],
    [programConfig(pair), 'r'],
    [feeShareConfig(pair), 'w'],
    [feeShareAuthority(pair), 'r'],
    [manager, 'r'],
    [pair.baseMint, 'r'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);

/** Puts other claimers in the places `from` up to `to`; `last` when the shares are complete again. */
export const managerUpdateFeeConfig = (
  { payer, manager }: { readonly payer: Address; readonly manager: Address },
  pair: FeePair,
  claimers: readonly Claimer[],
  { from, to, last }: { readonly from: number; readonly to: number; readonly last: boolean },
): EncodedInstruction =>
  eventInstruction(
    feeShareProgram(pair),
    new Bytes('54387d65d2d6c3c5').list16(shares(claimers)).bool(last).u8(from, to).done(),
    [
      [payer, 'ws'],
      [manager, 'ws'],
      [feeShareConfig(pair), 'w'],
      [feeShareAuthority(pair), 'w'],
      [pair.baseMint, 'r'],
      [pair.quoteMint, 'r'],
      [SYSTEM_PROGRAM, 'r'],
    ],
    remaining(claimers),
  );

const managed = (payer: Address, manager: Address, pair: FeePair, before: Named[]): Named[] => [
  [payer, 'ws'],
  [manager, 'ws'],
  ...before,
  [feeShareConfig(pair), 'w'],
  [feeShareAuthority(pair), 'r'],
  [pair.baseMint, 'r'],
  [pair.quoteMint, 'r'],
  [SYSTEM_PROGRAM, 'r'],
];

/** Hands the right to change a config to somebody else. */
export const managerTransferFeeConfig = (
  payer: Address,
  manager: Address,
  newManager: Address,
  pair: FeePair,
) =>
  eventInstruction(
    feeShareProgram(pair),
    new Bytes('8d4a11ae7c0baae3').done(),
    managed(payer, manager, pair, [[newManager, 'r']]),
  );

/** Gives the right to change a config up for good. */
export const managerWaiveFeeConfig = (payer: Address, manager: Address, pair: FeePair) =>
  eventInstruction(
    feeShareProgram(pair),
    new Bytes('69338c72fea0adac').done(),
    managed(payer, manager, pair, []),
  );

/** Makes a partner's config: its part of every launch that names it. */
export function createPartnerConfig(
  { payer, admin }: Allowed,
  partner: Address,
  bps: number,
  pair: FeePair,
): EncodedInstruction {
  const config = partnerConfig(partner, pair);
  return eventInstruction(feeShareProgram(pair), new Bytes('d000f5a1dc808a99').u16(bps).done(), [
    [payer, 'ws'],
    [admin, 'ws'],
    [programConfig(pair), 'r'],
    [config, 'w'],
    [quoteOf(config, pair), 'w'],
    [partner, 'r'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}

/** Makes the program's own account, once. `admin` may make configs afterwards. */
export const initProgramConfig = (payer: Address, admin: Address, pair: FeePair) =>
  eventInstruction(feeShareProgram(pair), new Bytes('b936ede5dbb36d14').done(), [
    [payer, 'ws'],
    [admin, 's'],
    [programConfig(pair), 'w'],
    [quoteOf(programConfig(pair), pair), 'w'],
    [pair.quoteMint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [pair.quoteProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
