/**
 * The page as a way to reach a person: the server's code is loaded with the first question, the launch file is written,
 * and the browser opens unless the person already has the page in front of them.
 */
import { existsSync } from 'node:fs';
import type { ApprovalChannel } from '../approval/types.ts';
import type { Environment } from '../secrets/home.ts';
import { ownerKeyPath } from '../secrets/keys/ownerKey.ts';
import { removeHandle, removeLaunchFile, writeHandle, writeLaunchFile } from './http/launchFile.ts';
import { openInBrowser } from './http/openBrowser.ts';
import type { PageServer, PageServerParts } from './server.ts';

/** A page that polled this recently counts as open in a browser. */
const OPEN_MS = 15_000;
/** However often the plain address is visited, the browser opens this rarely. */
const REVISIT_MS = 10_000;
/** However many questions an agent asks, the browser opens this rarely (T59). */
const REOPEN_MS = 60_000;

export interface PageChannelParts extends PageServerParts {
  /** The home that the launch file is written to. */
  readonly home: string;
  readonly env: Environment;
  /** Base58, from the wallet's secret store. In live mode the page exists only with an owner key. */
  readonly ownerPublicKey: () => Promise<string | undefined>;
  /** One line for standard error. Never holds the token. */
  readonly log?: (line: string) => void;
  /** For tests: opens a file, `false` when it cannot. */
  readonly open?: (file: string) => boolean;
}

export interface PageChannel extends ApprovalChannel {
  /** Starts the server if need be and writes a fresh launch file; returns its path. */
  launch(): Promise<string>;
  /** The plain address of the page, which holds no secret; `undefined` while no question was asked. */
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
      if (!open(file)) parts.log?.(`A person is asked to approve. Open ${file} in a browser.`);
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

/** Whether a person can sign: there is an owner key, and the wallet's store knows its public half. */
export async function hasOwnerKey(
  home: string,
  ownerPublicKey: () => Promise<string | undefined>,
): Promise<boolean> {
  if (!existsSync(ownerKeyPath(home))) return false;
  // A store that is locked for this process cannot vouch for the key.
  return (await ownerPublicKey().catch(() => undefined)) !== undefined;
}
