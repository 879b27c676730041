/** Values of unknown shape, as they come out of JSON. */

/** Whether a value is an object with named members: not `null`, not a list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy of a value's named members; empty when it has none. */
export const asRecord = (value: unknown): Record<string, unknown> => (isRecord(value) ? { ...value } : {});
