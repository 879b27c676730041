/**
 * Differences between two policy files as sentences with a direction: `wider` permits more, `narrower` less, and
 * `other` is undetermined by the line alone. `redecide.ts` shows the effect on recorded decisions.
 */
import { canonicalJson } from '../base/canonicalJson.ts';
import { decimal, listWords, secondsWords, solWords } from '../base/format.ts';
import type { Policy } from '../policy/file/schema.ts';
import { comparePrograms } from './diffPrograms.ts';
import { compareLimits, compareRules } from './diffRules.ts';
import { changesOf, more, type PolicyChange, type Way } from './policyChange.ts';
import { limitAmountWords, tokenWords } from './policyFormat.ts';

/** Returns every change, in the order of a file's parts. Empty for equivalent files. */
export function diffPolicies(old: Policy, next: Policy): PolicyChange[] {
  return [
    ...arrow('id', [old.id, next.id], 'The name of the policy', (id) => `"${id}"`),
    ...arrow('network', [old.network, next.network], 'The network', (network) => network),
    ...people('wallets', 'wallet', old, next),
    ...people('addressBook', 'address book entry', old, next),
    ...incorporations(old, next),
    ...transactions(old, next),
    ...comparePrograms(old, next),
    ...tokens(old, next),
    ...compareLimits(old, next),
    ...compareRules(old, next),
    ...checking(old, next),
  ];
}

const arrow = <T>(
  part: keyof Policy,
  [was, is]: readonly [T, T],
  what: string,
  words: (value: T) => string,
  way: Way = 'other',
): PolicyChange[] =>
  canonicalJson(was ?? null) === canonicalJson(is ?? null)
    ? []
    : [{ part, way, text: `${what}: ${words(was)} → ${words(is)}.` }];

function people(part: 'wallets' | 'addressBook', noun: string, old: Policy, next: Policy): PolicyChange[] {
  const goneFrom = noun === 'wallet' ? 'a wallet' : 'in the address book';
  const change = (way: Way, text: string): PolicyChange => ({ part, way, text });
  return changesOf(
    [old[part], next[part]],
    'address',
    ({ address, label }) => change('narrower', `No longer ${goneFrom}: "${label}", ${address}.`),
    ({ address, label }) => change('wider', `New ${noun} "${label}": ${address}.`),
    (was, { address, label }) =>
      was.label === label
        ? []
        : [change('other', `The ${noun} ${address} is now called "${label}", not "${was.label}".`)],
  );
}

function transactions({ transaction: was }: Policy, { transaction: is }: Policy): PolicyChange[] {
  const part = 'transaction';
  const most = (
    field: 'maxFeeLamports' | 'maxServiceRefundLamports' | 'maxComputeUnits',
    what: string,
    words: (amount: bigint) => string,
  ) => {
    const amounts = [BigInt(was[field]), BigInt(is[field])] as const;
    return arrow(
      part,
      [String(amounts[0]), String(amounts[1])],
      what,
      (n) => words(BigInt(n)),
      more(...amounts),
    );
  };
  return [
    ...members(part, was.formats, is.formats, (format) => `Transactions of format ${format}`, 'accepted'),
    ...most('maxFeeLamports', 'Highest network fee', solWords),
    ...most('maxServiceRefundLamports', 'Highest refund of a network fee', solWords),
    ...most('maxComputeUnits', 'Most compute units', decimal),
    ...members(part, unguarded(was.guards), unguarded(is.guards), String, 'signed'),
  ];
}

const incorporations = (old: Policy, next: Policy): PolicyChange[] =>
  members(
    'incorporations',
    old.incorporations,
    next.incorporations,
    (token) => `Incorporation of ${token === 'any' ? 'any token' : token}`,
    'started',
  );

const unguarded = (guards: Policy['transaction']['guards']): string[] => [
  ...(guards === 'off' ? ['Transactions that could have guards and have none'] : []),
  ...(guards === 'required' ? [] : ['Amounts that the chain does not enforce, unasked,']),
];

/** Compares list entries. An added entry is wider, unless the list contains refusals. */
function members(
  part: keyof Policy,
  was: readonly string[],
  is: readonly string[],
  words: (item: string) => string,
  verb: string,
  refusing = false,
): PolicyChange[] {
  const [into, out]: [Way, Way] = refusing ? ['narrower', 'wider'] : ['wider', 'narrower'];
  const added = is.filter((item) => !was.includes(item));
  const removed = was.filter((item) => !is.includes(item));
  return [
    ...removed.map((item): PolicyChange => ({ part, way: out, text: `${words(item)}: no longer ${verb}.` })),
    ...added.map((item): PolicyChange => ({ part, way: into, text: `${words(item)}: now ${verb}.` })),
  ];
}

function tokens({ tokens: was }: Policy, { tokens: is }: Policy): PolicyChange[] {
  const part = 'tokens';
  const [before, after] = [was.extensions.deny, is.extensions.deny];
  const powers = members(part, before, after, (name) => `Tokens with ${name}`, 'refused', true);
  if (was.mints === undefined || is.mints === undefined) {
    if (was.mints === is.mints) return powers;
    const text =
      is.mints === undefined
        ? 'Any token may be traded or received now, not only the listed ones.'
        : `Only these may be traded or received now: ${listWords(is.mints.map(tokenWords))}.`;
    return [{ part, way: is.mints === undefined ? 'wider' : 'narrower', text }, ...powers];
  }
  return [...members(part, was.mints, is.mints, tokenWords, 'to be traded or received'), ...powers];
}

function checking(old: Policy, next: Policy): PolicyChange[] {
  const [was, is] = [old.simulation, next.simulation];
  const [above, aboveNow] = [was.secondRpcAbove, is.secondRpcAbove];
  const [ttl, ttlNow] = [old.approval.ttlSeconds, next.approval.ttlSeconds];
  const never = 2n ** 64n;
  const aboveWords = (amount: string | undefined) =>
    amount === undefined ? 'never' : `above ${limitAmountWords(BigInt(amount), 'SOL')}`;
  const required: PolicyChange = {
    part: 'simulation',
    way: is.required ? 'narrower' : 'wider',
    text: `Simulating a transaction first is ${is.required ? 'now' : 'no longer'} required.`,
  };
  return [
    ...(was.required === is.required ? [] : [required]),
    ...arrow(
      'simulation',
      [above, aboveNow],
      'A second RPC must agree',
      aboveWords,
      more(BigInt(above ?? never), BigInt(aboveNow ?? never)),
    ),
    ...arrow(
      'rehearsal',
      [old.rehearsal, next.rehearsal],
      'Rehearsals of plans',
      (how) => REHEARSALS[how],
      more(HOW.indexOf(old.rehearsal), HOW.indexOf(next.rehearsal)),
    ),
    ...arrow('approval', [ttl, ttlNow], 'An approval is valid for', secondsWords, more(ttl, ttlNow)),
    ...members(
      'approval',
      old.approval.channels,
      next.approval.channels,
      (name) => `Answering by ${name}`,
      'possible',
    ),
    ...arrow(
      'freeze',
      [old.freeze.afterDenials, next.freeze.afterDenials],
      'Everything stops after',
      ({ count, windowSeconds }) => `${count} suspicious transactions in ${secondsWords(windowSeconds)}`,
      freezeWay(old, next),
    ),
  ];
}

/** Values from narrowest to widest. */
const HOW: readonly Policy['rehearsal'][] = ['require', 'when_possible', 'off'];
const REHEARSALS = { require: 'required', when_possible: 'when possible', off: 'off' } as const;

/** Returns the direction of a freeze change: fewer denials or a longer window are narrower. */
function freezeWay({ freeze: was }: Policy, { freeze: is }: Policy): Way {
  const count = Math.sign(is.afterDenials.count - was.afterDenials.count);
  const window = Math.sign(was.afterDenials.windowSeconds - is.afterDenials.windowSeconds);
  if (count >= 0 && window >= 0) return 'wider';
  return count <= 0 && window <= 0 ? 'narrower' : 'other';
}
