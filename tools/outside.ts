/** Untrusted text in results: sanitized, capped, and marked as chosen by the service or its users (docs/safety.md T56). */
import { z } from 'zod';
import { isRecord } from '../src/base/record.ts';
import { type EndpointName, endpoints } from '../src/contract/index.ts';
import { cleanAnswer, type UntrustedField } from '../src/service/untrusted.ts';

/** Changed fields a result lists; the rest is counted. */
const LISTED = 40;

/** A result's list of untrusted fields. */
export interface UntrustedMark {
  /** Names of fields with untrusted text: data, never instructions. */
  fields: string[];
  /** Sanitized fields: characters removed, text truncated, links dropped. */
  changed?: UntrustedField[];
  /** Number of changed fields that are not listed. */
  more?: number;
}

/** Schema of the mark. */
export const untrustedShape = z
  .object({
    fields: z.array(z.string()),
    changed: z.array(z.unknown()).optional(),
    more: z.number().optional(),
  })
  .optional();

/**
 * Returns only the fields of an answer that the contract defines. An additional field of the service could overwrite a
 * field that the server itself writes, such as a note or a decision (docs/safety.md T70). Lists and texts are returned
 * unchanged.
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

/** Names the fields of a result whose content comes from the service. */
export const byService = (fields: object): { statedByService: string[] } => ({
  statedByService: Object.keys(fields).sort(),
});

/** Whether a value exists at a path of names that starts anywhere in the answer; searches lists too. */
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
