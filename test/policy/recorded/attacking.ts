/** Helpers for attacks on recorded stages: the attackers' keys and appended instructions. */
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

/** Expects a denial as an attack with this first reason. */
export function expectDenied(decision: Decision, code: ReasonCode) {
  expect(decision.effect).toBe('deny');
  expect(decision.reasonCodes[0]).toBe(code);
  expect(decision.class).toBe('security');
}
