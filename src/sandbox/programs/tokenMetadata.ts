/** Token Metadata (Metaplex): the account that holds a token's name, symbol and link. */
import type { EncodedInstruction } from '../../programs/instructions.ts';
import { SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAddress, METADATA_PROGRAM } from './addresses.ts';
import { Bytes, instruction } from './writing.ts';

/** What the program takes for a metadata account above its rent, in lamports. */
export const METADATA_FEE_LAMPORTS = 10_000_000n;

export const metadataAddress = (mint: Address): Address =>
  derivedAddress(METADATA_PROGRAM, ['metadata'], METADATA_PROGRAM, mint);

/** Names a token: `CreateMetadataAccountV3`. The mint authority and the payer sign. */
export function createMetadata(
  accounts: {
    readonly mint: Address;
    readonly mintAuthority: Address;
    readonly payer: Address;
    readonly updateAuthority: Address;
    /** Whether the update authority signs. */
    readonly updateAuthoritySigns: boolean;
  },
  token: { readonly name: string; readonly symbol: string; readonly uri: string; readonly mutable: boolean },
): EncodedInstruction {
  const data = new Bytes('21')
    .text(token.name)
    .text(token.symbol)
    .text(token.uri)
    .u16(0)
    .u8(0, 0, 0) // no creators, collection or uses
    .bool(token.mutable)
    .u8(0)
    .done();
  return instruction(METADATA_PROGRAM, data, [
    [metadataAddress(accounts.mint), 'w'],
    [accounts.mint, 'r'],
    [accounts.mintAuthority, 's'],
    [accounts.payer, 'ws'],
    [accounts.updateAuthority, accounts.updateAuthoritySigns ? 's' : 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}
