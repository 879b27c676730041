/**
 * The checks of one decision, each with the observed and the allowed value. External values are recorded only if they are
 * numbers, addresses or hashes.
 */
import { isAddress } from '../../transaction/base58.ts';
import { isAsk } from './asks/asks.ts';
import type { DecisionClass } from './reasons.ts';
import type { AskCode, Check, ReasonCode } from './types.ts';
import type { CheckId, Named } from './words/names.ts';

/** Subject, observed and allowed value of a check. Contains no untrusted text. */
export interface Seen extends Omit<Named, 'id'> {
  readonly observed?: string | undefined;
  readonly allowed?: string | undefined;
  /** Overrides the default class of the reason code. */
  readonly class?: DecisionClass | undefined;
}

export class Checklist {
  readonly checks: Check[] = [];

  /** Records a check and returns `held`. */
  expect(held: boolean, code: ReasonCode, id: CheckId, seen: Seen = {}): boolean {
    if (held) this.pass(id, seen);
    else this.fail(code, id, seen);
    return held;
  }

  pass(id: CheckId, seen: Seen = {}): void {
    this.checks.push(made({ id, ok: true }, seen));
  }

  fail(code: ReasonCode, id: CheckId, seen: Seen = {}): void {
    this.checks.push(made({ id, ok: false, code }, seen));
  }

  /** Records a finding that needs the owner's approval even when a rule allows the operation. */
  ask(code: AskCode, id: CheckId, seen: Seen = {}): void {
    this.fail(code, id, seen);
  }

  /** Marks the asks as answered by an approval. */
  answer(): void {
    for (const [i, check] of this.checks.entries()) if (isAsk(check)) this.checks[i] = { ...check, ok: true };
  }

  /** Records a check that was skipped because the service declared no value to compare. */
  undeclared(id: CheckId): void {
    this.pass(id, { observed: 'undeclared' });
  }
}

/** Builds a check without `undefined` members, so that equal checks give equal JSON. */
function made(check: Check, { params, simulated, observed, allowed, class: kind }: Seen): Check {
  const kept: { -readonly [K in keyof Check]: Check[K] } = check;
  if (params !== undefined) kept.params = params;
  if (simulated) kept.simulated = true;
  if (observed !== undefined) kept.observed = observed;
  if (allowed !== undefined) kept.allowed = allowed;
  if (kind !== undefined && !check.ok) kept.class = kind;
  return kept;
}

/** Formats an external value for display: numbers, addresses and hashes as they are, other strings as their length. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value !== 'string') return 'a value of another type';
  if (/^[0-9]{1,40}$/.test(value) || /^[0-9a-f]{64}$/i.test(value) || isAddress(value)) return value;
  return `a text of ${value.length} characters`;
}
