/**
 * Notices, while a server runs, that the owner accepted what the principals file holds by now. Until then a changed file
 * changes nothing: not the one who writes the file decides, but the one with the owner key (T124).
 */
import { stat } from 'node:fs/promises';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import { type PrincipalsFile, readPrincipals } from './file.ts';

/** How often it is looked, in milliseconds. */
const LOOK_MS = 1_000;

export interface RosterParts {
  readonly path: string;
  /** What is in force at first. */
  readonly first: Pick<PrincipalsFile, 'digest'>;
  /** The wallets of the home, whose labels stand in the file. */
  readonly wallets?: (() => Promise<readonly HomeWallet[]>) | undefined;
  /** The digest that the owner accepted since the server began. */
  readonly accepted: () => Promise<string | undefined>;
  /** Puts a file in force. A rejection leaves the one before in force. */
  readonly apply: (file: PrincipalsFile) => Promise<void>;
  readonly log: (line: string) => void;
}

export interface Roster {
  /** Looks once: puts in force what was accepted, and says in the log what was changed and not accepted. Never rejects. */
  look(): Promise<void>;
}

export function createRoster({ path, first, wallets, accepted, apply, log }: RosterParts): Roster {
  let inForce = first.digest;
  let seen: string | undefined;
  let said = '';
  /** The same is said once. */
  const say = (line: string): void => {
    if (line !== said) log(line);
    said = line;
  };

  async function lookNow(): Promise<void> {
    const wanted = await accepted().catch((error: unknown) => {
      say(`whether the owner accepted another principals file cannot be read now: ${wordsOf(error)}`);
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
      say(
        `the principals file that the owner accepted is in force: ${file.entries.length} principals, ${wanted}`,
      );
    } else if (isWaiting)
      say('the owner accepted another principals file than the one that is here, so nothing changes');
    else
      say(
        `the principals file was changed, which changes nothing until the owner accepts it: countersign principals accept ${path}`,
      );
  }

  return {
    look: async () => {
      try {
        await lookNow();
      } catch (error) {
        say(`the principals stay as they were: ${wordsOf(error)}`);
      }
    },
  };
}

/** Looks again and again, one look at a time, until it is stopped. */
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
