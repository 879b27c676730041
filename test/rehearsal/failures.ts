/** Chain changes between a plan's build and its first signature, by the cause of the resulting failure. */
import { signed } from '../../sandbox/attacks/world/landing.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { ChainAccount } from '../../sandbox/chain/types.ts';
import { dataAccountOf, upgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram, SOURCES } from '../../sandbox/programs/standIns.ts';
import { marketOf } from '../../sandbox/service/records/markets.ts';
import type { Plan } from '../../src/plan/types.ts';
import { readLookupTable } from '../../src/programs/solana/lookupTable.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import { LOOKUP_TABLE_PROGRAM, TOKEN_PROGRAMS } from '../../src/transaction/programs.ts';
import type { Home } from '../execution/home.ts';

type Accounts = readonly (readonly [address: string, account: ChainAccount | null])[];

/** Change of some accounts, written in this order. */
export interface Change {
  readonly name: string;
  readonly accounts: Accounts;
}

/**
 * Executes the required stages of a plan, with signatures, in a trial of the chain. Returns the accounts afterwards.
 */
export function played(home: Home, plan: Plan, changed: Accounts = []) {
  const { chain, service } = home.sandbox;
  return chain.runTrial(() => {
    for (const [address, account] of changed) chain.setAccount(address, account);
    let isDone = true;
    const touched = [plan.wallet];
    for (const { transaction, waitSlots, optional } of plan.stages) {
      if (optional || !isDone) continue;
      chain.advanceSlots(Math.max(1, waitSlots));
      const outcome = chain.submit(signed(transaction.read().bytes, [service.keys.wallet]));
      isDone = outcome.landed && outcome.record.err === null;
      if (!outcome.landed) continue;
      const { staticAccounts, loadedAddresses } = outcome.record;
      touched.push(...staticAccounts, ...loadedAddresses.writable, ...loadedAddresses.readonly);
    }
    return { isDone, after: new Map(touched.map((address) => [address, chain.getAccount(address)])) };
  });
}

/** Applies a change during `work` and restores the accounts. */
export async function whileChanged<T>(home: Home, { accounts }: Change, work: () => Promise<T>): Promise<T> {
  const { chain } = home.sandbox;
  const before = accounts.map(([address]) => [address, chain.getAccount(address)] as const);
  const write = (all: Accounts) => {
    for (const [address, account] of all) chain.setAccount(address, account);
    home.sandbox.advanceSlots(2);
  };
  write(accounts);
  try {
    return await work();
  } finally {
    write(before);
  }
}

type Cause = (home: Home, plan: Plan) => Promise<Change[]>;

/** Returns the existing accounts used by a plan's messages, without sysvars. */
function accountsOf(chain: SandboxChain, { stages }: Plan): (readonly [string, ChainAccount])[] {
  const named = stages.flatMap(({ transaction }) => {
    const read = transaction.read();
    const tables = read.lookups.map(({ table }) => table);
    const made = stages.flatMap((each) => each.transaction.tableEntries);
    const contents = tables.map((table) => {
      const found = chain.getAccount(table);
      const addresses = found === null ? [] : readLookupTable(found.data).addresses;
      const added = made.filter((each) => each.table === table).flatMap((each) => each.addresses);
      return { table, addresses: [...addresses, ...added] };
    });
    return [...tables, ...accountList(read, contents).map(({ address }) => address)];
  });
  return [...new Set(named)].flatMap((address) => {
    const account = chain.getAccount(address);
    return account === null || address.startsWith('Sysvar') ? [] : [[address, account] as const];
  });
}

/** Affordable percentages of the plan's cost. */
const SHARES = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99];

const drainFunds: Cause = async (home, plan) => {
  const { chain } = home.sandbox;
  const wallet = chain.getAccount(plan.wallet);
  const { after } = played(home, plan);
  const cost = (wallet?.lamports ?? 0n) - (after.get(plan.wallet)?.lamports ?? 0n);
  if (wallet === null || cost < 1_000_000n) return [];
  return SHARES.map((share) => ({
    name: `${share} % of the cost`,
    accounts: [[plan.wallet, { ...wallet, lamports: (cost * BigInt(share)) / 100n }]],
  }));
};

const TABLE_HEAD_BYTES = 56;

/** Table entries that are not active yet or no longer, and a table of the plan created by someone else. */
const coldTable: Cause = async (home, plan) => {
  const { chain } = home.sandbox;
  const made = plan.stages.flatMap(({ transaction }) => transaction.tableEntries.map(({ table }) => table));
  const foreign = { lamports: 10_000_000n, owner: LOOKUP_TABLE_PROGRAM, executable: false };
  const tables = accountsOf(chain, plan).filter(([, { owner }]) => owner === LOOKUP_TABLE_PROGRAM);
  return [
    ...[...new Set(made)].map((table): Change => {
      const data = new Uint8Array(TABLE_HEAD_BYTES);
      data[0] = 1;
      data.fill(0xff, 4, 12);
      return { name: 'the table is there, empty', accounts: [[table, { ...foreign, data }]] };
    }),
    ...tables.flatMap(([table, account]) => {
      const changed = (name: string, change: (head: Buffer) => Uint8Array): Change => ({
        name,
        accounts: [[table, { ...account, data: new Uint8Array(change(Buffer.from(account.data))) }]],
      });
      const count = (account.data.length - TABLE_HEAD_BYTES) / 32;
      return [
        ...Array.from({ length: Math.min(count, 12) }, (_, kept) => [
          changed(`${kept} entries`, (data) => data.subarray(0, TABLE_HEAD_BYTES + 32 * kept)),
          changed(`warm up to entry ${kept}`, (data) => {
            data.writeBigUInt64LE(BigInt(chain.slot + 1000), 12);
            data.writeUInt8(kept, 20);
            return data;
          }),
        ]).flat(),
        changed('deactivated long ago', (data) => {
          data.writeBigUInt64LE(BigInt(chain.slot - 600), 4);
          return data;
        }),
      ];
    }),
  ];
};

/** Replaces the code of each program of the plan by another's. */
const programUpgraded: Cause = async (home, plan) => {
  const { chain } = home.sandbox;
  const programs = accountsOf(chain, plan).filter(
    ([, account]) => account.executable && dataAccountOf(account) !== undefined,
  );
  const rent = (bytes: number) => chain.rent(bytes);
  return programs.flatMap(([program]) =>
    SOURCES.map((source) => ({
      name: `${program} runs ${source}`,
      accounts: upgradeable(program, compiledProgram(source), { slot: chain.slot, authority: program }, rent),
    })),
  );
};

/** Price changes in thousandths. */
const MOVES = [-900, -700, -500, -300, -200, -100, -50, -20, -10, 10, 20, 50, 100, 200, 300, 500, 700, 900];

/** Changes the square root price in each pool of the plan. */
const priceMoved: Cause = async (home, plan) => {
  const { service } = home.sandbox;
  const named = new Map(accountsOf(home.sandbox.chain, plan));
  return [...service.state.launches.values()].flatMap(({ venue }) => {
    const market = venue && marketOf(service, venue);
    const [price, account] = [market?.price(service), named.get(market?.pool ?? '')];
    if (market === undefined || price === undefined || account === undefined) return [];
    const bytes = (value: bigint) => Buffer.from(value.toString(16).padStart(32, '0'), 'hex').reverse();
    const at = Buffer.from(account.data).indexOf(bytes(price.sqrtPrice));
    return MOVES.map((move) => {
      const data = account.data.slice();
      data.set(bytes((price.sqrtPrice * BigInt(1000 + move)) / 1000n), at);
      return { name: `its square root moved by ${move} ‰`, accounts: [[market.pool, { ...account, data }]] };
    });
  });
};

/** Creates the plan's accounts in advance, as the plan would. */
const alreadyThere: Cause = async (home, plan) => {
  const { after } = played(home, plan);
  return [...after].flatMap(([address, account]) =>
    account === null || home.sandbox.chain.getAccount(address) !== null
      ? []
      : [{ name: `${address} of ${account.owner}`, accounts: [[address, account]] }],
  );
};

const accountClosed: Cause = async (home, plan) =>
  accountsOf(home.sandbox.chain, plan)
    .filter(([address, { executable }]) => !executable && address !== plan.wallet)
    .map(([address, { owner }]) => ({
      name: `${address} of ${TOKEN_PROGRAMS.includes(owner) ? 'a token' : owner}`,
      accounts: [[address, null]],
    }));

export const CAUSES = {
  'funds run out': drainFunds,
  'lookup table not warm': coldTable,
  'program upgraded': programUpgraded,
  'price moved': priceMoved,
  'account already there': alreadyThere,
  'account closed': accountClosed,
} satisfies Readonly<Record<string, Cause>>;
