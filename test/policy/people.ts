/** Keys and files shared by the policy tests; starts nothing. */

import { type Keypair, keypairFromSeed } from '../../sandbox/keypair.ts';
import type { LedgerView } from '../../src/policy/decide/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../src/policy/file/file.ts';
import {
  type PolicyFile,
  UNSUPPORTED_OPERATIONS,
  type UnsupportedProgram,
} from '../../src/policy/file/schema.ts';

export const NOTHING_USED: LedgerView = { used: {} };

/** Returns the key derived from a name. */
export function keyNamed(name: string): Keypair {
  const seed = new Uint8Array(32);
  seed.set(Buffer.from(name).subarray(0, 32));
  return keypairFromSeed(seed);
}

/** An entry that allows unsupported instructions with first byte 1 in every operation. */
export const unsupportedProgram = (
  address: string,
  more: Partial<UnsupportedProgram> = {},
): UnsupportedProgram => ({
  address,
  binding: 'effects',
  operations: [...UNSUPPORTED_OPERATIONS],
  instructions: ['01'],
  atMost: 4,
  ...more,
});

/** Entries that allow every unsupported instruction of a program, the widest possible in a policy. */
export const unsupportedWhole = (address: string): UnsupportedProgram[] =>
  [0, 64, 128, 192].map((first) => {
    const bytes = Array.from({ length: 64 }, (_, i) => Uint8Array.of(first + i));
    return unsupportedProgram(address, {
      instructions: bytes.map((byte) => Buffer.from(byte).toString('hex')),
      atMost: 64,
    });
  });

/** Loads a policy file as the server would. */
export function load(file: PolicyFile): LoadedPolicy {
  const loaded = parsePolicy(JSON.stringify(file));
  if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
  return loaded;
}
