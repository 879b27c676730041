/**
 * Watches for the owner's acceptance of a changed principals file. Until then the change has no effect: the holder of
 * the owner key decides, not the writer of the file (T124).
 */
import { stat } from 'node:fs/promises';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import { type PrincipalsFile, readPrincipals } from './file.ts';

/** Polling interval in milliseconds. */
const LOOK_MS = 1_000;

export interface RosterParts {
  readonly path: string;
  /** The file initially in force. */
  readonly first: Pick<PrincipalsFile, 'digest'>;
  /** The wallets of the home, to resolve labels in the file. */
  readonly wallets?: (() => Promise<readonly HomeWallet[]>) | undefined;
  /** Returns the digest the owner accepted since the server began. */
  readonly accepted: () => Promise<string | undefined>;
  /** Puts a file in force. If it rejects, the previous one stays in force. */
  readonly apply: (file: PrincipalsFile) => Promise<void>;
  readonly log: (line: string) => void;
}

export interface Roster {
  /** Checks once: applies an accepted file, and logs a changed file that is not accepted. Never rejects. */
  look(): Promise<void>;
}

export function createRoster({ path, first, wallets, accepted, apply, log }: RosterParts): Roster {
  let inForce = first.digest;
  let seen: string | undefined;
  let logged = '';
  /** Logs a repeated message once. */
  const logOnce = (line: string): void => {
    if (line !== logged) log(line);
    logged = line;
  };

  async function lookNow(): Promise<void> {
    const wanted = await accepted().catch((error: unknown) => {
      logOnce(`whether the owner accepted another principals file cannot be read now: ${wordsOf(error)}`);
    });
    const stamp = await stampOf(path);
    const isWaiting = wanted !== undefined && wanted !== inForce;
    if (!isWaiting && stamp === seen) return;
    seen = stamp;
    const file = await readPrincipals(path, await wallets?.());
    if (file.digest === inForce) return;
    if (file.digest === wanted) {
      await apply(file);
      inForce = file.digest;
      logOnce(
        `the principals file that the owner accepted is in force: ${file.entries.length} principals, ${wanted}`,
      );
    } else if (isWaiting)
      logOnce('the owner accepted another principals file than the one on this host: no change');
    else
      logOnce(
        `the principals file was changed; the change takes effect when the owner accepts it: countersign principals accept ${path}`,
      );
  }

  return {
    look: async () => {
      try {
        await lookNow();
      } catch (error) {
        logOnce(`the principals are unchanged: ${wordsOf(error)}`);
      }
    },
  };
}

/** Checks repeatedly, one check at a time, until stopped. */
export function watchRoster(parts: RosterParts): { stop(): void } {
  const roster = createRoster(parts);
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  const go = async (): Promise<void> => {
    await roster.look();
    if (!isStopped) timer = setTimeout(() => void go(), LOOK_MS).unref();
  };
  void go();
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const stampOf = async (path: string): Promise<string> => {
  const { mtimeMs, size, ino } = await stat(path);
  return `${mtimeMs} ${size} ${ino}`;
};
