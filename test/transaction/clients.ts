/**
 * Compares layouts with instructions built by published clients: fixed accounts as text and as Kit values, and a list
 * of cases. Role order, flags and data must be equal.
 */
import { AccountRole, createNoopSigner, type Instruction, address as kitAddress } from '@solana/kit';
import type { TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import {
  type EncodedInstruction,
  type EncodeInput,
  encodeInstruction,
} from '../../src/programs/instructions.ts';
import type { InstructionKind } from '../programs/stock.ts';
import { INSTRUCTION_KINDS } from '../programs/stock.ts';
import { SIGNERS } from './arbitrary.ts';
import { testAddress } from './keys.ts';

const signer = (n: number) => SIGNERS[n]?.address ?? '';
export const [s1, s2, s3] = [signer(1), signer(2), signer(3)];
export const [k1, k2, k3] = [kitSigner(s1), kitSigner(s2), kitSigner(s3)];
export const a = testAddress('a');
export const b = testAddress('b');
export const c = testAddress('c');
export const d = testAddress('d');
export const owner = testAddress('owner');
export const [ka, kb, kc, kd, kOwner] = [
  kitAddress(a),
  kitAddress(b),
  kitAddress(c),
  kitAddress(d),
  kitAddress(owner),
];

function kitSigner(text: string) {
  return createNoopSigner(kitAddress(text));
}

const covered = new Set<InstructionKind>();
const cases: { name: string; ours: EncodedInstruction; theirs: EncodedInstruction }[] = [];

/** Compares our encoding of an instruction with theirs. */
export function same<K extends InstructionKind>(
  kind: K,
  input: EncodeInput<K>,
  theirs: Instruction | TransactionInstruction,
) {
  covered.add(kind);
  const name = `${kind} ${cases.length}`;
  cases.push({ name, ours: encodeInstruction(kind, input), theirs: plain(theirs) });
}

function plain(instruction: Instruction | TransactionInstruction): EncodedInstruction {
  if ('programId' in instruction) {
    return {
      programAddress: instruction.programId.toBase58(),
      accounts: instruction.keys.map(({ pubkey, isSigner, isWritable }) => ({
        address: pubkey.toBase58(),
        signer: isSigner,
        writable: isWritable,
      })),
      data: Uint8Array.from(instruction.data),
    };
  }
  return {
    programAddress: instruction.programAddress,
    accounts: (instruction.accounts ?? []).map(({ address, role }) => ({
      address,
      signer: role === AccountRole.READONLY_SIGNER || role === AccountRole.WRITABLE_SIGNER,
      writable: role === AccountRole.WRITABLE || role === AccountRole.WRITABLE_SIGNER,
    })),
    data: Uint8Array.from(instruction.data ?? []),
  };
}

/** Declares the tests of all cases so far, and one that they include every kind matching `expected`. */
export function compareAll(expected: RegExp): void {
  test.each(cases.splice(0))('$name is built as by the published client', ({ ours, theirs }) => {
    expect(ours).toEqual(theirs);
  });

  test('every kind the published client knows was compared', () => {
    const kinds = INSTRUCTION_KINDS.filter((kind) => expected.test(kind));
    expect(kinds.length).toBeGreaterThan(0);
    expect(kinds.filter((kind) => !covered.has(kind))).toEqual([]);
  });
}
