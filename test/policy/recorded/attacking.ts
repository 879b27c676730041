/** Helpers for attacks on recorded stages: the attackers' keys, appended instructions, and expected findings. */
import { expect } from 'vitest';
import type { Decision, DecisionInputs, ReasonCode } from '../../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../../src/policy/file/file.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { keyNamed } from '../people.ts';
import { decide, policyFor } from './stages.ts';
import { summaryOf } from './sweep.ts';

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

/** Returns the effect, then each failed check, under a policy or the one that allows a recorded stage. */
export const decisionText = (inputs: DecisionInputs, policy: LoadedPolicy | string = ''): string =>
  summaryOf(decide(inputs, typeof policy === 'string' ? policyFor(policy) : policy));

/** Expects that the decision reports a finding. */
export const finds = (inputs: DecisionInputs, finding: string, policy?: LoadedPolicy | string): void =>
  expect(decisionText(inputs, policy)).toContain(finding);

/** Expects that the decision does not report a finding. */
export const findsNot = (inputs: DecisionInputs, finding: string, policy?: LoadedPolicy | string): void =>
  expect(decisionText(inputs, policy)).not.toContain(finding);
