/**
 * The child process for rehearsals (`child.mjs`): started on demand, killed on timeout, and ended after half a minute
 * without jobs. It has no environment and can read only its own code. Runs one rehearsal at a time.
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

/** A rehearsal job. Accounts are inserted in order: sysvars first, code before its program. */
export interface Job {
  /** Features of the runtime that the cluster has not activated. */
  readonly inactive: readonly Address[];
  readonly accounts: readonly CopiedAccount[];
  /** `slots`: slots to advance before the stage; `watch`: accounts to return. */
  readonly stages: readonly {
    readonly bytes: Uint8Array;
    readonly slots: number;
    readonly watch: readonly Address[];
  }[];
}

/** Outcome of a stage. Stages after a failed one are not executed. */
export interface PlayedStage {
  /** Error of the runtime; `null` on success. */
  readonly error: string | null;
  /** Logs of a failed stage, else empty. */
  readonly logs: readonly string[];
  readonly units: number;
  readonly after: readonly AccountAfter[];
}

type Answer = { features: readonly Address[] } | { stages: readonly PlayedStage[] } | { broken: string };

export interface Player {
  /** Returns the features of the runtime. Rejects if the runtime is missing. */
  features(signal: AbortSignal): Promise<readonly Address[]>;
  /** Executes a job. If the process fails or `signal` aborts, kills the process and rejects. */
  play(job: Job, signal: AbortSignal): Promise<readonly PlayedStage[]>;
  /** Kills the process. */
  close(): void;
}

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));

/** Returns the folder that the child may read: the package, or the `node_modules` that contains it. */
function codeFolder(): string {
  const [before, inside] = CHILD.split(/(?<=[\\/]node_modules)[\\/]/, 2);
  return inside === undefined ? fileURLToPath(new URL('../..', import.meta.url)) : (before ?? CHILD);
}

/** Idle time before the process is ended, in milliseconds. */
const IDLE_MS = 30_000;

/** Creates a player; the process starts with the first job. `script`: replaces the child in tests. */
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
    const player = child?.connected === true ? child : start(script);
    child = player;
    player.channel?.ref();
    const answered = new Promise<Answer>((resolve, reject) => {
      const gone = () => reject(new Error('the rehearsal process ended'));
      player.once('exit', gone);
      player.once('error', gone);
      player.once('message', (answer: Answer) => {
        player.off('exit', gone);
        player.off('error', gone);
        resolve(answer);
      });
      player.send(message, (error) => error && gone());
    });
    try {
      const answer = await orAborted(answered, signal);
      if ('broken' in answer) throw new Error(answer.broken);
      return answer;
    } catch (error) {
      close();
      throw error;
    } finally {
      player.channel?.unref();
      idle = setTimeout(close, IDLE_MS).unref();
    }
  };
  return {
    features: async (signal) => {
      if (known !== undefined) return known;
      const answer = await ask('features', signal);
      if (!('features' in answer)) throw new Error('unexpected answer, not features');
      known = answer.features;
      return known;
    },
    play: async (job, signal) => {
      const answer = await ask(job, signal);
      if (!('stages' in answer)) throw new Error('unexpected answer, not stages');
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
  // The child does not keep the server alive, and exits when its channel closes.
  child.unref();
  child.channel?.unref();
  return child;
}
