/**
 * The loss an attack would cause: the refused bytes are signed and landed in a trial that the chain undoes, and the
 * result is compared with the honest answer to the same request.
 */

import { attempt } from '../../../src/base/attempt.ts';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import type { TransactionRecord } from '../../chain/types.ts';
import { type Attack, attackersOf, secondWallet } from '../service/index.ts';
import { land, signed } from './landing.ts';
import type { SeenAccount, World } from './world.ts';

/** The loss of a signature, in base units as text by asset (`SOL` or a mint). */
export interface Loss {
  readonly assets: Readonly<Record<string, string>>;
  /** Network fees in lamports beyond those of the honest answer. */
  readonly extraFees: string;
}

/** The result of landing the refused bytes. */
export interface WhatIf {
  /** Compares with the landed honest answer, or with no transaction. */
  lossAgainst(twin: readonly TransactionRecord[] | undefined): Loss;
  readonly failed: boolean;
}

/** Signs and lands stages in a trial of the chain. */
export function whatIf(
  world: World,
  stages: readonly Uint8Array[],
  attack?: Pick<Attack, 'meanwhile' | 'afterwards'>,
): WhatIf {
  const { sandbox, wallet } = world;
  const { chain, service } = sandbox;
  const { tools } = service.hostile;
  const owners = new Set([wallet, secondWallet(service).address]);
  const robbers = new Set(attackersOf(tools));
  const later = attack?.afterwards?.(wallet, tools) ?? [];
  const accounts = new Set([
    ...tokenAccountsOf(chain, new Set([...owners, ...robbers])),
    ...owners,
    ...robbers,
  ]);
  const { refused, records, transferredLamports, is } = chain.runTrial(() => {
    attack?.meanwhile?.(chain, wallet, tools);
    const signers = [service.keys.wallet, secondWallet(service), service.keys.feeShareAuthority];
    const refused = stages.map((bytes) => land(chain, signed(bytes, signers)));
    const records = [...refused];
    if (later.length > 0) {
      chain.airdrop(tools.attacker.address, ROBBERY_FUNDS);
      records.push(service.onchain.landBy(tools.attacker, later));
    }
    for (const address of records.flatMap(addressesOf)) accounts.add(address);
    // A wallet account that another program owns has no controlling key any more.
    const transferredLamports = [...owners].flatMap((owner) => {
      const account = chain.getAccount(owner);
      return account === null || account.owner === SYSTEM_PROGRAM ? [] : [account.lamports];
    });
    return {
      refused,
      records,
      transferredLamports,
      is: world.witness ? seen(chain, accounts) : [],
    };
  });
  const was = world.witness ? seen(chain, accounts) : [];
  return {
    failed: records.some(({ err }) => err !== null),
    lossAgainst: (twin) => {
      const now = twin === undefined ? was : seen(chain, [...accounts, ...twin.flatMap(addressesOf)]);
      world.witness?.({ owners: [...owners], before: was, after: is, honest: now });
      return {
        assets: lostAssets(records, twin ?? [], owners, robbers, transferredLamports),
        extraFees: `${feesOf(refused, wallet) - feesOf(twin ?? [], wallet)}`,
      };
    },
  };
}

/** Returns the existing accounts. */
const seen = (view: Pick<SandboxChain, 'getAccount'>, accounts: Iterable<Address>): SeenAccount[] =>
  [...new Set(accounts)].flatMap((address) => {
    const account = view.getAccount(address);
    return account === null ? [] : [{ ...account, address }];
  });

/** Lamports for the attacker's own fees. */
const ROBBERY_FUNDS = 100_000_000n;

/** Differences below this fraction of a trade come from the moving price. */
const PRICE_NOISE = 1_000n;

/** Returns the wallet's loss against the honest answer, or the attacker's gain if that is larger. */
function lostAssets(
  records: readonly TransactionRecord[],
  twin: readonly TransactionRecord[],
  owners: ReadonlySet<Address>,
  robbers: ReadonlySet<Address>,
  transferredLamports: readonly bigint[],
): Record<string, string> {
  const gained = changesBy(records, robbers);
  const moved = changesBy(records, owners);
  // By its own transactions: closing a lookup table afterwards gives rent back to the twin alone.
  const honest = changesBy(twin, owners);
  const lost: Record<string, string> = {};
  for (const asset of new Set([...moved.keys(), ...honest.keys(), ...gained.keys()])) {
    const trade = honest.get(asset) ?? 0n;
    const away = asset === 'SOL' ? transferredLamports.reduce((sum, lamports) => sum + lamports, 0n) : 0n;
    const less = trade - (moved.get(asset) ?? 0n) + away;
    const more = gained.get(asset) ?? 0n;
    const isNoise = less * PRICE_NOISE < (trade < 0n ? -trade : trade);
    const most = less > more && !isNoise ? less : more;
    if (most > 0n) lost[asset] = `${most}`;
  }
  return lost;
}

/** Returns the balance changes of owners by asset (`SOL` or a mint). */
function changesBy(
  records: readonly TransactionRecord[],
  owners: ReadonlySet<Address>,
): ReadonlyMap<string, bigint> {
  const changed = new Map<string, bigint>();
  const add = (asset: string, amount: bigint) => changed.set(asset, (changed.get(asset) ?? 0n) + amount);
  for (const record of records) {
    const accounts = addressesOf(record);
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
  return changed;
}

/** Network fees a wallet paid for transactions, in lamports. */
const feesOf = (records: readonly TransactionRecord[], wallet: Address): bigint =>
  records.reduce((sum, { fee, staticAccounts: [payer] }) => sum + (payer === wallet ? fee : 0n), 0n);

const addressesOf = ({ staticAccounts, loadedAddresses }: TransactionRecord): Address[] => [
  ...staticAccounts,
  ...loadedAddresses.writable,
  ...loadedAddresses.readonly,
];

const tokenAccountsOf = (chain: SandboxChain, owners: ReadonlySet<Address>): Address[] =>
  TOKEN_PROGRAMS.flatMap((program) =>
    [...chain.programAccounts(program)].flatMap(([address, { data }]) =>
      owners.has(attempt(() => readTokenAccount(data))?.owner ?? '') ? [address] : [],
    ),
  );
