/**
 * Long texts as the ledger stores them: deflated, and where an earlier text of the same plan is nearly the same, against
 * that one. Three decisions about one swap are then little more than one. A text that an earlier version stored as it is
 * stays readable.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { corrupt } from '../errors.ts';

/** What a packed text begins with; one that is not packed is JSON and begins with neither. */
const ALONE = '0';
const AGAINST_FIRST = '1';
/** A dictionary reaches so far back. */
const REACH_BYTES = 32_768;
/** No text of the ledger is longer; what would unpack to more is damaged. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Packs a text; `first` is the text that will be given to `unpack`. The result is base64, a third longer than its bytes:
 * the library ends the process when a flipped byte makes it take bytes for a text.
 */
export function pack(text: string, first?: string): string {
  const options = first === undefined ? {} : { dictionary: dictionaryOf(first) };
  const packed = deflateRawSync(text, { level: 9, ...options });
  return `${first === undefined ? ALONE : AGAINST_FIRST}${packed.toString('base64')}`;
}

/** The text of a column. `first` is asked for only when it was packed against one. Throws `LEDGER_CORRUPT`. */
export function unpack(stored: string, first: () => string | undefined = () => undefined): string {
  const how = stored[0];
  if (how !== ALONE && how !== AGAINST_FIRST) return stored;
  const against = how === AGAINST_FIRST ? first() : undefined;
  if (how === AGAINST_FIRST && against === undefined) throw damaged();
  const options = against === undefined ? {} : { dictionary: dictionaryOf(against) };
  try {
    const packed = Buffer.from(stored.slice(1), 'base64');
    return inflateRawSync(packed, { maxOutputLength: MOST_BYTES, ...options }).toString();
  } catch {
    throw damaged();
  }
}

/** The same, where `first` is read from the ledger. */
export async function unpackLater(
  stored: string,
  first: () => Promise<string | undefined> = async () => undefined,
): Promise<string> {
  const against = stored[0] === AGAINST_FIRST ? await first() : undefined;
  return unpack(stored, () => against);
}

const damaged = () => corrupt('A text of the ledger cannot be unpacked.');
const dictionaryOf = (text: string): Uint8Array => Buffer.from(text).subarray(-REACH_BYTES);
