/** Optional fields of an answer; null means absent (B19). */
import { z } from 'zod';

const nullishFields = <T extends z.ZodType, N extends string>(schema: T, names: readonly N[]) => {
  const fields = names.map((name) => [name, schema.nullish()] as const);
  return Object.fromEntries(fields) as Record<N, z.ZodOptional<z.ZodNullable<T>>>;
};

export const texts = <N extends string>(...names: N[]) => nullishFields(z.string(), names);
export const numbers = <N extends string>(...names: N[]) => nullishFields(z.number(), names);
export const flags = <N extends string>(...names: N[]) => nullishFields(z.boolean(), names);
