/** What attacks on recorded stages are written in: keys to steal for, instructions put behind the honest ones. */
import { expect } from 'vitest';
import type { Decision, ReasonCode } from '../../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { keyNamed } from '../people.ts';

export const attacker = keyNamed('attacker');
export const accomplice = keyNamed('accomplice');

export type Tamper = (list: readonly EncodedInstruction[]) => readonly EncodedInstruction[];

export const append =
  (...instructions: readonly EncodedInstruction[]): Tamper =>
  (list) => [...list, ...instructions];

export const transfer = (from: string, to: string, lamports: bigint) =>
  encodeInstruction('system.transfer', { accounts: { from, to }, args: { lamports } });

/** Refused for this reason first, as an attack. */
export function expectDenied(decision: Decision, code: ReasonCode) {
  expect(decision.effect).toBe('deny');
  expect(decision.reasonCodes[0]).toBe(code);
  expect(decision.class).toBe('security');
}
