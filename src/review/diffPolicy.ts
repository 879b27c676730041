/**
 * What changed between two policy files, as sentences, and in which direction: `wider` lets the agent do more, `narrower` less.
 * Where the way cannot be told from one line alone it is `other`; what really changes for recorded decisions is
 * found by deciding them again (`redecide.ts`).
 */
import { canonicalJson } from '../base/canonicalJson.ts';
import { decimal, listWords, secondsWords, solWords } from '../base/words.ts';
import type { Policy } from '../policy/file/schema.ts';
import { comparePrograms } from './diffPrograms.ts';
import { compareLimits, compareRules } from './diffRules.ts';
import type { PolicyChange, Way } from './policyChange.ts';
import { limitAmountWords, tokenWords } from './words.ts';

/** Every change, in the order of a file's parts. Empty for files that mean the same. */
export function diffPolicies(old: Policy, next: Policy): PolicyChange[] {
  return [
    ...changed('id', old.id, next.id, (id) => `"${id}"`, 'The name of the policy'),
    ...changed('network', old.network, next.network, (network) => network, 'The network'),
    ...people('wallets', 'wallet', old, next),
    ...people('addressBook', 'address book entry', old, next),
    ...transactions(old, next),
    ...comparePrograms(old, next),
    ...tokens(old, next),
    ...compareLimits(old, next),
    ...compareRules(old, next),
    ...checking(old, next),
  ];
}

function changed<T>(
  part: keyof Policy,
  was: T,
  is: T,
  words: (value: T) => string,
  what: string,
  way: Way = 'other',
): PolicyChange[] {
  if (canonicalJson(was ?? null) === canonicalJson(is ?? null)) return [];
  return [{ part, way, text: `${what}: ${words(was)} → ${words(is)}.` }];
}

/** More of something is wider; less is narrower. */
const more = (was: bigint, is: bigint): Way => (is > was ? 'wider' : 'narrower');

function people(part: 'wallets' | 'addressBook', noun: string, old: Policy, next: Policy): PolicyChange[] {
  const [before, after] = [old[part], next[part]];
  const gone = before.filter(({ address }) => after.every((entry) => entry.address !== address));
  const changes = after.flatMap(({ address, label }): PolicyChange[] => {
    const known = before.find((entry) => entry.address === address);
    if (known === undefined) return [{ part, way: 'wider', text: `New ${noun} "${label}": ${address}.` }];
    if (known.label === label) return [];
    return [
      { part, way: 'other', text: `The ${noun} ${address} is now called "${label}", not "${known.label}".` },
    ];
  });
  return [
    ...gone.map(
      ({ address, label }): PolicyChange => ({
        part,
        way: 'narrower',
        text: `No longer ${noun === 'wallet' ? 'a wallet' : 'in the address book'}: "${label}", ${address}.`,
      }),
    ),
    ...changes,
  ];
}

function transactions({ transaction: was }: Policy, { transaction: is }: Policy): PolicyChange[] {
  const part = 'transaction';
  const fees: [bigint, bigint] = [BigInt(was.maxFeeLamports), BigInt(is.maxFeeLamports)];
  const refunds: [bigint, bigint] = [
    BigInt(was.maxServiceRefundLamports),
    BigInt(is.maxServiceRefundLamports),
  ];
  const units: [bigint, bigint] = [BigInt(was.maxComputeUnits), BigInt(is.maxComputeUnits)];
  const unitWords = (count: bigint) => decimal(count);
  return [
    ...members(part, was.formats, is.formats, (format) => `Transactions of format ${format}`, 'accepted'),
    ...(fees[0] === fees[1] ? [] : changedAmount(part, 'Highest network fee', fees, solWords)),
    ...(refunds[0] === refunds[1]
      ? []
      : changedAmount(part, 'Highest refund of a network fee', refunds, solWords)),
    ...(units[0] === units[1] ? [] : changedAmount(part, 'Most compute units', units, unitWords)),
  ];
}

const changedAmount = (
  part: keyof Policy,
  what: string,
  [was, is]: readonly [bigint, bigint],
  words: (amount: bigint) => string,
): PolicyChange[] => [{ part, way: more(was, is), text: `${what}: ${words(was)} → ${words(is)}.` }];

/** Things that are in a list or not. Being in it is wider, unless the list is of what is refused. */
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
  const powers = members(
    part,
    was.extensions.deny,
    is.extensions.deny,
    (name) => `Tokens with ${name}`,
    'refused',
    true,
  );
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
  const changes: PolicyChange[] = [];
  const [was, is] = [old.simulation, next.simulation];
  if (was.required !== is.required) {
    const text = is.required
      ? 'Trying a transaction out first is now required.'
      : 'Trying a transaction out first is no longer required.';
    changes.push({ part: 'simulation', way: is.required ? 'narrower' : 'wider', text });
  }
  if (was.secondRpcAbove !== is.secondRpcAbove) {
    const words = (above: string | undefined) =>
      above === undefined ? 'never' : `above ${limitAmountWords(BigInt(above), 'SOL')}`;
    const never = 2n ** 64n;
    const [before, after] = [BigInt(was.secondRpcAbove ?? never), BigInt(is.secondRpcAbove ?? never)];
    changes.push({
      part: 'simulation',
      way: more(before, after),
      text: `A second RPC must agree: ${words(was.secondRpcAbove)} → ${words(is.secondRpcAbove)}.`,
    });
  }
  const [ttl, ttlNow] = [old.approval.ttlSeconds, next.approval.ttlSeconds];
  if (ttl !== ttlNow) {
    changes.push({
      part: 'approval',
      way: more(BigInt(ttl), BigInt(ttlNow)),
      text: `An approval is valid for: ${secondsWords(ttl)} → ${secondsWords(ttlNow)}.`,
    });
  }
  changes.push(
    ...members(
      'approval',
      old.approval.channels,
      next.approval.channels,
      (name) => `Answering by ${name}`,
      'possible',
    ),
    ...changed(
      'freeze',
      old.freeze.afterDenials,
      next.freeze.afterDenials,
      ({ count, windowSeconds }) => `${count} suspicious transactions in ${secondsWords(windowSeconds)}`,
      'Everything stops after',
      freezeWay(old, next),
    ),
  );
  return changes;
}

/** Stopping after fewer, or counting them over a longer time, is narrower. */
function freezeWay({ freeze: was }: Policy, { freeze: is }: Policy): Way {
  const count = Math.sign(is.afterDenials.count - was.afterDenials.count);
  const window = Math.sign(was.afterDenials.windowSeconds - is.afterDenials.windowSeconds);
  if (count >= 0 && window >= 0) return 'wider';
  return count <= 0 && window <= 0 ? 'narrower' : 'other';
}
