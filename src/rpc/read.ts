/** Reading an RPC's answers: every field is checked, and one that is not what it should be is an error. */
import { ChainError } from './errors.ts';
import type { AccountFact, Commitment, LandedTransaction, SignatureStatus, TokenBalance } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;

const bad = (what: string) => new ChainError('RPC_BAD_ANSWER', `The RPC's answer has no usable ${what}.`);

export function fields(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad(what);
  return Object.fromEntries(Object.entries(value));
}

export function list(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw bad(what);
  return value;
}

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw bad(what);
  return value;
}

/** A whole number that fits a JavaScript number exactly: slots, heights, counts. */
export function count(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw bad(what);
  return value;
}

/** A u64 as number or, beyond 2^53, as the digits `parseExact` kept. */
export function u64(value: unknown, what: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && /^\d{1,20}$/.test(value)) return BigInt(value);
  throw bad(what);
}

/** `{context: {slot}, value}` */
export function withContext(result: unknown): { slot: number; value: unknown } {
  const { context, value } = fields(result, 'context');
  return { slot: count(fields(context, 'context').slot, 'context slot'), value };
}

export const NO_ACCOUNT_OWNER = '11111111111111111111111111111111';

/** An account in base64 encoding, or `null` for one that does not exist. */
export function account(address: string, value: unknown): AccountFact {
  if (value === null || value === undefined) {
    return { address, exists: false, lamports: '0', owner: NO_ACCOUNT_OWNER, executable: false, data: '' };
  }
  const { lamports, owner, executable, data } = fields(value, 'account');
  const [bytes, encoding] = list(data, 'account data');
  if (encoding !== 'base64') throw bad('base64 account data');
  return {
    address,
    exists: true,
    lamports: u64(lamports, 'lamports').toString(),
    owner: text(owner, 'owner'),
    executable: executable === true,
    data: text(bytes, 'account data'),
  };
}

/** A chain's error value as short text of names and numbers: people and agents read it, so it is never an RPC's prose. */
export function errorText(err: unknown): string | null {
  if (err === null || err === undefined) return null;
  const text = typeof err === 'string' ? err : JSON.stringify(err);
  return /^[\w{}[\]":,.-]{1,200}$/.test(text) ? text : 'UnknownError';
}

const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

export function signatureStatus(value: unknown): SignatureStatus | undefined {
  if (value === null || value === undefined) return undefined;
  const { slot, err, confirmationStatus, confirmations } = fields(value, 'signature status');
  const named = COMMITMENTS.find((each) => each === confirmationStatus);
  // Nodes without confirmationStatus say null confirmations for a rooted transaction.
  const commitment = named ?? (confirmations === null ? 'finalized' : 'processed');
  return { slot: count(slot, 'status slot'), error: errorText(err), commitment };
}

export function landedTransaction(result: unknown): LandedTransaction | undefined {
  if (result === null || result === undefined) return undefined;
  const { slot, blockTime, meta, transaction } = fields(result, 'transaction');
  const { err, fee, preBalances, postBalances, preTokenBalances, postTokenBalances, loadedAddresses } =
    fields(meta, 'transaction meta');
  const { message } = fields(transaction, 'transaction');
  const keys = list(fields(message, 'message').accountKeys, 'account keys').map((key) =>
    text(key, 'account key'),
  );
  const loaded =
    loadedAddresses === undefined || loadedAddresses === null ? {} : fields(loadedAddresses, 'loaded');
  const more = (value: unknown) =>
    value === undefined ? [] : list(value, 'loaded').map((key) => text(key, 'loaded'));
  const accounts = [...keys, ...more(loaded.writable), ...more(loaded.readonly)];
  const amounts = (value: unknown) => list(value, 'balances').map((each) => u64(each, 'balance'));
  return {
    slot: count(slot, 'slot'),
    ...(typeof blockTime === 'number' ? { time: count(blockTime, 'block time') * 1000 } : {}),
    error: errorText(err),
    feeLamports: u64(fee, 'fee'),
    accounts,
    lamportsBefore: amounts(preBalances),
    lamportsAfter: amounts(postBalances),
    tokensBefore: tokenBalances(preTokenBalances, accounts),
    tokensAfter: tokenBalances(postTokenBalances, accounts),
  };
}

function tokenBalances(value: unknown, accounts: readonly string[]): TokenBalance[] {
  if (value === null || value === undefined) return [];
  return list(value, 'token balances').map((each) => {
    const { accountIndex, mint, owner, uiTokenAmount } = fields(each, 'token balance');
    const account = accounts[count(accountIndex, 'account index')];
    if (account === undefined) throw bad('account index');
    const { amount, decimals } = fields(uiTokenAmount, 'token amount');
    return {
      account,
      mint: text(mint, 'mint'),
      ...(typeof owner === 'string' ? { owner } : {}),
      amount: u64(amount, 'token amount'),
      ...(typeof decimals === 'number' ? { decimals: count(decimals, 'decimals') } : {}),
    };
  });
}
