/**
 * Text from outside in results: cleaned, capped, and marked, so that a reader knows which words the service or its
 * users chose (docs/safety.md T56).
 */
import { z } from 'zod';
import { isRecord } from '../src/base/record.ts';
import { type EndpointName, endpoints } from '../src/contract/index.ts';
import { cleanAnswer, type UntrustedField } from '../src/service/untrusted.ts';

/** How many changed fields a result lists; the rest is counted. */
const LISTED = 40;

/** What a result says about its texts from outside. */
export interface UntrustedMark {
  /** Names of fields that hold text from outside: data, never instructions. */
  fields: string[];
  /** Fields that had to be changed: characters removed, text cut, links dropped. */
  changed?: UntrustedField[];
  /** How many more were changed than are listed. */
  more?: number;
}

/** The mark in output schemas. */
export const untrustedShape = z
  .object({
    fields: z.array(z.string()),
    changed: z.array(z.unknown()).optional(),
    more: z.number().optional(),
  })
  .optional();

/**
 * The fields of an answer that the contract names, and no other: whatever else a service adds to an answer could stand
 * where this project's own words stand, such as a note or a decision (docs/safety.md T70). Answers without fields
 * of their own, lists and texts, come back as they are.
 */
export function stated<T>(endpoint: EndpointName, answer: T): T {
  const { response } = endpoints[endpoint];
  if (!(response instanceof z.ZodObject) || typeof answer !== 'object' || answer === null) return answer;
  const known = { ...answer };
  for (const name of Object.keys(known)) {
    if (!Object.hasOwn(response.shape, name)) Reflect.deleteProperty(known, name);
  }
  return known;
}

/** Names the fields of a result in which the service speaks, beside those in which this project does. */
export const byService = (fields: object): { statedByService: string[] } => ({
  statedByService: Object.keys(fields).sort(),
});

/** Whether something stands at a path of names, wherever in the answer it begins; lists are looked through. */
function holds(value: unknown, path: readonly string[]): boolean {
  if (Array.isArray(value)) return value.some((each) => holds(each, path));
  if (!isRecord(value)) return false;
  const [name = '', ...rest] = path;
  const inner = Object.hasOwn(value, name) ? value[name] : null;
  const isHere = inner != null && (rest.length === 0 || holds(inner, rest));
  return isHere || Object.values(value).some((each) => holds(each, path));
}

/** Cleans every text of an answer; of `fields`, the ones people outside can write freely, it names those that are there. */
export function fromOutside<T>(answer: T, fields: readonly string[]): { value: T; untrusted: UntrustedMark } {
  const { value, changed } = cleanAnswer(answer);
  return {
    value,
    untrusted: {
      fields: fields.filter((field) => holds(value, field.split('.'))),
      ...(changed.length > 0 ? { changed: changed.slice(0, LISTED) } : {}),
      ...(changed.length > LISTED ? { more: changed.length - LISTED } : {}),
    },
  };
}

/** Cleans an answer without free text of users: addresses, amounts, texts of the service. */
export const cleaned = <T>(answer: T): T => cleanAnswer(answer).value;
