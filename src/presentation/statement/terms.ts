/** Describes the terms of a pool or curve. `terms` is `PoolTerms` as JSON, with numbers as decimal text. */

import { decimal, percent, secondsWords } from '../../base/format.ts';
import { isRecord } from '../../base/record.ts';
import { feePercent, lowestWords } from '../../programs/poolTerms/terms.ts';
import type { Ref } from '../../statement/types.ts';
import type { Names } from './names.ts';
import type { Sentence, Tone } from './sentence.ts';

type Fields = Readonly<Record<string, unknown>>;

const sentence = (tone: Tone, text: string): Sentence => ({ part: 'terms', tone, text });
const units = (value: unknown): bigint =>
  typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : 0n;
const fieldsOf = (value: unknown): Fields => (isRecord(value) ? value : {});
const count = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Returns sentences on the terms. */
export function termsSentences(terms: unknown, quote: Ref, n: Names): readonly Sentence[] {
  if (!isRecord(terms))
    return [sentence('warn', 'The terms of the pool, and who earns from it, are not known here.')];
  const unknown = Array.isArray(terms.unknown) ? terms.unknown.filter(isRecord) : [];
  return [
    tradeFee(fieldsOf(terms.fee), 'A trade costs'),
    ...side(terms.side),
    ...compounding(terms.compoundingBps),
    ...(terms.isOpenToAll === false ? [sentence('warn', 'Trade is not open to everyone at first.')] : []),
    ...(isRecord(terms.curve) ? curve(terms.curve, quote, n) : []),
    ...unknown.map(({ term, value }) =>
      sentence(
        'bad',
        `A term has a value that no published interface names: ${String(term)} ${String(value)}.`,
      ),
    ),
  ];
}

/** Describes the current fee, and the lowest and highest later fee. */
function tradeFee(fee: Fields, text: string): Sentence {
  const { course, first, lowest, highest, isDynamic } = fee;
  const [now, from, to] = [first, lowest, highest].map((each) => feePercent(units(each)));
  const stays = course === 'flat' && from === to && isDynamic !== true;
  if (stays) return sentence('plain', `${text} ${now}.`);
  const schedule =
    course === 'time' || course === 'price'
      ? lowestWords({ course, endsAfter: units(fee.endsAfter), lowestAtBps: units(fee.lowestAtBps) })
      : course === 'unknown'
        ? ', by a schedule that is not known'
        : '';
  return sentence('warn', `${text} ${now} at first, and ${from} to ${to} later${schedule}.`);
}

const SIDES: Readonly<Record<string, string>> = {
  both: 'The fee is taken in both tokens.',
  compounding: 'A part of the fee is taken in both tokens and stays in the pool.',
  unknown: 'The side on which the fee is charged is unknown.',
};

const side = (value: unknown): Sentence[] => {
  const text = typeof value === 'string' ? SIDES[value] : undefined;
  return text === undefined ? [] : [sentence(value === 'unknown' ? 'bad' : 'warn', text)];
};

const compounding = (bps: unknown): Sentence[] =>
  count(bps) === 0 ? [] : [sentence('plain', `${percent(count(bps))} of the fees stay in the pool.`)];

function curve(terms: Fields, quote: Ref, n: Names): Sentence[] {
  const migration = fieldsOf(terms.migration);
  const [free, vesting] = [
    count(terms.claimerUnlocked) + count(terms.creatorUnlocked),
    count(terms.claimerVesting) + count(terms.creatorVesting),
  ];
  const some = (isSo: boolean, tone: Tone, text: string) => (isSo ? [sentence(tone, text)] : []);
  return [
    sentence(
      'plain',
      `The curve is complete at ${n.amount(units(terms.threshold), quote)}; then it becomes a ${String(migration.target)} pool.`,
    ),
    tradeFee(fieldsOf(migration.fee), 'In that pool a trade costs'),
    ...some(
      count(migration.paidOutPercent) > 0,
      'warn',
      `${count(migration.paidOutPercent)}% of what the curve took does not go into the pool.`,
    ),
    ...some(free > 0, 'bad', `${free}% of the pool's liquidity can be taken out at once.`),
    ...some(vesting > 0, 'warn', `${vesting}% of the pool's liquidity can be taken out as time passes.`),
    ...some(
      units(terms.leftoverBps) > 0n,
      'warn',
      `About ${percent(Number(units(terms.leftoverBps)))} of the supply is not sold.`,
    ),
    ...some(
      units(terms.heldBack) > 0n,
      'warn',
      `${decimal(units(terms.heldBack), count(terms.decimals))} of ${decimal(units(terms.supply), count(terms.decimals))} tokens are held back for the creator of the pool: at least half of them until ${secondsWords(Number(units(terms.halfReleasedAfter)))} after the curve is complete.`,
    ),
    ...some(terms.mayMintMore === true, 'bad', 'More of the token can be made later.'),
    ...some(
      terms.updater !== undefined && terms.updater !== 'none',
      'warn',
      `Its ${String(terms.updater)} can change the token after the launch.`,
    ),
    ...some(
      count(terms.creatorFeePercent) > 0,
      'plain',
      `${count(terms.creatorFeePercent)}% of the curve's fees go to the creator of the pool.`,
    ),
  ];
}
