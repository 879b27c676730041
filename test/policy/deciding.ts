/** Decisions on one recorded config plan with changed inputs, ledger or policy; the required form of every denial. */

import { expect } from 'vitest';
import { evaluate, type NoPolicy } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView, ReasonCode } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { NOTHING_USED } from './people.ts';
import { policyWith, stage } from './recorded/stages.ts';

/** An honest config of two claimers, immediately before its signature. */
export const inputs: DecisionInputs = stage('plain config');
export const usual: LoadedPolicy = policyWith();

export const decide = (
  changed: Partial<DecisionInputs> = {},
  view: LedgerView = NOTHING_USED,
  policy: LoadedPolicy | NoPolicy | undefined = usual,
): Decision => evaluate({ ...inputs, ...changed }, policy, view);

export const under = (
  change: (file: PolicyFile) => PolicyFile,
  view: LedgerView = NOTHING_USED,
  changed: Partial<DecisionInputs> = {},
): Decision => decide(changed, view, policyWith(change));

export function expectDenied(decision: Decision, code: ReasonCode, kind?: Decision['class']): void {
  expect(decision.effect).toBe('deny');
  expect(decision.reasonCodes[0]).toBe(code);
  if (kind !== undefined) expect(decision.class).toBe(kind);
  expect(explain(decision)).toMatch(/^[A-Z].*\.$/s);
}
