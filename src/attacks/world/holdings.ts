/** What a set of accounts is worth to a wallet, read from the accounts themselves, apart from the policy. */

import { attempt } from '../../base/attempt.ts';
import { readTokenAccount } from '../../programs/token/accounts.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { ChainAccount, TransactionRecord } from '../../sandbox/chain/types.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Base units by asset: `SOL` or a mint. */
export type Assets = ReadonlyMap<string, bigint>;

/** A view of accounts: a chain or a copy of one. */
export type Accounts = Pick<SandboxChain, 'getAccount'>;

const NONCE_BYTES = 80;

/** What the owners hold in the accounts named: SOL wherever it lies in accounts of theirs, and tokens. */
export function assetsOf(view: Accounts, accounts: Iterable<Address>, owners: ReadonlySet<Address>): Assets {
  const held = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => held.set(asset, (held.get(asset) ?? 0n) + amount);
  for (const address of new Set(accounts)) {
    const account = view.getAccount(address);
    if (account === null) continue;
    const token = tokenAccount(account);
    const owner = token?.owner ?? nonceAuthority(account) ?? address;
    // A wallet account that another program owns has no controlling key any more.
    const lost = owners.has(address) && account.owner !== SYSTEM_PROGRAM;
    if (!owners.has(owner) || lost) continue;
    add('SOL', account.lamports);
    if (token !== undefined && token.mint !== WSOL_MINT) add(token.mint, token.amount);
  }
  return held;
}

/** What transactions changed of what the owners hold, by the balances around each of them. */
export function changesBy(records: readonly TransactionRecord[], owners: ReadonlySet<Address>): Assets {
  const changed = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => changed.set(asset, (changed.get(asset) ?? 0n) + amount);
  for (const record of records) {
    const { staticAccounts, loadedAddresses } = record;
    const accounts = [...staticAccounts, ...loadedAddresses.writable, ...loadedAddresses.readonly];
    const sides = [
      [-1n, record.preBalances, record.preTokenBalances],
      [1n, record.postBalances, record.postTokenBalances],
    ] as const;
    for (const [sign, balances, tokens] of sides) {
      const own = tokens.filter(({ owner }) => owners.has(owner));
      const ownAccounts = new Set(own.map(({ accountIndex }) => accountIndex));
      for (const [index, lamports] of balances.entries()) {
        if (owners.has(accounts[index] ?? '') || ownAccounts.has(index)) add('SOL', sign * lamports);
      }
      for (const { mint, amount } of own) if (mint !== WSOL_MINT) add(mint, sign * amount);
    }
  }
  for (const [asset, amount] of changed) if (amount === 0n) changed.delete(asset);
  return changed;
}

/** `after` less `before`, without assets that did not change. */
export function difference(after: Assets, before: Assets): Assets {
  const changed = new Map<string, bigint>();
  for (const asset of new Set([...after.keys(), ...before.keys()])) {
    const amount = (after.get(asset) ?? 0n) - (before.get(asset) ?? 0n);
    if (amount !== 0n) changed.set(asset, amount);
  }
  return changed;
}

function tokenAccount(account: ChainAccount) {
  return isToken(account) ? attempt(() => readTokenAccount(account.data)) : undefined;
}

const isToken = (account: ChainAccount) => TOKEN_PROGRAMS.includes(account.owner);

function nonceAuthority(account: ChainAccount): Address | undefined {
  if (account.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_BYTES) return undefined;
  return addressFromBytes(account.data.slice(8, 40));
}
