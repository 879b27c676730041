/**
 * Every change of a stage with an unchanged simulation: every value and account of its message, alone and in consistent
 * pairs, the entries of its lookup tables, and the data of every supported account.
 */
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { DBC_PROGRAM } from '../../../src/programs/dbc/addresses.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import type { AccountFact } from '../../../src/rpc/types.ts';
import { accountList, resolveInstructions } from '../../../src/transaction/accounts.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { TransactionError } from '../../../src/transaction/errors.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  TOKEN_PROGRAMS,
} from '../../../src/transaction/programs.ts';
import { type Account, accountsFrom, Bytes } from '../../oracle/accounts.ts';
import { keyNamed } from '../people.ts';
import { ATTACKER, rewritten, WALLET } from '../recorded/stages.ts';
import { groupsOf, groupsOfAccount } from './groups.ts';
import { placesOfAccount, placesOfInstruction, put, replacedIn, rewrites } from './places.ts';

/** One change: the changed inputs, and the accounts that differ on the chain. */
export interface Change {
  readonly what: string;
  readonly inputs: DecisionInputs;
  readonly accounts: readonly Account[];
  /** The changed value is a term of the stage by itself, whatever its effect. */
  readonly isTerm?: boolean;
}

/** A stage with the accounts of its transaction, and similar accounts of attackers and the wallet. */
export interface Scene {
  readonly seen: DecisionInputs;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly beside: ReadonlyMap<string, Account>;
}

const SYSTEM = '11111111111111111111111111111111';
const TOKENS_BYTES = 165;
const [MINT_AT, OWNER_AT, AMOUNT_AT] = [0, 32, 64];
const isTokens = ({ owner, data }: Account) =>
  TOKEN_PROGRAMS.includes(owner) && data.length >= TOKENS_BYTES && data[TOKENS_BYTES] !== 1;
const twinOf = (address: string, of: string) => keyNamed(`${of} ${address.slice(0, 16)}`).address;

/** Builds the scene of a stage: its accounts, tables included, each with a counterpart created by another party. */
export function sceneOf(seen: DecisionInputs): Scene {
  const { simulation } = seen;
  const before = simulation.status === 'done' ? simulation.before : [];
  const shown = new Map([...seen.accounts, ...before].map((fact) => [fact.address, fact]));
  const plain = [...shown.values()].filter(({ executable }) => !executable);
  const tables = seen.tables.map(({ table, addresses }) => tableAccount(table, addresses));
  const accounts = new Map([...tables, ...accountsFrom(plain)].map((account) => [account.address, account]));
  const beside = [...accounts.values()].flatMap((account): Account[] => {
    const { address, owner, data } = account;
    if (address === WALLET || data.length === 0) return [];
    const twin = { ...account, address: twinOf(address, 'twin') };
    if (!isTokens(account)) return [twin];
    const mint = new Bytes(data).key(MINT_AT);
    const empty = put(data, AMOUNT_AT, new Uint8Array(8));
    const of = (holder: string) => put(empty, OWNER_AT, addressBytes(holder));
    const theirs = associatedTokenAddress(ATTACKER, mint, owner);
    return [
      { ...account, address: theirs, data: of(ATTACKER) },
      { ...twin, data: of(WALLET) },
    ];
  });
  const attacker: Account = {
    address: ATTACKER,
    owner: SYSTEM,
    lamports: 10_000_000_000n,
    data: new Uint8Array(),
  };
  return {
    seen,
    accounts,
    beside: new Map([attacker, ...beside].map((account) => [account.address, account])),
  };
}

const TABLE_META = 56;
function tableAccount(address: string, entries: readonly string[]): Account {
  const data = new Uint8Array(TABLE_META + 32 * entries.length);
  data.set(Uint8Array.of(1, 0, 0, 0, ...new Uint8Array(8).fill(255)));
  data[21] = 1;
  data.set(addressBytes(WALLET), 22);
  for (const [i, entry] of entries.entries()) data.set(addressBytes(entry), TABLE_META + 32 * i);
  return { address, owner: LOOKUP_TABLE_PROGRAM, lamports: 1_000_000_000n, data };
}

/** Returns the alternatives to an address. */
function others({ accounts }: Scene, address: string): string[] {
  const account = accounts.get(address);
  const all = [ATTACKER, WALLET];
  if (account !== undefined && account.data.length > 0 && address !== WALLET) {
    all.push(twinOf(address, 'twin'));
    if (isTokens(account))
      all.push(associatedTokenAddress(ATTACKER, new Bytes(account.data).key(MINT_AT), account.owner));
  }
  return all.filter((each) => each !== address);
}

type List = readonly EncodedInstruction[];
type Listed = readonly [what: string, list: List];

/** Returns every change of a list of instructions. */
function listChanges(scene: Scene, list: List): Listed[] {
  const used = list.flatMap(({ accounts }) => accounts);
  const isFresh = (address: string) =>
    !scene.accounts.has(address) && used.some((use) => use.address === address && use.signer);
  const addresses = [...new Set(used.map(({ address }) => address))].filter((address) => !isFresh(address));
  const single = list.flatMap((one, at): Listed[] => {
    const change = (label: string, ...to: List): Listed => [`#${at} ${label}`, list.toSpliced(at, 1, ...to)];
    const values = [...rewrites(one.data, placesOfInstruction(one), [ATTACKER, WALLET]), ...groupsOf(one)];
    return [
      change('left out'),
      change('twice', one, one),
      ...list
        .slice(at + 1)
        .map(
          (other, i): Listed => [
            `#${at} and #${at + 1 + i} swapped`,
            list.with(at, other).with(at + 1 + i, one),
          ],
        ),
      ...values.map(([label, data]) => change(label, { ...one, data })),
      ...one.accounts.flatMap((use, i) => {
        if (isFresh(use.address)) return [];
        const to = (changed: Partial<typeof use>) => ({
          ...one,
          accounts: one.accounts.with(i, { ...use, ...changed }),
        });
        return [
          ...others(scene, use.address).map((address) =>
            change(`account ${i} is ${address}`, to({ address })),
          ),
          change(`account ${i}, other privilege`, to({ writable: !use.writable })),
        ];
      }),
    ];
  });
  const everywhere = addresses.flatMap((from) =>
    others(scene, from).map(
      (to): Listed => [
        `${from} is ${to} everywhere`,
        list.map((one) => ({
          ...one,
          accounts: one.accounts.map((use) => (use.address === from ? { ...use, address: to } : use)),
          data: replacedIn(one.data, from, to),
        })),
      ],
    ),
  );
  return [...single, ...everywhere, ...pairs(list, addresses)];
}

/** Puts the attacker at two places of the same address: as owner and as authority. */
function pairs(list: List, addresses: readonly string[]): Listed[] {
  return addresses.flatMap((address) => {
    const places = list.flatMap(({ accounts }, at) =>
      accounts.flatMap((use, i) => (use.address === address ? [[at, i] as const] : [])),
    );
    return places.flatMap((one, i) =>
      places.slice(i + 1).map(
        (other): Listed => [
          `${address} is the attacker at ${one} and ${other}`,
          [one, other].reduce<List>((all, [at, account]) => {
            const was = all[at];
            const use = was?.accounts[account];
            if (was === undefined || use === undefined) return all;
            const accounts = was.accounts.with(account, { ...use, address: ATTACKER });
            return all.with(at, { ...was, accounts });
          }, list),
        ],
      ),
    );
  });
}

export const factOf = ({ address, owner, lamports, data }: Account): AccountFact => ({
  address,
  exists: true,
  lamports: `${lamports}`,
  owner,
  executable: false,
  data: Buffer.from(data).toString('base64'),
});
const missing = (address: string): AccountFact => ({
  ...{ address, exists: false, lamports: '0', owner: SYSTEM, executable: false, data: '' },
});

/** The inputs with all accounts the message now names, as on the chain before the simulation. */
function withNamed(inputs: DecisionInputs, { beside }: Scene): DecisionInputs {
  const read = inputs.stage.transaction.read();
  const named = accountList(read, inputs.tables).map(({ address }) => address);
  const added = (list: readonly AccountFact[]) => {
    const there = new Set(list.map(({ address }) => address));
    const more = [...new Set(named)].filter((address) => !there.has(address));
    return [
      ...list,
      ...more.map((address) => {
        const account = beside.get(address);
        return account === undefined ? missing(address) : factOf(account);
      }),
    ];
  };
  const { simulation, accounts } = inputs;
  if (simulation.status !== 'done') return { ...inputs, accounts: added(accounts) };
  const { before, after } = simulation;
  return {
    ...inputs,
    accounts: added(accounts),
    simulation: { ...simulation, before: added(before), after: added(after) },
  };
}

/** Yields changes of the message, without those that exceed the transaction size. */
export function* messageChanges(scene: Scene): Generator<Change> {
  const { seen } = scene;
  const read = seen.stage.transaction.read();
  const list = resolveInstructions(read, seen.tables)
    .filter(({ program }) => program !== COMPUTE_BUDGET_PROGRAM)
    .map(({ program, accounts, data }): EncodedInstruction => ({ programAddress: program, accounts, data }));
  for (const [label, changed] of listChanges(scene, list)) {
    const inputs = written(() =>
      withNamed(
        rewritten(seen, () => changed),
        scene,
      ),
    );
    if (inputs !== undefined) yield { what: label, inputs, accounts: [] };
  }
}

function written(inputs: () => DecisionInputs): DecisionInputs | undefined {
  try {
    return inputs();
  } catch (error) {
    if (error instanceof TransactionError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns an account's data after a stage, with earlier changes kept where the stage did not write. */
export function carried(was: Uint8Array, now: Uint8Array, after: Uint8Array): Uint8Array {
  const data = Uint8Array.from(after);
  for (const [i, byte] of now.entries()) if (byte !== was[i] && data[i] === was[i]) data[i] = byte;
  return data;
}

/** Returns whether a launch adopts the values of an account, or a trade accepts them with the token. */
function isTerm({ seen: { plan, quote } }: Scene, { address, owner }: Account): boolean {
  if (plan.operation === 'launch') return [DBC_PROGRAM, FEE_SHARE_PROGRAM].includes(owner);
  return plan.operation === 'swap' && address === quote?.quote.outputMint;
}

/** Yields changes of the chain: the data of each account, and the entries of each table. */
export function* chainChanges(scene: Scene): Generator<Change> {
  const { seen, accounts } = scene;
  const keys = [ATTACKER, WALLET, SYSTEM];
  for (const account of accounts.values()) {
    const changes = [...rewrites(account.data, placesOfAccount(account), keys), ...groupsOfAccount(account)];
    for (const [label, data] of changes) {
      const at = (list: readonly AccountFact[]) =>
        list.map((fact) => {
          if (fact.address !== account.address) return fact;
          const after = carried(account.data, data, Buffer.from(fact.data, 'base64'));
          return { ...fact, data: Buffer.from(after).toString('base64') };
        });
      const { simulation } = seen;
      const inputs: DecisionInputs = {
        ...seen,
        accounts: at(seen.accounts),
        simulation:
          simulation.status === 'done'
            ? { ...simulation, before: at(simulation.before), after: at(simulation.after) }
            : simulation,
      };
      yield {
        what: `${account.address}: ${label}`,
        inputs,
        accounts: [{ ...account, data }],
        isTerm: isTerm(scene, account),
      };
    }
  }
  yield* tableChanges(scene);
}

function* tableChanges(scene: Scene): Generator<Change> {
  const { seen } = scene;
  const { lookups } = seen.stage.transaction.read();
  for (const { table, writableIndexes, readonlyIndexes } of lookups) {
    const known = seen.tables.find((each) => each.table === table);
    for (const at of known === undefined ? [] : [...writableIndexes, ...readonlyIndexes]) {
      for (const address of others(scene, known?.addresses[at] ?? '')) {
        const addresses = (known?.addresses ?? []).with(at, address);
        const tables = seen.tables.map((each) => (each.table === table ? { ...each, addresses } : each));
        const inputs = written(() => withNamed({ ...seen, tables }, scene));
        if (inputs === undefined) continue;
        yield { what: `entry ${at} is ${address}`, inputs, accounts: [tableAccount(table, addresses)] };
      }
    }
  }
}
