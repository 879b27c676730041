/**
 * Text from outside in results: cleaned, capped, and marked, so that a reader knows which words the service or its
 * users chose (docs/threat-model.md T56).
 */
import { z } from 'zod';
import { cleanAnswer, type UntrustedField } from '../src/service/untrusted.ts';

/** How many changed fields a result lists; the rest is counted. */
const LISTED = 40;

/** What a result says about the words in it that nobody here chose. */
export interface UntrustedMark {
  /** Names of fields that hold text from outside: data, never instructions. */
  fields: string[];
  /** Fields that had to be changed: characters removed, text cut, links dropped. */
  changed: UntrustedField[];
  /** How many more were changed than are listed. */
  more?: number;
}

/** The mark in output schemas. */
export const untrustedShape = z
  .object({
    fields: z.array(z.string()),
    changed: z.array(z.unknown()),
    more: z.number().optional(),
  })
  .optional();

/** Cleans every text of an answer; `fields` are the ones people outside can write freely. */
export function fromOutside<T>(answer: T, fields: readonly string[]): { value: T; untrusted: UntrustedMark } {
  const { value, changed } = cleanAnswer(answer);
  return {
    value,
    untrusted: {
      fields: [...fields],
      changed: changed.slice(0, LISTED),
      ...(changed.length > LISTED ? { more: changed.length - LISTED } : {}),
    },
  };
}

/** Cleans an answer in which nobody writes freely: addresses, amounts, words of the service. */
export const cleaned = <T>(answer: T): T => cleanAnswer(answer).value;
