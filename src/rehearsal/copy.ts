/**
 * The copy of the chain for a rehearsal, read from our own RPC: accounts and programs of the stages, lookup tables, sysvars
 * and features of the cluster.
 */
import type { Stage } from '../plan/types.ts';
import { derivedAddress } from '../programs/derived.ts';
import { readLookupTable } from '../programs/solana/lookupTable.ts';
import { ACCOUNTS_PER_CALL, type AccountFact, type Chain, type NoRehearsal } from '../rpc/types.ts';
import { accountList } from '../transaction/accounts.ts';
import { TransactionError } from '../transaction/errors.ts';
import {
  LOADER_V2_PROGRAM,
  LOADER_V3_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  NATIVE_LOADER,
  SYSVAR_CLOCK,
  SYSVAR_RENT,
} from '../transaction/programs.ts';
import type { AccountUse, Address, DecodedTransaction, LookupTableContent } from '../transaction/types.ts';
import type { CopiedAccount } from './player.ts';
import type { ProgramCache } from './programCache.ts';

/** Thrown if no copy can be made. */
export class NoCopy extends Error {
  readonly reason: NoRehearsal;

  constructor(reason: NoRehearsal) {
    super(`no rehearsal: ${reason}`);
    this.name = 'NoCopy';
    this.reason = reason;
  }
}

/** A stage with its accounts, including those of lookup tables. */
export interface ResolvedStage {
  readonly stage: Stage;
  readonly transaction: DecodedTransaction;
  readonly accounts: readonly AccountUse[];
}

export interface ChainCopy {
  /** The lowest slot of the RPC responses. */
  readonly slot: number;
  readonly stages: readonly ResolvedStage[];
  /** Accounts in the order of their insertion. */
  readonly accounts: readonly CopiedAccount[];
  /** The same accounts as returned by the RPC, without programs and sysvars. */
  readonly before: ReadonlyMap<Address, AccountFact>;
  readonly programs: Readonly<Record<Address, number>>;
  /** Epoch of the cluster; features are activated at epoch boundaries. */
  readonly epoch: bigint;
}

const SYSVARS: readonly Address[] = [
  SYSVAR_CLOCK,
  SYSVAR_RENT,
  'SysvarEpochSchedu1e111111111111111111111111',
  'SysvarS1otHashes111111111111111111111111111',
  'SysvarLastRestartS1ot1111111111111111111111',
];
/** Maximum distance between the slots of the RPC responses. */
const MAX_SPREAD_SLOTS = 8;
const MAX_FETCHED_BYTES = 32 * 1024 * 1024;
/** Maximum number of attempts if the responses are too far apart. */
const TRIES = 3;
/** Header size of a program data account: kind, slot, optional authority. */
const HEAD_BYTES = 45;
const [PROGRAM_KIND, PROGRAM_DATA_KIND] = [2, 3] as const;
const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';

type Read = (
  addresses: readonly Address[],
  firstBytes?: number,
) => Promise<ReadonlyMap<Address, AccountFact>>;

/** Reads accounts in batches, and limits the fetched bytes and the distance between the slots of the responses. */
export class CopyReader {
  private readonly chain: Pick<Chain, 'accounts'>;
  private fetched = 0;

  constructor(chain: Pick<Chain, 'accounts'>) {
    this.chain = chain;
  }

  /** Reads the copy. Rejects with `NoCopy` or `ChainError`. */
  async copy(stages: readonly Stage[], cache: ProgramCache): Promise<ChainCopy> {
    for (let tries = 1; ; tries++) {
      const views: number[] = [];
      const read: Read = (addresses, firstBytes) => this.read(addresses, firstBytes, views);
      const { found, resolved } = await readStages(read, stages);
      const programs = await this.readPrograms(found, cache, read);
      const slot = Math.min(...views);
      if (Math.max(...views) - slot <= MAX_SPREAD_SLOTS)
        return copyOf({ found, resolved, slot, ...programs });
      if (tries >= TRIES) throw new NoCopy('views');
    }
  }

  /** Returns the features that the cluster has not activated; none if the chain has no feature accounts. */
  async inactive(features: readonly Address[]): Promise<readonly Address[]> {
    const found = await this.read(features, 9, []);
    const isActive = (id: Address): boolean => {
      const account = found.get(id);
      return account?.owner === FEATURE_PROGRAM && Buffer.from(account.data, 'base64')[0] === 1;
    };
    const inactive = features.filter((id) => !isActive(id));
    return inactive.length === features.length ? [] : inactive;
  }

  private async read(
    addresses: readonly Address[],
    firstBytes: number | undefined,
    views: number[],
  ): Promise<ReadonlyMap<Address, AccountFact>> {
    const found = new Map<Address, AccountFact>();
    for (let from = 0; from < addresses.length; from += ACCOUNTS_PER_CALL) {
      const part = addresses.slice(from, from + ACCOUNTS_PER_CALL);
      const { slot, value } = await this.chain.accounts(part, 'confirmed', firstBytes);
      views.push(slot);
      for (const account of value) {
        this.fetched += Buffer.byteLength(account.data, 'base64');
        if (account.exists) found.set(account.address, account);
      }
      if (this.fetched > MAX_FETCHED_BYTES) throw new NoCopy('size');
    }
    return found;
  }

  /** Returns the code of upgradeable programs, from the cache if the deployment slot matches. */
  private async readPrograms(found: ReadonlyMap<Address, AccountFact>, cache: ProgramCache, read: Read) {
    const named = [...found.values()].filter(
      ({ executable, owner }) => executable && owner === LOADER_V3_PROGRAM,
    );
    const places = new Map(
      named.map(({ address }) => [address, derivedAddress(LOADER_V3_PROGRAM, [address])]),
    );
    const heads = await read([...places.values()], HEAD_BYTES);
    const code: CopiedAccount[] = [];
    const programs: Record<Address, number> = {};
    for (const [program, place] of places) {
      const head = heads.get(place);
      const slot = head && deployedSlot(head);
      if (head === undefined || slot === undefined) throw new NoCopy('rpc');
      let data = cache.get(program, slot);
      if (data === undefined) {
        // This response may be outside the allowed distance; its deployment slot identifies the code.
        const whole = (await this.read([place], undefined, [])).get(place);
        if (whole === undefined || deployedSlot(whole) !== slot) throw new NoCopy('views');
        data = new Uint8Array(Buffer.from(whole.data, 'base64'));
        cache.put(program, slot, data);
      }
      // The upgrade authority can change without the code.
      const current = Uint8Array.from(data);
      current.set(Buffer.from(head.data, 'base64').subarray(0, HEAD_BYTES));
      code.push({ ...copied(head), data: current });
      programs[program] = slot;
    }
    return { code, programs };
  }
}

function deployedSlot({ owner, data }: AccountFact): number | undefined {
  const bytes = Buffer.from(data, 'base64');
  const isCode =
    owner === LOADER_V3_PROGRAM && bytes.length >= HEAD_BYTES && bytes.readUInt32LE(0) === PROGRAM_DATA_KIND;
  return isCode ? Number(bytes.readBigUInt64LE(4)) : undefined;
}

/** Reads the accounts of all stages, those of lookup tables in a second call. */
async function readStages(read: Read, stages: readonly Stage[]) {
  const decoded = stages.map((stage) => ({ stage, transaction: stage.transaction.read() }));
  const named = decoded.flatMap(({ transaction: { staticAccounts, lookups } }) => [
    ...staticAccounts,
    ...lookups.map(({ table }) => table),
  ]);
  const found = new Map(await read([...new Set([...SYSVARS, ...named])]));
  const tables = tablesOf(found, stages);
  const resolved = decoded.map((each) => ({ ...each, accounts: usesOf(each.transaction, tables) }));
  const looked = new Set(resolved.flatMap(({ accounts }) => accounts.map(({ address }) => address)));
  const more = [...looked].filter((address) => !named.includes(address));
  for (const [address, account] of await read(more)) found.set(address, account);
  return { found, resolved };
}

/** Returns the accounts of a message; without lookups if an entry is missing, so that the runtime reports the error. */
function usesOf(
  transaction: DecodedTransaction,
  tables: readonly LookupTableContent[],
): readonly AccountUse[] {
  try {
    return accountList(transaction, tables);
  } catch (error) {
    if (!(error instanceof TransactionError)) throw error;
    return accountList({ ...transaction, lookups: [] }, []);
  }
}

/** Returns the entries of each table after all stages; entries are never removed. */
function tablesOf(
  found: ReadonlyMap<Address, AccountFact>,
  stages: readonly Stage[],
): readonly LookupTableContent[] {
  const tables = new Map<Address, Address[]>();
  for (const { address, owner, data } of found.values()) {
    if (owner !== LOOKUP_TABLE_PROGRAM) continue;
    tables.set(address, [...readLookupTable(Buffer.from(data, 'base64')).addresses]);
  }
  for (const { table, addresses } of stages.flatMap(({ transaction }) => transaction.tableEntries))
    tables.set(table, [...(tables.get(table) ?? []), ...addresses]);
  return [...tables].map(([table, addresses]) => ({ table, addresses }));
}

interface Parts {
  readonly found: ReadonlyMap<Address, AccountFact>;
  readonly resolved: readonly ResolvedStage[];
  readonly slot: number;
  readonly code: readonly CopiedAccount[];
  readonly programs: Readonly<Record<Address, number>>;
}

function copyOf({ found, resolved, slot, code, programs }: Parts): ChainCopy {
  const all = [...found.values()].filter(({ owner }) => owner !== NATIVE_LOADER);
  const isSysvar = ({ address }: AccountFact): boolean => SYSVARS.includes(address);
  const programsFound = all.filter(({ executable }) => executable);
  const others = all.filter((account) => !account.executable && !isSysvar(account));
  for (const { owner, data } of programsFound) {
    const isProgram =
      owner === LOADER_V2_PROGRAM ||
      (owner === LOADER_V3_PROGRAM && Buffer.from(data, 'base64').readUInt32LE(0) === PROGRAM_KIND);
    if (!isProgram) throw new NoCopy('rpc');
  }
  const clock = Buffer.from(found.get(SYSVAR_CLOCK)?.data ?? '', 'base64');
  if (clock.length < 40) throw new NoCopy('rpc');
  return {
    ...{ slot, programs, stages: resolved, epoch: clock.readBigUInt64LE(16) },
    accounts: [
      ...all.filter(isSysvar).map(copied),
      ...code,
      ...programsFound.map(copied),
      ...others.map(copied),
    ],
    before: new Map(others.map((account) => [account.address, account])),
  };
}

const copied = ({ address, lamports, owner, executable, data }: AccountFact): CopiedAccount => ({
  ...{ address, owner, executable },
  lamports: BigInt(lamports),
  data: new Uint8Array(Buffer.from(data, 'base64')),
});
