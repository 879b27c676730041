/**
 * PostgreSQL for one test, from Debian's package: a temporary folder with a socket, and no port. Without the package,
 * dependent tests are skipped with a reason.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';

const PACKAGE = '/usr/lib/postgresql';
const USER = 'countersign';

/** Returns the newest version's program folder; `undefined` without the package. */
function programs(): string | undefined {
  const versions = existsSync(PACKAGE) ? readdirSync(PACKAGE).sort((a, b) => Number(b) - Number(a)) : [];
  return versions
    .map((version) => join(PACKAGE, version, 'bin'))
    .find((bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'pg_ctl')));
}

/** Reason for a missing PostgreSQL; `undefined` if there is one. */
export const noPostgres: string | undefined =
  programs() === undefined ? "Debian's package `postgresql` is not installed" : undefined;

/** Returns the package's user when run as root, which PostgreSQL refuses. */
function runsAs(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (label: string) => Number(execFileSync('id', [label, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

export interface TestPostgres {
  /** Returns the address of a new, empty ledger. */
  newLedger(): Promise<string>;
  /** Runs SQL on the ledger at an address. */
  query(address: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Connects to the ledger at an address. */
  connect(address: string): Promise<pg.Client>;
  /** Copies a consistent snapshot of the ledger at one address to the other, which is empty. */
  copy(from: string, to: string): Promise<void>;
  /** `immediate` is equivalent to a power cut; `fast` ends every connection. */
  stop(how: 'fast' | 'immediate'): void;
  start(): void;
  /** Stops PostgreSQL and removes its folder. */
  end(): void;
}

/** Starts PostgreSQL. `durable` enables fsync, as in production. */
export function startPostgres({ durable = false } = {}): TestPostgres {
  const bin = programs();
  if (bin === undefined) throw new Error(noPostgres);
  const as = runsAs();
  // The test folders belong to root: grant the other user access to its own.
  if (as !== undefined) {
    for (let path = tmpdir(); path !== dirname(path); path = dirname(path))
      if ((statSync(path).mode & 0o001) === 0) chmodSync(path, 0o711);
  }
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  if (as !== undefined) chownSync(folder, as.uid, as.gid);
  const run = (program: string, args: readonly string[]): void =>
    void execFileSync(join(bin, program), [...args], {
      ...as,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const data = join(folder, 'data');
  run('initdb', ['--no-sync', '--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C', data]);
  const settings = [
    `-k ${folder}`,
    "-c listen_addresses=''",
    '-c max_connections=60',
    ...(durable ? [] : ['-c fsync=off']),
  ].join(' ');
  let running = false;
  const start = (): void => {
    run('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', settings, 'start']);
    running = true;
  };
  const stop = (how: 'fast' | 'immediate'): void => {
    if (running) run('pg_ctl', ['-D', data, '-w', '-m', how, 'stop']);
    running = false;
  };
  start();
  const address = (more: string) => `postgres://${USER}@/postgres?host=${folder}${more}`;
  const connect = async (at: string): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: at });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const query = async (at: string, sql: string): Promise<Record<string, unknown>[]> => {
    const client = await connect(at);
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };
  let made = 0;
  return {
    newLedger: async () => {
      made += 1;
      const schema = `ledger_${made}`;
      await query(address(''), `CREATE SCHEMA ${schema}`);
      return address(`&options=${encodeURIComponent(`-c search_path=${schema}`)}`);
    },
    query,
    connect,
    copy: async (from, to) => {
      const [old, next] = [from, to].map((at) => /ledger_\d+/.exec(decodeURIComponent(at))?.[0]);
      const names = await query(from, `SELECT tablename FROM pg_tables WHERE schemaname = '${old}'`);
      const made = names.flatMap(({ tablename }) => [
        `CREATE TABLE ${next}.${tablename} (LIKE ${old}.${tablename} INCLUDING ALL)`,
        `INSERT INTO ${next}.${tablename} SELECT * FROM ${old}.${tablename}`,
      ]);
      await query(from, ['BEGIN ISOLATION LEVEL REPEATABLE READ', ...made, 'COMMIT'].join('; '));
    },
    stop,
    start,
    end: () => {
      stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
