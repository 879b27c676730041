/**
 * Route plans of the older instructions, which precede the amounts. Every step is decoded to find its length; the values of
 * a venue are skipped.
 */
import type { Reader } from '../../transaction/bytes.ts';
import { bool, bytes, type Codec, list32, option } from '../../transaction/codecs.ts';
import { noncanonical } from '../../transaction/errors.ts';

/** Skips a value of a step. */
type Skip = (reader: Reader) => unknown;

const all =
  (...parts: readonly Skip[]): Skip =>
  (reader) => {
    for (const part of parts) part(reader);
  };
const flag: Skip = (reader) => bool.read(reader);
const size =
  (count: number): Skip =>
  (reader) =>
    reader.take(count);
/** Skips one byte below `limit`. */
const below =
  (limit: number): Skip =>
  (reader) => {
    if (reader.u8() >= limit) throw noncanonical('unknown variant');
  };
/** Types and counts of additional accounts. */
const slices = list32(bytes(2));

/** Number of venues in the published interface (2026-08-15). */
const VENUES = 177;
/** Unsupported venues: they choose among candidates at run time, and published interfaces of the first one differ. */
const UNSUPPORTED: readonly number[] = [111, 146];
/** Venues with values, by type of the values. All others have none. */
const VALUES: readonly (readonly [Skip, readonly number[]])[] = [
  [flag, [8, 12, 15, 16, 17, 18, 21, 23, 24, 27, 28, 39, 58, 60, 61, 64, 85, 89, 94, 95, 104, 106, 107]],
  [flag, [110, 116, 117, 119, 121, 125, 127, 129, 136, 141, 145, 151, 152, 153, 160, 162, 164, 165]],
  [flag, [166, 168, 174]],
  [size(1), [170]],
  [size(2), [71]],
  [size(4), [33, 41]],
  [size(5), [44, 45]],
  [size(8), [81, 82, 159]],
  [size(10), [43, 135]],
  [size(16), [29, 122]],
  [size(48), [123]],
  [all(flag, flag), [155, 167]],
  [all(flag, size(1)), [86]],
  [all(flag, size(4)), [161]],
  [all(flag, size(16)), [126]],
  [all(size(1), flag, flag), [42]],
  [all(size(8), flag), [87, 118, 157]],
  [all(flag, (reader) => option(slices).read(reader)), [47, 103]],
  [(reader) => slices.read(reader), [75]],
  [all(flag, (reader) => list32(bytes(1)).read(reader)), [120]],
  [below(8), [132, 172]],
  [below(3), [171]],
];
const valuesOf = new Map(VALUES.flatMap(([pass, venues]) => venues.map((venue) => [venue, pass])));

/** One step: the venue with its values, a share in percent, and the indexes of the input and output token. */
const step: Codec<unknown> = {
  read(reader) {
    const venue = reader.u8();
    if (venue >= VENUES || UNSUPPORTED.includes(venue)) throw noncanonical('unknown venue in the route');
    valuesOf.get(venue)?.(reader);
    reader.take(3);
  },
  write: () => undefined,
};

/** Codec of a plan as bytes, with its length found step by step. */
export const routePlan: Codec<Uint8Array> = {
  read(reader) {
    const start = reader.offset;
    list32(step).read(reader);
    return reader.bytes.subarray(start, reader.offset);
  },
  write: (w, v) => w.push(v),
};
