/** Keys and files that every test of the policy uses; nothing here starts anything. */

import type { LedgerView } from '../../src/policy/decide/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { type Keypair, keypairFromSeed } from '../../src/sandbox/service/keys.ts';

export const NOTHING_USED: LedgerView = { used: {} };

/** A repeatable key of somebody. */
export function somebody(name: string): Keypair {
  const seed = new Uint8Array(32);
  seed.set(Buffer.from(name).subarray(0, 32));
  return keypairFromSeed(seed);
}

/** A policy file as the server would load it. */
export function load(file: PolicyFile): LoadedPolicy {
  const loaded = parsePolicy(JSON.stringify(file));
  if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
}
