/**
 * The policy file on disk: its permitted owners, and that it is the accepted one. Its rules are parsed in policy/
 * (docs/safety.md T57).
 */
import { type FileHandle, open } from 'node:fs/promises';
import { type LoadedPolicy, parsePolicy } from '../policy/file/file.ts';
import { systemCode } from '../secrets/errors.ts';
import { READ_FLAGS } from '../secrets/privateFile.ts';

const MAX_BYTES = 1_000_000;

/** Why a policy file is unusable; `problem` is a sentence for the user. */
export interface PolicyFileProblem {
  readonly problem: string;
}

/** Reads a policy file after checking that no other user could have written it. Checks the opened file, not its name. */
export async function readPolicyFile(path: string): Promise<{ readonly text: string } | PolicyFileProblem> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, READ_FLAGS);
    const stat = await file.stat();
    if (!stat.isFile()) return { problem: 'the policy path is not a file' };
    if (process.getuid !== undefined && stat.uid !== process.getuid()) {
      return { problem: 'the policy file belongs to another user' };
    }
    if (process.platform !== 'win32' && (stat.mode & 0o022) !== 0) {
      return { problem: 'the policy file can be written by other users; run chmod go-w on it' };
    }
    if (stat.size > MAX_BYTES) return { problem: `the policy file is larger than ${MAX_BYTES} bytes` };
    return { text: await file.readFile('utf8') };
  } catch (error) {
    return { problem: PROBLEMS[systemCode(error) ?? ''] ?? 'the policy file cannot be read' };
  } finally {
    await file?.close();
  }
}

const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT: 'the policy file does not exist',
  ENOTDIR: 'the policy file does not exist',
  ELOOP: 'the policy file is a symbolic link; use the real file',
};

/** State of a policy. */
export type PolicyState =
  | ({ readonly status: 'ok' } & LoadedPolicy)
  | { readonly status: 'missing' }
  | { readonly status: 'invalid'; readonly problem: string }
  | { readonly status: 'changed'; readonly hash: string; readonly pinned: string };

export interface PolicySource {
  /** Returns the current policy; read anew each time, so that a change is noticed before the next signature. */
  current(): Promise<PolicyState>;
}

/** Creates a policy that never changes while the process lives (the sandbox's). */
export function fixedPolicy(text: string): PolicySource {
  const state = parsed(text);
  return { current: async () => state };
}

/** A policy file that was changed before its first use: nothing is signed under it. */
export const changedPolicy = (hash: string, pinned: string): PolicySource => ({
  current: async () => ({ status: 'changed', hash, pinned }),
});

/** Without a policy file every signature is denied, with a hint how to create one. */
export const noPolicy: PolicySource = {
  current: async () => ({ status: 'missing' }),
};

/**
 * Creates a source for a policy file. The first successful read pins its hash; `acceptedHash` returns a later hash
 * the owner accepted. Until then a changed file denies everything with POLICY_CHANGED, and the previous policy is not
 * used. `pinned`: the hash already in force. Unchanged text returns the same object, so that data cached for it stays
 * valid.
 */
export function policyFromFile(
  path: string,
  acceptedHash: () => Promise<string | undefined>,
  pinned?: string | undefined,
): PolicySource {
  let read: { readonly text: string; readonly state: PolicyState } | undefined;
  let isWatched = false;
  return {
    current: async () => {
      // Acceptances count from the first call, also those given while this process decides nothing.
      if (!isWatched)
        isWatched = await acceptedHash().then(
          () => true,
          () => false,
        );
      const file = await readPolicyFile(path);
      if ('problem' in file) return { status: 'invalid', problem: file.problem };
      if (read?.text !== file.text) read = { text: file.text, state: parsed(file.text) };
      const { state } = read;
      if (state.status !== 'ok') return state;
      pinned ??= state.hash;
      if (state.hash === pinned) return state;
      if (state.hash === (await acceptedHash())) {
        pinned = state.hash;
        return state;
      }
      return { status: 'changed', hash: state.hash, pinned };
    },
  };
}

function parsed(text: string): PolicyState {
  const result = parsePolicy(text);
  if ('errors' in result) {
    const [first] = result.errors;
    return {
      status: 'invalid',
      problem: first === undefined ? 'the policy file is not valid' : first.message,
    };
  }
  return { status: 'ok', ...result };
}
