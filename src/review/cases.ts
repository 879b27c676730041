/**
 * Expected outcomes for a policy: cases that name a recorded decision and state the decision expected of the policy.
 * They serve as regression tests of a policy.
 */
import { z } from 'zod';
import { JsonError, readJson } from '../base/strictJson.ts';
import { STAGE_STATUSES } from '../plan/types.ts';
import { evaluate } from '../policy/decide/evaluate.ts';
import {
  type Decision,
  type DecisionInputs,
  type Effect,
  type LedgerView,
  REASON_CODES,
} from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';

const MAX_TEXT = 32 * 1024 * 1024;

const amount = z.string().regex(/^(0|[1-9][0-9]*)$/, { error: 'must be base units as decimal text' });

const viewSchema = z.strictObject({
  used: z.record(z.string(), amount),
  earlier: z.strictObject({ messageSha256: z.string(), status: z.enum(STAGE_STATUSES) }).optional(),
  frozen: z.strictObject({ since: z.number(), reason: z.string() }).optional(),
  enforced: z.array(z.string()).optional(),
  approval: z.strictObject({ id: z.string(), messageSha256: z.string(), expiresAt: z.number() }).optional(),
  approvalExpired: z.boolean().optional(),
}) satisfies z.ZodType<LedgerView>;

const NO_DECISION = 'must be the id of a recorded decision, such as "decision-12"';

const caseSchema = z.strictObject({
  name: z.string().min(1).max(200),
  /** A recorded decision of this home, whose inputs and ledger view are used. */
  decision: z.string({ error: NO_DECISION }).regex(/^decision-[1-9][0-9]*$/, { error: NO_DECISION }),
  /** Decides at this time instead of the recorded one. */
  time: z.iso.datetime({ offset: true, error: 'must be a time such as "2026-01-31T23:00:00Z"' }).optional(),
  /** Replaces parts of the ledger view, such as the use of a limit. */
  view: viewSchema.partial().optional(),
  expect: z.strictObject({
    effect: z.enum(['allow', 'deny', 'require_approval']),
    /** Exactly these reason codes, in any order. */
    codes: z.array(z.enum(REASON_CODES)).optional(),
    /** The rule that must decide. */
    rule: z.string().optional(),
  }),
});

const fileSchema = z.strictObject({ version: z.literal(1), cases: z.array(caseSchema).min(1).max(10_000) });

/** One parsed case. */
export type PolicyCase = z.output<typeof caseSchema>;

/** An error in a case file; line and column count from 1. */
export interface CaseError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Parses a case file; reports every error. */
export function parseCases(
  text: string,
): { readonly cases: readonly PolicyCase[] } | { errors: CaseError[] } {
  if (text.length > MAX_TEXT) return { errors: [{ line: 1, column: 1, message: 'The file is too large.' }] };
  try {
    const document = readJson(text);
    const parsed = fileSchema.safeParse(document.value);
    if (parsed.success) return parsed.data;
    return {
      errors: parsed.error.issues.map((issue) => ({
        ...document.at(issue.path),
        message: `${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`,
      })),
    };
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    return { errors: [{ ...error.position, message: `${error.message}.` }] };
  }
}

/** Result of a case. */
export interface CaseResult {
  readonly name: string;
  readonly ok: boolean;
  /** Differences from the expected outcome, as sentences; empty if the case passes. */
  readonly problems: readonly string[];
  readonly expected: Effect;
  /** Absent if the recorded decision was not found. */
  readonly decision?: Decision;
}

/** Inputs and ledger view of a recorded decision. */
export interface RecordedInputs {
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
}

/** Decides one case. `recorded` are the inputs of the named decision; absent if they are not in this home. */
export function runCase(
  each: PolicyCase,
  loaded: LoadedPolicy,
  recorded: RecordedInputs | undefined,
): CaseResult {
  const { name, expect: expected } = each;
  if (recorded === undefined) {
    const problem = `The inputs of ${each.decision} are not in this home.`;
    return { name, ok: false, problems: [problem], expected: expected.effect };
  }
  const inputs =
    each.time === undefined ? recorded.inputs : { ...recorded.inputs, time: Date.parse(each.time) };
  const decision = evaluate(inputs, loaded, { ...recorded.view, ...each.view });
  const problems = [
    ...differs('effect', decision.effect, expected.effect),
    ...differs('codes', codes(decision.reasonCodes), expected.codes && codes(expected.codes)),
    ...differs('rule', decision.ruleId ?? 'none', expected.rule),
  ];
  return { name, ok: problems.length === 0, problems, expected: expected.effect, decision };
}

const codes = (list: readonly string[]): string => [...list].sort().join(' ') || 'none';

const differs = (what: string, found: string, expected: string | undefined): string[] =>
  expected === undefined || found === expected ? [] : [`${what}: expected ${expected}, got ${found}`];
