/**
 * Precedence and class of the reason codes. Codes and their order are contracts; their sentences are in
 * `src/presentation/decisions/`.
 */
import { DENIED_PROGRAMS } from './checks/deniedPrograms.ts';
import { type Check, type Decision, REASON_ORDER, type ReasonCode } from './types.ts';
import type { CheckId } from './words/names.ts';

export type DecisionClass = Decision['class'];

const CLASS = new Map<ReasonCode, DecisionClass>(
  REASON_ORDER.flatMap(([kind, codes]) => codes.map((code): [ReasonCode, DecisionClass] => [code, kind])),
);

/** Returns the default class of a code. A check may override it: an expired blockhash is not an attack. */
export function classOf(code: ReasonCode): DecisionClass {
  return CLASS.get(code) ?? 'security';
}

const rankKey = (code: ReasonCode, simulated?: boolean) => `${code}${simulated ? ' simulated' : ''}`;
/** Ranks of the codes; security codes found in a simulation have ranks of their own. */
const RANK = new Map(
  REASON_ORDER.flatMap(([kind, codes]) => [
    ...codes.map((code) => rankKey(code)),
    ...(kind === 'security' ? codes.map((code) => rankKey(code, true)) : []),
  ]).map((key, rank) => [key, rank]),
);

/**
 * Returns failed checks in order of precedence: security findings in the transaction, then those in the simulation, then
 * the other classes. Checks of the same code keep their order.
 */
export function byPrecedence(failed: readonly Check[]): Check[] {
  const rank = ({ code, simulated }: Check): number =>
    code === undefined ? -1 : (RANK.get(rankKey(code, simulated)) ?? RANK.get(code) ?? -1);
  return [...failed].sort((a, b) => rank(a) - rank(b));
}

const kindOf = (check: Check): DecisionClass =>
  check.class ?? (check.code ? classOf(check.code) : 'security');

/** Checks of a rule's price conditions; a retry later does not help if one fails. */
export const PRICE_CHECKS: readonly CheckId[] = [
  'quoteShare',
  'ruleServiceFee',
  'lowestRate',
  'firstBuyShare',
];

/** Codes that may follow from a program that the policy does not list. */
const MAY_FOLLOW: readonly (ReasonCode | undefined)[] = [
  'PROGRAM_NOT_ALLOWED',
  'INSTRUCTION_UNKNOWN',
  'UNEXPECTED_INSTRUCTION',
  'REQUEST_MISMATCH',
  'UNDECLARED_LOSS',
];

/** Returns the program that a check is about, or `undefined`. */
const programOf = ({ params }: Check): string | undefined =>
  typeof params?.program === 'string' ? params.program : undefined;

/**
 * Whether a check may have failed only because programs are unlisted. Excludes grants and losses found in supported
 * instructions, and unexpected instructions of other programs.
 */
const followsFrom = (check: Check, unlisted: readonly (string | undefined)[]): boolean =>
  (check.id !== 'nothingGranted' || check.simulated === true) &&
  MAY_FOLLOW.includes(check.code) &&
  // A missing part (`partThere`) may follow; a mismatch in a supported instruction does not.
  check.id !== 'matchesRequest' &&
  (check.code !== 'UNEXPECTED_INSTRUCTION' || unlisted.includes(programOf(check)));

/** Returns the unlisted program of a failed `unlistedOwner` check, or `undefined`. */
export const ownerOf = (check: Check): string | undefined =>
  check.id === 'unlistedOwner' && !check.ok ? programOf(check) : undefined;

/**
 * Returns the key by which denials are counted toward a freeze: the message hash or, if unlisted programs explain the
 * denial, these programs. A service that starts using a new program thus counts once.
 */
export function freezeKey({ checks, messageSha256 }: Pick<Decision, 'checks' | 'messageSha256'>): string {
  const failed = checks.filter(({ ok }) => !ok);
  const unlisted = failed.flatMap((check) => {
    const program = check.id === 'programAllowed' ? programOf(check) : undefined;
    return program === undefined || DENIED_PROGRAMS.has(program) ? [] : [program];
  });
  const attacks = failed.some(
    (check) =>
      kindOf(check) === 'security' &&
      check.id !== 'unlistedOwner' &&
      (unlisted.length === 0 || !followsFrom(check, unlisted)),
  );
  const programs = [...new Set([...unlisted, ...failed.flatMap((check) => ownerOf(check) ?? [])])];
  return programs.length === 0 || attacks ? messageSha256 : `program ${programs.toSorted().join(' ')}`;
}

/** Returns the class of a decision: `security` if any failed check has it, else the class of the first failed check. */
export function decisionClass(failed: readonly Check[]): DecisionClass {
  const classes = failed.map(kindOf);
  return classes.includes('security') ? 'security' : (classes[0] ?? 'allowed');
}

/**
 * Security codes whose checks also use account data. The other security checks use only the transaction, the request and
 * the policy, so they hold for expired transactions too.
 */
const ABOUT_ACCOUNTS: readonly ReasonCode[] = [
  'LOOKUP_TABLE_UNRESOLVED',
  'UNDECLARED_LOSS',
  'UNEXPECTED_INSTRUCTION',
  'REQUEST_MISMATCH',
];

/** Whether a failed check shows that the transaction or its quote has expired; its accounts may be closed by now. */
const isExpired = ({ ok, code, class: kind }: Check): boolean =>
  !ok && code === 'LIFETIME_MISMATCH' && kind === 'availability';

const isStatic = ({ id, code, simulated }: Check): boolean =>
  !simulated &&
  (id === 'nothingGranted' ||
    (code !== undefined &&
      classOf(code) === 'security' &&
      !ABOUT_ACCOUNTS.includes(code) &&
      id !== 'acceptedCode'));

/**
 * Returns the checks with their final classes. After a transaction or its quote expired, its accounts may be closed, so
 * failed checks of account data become `availability` (F29). Checks of the transaction alone keep their class.
 */
export function judged(checks: readonly Check[]): readonly Check[] {
  if (!checks.some(isExpired)) return checks;
  return checks.map((check) =>
    check.ok || isStatic(check) || kindOf(check) !== 'security' ? check : { ...check, class: 'availability' },
  );
}

/** Reasons that are reported together with the expiry. */
const BESIDE_EXPIRY: readonly (ReasonCode | undefined)[] = ['FROZEN', 'SIGNER_UNAVAILABLE'];

/** Returns the failed checks that decide. For an expired transaction without static security findings, only the expiry. */
export function decisive(checks: readonly Check[]): Check[] {
  const failed = checks.filter(({ ok }) => !ok);
  if (!failed.some(isExpired) || decisionClass(failed) === 'security') return byPrecedence(failed);
  return byPrecedence(failed.filter((check) => isExpired(check) || BESIDE_EXPIRY.includes(check.code)));
}
