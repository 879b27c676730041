/** Instructions that transfer or create tokens of either token program, with or without transfer fees. */

import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import type { TransferFeeSchedule } from '../../../src/programs/token2022/extensions.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';

/** A token of a transfer. `fee`: its transfer fee in force. */
export interface TokenAsset {
  readonly mint: Address;
  readonly tokenProgram: Address;
  readonly decimals: number;
  readonly fee?: TransferFeeSchedule;
}

/** Bytes of a token account, and of one with a withheld transfer fee. */
export const TOKEN_ACCOUNT_BYTES = 165;
const FEE_ACCOUNT_BYTES = 178;
/** Mint plus account type plus a transfer fee configuration. */
export const FEE_MINT_BYTES = 278;

/** Returns the transfer fee of an amount: rate times amount rounded up, capped. */
export function transferFeeOf(asset: TokenAsset, amount: bigint): bigint {
  if (asset.fee === undefined || asset.fee.basisPoints === 0) return 0n;
  const fee = (amount * BigInt(asset.fee.basisPoints) + 9_999n) / 10_000n;
  return fee < asset.fee.maximumFee ? fee : asset.fee.maximumFee;
}

export function ata(owner: Address, asset: Pick<TokenAsset, 'mint' | 'tokenProgram'>): Address {
  return associatedTokenAddress(owner, asset.mint, asset.tokenProgram);
}

/** Creates the owner's associated account if it is missing. */
export function createAta(
  payer: Address,
  owner: Address,
  asset: Pick<TokenAsset, 'mint' | 'tokenProgram'>,
  kind: 'associatedToken.createIdempotent' | 'associatedToken.create' = 'associatedToken.createIdempotent',
): EncodedInstruction {
  return encodeInstruction(kind, {
    accounts: {
      payer,
      associatedToken: ata(owner, asset),
      owner,
      mint: asset.mint,
      systemProgram: SYSTEM_PROGRAM,
      tokenProgram: asset.tokenProgram,
    },
  });
}

/** Builds a checked transfer; for mints with a transfer fee it states the exact fee, so that a raised fee fails. */
export function transfer(
  asset: TokenAsset,
  from: Address,
  to: Address,
  authority: Address,
  amount: bigint,
): EncodedInstruction {
  const accounts = { source: from, mint: asset.mint, destination: to, authority };
  const args = { amount, decimals: asset.decimals };
  if (asset.fee === undefined) {
    return encodeInstruction('token.transferChecked', { program: asset.tokenProgram, accounts, args });
  }
  return encodeInstruction('transferFee.transferCheckedWithFee', {
    accounts,
    args: { ...args, fee: transferFeeOf(asset, amount) },
  });
}

export function systemTransfer(from: Address, to: Address, lamports: bigint): EncodedInstruction {
  return encodeInstruction('system.transfer', { accounts: { from, to }, args: { lamports } });
}

export function createAccount(
  payer: Address,
  newAccount: Address,
  lamports: bigint,
  space: number,
  owner: Address,
): EncodedInstruction {
  return encodeInstruction('system.createAccount', {
    accounts: { payer, newAccount },
    args: { lamports, space: BigInt(space), owner },
  });
}

/** Wraps lamports in the wallet's associated account, created if missing. */
export function wrap(wallet: Address, lamports: bigint): EncodedInstruction[] {
  const account = ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
  return [
    createAta(wallet, wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
    systemTransfer(wallet, account, lamports),
    encodeInstruction('token.syncNative', { accounts: { account } }),
  ];
}

/** Closes the wallet's wrapped SOL account to the wallet itself. */
export function unwrap(wallet: Address): EncodedInstruction {
  const account = ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
  return closeAccount(TOKEN_PROGRAM, account, wallet, wallet);
}

export function closeAccount(
  program: Address,
  account: Address,
  destination: Address,
  owner: Address,
): EncodedInstruction {
  return encodeInstruction('token.closeAccount', { program, accounts: { account, destination, owner } });
}

/** Revokes the mint authority permanently. */
export function sealMint(tokenProgram: Address, mint: Address, authority: Address): EncodedInstruction {
  return encodeInstruction('token.setAuthority', {
    program: tokenProgram,
    accounts: { owned: mint, authority },
    args: { authorityType: 'mintTokens', newAuthority: null },
  });
}

export function mintTo(
  tokenProgram: Address,
  mint: Address,
  account: Address,
  mintAuthority: Address,
  amount: bigint,
): EncodedInstruction {
  return encodeInstruction('token.mintTo', {
    program: tokenProgram,
    accounts: { mint, account, mintAuthority },
    args: { amount },
  });
}

/** Creates a token account at a key, which must sign. */
export function createTokenAccount(
  payer: Address,
  account: Address,
  asset: TokenAsset,
  owner: Address,
  rent: (bytes: number) => bigint,
): EncodedInstruction[] {
  const bytes = asset.fee === undefined ? TOKEN_ACCOUNT_BYTES : FEE_ACCOUNT_BYTES;
  return [
    createAccount(payer, account, rent(bytes), bytes, asset.tokenProgram),
    encodeInstruction('token.initializeAccount3', {
      program: asset.tokenProgram,
      accounts: { account, mint: asset.mint },
      args: { owner },
    }),
  ];
}

/** Creates a mint without freeze authority; `mint` must sign. */
export function createMint(
  payer: Address,
  mint: Address,
  tokenProgram: Address,
  decimals: number,
  mintAuthority: Address,
  rent: (bytes: number) => bigint,
): EncodedInstruction[] {
  const bytes = 82;
  return [
    createAccount(payer, mint, rent(bytes), bytes, tokenProgram),
    initializeMint(tokenProgram, mint, decimals, mintAuthority),
  ];
}

export function initializeMint(
  tokenProgram: Address,
  mint: Address,
  decimals: number,
  mintAuthority: Address,
): EncodedInstruction {
  return encodeInstruction('token.initializeMint2', {
    program: tokenProgram,
    accounts: { mint },
    args: { decimals, mintAuthority, freezeAuthority: null },
  });
}
