/** Proxy to a test's database that can cut the connection at a commit. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `before`: the commit never arrives. `after`: its answer never does. `while`: it arrives, and the return path is cut
 * during the commit.
 */
export type CutWhen = 'before' | 'while' | 'after';

export interface Cut {
  /** Ledger address through the proxy. */
  readonly address: string;
  /** Cuts the connection at the next commit. */
  next(when: CutWhen): void;
  end(): Promise<void>;
}

/** Starts a proxy to a ledger address. */
export async function startCut(database: string): Promise<Cut> {
  const real = new URL(database.replace('@/', '@localhost/')).searchParams.get('host') ?? '';
  const folder = mkdtempSync(join(tmpdir(), 'cut-'));
  let armed: CutWhen | undefined;
  const open = new Set<Socket>();
  const server: Server = createServer((client) => {
    const upstream = createConnection(join(real, '.s.PGSQL.5432'));
    let cutting: CutWhen | undefined;
    const end = () => {
      client.destroy();
      // The database notices the lost connection only when it answers.
      if (cutting !== 'while') upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (bytes: Buffer) => {
      if (armed !== undefined && bytes.includes('COMMIT\0')) {
        cutting = armed;
        armed = undefined;
        if (cutting === 'before') return end();
      }
      upstream.write(bytes);
      if (cutting === 'while') client.destroy();
    });
    upstream.on('data', (bytes: Buffer) => {
      if (cutting === undefined) client.write(bytes);
      else end();
    });
  });
  await new Promise<void>((resolve) => server.listen(join(folder, '.s.PGSQL.5432'), resolve));
  return {
    address: database.replace(real, folder),
    next: (when) => {
      armed = when;
    },
    end: async () => {
      for (const socket of open) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
