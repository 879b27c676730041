/**
 * Mutations of an accepted stage: of its draft before compilation, so that every service signature is renewed and
 * valid, or of one byte of its message. Deterministic by the random source.
 */

import type { Keypair } from '../../sandbox/keypair.ts';
import {
  type Compiled,
  compileDraft,
  type Draft,
  type Lifetime,
} from '../../sandbox/service/build/compile.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { encodeTransaction, readTransaction } from '../../src/transaction/read.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';
import type { Random } from '../transaction/fuzz.ts';
import { keyNamed } from './world.ts';

/** Inputs of a mutation. */
export interface Scene {
  readonly draft: Draft;
  readonly lifetime: Lifetime;
  readonly wallet: string;
  readonly random: Random;
}

export const ATTACKER: Keypair = keyNamed('attacker');

/** Returns the changed bytes, or `undefined` if the change cannot be encoded, for example if it is too large. */
export type Mutation = (scene: Scene) => Uint8Array | undefined;

const pick = <T>(random: Random, items: readonly T[]): T | undefined => items[random(items.length)];

/** Compiles a changed draft, with the attacker's signature where needed. */
function remade({ lifetime }: Scene, draft: Draft): Uint8Array | undefined {
  try {
    const compiled: Compiled = compileDraft({ ...draft, signers: [...draft.signers, ATTACKER] }, lifetime);
    return compiled.bytes;
  } catch {
    return undefined;
  }
}

/** Changes the instruction list. */
const listed =
  (
    change: (list: EncodedInstruction[], scene: Scene) => readonly EncodedInstruction[] | undefined,
  ): Mutation =>
  (scene) => {
    const changed = change([...scene.draft.instructions], scene);
    return changed && remade(scene, { ...scene.draft, instructions: changed });
  };

/** Changes one instruction. */
const single = (
  change: (one: EncodedInstruction, scene: Scene) => EncodedInstruction | undefined,
): Mutation =>
  listed((list, scene) => {
    const at = scene.random(list.length);
    const one = list[at];
    const changed = one && change(one, scene);
    return changed && list.with(at, changed);
  });

/** Every address in the draft, and some others. */
function addresses({ draft, wallet }: Scene): string[] {
  const known = draft.instructions.flatMap((one) => one.accounts.map((account) => account.address));
  const ownAta = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const attackerAta = associatedTokenAddress(ATTACKER.address, WSOL_MINT, TOKEN_PROGRAM);
  return [
    ...new Set([...known, wallet, ownAta, ATTACKER.address, attackerAta, keyNamed('unrelated').address]),
  ];
}

/** An unrequested instruction. */
function unrequestedInstruction({ draft, wallet, random }: Scene): EncodedInstruction | undefined {
  const ata = associatedTokenAddress(wallet, WSOL_MINT, TOKEN_PROGRAM);
  const away = ATTACKER.address;
  const makers: readonly (() => EncodedInstruction | undefined)[] = [
    () =>
      encodeInstruction('system.transfer', {
        accounts: { from: wallet, to: away },
        args: { lamports: BigInt(random(1_000_000)) },
      }),
    () =>
      encodeInstruction('system.transfer', { accounts: { from: away, to: wallet }, args: { lamports: 0n } }),
    () =>
      encodeInstruction('system.assign', { accounts: { account: wallet }, args: { owner: TOKEN_PROGRAM } }),
    () =>
      encodeInstruction('system.allocate', {
        accounts: { account: wallet },
        args: { space: BigInt(random(99)) },
      }),
    () =>
      encodeInstruction('token.approve', {
        accounts: { source: ata, delegate: away, owner: wallet },
        args: { amount: BigInt(random(1_000_000)) },
      }),
    () =>
      encodeInstruction('token.setAuthority', {
        program: pick(random, [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]),
        accounts: { owned: ata, authority: wallet },
        args: { authorityType: 'closeAccount', newAuthority: away },
      }),
    () =>
      encodeInstruction('token.closeAccount', {
        accounts: { account: ata, destination: pick(random, [away, wallet]) ?? away, owner: wallet },
        args: {},
      }),
    () => encodeInstruction('token.syncNative', { accounts: { account: ata }, args: {} }),
    () =>
      encodeInstruction('memo.memo', {
        accounts: {},
        args: { text: `a memo ${random(10)}` },
        rest: random(2) ? [wallet] : [],
      }),
    () => pick(random, draft.instructions),
  ];
  return pick(random, makers)?.();
}

/** The data with one byte replaced by a near or far value. */
function damaged(data: Uint8Array, random: Random): Uint8Array {
  const at = random(data.length);
  const was = data[at] ?? 0;
  const values = [was + 1, was - 1, was ^ (1 << random(8)), random(256), 0, 255];
  return data.with(at, (pick(random, values) ?? 0) & 255);
}

/** Signs a possibly undecodable message with every key but the wallet's. */
function resigned(
  original: DecodedTransaction,
  message: Uint8Array,
  signers: readonly Keypair[],
): Uint8Array {
  const unsigned = encodeTransaction({ ...original, signatures: original.signatures.map(() => null) });
  const at = Buffer.from(unsigned).indexOf(original.message);
  const bytes = Uint8Array.from(unsigned);
  bytes.set(message, at);
  try {
    const read = readTransaction(bytes);
    const byAddress = new Map(signers.map((signer) => [signer.address, signer]));
    const signatures = requiredSigners(read).map((address) => byAddress.get(address)?.sign(message) ?? null);
    return encodeTransaction({ ...read, signatures });
  } catch (error) {
    if (error instanceof TransactionError) return bytes;
    throw error;
  }
}

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  byte: (scene) => {
    const honest = remade(scene, scene.draft);
    if (honest === undefined) return undefined;
    const read = readTransaction(honest);
    return resigned(read, damaged(read.message, scene.random), [...scene.draft.signers, ATTACKER]);
  },
  operand: single((one, { random }) =>
    one.data.length === 0 ? undefined : { ...one, data: damaged(one.data, random) },
  ),
  number: single((one, { random }) => {
    // The last eight bytes are an amount in most instructions that move one.
    if (one.data.length < 9) return undefined;
    const data = Buffer.from(one.data);
    const at = data.length - 8 - random(2);
    const was = data.readBigUInt64LE(at);
    const values = [was + 1n, was - 1n, was * 2n, was / 2n, 0n, 2n ** 64n - 1n];
    data.writeBigUInt64LE(BigInt.asUintN(64, pick(random, values) ?? 0n), at);
    return { ...one, data: Uint8Array.from(data) };
  }),
  longer: single((one, { random }) => ({ ...one, data: Uint8Array.from([...one.data, random(256)]) })),
  shorter: single((one) => ({ ...one, data: one.data.slice(0, -1) })),
  account: single((one, scene) => {
    const at = scene.random(one.accounts.length);
    const was = one.accounts[at];
    const address = pick(scene.random, addresses(scene));
    if (was === undefined || address === undefined || address === was.address) return undefined;
    return { ...one, accounts: one.accounts.with(at, { ...was, address }) };
  }),
  privilege: single((one, { random }) => {
    const at = random(one.accounts.length);
    const was = one.accounts[at];
    if (was === undefined) return undefined;
    const changed = random(2) ? { ...was, writable: !was.writable } : { ...was, signer: !was.signer };
    return { ...one, accounts: one.accounts.with(at, changed) };
  }),
  accountsSwapped: single((one, { random }) => {
    const [a, b] = [random(one.accounts.length), random(one.accounts.length)];
    const [first, second] = [one.accounts[a], one.accounts[b]];
    if (first === undefined || second === undefined || first.address === second.address) return undefined;
    return { ...one, accounts: one.accounts.with(a, second).with(b, first) };
  }),
  program: single((one, scene) => {
    const programs = [...scene.draft.instructions.map((each) => each.programAddress), ATTACKER.address];
    const programAddress = pick(scene.random, programs) ?? ATTACKER.address;
    return programAddress === one.programAddress ? undefined : { ...one, programAddress };
  }),
  added: listed((list, scene) => {
    const more = unrequestedInstruction(scene);
    return more && list.toSpliced(scene.random(list.length + 1), 0, more);
  }),
  removed: listed((list, { random }) =>
    list.length < 2 ? undefined : list.toSpliced(random(list.length), 1),
  ),
  reordered: listed((list, { random }) => {
    const [a, b] = [random(list.length), random(list.length)];
    const [first, second] = [list[a], list[b]];
    if (first === undefined || second === undefined || a === b) return undefined;
    return list.with(a, second).with(b, first);
  }),
  feePayer: (scene) => {
    const { draft, wallet, random } = scene;
    const feePayer = pick(random, [ATTACKER.address, wallet, ...draft.signers.map((each) => each.address)]);
    if (feePayer === undefined || feePayer === draft.feePayer) return undefined;
    return remade(scene, { ...draft, feePayer });
  },
  budget: (scene) => {
    const { budget } = scene.draft;
    const factor = pick(scene.random, [0, 1, 2, 3, 10, 1000]) ?? 1;
    const changed = {
      computeUnits: scene.random(2) ? budget.computeUnits : scene.random(1_500_000),
      microLamportsPerUnit: budget.microLamportsPerUnit * BigInt(factor),
      priorityFeeLamports: budget.priorityFeeLamports * BigInt(factor),
    };
    return remade(scene, { ...scene.draft, budget: changed });
  },
  format: (scene) => {
    const format = pick(scene.random, ['legacy', 'v0', 'v1'] as const) ?? 'v0';
    return format === scene.draft.format ? undefined : remade(scene, { ...scene.draft, format });
  },
};
