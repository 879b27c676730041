/**
 * What a set of accounts is worth to a wallet, and who controls them, read from the accounts themselves: the
 * demonstration's own reader, apart from the policy whose judgement it checks.
 */

import { readAs } from '../../programs/account.ts';
import { position } from '../../programs/dammV2/accounts.ts';
import { poolConfig, virtualPool } from '../../programs/dbc/accounts.ts';
import { feeShareConfig } from '../../programs/feeShare/accounts.ts';
import { readLookupTable } from '../../programs/lookupTable/accounts.ts';
import { readMint, readTokenAccount } from '../../programs/token/accounts.ts';
import { metadata } from '../../programs/tokenMetadata/accounts.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { ChainAccount, TransactionRecord } from '../../sandbox/chain/types.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import {
  LOADER_V3_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  PROGRAM_NAMES,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  WSOL_MINT,
} from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Base units by asset: `SOL` or a mint. */
export type Assets = ReadonlyMap<string, bigint>;

/** A view of accounts: a chain or a copy of one. */
export type Accounts = Pick<SandboxChain, 'getAccount'>;

/** Who holds a power that is gone for good. */
export const NO_KEY = 'no key';

const NONCE_BYTES = 80;
const PROGRAM_DATA_KIND = 3;
/** What the terms of a curve say where no key may change the token or make more of it. */
const NO_UPDATES = 1;

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

/** The keys with rights over an account, as `right: holder` lines; fields of metadata are included. */
export function powersOf(account: ChainAccount | null): ReadonlyMap<string, string> {
  const powers = new Map<string, string>();
  if (account === null) return powers;
  const isPlain = account.owner === SYSTEM_PROGRAM;
  if (isPlain && account.data.length > 0 && account.data.length !== NONCE_BYTES) {
    powers.set('account', 'a mere data account');
  }
  if (!isPlain) powers.set('program', PROGRAM_NAMES[account.owner] ?? account.owner);
  const set = (power: string, holder: string | undefined) => {
    if (holder !== undefined) powers.set(power, holder);
  };
  const token = tokenAccount(account);
  if (token !== undefined) {
    set('owner', token.owner);
    set('delegate', token.delegate);
    set('close authority', token.closeAuthority);
    if (token.state === 'frozen') powers.set('state', 'frozen');
  }
  const mint = token === undefined && isToken(account) ? attempt(() => readMint(account.data)) : undefined;
  if (mint !== undefined) {
    set('mint authority', mint.mintAuthority);
    set('freeze authority', mint.freezeAuthority);
    set('permanent delegate', mint.permanentDelegate);
    set('transfer hook', mint.transferHook?.program);
    for (const name of mint.extensions) powers.set(`extension ${name}`, 'present');
    set('metadata link', mint.metadata?.uri);
    for (const [key, value] of mint.metadata?.additional ?? []) powers.set(key, value);
  }
  if (account.owner === LOOKUP_TABLE_PROGRAM) {
    const table = attempt(() => readLookupTable(account.data));
    powers.set('table authority', table?.authority ?? `${NO_KEY}: frozen`);
  }
  for (const [power, holder] of venuePowers(account)) powers.set(power, holder);
  set('nonce authority', nonceAuthority(account));
  set('upgrade authority', upgradeAuthority(account));
  return powers;
}

/** Rights that accounts of the programs behind the service write down: who earns, manages, created, may rename. */
function venuePowers({ owner, data }: ChainAccount): readonly (readonly [string, string])[] {
  const powers: [string, string][] = [];
  const read = <F>(layout: Parameters<typeof readAs<F>>[0], tell: (fields: F) => void) => {
    const fields = readAs(layout, { owner, data });
    if (typeof fields !== 'string') tell(fields);
  };
  read(feeShareConfig, ({ earners, manager, partner, baseMint }) => {
    earners.forEach(({ wallet, bps }, index) => {
      powers.push([`claimer.${index}`, `${wallet}:${bps}`]);
    });
    powers.push(['manager', manager ?? NO_KEY], ['partner', partner ?? 'none'], ['baseMint', baseMint]);
  });
  read(poolConfig, (fields) => {
    const { feeClaimer, leftoverReceiver, quoteMint, poolFees, migrationQuoteThreshold } = fields;
    powers.push(
      ['fee claimer', feeClaimer],
      ['leftover receiver', leftoverReceiver],
      ['quoteMint', quoteMint],
    );
    powers.push(['curve fee', `${poolFees.baseFee.cliffFeeNumerator}`]);
    powers.push(['first swap', fields.enableFirstSwapWithMinFee === 1 ? 'lowest fee' : 'usual fee']);
    powers.push(['graduates at', `${migrationQuoteThreshold}`]);
    const { cliffUnlockAmount, amountPerPeriod, numberOfPeriod } = fields.lockedVestingConfig;
    powers.push(
      ['supply', `${fields.preMigrationTokenSupply}`],
      ['held back', `${cliffUnlockAmount + amountPerPeriod * numberOfPeriod}`],
      ['token changed by', fields.tokenUpdateAuthority === NO_UPDATES ? NO_KEY : 'some key'],
      ['fee earner takes of the pool', `${fields.partnerLiquidityPercentage}%`],
      ['paid out of the curve', `${fields.migrationFeePercentage}%`],
    );
  });
  read(virtualPool, ({ creator, config }) => powers.push(['pool creator', creator], ['terms', config]));
  read(position, ({ nftMint, unlockedLiquidity }) => {
    powers.push(['position', nftMint], ['unlocked liquidity', unlockedLiquidity > 0n ? 'some' : 'none']);
  });
  read(metadata, ({ name, symbol, uri, updateAuthority, isMutable }) => {
    powers.push(
      ['name', `${name} (${symbol})`],
      ['metadata link', uri],
      ['rename', isMutable ? updateAuthority : NO_KEY],
    );
  });
  return powers;
}

function tokenAccount(account: ChainAccount) {
  return isToken(account) ? attempt(() => readTokenAccount(account.data)) : undefined;
}

const isToken = (account: ChainAccount) => TOKEN_PROGRAMS.includes(account.owner);

function nonceAuthority(account: ChainAccount): Address | undefined {
  if (account.owner !== SYSTEM_PROGRAM || account.data.length !== NONCE_BYTES) return undefined;
  return addressFromBytes(account.data.slice(8, 40));
}

function upgradeAuthority(account: ChainAccount): Address | undefined {
  if (account.owner !== LOADER_V3_PROGRAM || account.data[0] !== PROGRAM_DATA_KIND) return undefined;
  return account.data[12] === 1 ? addressFromBytes(account.data.slice(13, 45)) : undefined;
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
