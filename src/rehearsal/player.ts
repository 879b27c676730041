/**
 * The process that plays rehearsals (`child.mjs`): started for the first one, killed when one takes too long, gone half
 * a minute after the last. It gets no environment and may read nothing but its own code; one rehearsal at a time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { orAborted } from '../clock.ts';
import type { Address } from '../transaction/types.ts';

/** An account of the copy. */
export interface CopiedAccount {
  readonly address: Address;
  readonly lamports: bigint;
  readonly owner: Address;
  readonly executable: boolean;
  readonly data: Uint8Array;
}

/** An account after a stage. */
export type AccountAfter = { readonly address: Address } & (
  | { readonly exists: false }
  | ({ readonly exists: true } & CopiedAccount)
);

/** What is played. Accounts are put there in their order: sysvars first, code before the programs that name it. */
export interface Job {
  /** Features of the runtime that the cluster has not activated. */
  readonly inactive: readonly Address[];
  readonly accounts: readonly CopiedAccount[];
  /** `slots`: that pass before it; `watch`: accounts to return. */
  readonly stages: readonly {
    readonly bytes: Uint8Array;
    readonly slots: number;
    readonly watch: readonly Address[];
  }[];
}

/** How a stage ended; the stages after one that failed are not played. */
export interface PlayedStage {
  /** The runtime's error; `null` where it succeeded. */
  readonly error: string | null;
  /** Of a failed stage. */
  readonly logs: readonly string[];
  readonly units: number;
  readonly after: readonly AccountAfter[];
}

type Answer = { features: readonly Address[] } | { stages: readonly PlayedStage[] } | { broken: string };

export interface Player {
  /** Every feature the runtime knows. Rejects where there is no runtime. */
  features(signal: AbortSignal): Promise<readonly Address[]>;
  /** Rejects where the process breaks, or `signal` aborts: then it is killed. */
  play(job: Job, signal: AbortSignal): Promise<readonly PlayedStage[]>;
  /** Ends the process now. */
  close(): void;
}

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));

/** What the child may read: the package and the packages it finds its native code in. */
function codeFolder(): string {
  const [before, inside] = CHILD.split(/(?<=[\\/]node_modules)[\\/]/, 2);
  return inside === undefined ? fileURLToPath(new URL('../..', import.meta.url)) : (before ?? CHILD);
}

/** Milliseconds after its last job at which the process is ended. */
const IDLE_MS = 30_000;

/** Makes a player; the process starts with the first job. `script`: another child, for tests. */
export function createPlayer(script: string = CHILD): Player {
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let known: readonly Address[] | undefined;

  const close = (): void => {
    clearTimeout(idle);
    child?.kill('SIGKILL');
    child = undefined;
  };
  const ask = async (message: Job | 'features', signal: AbortSignal): Promise<Answer> => {
    clearTimeout(idle);
    const asked = child?.connected === true ? child : start(script);
    child = asked;
    asked.channel?.ref();
    const answered = new Promise<Answer>((resolve, reject) => {
      const gone = () => reject(new Error('the process of the rehearsal ended'));
      asked.once('exit', gone);
      asked.once('error', gone);
      asked.once('message', (answer: Answer) => {
        asked.off('exit', gone);
        asked.off('error', gone);
        resolve(answer);
      });
      asked.send(message, (error) => error && gone());
    });
    try {
      const answer = await orAborted(answered, signal);
      if ('broken' in answer) throw new Error(answer.broken);
      return answer;
    } catch (error) {
      close();
      throw error;
    } finally {
      asked.channel?.unref();
      idle = setTimeout(close, IDLE_MS).unref();
    }
  };
  return {
    features: async (signal) => {
      if (known !== undefined) return known;
      const answer = await ask('features', signal);
      if (!('features' in answer)) throw new Error('another answer than features');
      known = answer.features;
      return known;
    },
    play: async (job, signal) => {
      const answer = await ask(job, signal);
      if (!('stages' in answer)) throw new Error('another answer than stages');
      return answer.stages;
    },
    close,
  };
}

function start(script: string): ChildProcess {
  const flags = process.allowedNodeEnvironmentFlags;
  const child = fork(script, {
    env: {},
    cwd: codeFolder(),
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [
      flags.has('--permission') ? '--permission' : '--experimental-permission',
      '--allow-addons',
      `--allow-fs-read=${codeFolder()}`,
      `--allow-fs-read=${script}`,
      '--max-old-space-size=160',
    ],
  });
  // It keeps nothing alive: a server that ends leaves it, and it ends when its channel closes.
  child.unref();
  child.channel?.unref();
  return child;
}
