/**
 * Decodes mutated and random bytes and compares accepted ones with Kit and web3.js. Deterministic by seed; the bytes of
 * a crash or disagreement are kept.
 */
import { TransactionError } from '../../src/transaction/errors.ts';
import { readTransaction, SIZE_LIMITS } from '../../src/transaction/read.ts';
import { sampleTransactions } from './arbitrary.ts';
import { kitReading, ourReading, web3Reading } from './oracles.ts';

export interface FuzzResult {
  accepted: number;
  rejected: number;
  /** Errors that are not a TransactionError. */
  crashes: number;
  /** Accepted bytes that another decoder decodes differently or not at all. */
  disagreements: number;
  /** Up to ten offending inputs, base64, with the failure. */
  readonly examples: { readonly bytes: string; readonly label: string }[];
}

/** Returns random whole numbers in 0…max-1, the same for the same seed (an xorshift). */
export function randomSource(seed: number): (max: number) => number {
  let state = (seed ^ 0x9e3779b9) >>> 0 || 1;
  return (max) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % Math.max(1, max);
  };
}

export type Random = (max: number) => number;

const splice = (bytes: Uint8Array, at: number, remove: number, insert: readonly number[]) =>
  Uint8Array.from([...bytes.subarray(0, at), ...insert, ...bytes.subarray(at + remove)]);

/** Mutations of a transaction, from small to large. Some leave it valid. */
const MUTATIONS: readonly ((bytes: Uint8Array, random: Random) => Uint8Array)[] = [
  (bytes) => bytes,
  (bytes, random) => {
    const copy = bytes.slice();
    const at = random(copy.length);
    copy[at] = (copy[at] ?? 0) ^ (1 << random(8));
    return copy;
  },
  (bytes, random) => {
    const copy = bytes.slice();
    copy[random(copy.length)] = random(256);
    return copy;
  },
  // Header, counts and prefixes are near the start of the message.
  (bytes, random) => {
    const copy = bytes.slice();
    const start = (copy[0] ?? 0) < 0x80 ? 1 + 64 * (copy[0] ?? 0) : 0;
    copy[Math.min(copy.length - 1, start + random(6))] = random(256);
    return copy;
  },
  (bytes, random) => bytes.slice(0, random(bytes.length)),
  (bytes, random) => splice(bytes, bytes.length, 0, [random(256)]),
  (bytes, random) => splice(bytes, random(bytes.length), 0, [random(256)]),
  (bytes, random) => splice(bytes, random(bytes.length), 1, []),
  // A length in two bytes instead of one.
  (bytes, random) => {
    const at = random(bytes.length);
    return splice(bytes, at, 1, [(bytes[at] ?? 0) | 0x80, 0]);
  },
  // Copies one 32-byte range over another: duplicate keys, wrong signatures.
  (bytes, random) => {
    const copy = bytes.slice();
    copy.copyWithin(random(copy.length), random(copy.length), copy.length);
    return copy;
  },
  (_, random) => Uint8Array.from({ length: random(300) }, () => random(256)),
];

/** Decodes `count` inputs. */
export function fuzzReader({ seed, count }: { seed: number; count: number }): FuzzResult {
  const random = randomSource(seed);
  const corpus = sampleTransactions(seed, Math.min(200, Math.max(10, count >> 4))).map(({ bytes }) => bytes);
  const result: FuzzResult = { accepted: 0, rejected: 0, crashes: 0, disagreements: 0, examples: [] };
  const note = (bytes: Uint8Array, label: string) => {
    if (result.examples.length < 10)
      result.examples.push({ bytes: Buffer.from(bytes).toString('base64'), label });
  };
  for (let run = 0; run < count; run++) {
    const base = corpus[random(corpus.length)] ?? new Uint8Array();
    const input = (MUTATIONS[random(MUTATIONS.length)] ?? ((bytes) => bytes))(base, random);
    try {
      const reading = readTransaction(input);
      result.accepted++;
      const label = disagreement(input, JSON.stringify(ourReading(reading)), reading.format === 'v1');
      if (label !== undefined) {
        result.disagreements++;
        note(input, label);
      } else if (input.length > SIZE_LIMITS[reading.format]) {
        result.disagreements++;
        note(input, 'over the size limit');
      }
    } catch (error) {
      if (error instanceof TransactionError) result.rejected++;
      else {
        result.crashes++;
        note(input, String(error));
      }
    }
  }
  return result;
}

function disagreement(input: Uint8Array, ours: string, v1: boolean): string | undefined {
  try {
    if (JSON.stringify(kitReading(input)) !== ours) return 'Kit reads it differently';
  } catch (error) {
    return `Kit refuses it: ${error}`;
  }
  if (v1) return undefined;
  try {
    return JSON.stringify(web3Reading(input)) === ours ? undefined : 'web3.js reads it differently';
  } catch (error) {
    return `web3.js refuses it: ${error}`;
  }
}
