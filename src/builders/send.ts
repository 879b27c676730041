/**
 * The bytes of a payment: SOL or one token, from the wallet to another. Nothing here is trusted: the policy reads the bytes
 * again and compares them with the request (docs/policy.md). What cannot land is refused with a sentence that says so.
 */
import { InputError } from '../base/inputError.ts';
import { amountOfAsset, solWords } from '../base/words.ts';
import { type EncodedInstruction, encodeInstruction } from '../programs/instructions.ts';
import { mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import { highestTransferFee } from '../programs/token2022/extensions.ts';
import { type AccountFact, type Chain, rentFor } from '../rpc/types.ts';
import { associatedTokenAddress, isOnCurve } from '../transaction/derive.ts';
import { SYSTEM_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { unsignedTransaction } from './compile.ts';

/** What is asked for. Amounts are base units as decimal text. */
export type SendRequest = {
  readonly wallet: Address;
  readonly to: Address;
  readonly amountRaw: string;
  /** Absent: SOL. */
  readonly tokenMint?: Address | null | undefined;
  readonly memo?: string | null | undefined;
};

/** What the builder says beside the bytes; results show it, and nothing is decided on it. */
export interface SendAnswer {
  readonly transaction: string;
  /** Base units the recipient gets. */
  readonly arrivesRaw: string;
  /** The recipient has no account for the token yet: the wallet pays for one. */
  readonly opensAccount: boolean;
}

const COMPUTE_UNITS = 80_000;
const MICRO_LAMPORTS_PER_UNIT = 50_000n;

/** What the network takes for a payment with one signature: 5,000 lamports and the priority above. */
export const SEND_FEE_LAMPORTS = 5_000n + (BigInt(COMPUTE_UNITS) * MICRO_LAMPORTS_PER_UNIT) / 1_000_000n;

/** Builds a payment. Rejects with `InputError` for one that cannot be made, and with `ChainError`. */
export async function buildSend(
  chain: Pick<Chain, 'accounts' | 'latestBlockhash' | 'rent'>,
  request: SendRequest,
): Promise<SendAnswer> {
  const { wallet, to, memo } = request;
  const amount = BigInt(request.amountRaw);
  if (amount === 0n) throw new InputError('amountRaw: is nothing.', 'Name how much is to be sent.');
  if (to === wallet) throw new InputError('to: is the wallet itself.', 'Name another recipient.');
  if (!isOnCurve(to)) {
    throw new InputError(
      'to: is no wallet: no key can sign for it.',
      "Ask the person for the recipient's wallet; an address of a program or a token account is none.",
    );
  }
  const part =
    request.tokenMint == null
      ? await ofSol(chain, request, amount)
      : await ofToken(chain, request, request.tokenMint, amount);
  const { value } = await chain.latestBlockhash('confirmed');
  const instructions = [
    encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units: COMPUTE_UNITS } }),
    encodeInstruction('computeBudget.setComputeUnitPrice', {
      accounts: {},
      args: { microLamports: MICRO_LAMPORTS_PER_UNIT },
    }),
    ...(memo == null ? [] : [encodeInstruction('memo.memo', { accounts: {}, args: { text: memo } })]),
    ...part.instructions,
  ];
  const bytes = unsignedTransaction(wallet, instructions, value.blockhash);
  return {
    transaction: Buffer.from(bytes).toString('base64'),
    arrivesRaw: String(part.arrives),
    opensAccount: part.opens,
  };
}

interface Part {
  readonly instructions: readonly EncodedInstruction[];
  readonly arrives: bigint;
  readonly opens: boolean;
}

async function ofSol(
  chain: Pick<Chain, 'accounts' | 'rent'>,
  { wallet, to }: SendRequest,
  amount: bigint,
): Promise<Part> {
  const [recipient] = (await chain.accounts([to], 'confirmed')).value;
  requireWallet(recipient);
  const least = rentFor(await chain.rent(), 0);
  if (recipient?.exists !== true && amount < least) {
    throw new InputError(
      `amountRaw: is too small for a first payment: an address without account must get at least ${solWords(least)}.`,
      'Send at least that much, or nothing.',
    );
  }
  const pays = encodeInstruction('system.transfer', {
    accounts: { from: wallet, to },
    args: { lamports: amount },
  });
  return { instructions: [pays], arrives: amount, opens: false };
}

async function ofToken(
  chain: Pick<Chain, 'accounts'>,
  { wallet, to, memo }: SendRequest,
  mint: Address,
  amount: bigint,
): Promise<Part> {
  if (mint === WSOL_MINT) {
    throw new InputError('tokenMint: is wrapped SOL.', 'To send SOL leave tokenMint out.');
  }
  const [account, recipient] = (await chain.accounts([mint, to], 'confirmed')).value;
  requireWallet(recipient);
  const state = mintOf(account);
  if (account === undefined || state === undefined) {
    throw new InputError('tokenMint: is no mint on this chain.', 'Check the address with the person.');
  }
  const tokenProgram = account.owner;
  const [source, destination] = [wallet, to].map((owner) =>
    associatedTokenAddress(owner, mint, tokenProgram),
  );
  const found = (await chain.accounts([source ?? '', destination ?? ''], 'confirmed')).value;
  const held = tokenAccountOf(found[0])?.amount ?? 0n;
  if (held < amount) {
    throw new InputError(
      `amountRaw: is more than the wallet has, ${amountOfAsset(held, mint, state.decimals)}.`,
      'get_wallet shows what the wallet has.',
    );
  }
  const theirs = tokenAccountOf(found[1]);
  if (memo == null && theirs?.extensions.includes('memoTransfer')) {
    throw new InputError("to: the recipient's account takes no payment without a memo.", 'Add a memo.');
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
  const { transferFee } = state;
  const fee = transferFee === undefined ? 0n : highestTransferFee(transferFee, amount);
  return {
    instructions: [
      ...(theirs === undefined ? [opens] : []),
      encodeInstruction('token.transferChecked', { program: tokenProgram, accounts, args }),
    ],
    arrives: amount - fee,
    opens: theirs === undefined,
  };
}

/** A recipient with an account is a wallet: the System program owns it, and no data is in it. */
function requireWallet(recipient: AccountFact | undefined): void {
  if (recipient?.exists !== true) return;
  if (recipient.owner === SYSTEM_PROGRAM && recipient.data === '' && !recipient.executable) return;
  throw new InputError(
    'to: is no wallet: on this chain it is an account of a program.',
    "Ask the person for the recipient's wallet, not for a token account or a program.",
  );
}
