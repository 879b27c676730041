/**
 * What would have happened: the refused bytes are signed after all and land on a throw-away copy of the chain, and
 * what is there afterwards is compared with what the honest answer to the same request did.
 */

import { readTokenAccount } from '../../programs/token/accounts.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import { decodeTransaction } from '../../sandbox/chain/runtime/wire.ts';
import type { TransactionRecord } from '../../sandbox/chain/types.ts';
import { budgetFor, compileDraft } from '../../sandbox/service/build/compile.ts';
import { MEMO_PROGRAMS, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Attack, robbersOf, secondWallet } from '../service/index.ts';
import { copyChain, land, type MessageSigner, signed, touched } from './copy.ts';
import { type Accounts, type Assets, assetsOf, changesBy, difference, NO_KEY, powersOf } from './holdings.ts';
import type { SeenAccount, World } from './world.ts';

/** What a signature would have cost. Amounts are base units as text, by asset: `SOL` or a mint. */
export interface Loss {
  readonly assets: Readonly<Record<string, string>>;
  /** Lamports of it that are network fees beyond those of the honest answer. */
  readonly extraFees: string;
  /** Powers over accounts that would be others than after the honest answer, and what a memo would say instead. */
  readonly powers: readonly string[];
}

/** The state of the wallet's affairs at one moment, over the accounts in question. */
interface Moment {
  readonly wallet: Assets;
  readonly attacker: Assets;
  readonly powers: ReadonlyMap<Address, ReadonlyMap<string, string>>;
  readonly memos: readonly string[];
}

/** The refused bytes as they would have ended. */
export interface WhatIf {
  /** Compares with the honest answer, which has landed on the chain by now. Without one: with doing nothing. */
  lossAgainst(twin: readonly TransactionRecord[] | undefined): Loss;
  readonly failed: boolean;
}

/** Lands stages on a copy of the chain, with the wallet's signature under each. */
export async function whatIf(
  world: World,
  stages: readonly Uint8Array[],
  attack?: Pick<Attack, 'meanwhile' | 'afterwards'>,
): Promise<WhatIf> {
  const { sandbox, wallet } = world;
  const { chain, service } = sandbox;
  const { tools } = service.hostile;
  const owners = new Set([wallet, secondWallet(service).address]);
  const robbers = new Set(robbersOf(tools));
  const later = attack?.afterwards?.(wallet, tools) ?? [];
  const accounts = new Set([
    ...stages.flatMap((bytes) => touched(chain, bytes)),
    ...later.flatMap(({ accounts: used, programAddress }) => [
      programAddress,
      ...used.map(({ address }) => address),
    ]),
    ...tokenAccountsOf(chain, new Set([...owners, ...robbers])),
    ...owners,
    ...robbers,
  ]);
  const copy = await copyChain(chain, world, accounts);
  try {
    attack?.meanwhile?.(copy, wallet, tools);
    const signers = [service.keys.wallet, secondWallet(service), service.keys.feeShareAuthority];
    const refused = stages.map((bytes) => land(copy, signed(bytes, signers)));
    const records = [...refused];
    if (later.length > 0) records.push(robbery(copy, tools.attacker, later));
    for (const address of records.flatMap(addressesOf)) accounts.add(address);
    const existed = new Set([...accounts].filter((address) => chain.getAccount(address) !== null));
    const before = momentOf(chain, accounts, owners, robbers, []);
    const after = momentOf(copy, accounts, owners, robbers, records);
    const [was, is] = world.witness ? [seen(chain, accounts), seen(copy, accounts)] : [[], []];
    return {
      failed: records.some(({ err }) => err !== null),
      lossAgainst: (twin) => {
        const honest =
          twin === undefined
            ? before
            : momentOf(chain, [...accounts, ...twin.flatMap(addressesOf)], owners, robbers, twin);
        const now = twin === undefined ? was : seen(chain, [...accounts, ...twin.flatMap(addressesOf)]);
        // By its own transactions: closing a lookup table afterwards gives rent back to the twin alone.
        const moved = changesBy(twin ?? [], owners);
        world.witness?.({ owners: [...owners], before: was, after: is, honest: now });
        return {
          assets: lostAssets(before, after, moved, later.length > 0 ? ROBBERY_FUNDS : 0n),
          extraFees: `${feesOf(refused, wallet) - feesOf(twin ?? [], wallet)}`,
          powers: [...changedPowers(world, existed, after, honest), ...changedMemos(world, after, honest)],
        };
      },
    };
  } finally {
    copy.close();
  }
}

/** Those of the accounts that exist. */
const seen = (view: Accounts, accounts: Iterable<Address>): SeenAccount[] =>
  [...new Set(accounts)].flatMap((address) => {
    const account = view.getAccount(address);
    return account === null ? [] : [{ ...account, address }];
  });

/** What the attacker does once the bytes have landed; it pays for itself. */
function robbery(
  copy: SandboxChain,
  attacker: MessageSigner & { readonly secretKey: Uint8Array },
  instructions: ReturnType<NonNullable<Attack['afterwards']>>,
): TransactionRecord {
  copy.airdrop(attacker.address, ROBBERY_FUNDS);
  const { blockhash, lastValidBlockHeight } = copy.latestBlockhash('processed');
  const draft = {
    format: 'v0' as const,
    feePayer: attacker.address,
    instructions,
    budget: budgetFor(instructions.length),
    signers: [attacker],
  };
  return land(copy, compileDraft(draft, { blockhash, lastValidBlockHeight }).bytes);
}

/** What the attacker brings along on a copy, to pay for what it does there. */
const ROBBERY_FUNDS = 100_000_000n;

function momentOf(
  view: Accounts,
  accounts: Iterable<Address>,
  owners: ReadonlySet<Address>,
  robbers: ReadonlySet<Address>,
  records: readonly TransactionRecord[],
): Moment {
  const all = [...new Set(accounts)];
  return {
    wallet: assetsOf(view, all, owners),
    attacker: assetsOf(view, all, robbers),
    powers: new Map(all.map((address) => [address, powersOf(view.getAccount(address))])),
    memos: records.flatMap(({ bytes }) => memosOf(bytes)),
  };
}

/** Differences below one part in so many of what a trade moves come from the price, which moves as well. */
const PRICE_NOISE = 1_000n;

/** What the wallet has less than after the honest answer, or the attacker more than before, whichever is more. */
function lostAssets(
  before: Moment,
  after: Moment,
  honest: Assets,
  attackerFunds: bigint,
): Record<string, string> {
  const gained = difference(after.attacker, before.attacker);
  const missing = difference(honest, difference(after.wallet, before.wallet));
  const lost: Record<string, string> = {};
  for (const asset of new Set([...missing.keys(), ...gained.keys()])) {
    const less = missing.get(asset) ?? 0n;
    const more = (gained.get(asset) ?? 0n) - (asset === 'SOL' ? attackerFunds : 0n);
    const trade = honest.get(asset) ?? 0n;
    const isNoise = less * PRICE_NOISE < (trade < 0n ? -trade : trade);
    const most = less > more && !isNoise ? less : more;
    if (most > 0n) lost[asset] = `${most}`;
  }
  return lost;
}

/** Network fees a wallet paid for transactions, in lamports. */
const feesOf = (records: readonly TransactionRecord[], wallet: Address): bigint =>
  records.reduce((sum, { fee, staticAccounts: [payer] }) => sum + (payer === wallet ? fee : 0n), 0n);

function changedPowers(world: World, existed: ReadonlySet<Address>, after: Moment, honest: Moment): string[] {
  const name = namesOf(world);
  const robbers = robbersOf(world.sandbox.service.hostile.tools);
  const lines: string[] = [];
  for (const [address, powers] of after.powers) {
    const expected = honest.powers.get(address) ?? new Map<string, string>();
    if (powers.size === 0) continue;
    const isNew = expected.size === 0 && !existed.has(address);
    for (const power of new Set([...powers.keys(), ...expected.keys()])) {
      // Of a new account only rights the attacker gains or the wallet loses.
      const holder = powers.get(power) ?? '';
      const isWorthShowing = holder.startsWith(NO_KEY) || robbers.some((robber) => holder.includes(robber));
      if (isNew && (power === 'owner' || !isWorthShowing)) continue;
      const [is, was] = [powers.get(power), expected.get(power)];
      // A delegation to the wallet that is used up is no loss: that is how a trade is delivered.
      if (is === was || (is === undefined && power === 'delegate')) continue;
      lines.push(`${name(address)}: ${power} ${name(is ?? 'none')} instead of ${name(was ?? 'none')}`);
    }
  }
  return [...lines, ...missing(world, after, honest)];
}

/** What a config or a pool says that is only there after the honest answer. */
function missing(world: World, after: Moment, honest: Moment): string[] {
  const name = namesOf(world);
  return [...honest.powers].flatMap(([address, powers]) => {
    if (powers.size === 0 || (after.powers.get(address)?.size ?? 0) > 0) return [];
    return SAID.flatMap((power) => {
      const said = powers.get(power);
      return said === undefined ? [] : [`${name(address)}: ${power} none instead of ${name(said)}`];
    });
  });
}

/** What shows that an account is a config or a pool. */
const SAID: readonly string[] = ['baseMint', 'terms'];

function changedMemos(world: World, after: Moment, honest: Moment): string[] {
  const name = namesOf(world);
  return after.memos.filter((text) => !honest.memos.includes(text)).map((text) => name(`memo: ${text}`));
}

/** What the memo instructions of a transaction say. */
function memosOf(bytes: Uint8Array): string[] {
  const { instructions, staticAccounts } = decodeTransaction(bytes);
  return instructions.flatMap(({ programIndex, data }) =>
    MEMO_PROGRAMS.includes(staticAccounts[programIndex] ?? '') ? [Buffer.from(data).toString('utf8')] : [],
  );
}

/** Texts in which known addresses are replaced by names, and the others shortened. */
function namesOf({ sandbox, wallet }: World): (text: string) => string {
  const { service } = sandbox;
  const known = new Map([
    [wallet, 'the wallet'],
    [secondWallet(service).address, 'the second wallet'],
    [service.hostile.tools.attacker.address, 'the attacker'],
    [service.keys.feeShareAuthority.address, 'the service'],
    [service.keys.launchAuthority.address, 'the service'],
  ]);
  return (text) =>
    text.replace(/[1-9A-HJ-NP-Za-km-z]{32,44}/g, (address) => {
      return known.get(address) ?? `${address.slice(0, 4)}…${address.slice(-4)}`;
    });
}

const addressesOf = ({ staticAccounts, loadedAddresses }: TransactionRecord): Address[] => [
  ...staticAccounts,
  ...loadedAddresses.writable,
  ...loadedAddresses.readonly,
];

function tokenAccountsOf(chain: SandboxChain, owners: ReadonlySet<Address>): Address[] {
  return TOKEN_PROGRAMS.flatMap((program) =>
    [...chain.programAccounts(program)].flatMap(([address, { data }]) => {
      try {
        return owners.has(readTokenAccount(data).owner) ? [address] : [];
      } catch {
        return [];
      }
    }),
  );
}
