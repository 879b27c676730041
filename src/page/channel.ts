/**
 * The page as an approval channel: the first question loads the server's code and writes the launch file; the browser
 * opens unless the page is already open.
 */
import { existsSync } from 'node:fs';
import type { ApprovalChannel } from '../approval/types.ts';
import type { Environment } from '../secrets/home.ts';
import { ownerKeyPath } from '../secrets/keys/ownerKey.ts';
import { removeHandle, removeLaunchFile, writeHandle, writeLaunchFile } from './http/launchFile.ts';
import { openInBrowser } from './http/openBrowser.ts';
import type { PageServer, PageServerParts } from './server.ts';

/** A page that polled within this time counts as open in a browser. */
const OPEN_MS = 15_000;
/** Minimum interval between two launches by visits to the plain address. */
const REVISIT_MS = 10_000;
/** Minimum interval between two launches by questions (T59). */
const REOPEN_MS = 60_000;

export interface PageChannelParts extends PageServerParts {
  /** The home that the launch file is written to. */
  readonly home: string;
  readonly env: Environment;
  /** Base58, from the wallet's secret store. In live mode the page is available only with an owner key. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** Writes one line to standard error. Never receives the token. */
  readonly log?: (line: string) => void;
  /** For tests: opens a file; returns `false` if it cannot. */
  readonly open?: (file: string) => boolean;
}

export interface PageChannel extends ApprovalChannel {
  /** Starts the server if needed and writes a new launch file; returns its path. */
  launch(): Promise<string>;
  /** Returns the plain address of the page, which contains no secret; `undefined` before the first question. */
  address(): string | undefined;
  close(): Promise<void>;
}

export function createPageChannel(parts: PageChannelParts): PageChannel {
  const { home, env, mode, now } = parts;
  const open = parts.open ?? ((file) => openInBrowser(file, env));
  let starting: Promise<PageServer> | undefined;
  let running: PageServer | undefined;
  let openedAt = Number.NEGATIVE_INFINITY;
  let visitedAt = Number.NEGATIVE_INFINITY;

  const started = async (): Promise<PageServer> => {
    starting ??= import('./server.ts')
      .then(({ startPageServer }) =>
        startPageServer(parts, {
          onStart: () => removeLaunchFile(home),
          onVisit: visited,
          onReopen: launch,
        }),
      )
      .catch((error: unknown) => {
        starting = undefined;
        throw error;
      });
    running = await starting;
    const { origin, sessions } = running;
    writeHandle(home, { origin, base: sessions.base, key: sessions.key });
    return running;
  };
  const launch = async (): Promise<string> => {
    const { origin, sessions } = await started();
    return writeLaunchFile(home, `${origin}${sessions.base}enter`, sessions.issue());
  };
  const visited = async (): Promise<void> => {
    if (now() - visitedAt < REVISIT_MS) return;
    visitedAt = now();
    open(await launch());
  };

  return {
    name: 'page',
    available: async () => mode === 'sandbox' || (await hasOwnerKey(home, parts.ownerPublicKey)),
    ask: async () => {
      const seen = (await started()).sessions.lastSeen();
      if ((seen !== undefined && now() - seen < OPEN_MS) || now() - openedAt < REOPEN_MS) return;
      openedAt = now();
      const file = await launch();
      if (!open(file)) parts.log?.(`Your approval is needed. Open ${file} in a browser.`);
    },
    launch,
    address: () => running && `${running.origin}/`,
    close: async () => {
      const server = await starting?.catch(() => undefined);
      starting = undefined;
      running = undefined;
      if (server === undefined) return;
      removeLaunchFile(home);
      removeHandle(home, server.sessions.key);
      await server.close(0);
    },
  };
}

/** Returns whether the owner can sign: there is an owner key, and the wallet's store has its public half. */
async function hasOwnerKey(
  home: string,
  ownerPublicKey: () => Promise<string | undefined>,
): Promise<boolean> {
  if (!existsSync(ownerKeyPath(home))) return false;
  // A locked store cannot confirm the key.
  return (await ownerPublicKey().catch(() => undefined)) !== undefined;
}
