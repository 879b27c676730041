/** The retired fee share program (version 1): two wallets share everything. Its configs are made, and nothing else. */
import type { EncodedInstruction } from '../../programs/instructions.ts';
import { addressBytes } from '../../transaction/base58.ts';
import { associatedTokenAddress } from '../../transaction/derive.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAddress, FEE_SHARE_V1_PROGRAM } from './addresses.ts';
import { Bytes, eventInstruction } from './writing.ts';

/** A wallet and its part, in basis points. */
export interface Sharer {
  readonly wallet: Address;
  readonly bps: number;
}

/** The program wants the smaller address first. */
const inOrder = (a: Sharer, b: Sharer): readonly [Sharer, Sharer] =>
  Buffer.compare(Buffer.from(addressBytes(a.wallet)), Buffer.from(addressBytes(b.wallet))) < 0
    ? [a, b]
    : [b, a];

/** Earns at the venue for both wallets. */
export function feeAuthority(one: Sharer, other: Sharer, baseMint: Address): Address {
  const [a, b] = inOrder(one, other);
  return derivedAddress(FEE_SHARE_V1_PROGRAM, ['fee_authority'], a.wallet, b.wallet, baseMint);
}

/** Makes the accounts two wallets share the fees of a token with. */
export function createFeeVaults(
  { payer, authority }: { readonly payer: Address; readonly authority: Address },
  one: Sharer,
  other: Sharer,
  baseMint: Address,
  quote: { readonly mint: Address; readonly tokenProgram: Address },
): EncodedInstruction {
  const [a, b] = inOrder(one, other);
  const earner = feeAuthority(one, other, baseMint);
  const vault = ({ wallet }: Sharer) => derivedAddress(FEE_SHARE_V1_PROGRAM, ['vault'], wallet, baseMint);
  return eventInstruction(FEE_SHARE_V1_PROGRAM, new Bytes('28d8ef8d7fdcaddd').u16(a.bps, b.bps).done(), [
    [payer, 'ws'],
    [authority, 'r'],
    [a.wallet, 'r'],
    [b.wallet, 'r'],
    [vault(a), 'w'],
    [vault(b), 'w'],
    [earner, 'w'],
    [associatedTokenAddress(earner, quote.mint, quote.tokenProgram), 'w'],
    [baseMint, 'r'],
    [quote.mint, 'r'],
    [SYSTEM_PROGRAM, 'r'],
    [quote.tokenProgram, 'r'],
    [ASSOCIATED_TOKEN_PROGRAM, 'r'],
  ]);
}
