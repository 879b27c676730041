/**
 * The checks of one decision as they are made: each is one line with what was seen and what would have been
 * allowed. Nothing that comes from outside is written down unless it is a number, an address or a hash.
 */
import { isAddress } from '../../transaction/base58.ts';
import { isAsk } from './asks/asks.ts';
import type { DecisionClass } from './reasons.ts';
import type { AskCode, Check, ReasonCode } from './types.ts';
import type { CheckId, Named } from './words/names.ts';

/** What a check is about, saw and would have allowed; texts hold no untrusted words. */
export interface Seen extends Omit<Named, 'id'> {
  readonly observed?: string | undefined;
  readonly allowed?: string | undefined;
  /** The class, where the code's usual one would be wrong. */
  readonly class?: DecisionClass | undefined;
}

export class Checklist {
  readonly checks: Check[] = [];

  /** Records a check; returns whether it held. */
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

  /** Records a finding that the owner decides, whatever the rule allows. */
  ask(code: AskCode, id: CheckId, seen: Seen = {}): void {
    this.fail(code, id, seen);
  }

  /** Marks the asks as answered by an approval. */
  answer(): void {
    for (const [i, check] of this.checks.entries()) if (isAsk(check)) this.checks[i] = { ...check, ok: true };
  }

  /** The service did not say, so there was nothing to compare. Not the same as having passed. */
  undeclared(id: CheckId): void {
    this.pass(id, { observed: 'undeclared' });
  }
}

/** A check as it is kept: absent members are left out, so that it is the same JSON however it was made. */
function made(check: Check, { params, simulated, observed, allowed, class: kind }: Seen): Check {
  const kept: { -readonly [K in keyof Check]: Check[K] } = check;
  if (params !== undefined) kept.params = params;
  if (simulated) kept.simulated = true;
  if (observed !== undefined) kept.observed = observed;
  if (allowed !== undefined) kept.allowed = allowed;
  if (kind !== undefined && !check.ok) kept.class = kind;
  return kept;
}

/** A value from outside in a form safe to show: a number, an address or a hash, else only its length. */
export function shown(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  if (typeof value !== 'string') return 'a value of another type';
  if (/^[0-9]{1,40}$/.test(value) || /^[0-9a-f]{64}$/i.test(value) || isAddress(value)) return value;
  return `a text of ${value.length} characters`;
}
