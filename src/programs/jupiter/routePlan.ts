/**
 * The steps of a route as the older instructions state them, before the amounts. Every step is read to its end, since its
 * length decides where the amounts stand; what a venue makes of its values is not read.
 */
import type { Reader } from '../../transaction/bytes.ts';
import { bool, bytes, type Codec, list32, option } from '../../transaction/codecs.ts';
import { noncanonical } from '../../transaction/errors.ts';

/** Passes over what a step says. */
type Pass = (reader: Reader) => unknown;

const all =
  (...parts: readonly Pass[]): Pass =>
  (reader) => {
    for (const part of parts) part(reader);
  };
const flag: Pass = (reader) => bool.read(reader);
const size =
  (count: number): Pass =>
  (reader) =>
    reader.take(count);
/** One byte below `limit`. */
const below =
  (limit: number): Pass =>
  (reader) => {
    if (reader.u8() >= limit) throw noncanonical('a variant is not known');
  };
/** Kinds and numbers of additional accounts. */
const slices = list32(bytes(2));

/** How many venues the published interface numbers (2026-08-15). */
const VENUES = 177;
/** Choose among candidates when they run. The values of the first differ from one published interface to the next. */
const UNSUPPORTED: readonly number[] = [111, 146];
/** Venues whose steps carry values, by what these are. All others have none. */
const VALUES: readonly (readonly [Pass, readonly number[]])[] = [
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

/** One step: the venue and its values, a share in per cent, and which token goes in and which comes out. */
const step: Codec<unknown> = {
  read(reader) {
    const venue = reader.u8();
    if (venue >= VENUES || UNSUPPORTED.includes(venue))
      throw noncanonical('a venue of the route is not known');
    valuesOf.get(venue)?.(reader);
    reader.take(3);
  },
  write: () => undefined,
};

/** The bytes of a whole plan, read step by step. */
export const routePlan: Codec<Uint8Array> = {
  read(reader) {
    const start = reader.offset;
    list32(step).read(reader);
    return reader.bytes.subarray(start, reader.offset);
  },
  write: (w, v) => w.push(v),
};
