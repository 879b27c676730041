/**
 * Builds payments of SOL or tokens to other wallets in one transaction, and refuses payments that cannot land. The policy
 * does not trust the result: it compares the transaction with the request (docs/policy.md).
 */

import { amountOfAsset, solWords } from '../base/format.ts';
import { InputError } from '../base/inputError.ts';
import { type EncodedInstruction, encodeInstruction } from '../programs/instructions.ts';
import { mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import { type AccountFact, type Chain, rentFor } from '../rpc/types.ts';
import { associatedTokenAddress, isOnCurve } from '../transaction/derive.ts';
import { SYSTEM_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import { SIZE_LIMITS } from '../transaction/read.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** A payment. Amounts are base units as decimal strings. */
export type PaymentRequest = {
  readonly to: Address;
  readonly amountRaw: string;
  /** Absent: SOL. */
  readonly tokenMint?: Address | null | undefined;
};

/** Request of payments. */
export type SendRequest = PaymentRequest & {
  readonly wallet: Address;
  /** Further payments in the same transaction. */
  readonly more?: readonly PaymentRequest[] | null | undefined;
  readonly memo?: string | null | undefined;
};

/** Compute units of the first and of each further payment. */
const [COMPUTE_UNITS, FURTHER_UNITS] = [80_000, 50_000];
const MICRO_LAMPORTS_PER_UNIT = 50_000n;

/** Network fee of a single payment: 5,000 lamports for the signature, plus the priority fee. */
export const SEND_FEE_LAMPORTS = 5_000n + (BigInt(COMPUTE_UNITS) * MICRO_LAMPORTS_PER_UNIT) / 1_000_000n;

/** Builds payments. Rejects with `InputError` for invalid or impossible ones, and with `ChainError`. */
export async function buildSend(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash' | 'rent'>,
  { wallet, memo, more, ...first }: SendRequest,
): Promise<{ readonly transaction: string }> {
  const payments = [first, ...(more ?? [])];
  const pays: EncodedInstruction[] = [];
  const spent = new Map<string, bigint>();
  for (const [index, payment] of payments.entries()) {
    const { to, tokenMint: mint } = payment;
    const asset = mint ?? 'SOL';
    const at = index === 0 ? '' : `more.${index - 1}.`;
    const isSame = (each: PaymentRequest) => each.to === to && (each.tokenMint ?? 'SOL') === asset;
    if (payments.findIndex(isSame) !== index)
      throw new InputError(
        `${at}to: is paid twice in the same asset.`,
        'Combine the amounts into one payment.',
      );
    const amount = BigInt(payment.amountRaw);
    if (amount === 0n) throw new InputError(`${at}amountRaw: is zero.`, 'Use a positive amount.');
    if (to === wallet) throw new InputError(`${at}to: is the wallet itself.`, 'Name another recipient.');
    if (!isOnCurve(to)) {
      throw new InputError(
        `${at}to: is not a wallet: no key can sign for it.`,
        "Ask the person for the recipient's wallet; programs and token accounts cannot be paid.",
      );
    }
    const part = { wallet, to, amount, hasMemo: memo != null, at, before: spent.get(asset) ?? 0n };
    pays.push(...(mint == null ? await ofSol(chain, part) : await ofToken(chain, mint, part)));
    spent.set(asset, part.before + amount);
  }
  const { value } = await chain.latestBlockhash('confirmed');
  const units = COMPUTE_UNITS + FURTHER_UNITS * (payments.length - 1);
  const instructions = [
    encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units } }),
    encodeInstruction('computeBudget.setComputeUnitPrice', {
      accounts: {},
      args: { microLamports: MICRO_LAMPORTS_PER_UNIT },
    }),
    ...(memo == null ? [] : [encodeInstruction('memo.memo', { accounts: {}, args: { text: memo } })]),
    ...pays,
  ];
  const bytes = unsignedTransaction(wallet, instructions, value.blockhash);
  if (bytes.length > SIZE_LIMITS.v0) {
    throw new InputError(
      `more: ${payments.length} payments take ${bytes.length} bytes; a transaction can have ${SIZE_LIMITS.v0}.`,
      'Send them in two plans, or shorten the memo. Recipients without an account for the token need the most space.',
    );
  }
  return { transaction: Buffer.from(bytes).toString('base64') };
}

/** A payment. `at`: prefix of its argument names; `before`: base units of the same asset in earlier payments. */
interface Part {
  readonly wallet: Address;
  readonly to: Address;
  readonly amount: bigint;
  readonly hasMemo: boolean;
  readonly at: string;
  readonly before: bigint;
}

async function ofSol(
  chain: Pick<Chain, 'accounts' | 'rent'>,
  { wallet, to, amount, at }: Part,
): Promise<EncodedInstruction[]> {
  const [recipient] = (await chain.accounts([to], 'confirmed')).value;
  requireWallet(recipient, at);
  const least = rentFor(await chain.rent(), 0);
  if (recipient?.exists !== true && amount < least) {
    throw new InputError(
      `${at}amountRaw: is too small for a first payment: an address without an account must receive at least ${solWords(least)}.`,
      'Send at least that amount.',
    );
  }
  return [
    encodeInstruction('system.transfer', { accounts: { from: wallet, to }, args: { lamports: amount } }),
  ];
}

async function ofToken(
  chain: Pick<Chain, 'accounts'>,
  mint: Address,
  { wallet, to, amount, hasMemo, at, before }: Part,
): Promise<EncodedInstruction[]> {
  if (mint === WSOL_MINT) {
    throw new InputError(`${at}tokenMint: is wrapped SOL.`, 'To send SOL, omit tokenMint.');
  }
  const [account, recipient] = (await chain.accounts([mint, to], 'confirmed')).value;
  requireWallet(recipient, at);
  const state = mintOf(account);
  if (account === undefined || state === undefined) {
    throw new InputError(
      `${at}tokenMint: is not a mint on this chain.`,
      'Check the address with the person.',
    );
  }
  const tokenProgram = account.owner;
  const [source, destination] = [wallet, to].map((owner) =>
    associatedTokenAddress(owner, mint, tokenProgram),
  );
  const found = (await chain.accounts([source ?? '', destination ?? ''], 'confirmed')).value;
  const held = tokenAccountOf(found[0])?.amount ?? 0n;
  if (held < before + amount) {
    throw new InputError(
      `${at}amountRaw: is${before === 0n ? '' : ', with the payments before it,'} more than the wallet has, ${amountOfAsset(held, mint, state.decimals)}.`,
      "get_wallet shows the wallet's balances.",
    );
  }
  const theirs = tokenAccountOf(found[1]);
  if (!hasMemo && theirs?.extensions.includes('memoTransfer')) {
    throw new InputError(`${at}to: the recipient's account requires a memo.`, 'Add a memo.');
  }
  const accounts = { source: source ?? '', mint, destination: destination ?? '', authority: wallet };
  const args = { amount, decimals: state.decimals };
  const opens = encodeInstruction('associatedToken.createIdempotent', {
    accounts: {
      payer: wallet,
      associatedToken: destination ?? '',
      owner: to,
      mint,
      systemProgram: SYSTEM_PROGRAM,
      tokenProgram,
    },
  });
  return [
    ...(theirs === undefined ? [opens] : []),
    encodeInstruction('token.transferChecked', { program: tokenProgram, accounts, args }),
  ];
}

/** Throws `InputError` if the recipient's account exists and is not a wallet: owned by the System program, without data. */
function requireWallet(recipient: AccountFact | undefined, at: string): void {
  if (recipient?.exists !== true) return;
  if (recipient.owner === SYSTEM_PROGRAM && recipient.data === '' && !recipient.executable) return;
  throw new InputError(
    `${at}to: is not a wallet: it is an account of a program.`,
    "Ask the person for the recipient's wallet, not for a token account or a program.",
  );
}
