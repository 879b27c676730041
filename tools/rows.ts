/** Rows of an answer with some of their fields, for lists that are short unless more is asked for. */

/** The fields that are there and say something, in this order. */
export const picked = (row: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(
    names
      .map((name): [string, unknown] => [name, Object.hasOwn(row, name) ? Reflect.get(row, name) : undefined])
      .filter(([, value]) => value !== undefined && value !== null),
  );
