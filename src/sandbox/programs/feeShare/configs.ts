/** Instructions of the fee share program that make configs and partners, and change them. */
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { Bytes, eventInstruction, type Named } from '../writing.ts';
import {
  type FeePair,
  feeShareAuthority,
  feeShareConfig,
  feeShareProgram,
  partnerConfig,
  partnerPair,
  programConfig,
  quoteOf,
} from './pair.ts';

/** Who earns which part, in basis points. */
export interface Claimer {
  readonly address: Address;
  readonly bps: number;
}

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

/** Makes another wallet the manager of a config. */
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
