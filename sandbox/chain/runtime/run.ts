/** One run of a transaction on the runtime: a landing with the balances before and after, or a dry run. */
import type { TransactionErrorJson } from '../errors.ts';
import type { BalanceChanges, ChainAccount, Execution, LoadedAddresses, TokenBalance } from '../types.ts';
import { loadAddresses, mint, tokenAccount } from './layouts.ts';
import { notRun, type Runtime } from './runtime.ts';
import { isWritable, MAX_ACCOUNT_LOCKS, type WireTransaction } from './wire.ts';

/** The accounts of a transaction, loaded ones included, as the runtime holds them now. */
export interface LoadedTransaction {
  readonly loadedAddresses: LoadedAddresses;
  readonly addresses: readonly string[];
  readonly before: readonly (ChainAccount | null)[];
  readonly writable: readonly boolean[];
}

export type Landing =
  | { readonly landed: false; readonly err: TransactionErrorJson }
  | {
      readonly landed: true;
      readonly execution: Execution;
      readonly changes: BalanceChanges;
      readonly loadedAddresses: LoadedAddresses;
      /** What every writable account held before. */
      readonly preImages: ReadonlyMap<string, ChainAccount | null>;
    };

/** Executes a transaction for good. It landed when it succeeded or was charged a fee. */
export function execute(runtime: Runtime, wire: WireTransaction): Landing {
  const loaded = load(runtime, wire);
  if (new Set(loaded.addresses).size > MAX_ACCOUNT_LOCKS)
    return { landed: false, err: 'TooManyAccountLocks' };
  const execution = runtime.execute(wire.transaction);
  const after = loaded.addresses.map((address, i) =>
    loaded.writable[i] ? runtime.account(address) : (loaded.before[i] ?? null),
  );
  // Fees are paid to no account here, so what the accounts lost together is the fee.
  const fee = total(loaded.before) - total(after);
  if (execution.err !== null && fee === 0n) return { landed: false, err: execution.err };
  const preImages = new Map<string, ChainAccount | null>();
  for (const [i, address] of loaded.addresses.entries()) {
    if (loaded.writable[i]) preImages.set(address, loaded.before[i] ?? null);
  }
  return {
    landed: true,
    execution,
    changes: changes(runtime, loaded, after, fee),
    loadedAddresses: loaded.loadedAddresses,
    preImages,
  };
}

/** Runs a transaction and keeps nothing. The signatures count only with `sigVerify`. */
export function dryRun(
  runtime: Runtime,
  wire: WireTransaction,
  sigVerify: boolean,
): { readonly execution: Execution; readonly written: ReadonlyMap<string, ChainAccount> } {
  return new Set(load(runtime, wire).addresses).size > MAX_ACCOUNT_LOCKS
    ? { execution: notRun('TooManyAccountLocks'), written: new Map() }
    : runtime.simulate(wire.transaction, sigVerify);
}

function load(runtime: Runtime, wire: WireTransaction): LoadedTransaction {
  const loadedAddresses = loadAddresses(wire.lookups, (address) => runtime.account(address));
  const addresses = [...wire.staticAccounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
  const firstLoaded = wire.staticAccounts.length;
  const firstReadonlyLoaded = firstLoaded + loadedAddresses.writable.length;
  return {
    loadedAddresses,
    addresses,
    before: addresses.map((address) => runtime.account(address)),
    writable: addresses.map((_, i) => (i < firstLoaded ? isWritable(wire, i) : i < firstReadonlyLoaded)),
  };
}

function changes(
  runtime: Runtime,
  loaded: LoadedTransaction,
  after: readonly (ChainAccount | null)[],
  fee: bigint,
): BalanceChanges {
  return {
    fee,
    preBalances: loaded.before.map(lamports),
    postBalances: after.map(lamports),
    preTokenBalances: tokenBalances(runtime, loaded.before, loaded.addresses),
    postTokenBalances: tokenBalances(runtime, after, loaded.addresses),
  };
}

function tokenBalances(
  runtime: Runtime,
  accounts: readonly (ChainAccount | null)[],
  addresses: readonly string[],
): TokenBalance[] {
  return accounts.flatMap((account, accountIndex) => {
    const token = tokenAccount(account);
    if (token === undefined || account === null) return [];
    // A mint made in this very transaction is among its accounts; any other is on the chain.
    const listed = addresses.indexOf(token.mint);
    const decimals = mint(accounts[listed] ?? runtime.account(token.mint))?.decimals ?? 0;
    return [
      {
        accountIndex,
        mint: token.mint,
        owner: token.owner,
        programId: account.owner,
        amount: token.amount,
        decimals,
      },
    ];
  });
}

const lamports = (account: ChainAccount | null): bigint => account?.lamports ?? 0n;

function total(accounts: readonly (ChainAccount | null)[]): bigint {
  return accounts.reduce((sum, account) => sum + lamports(account), 0n);
}
