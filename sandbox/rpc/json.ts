/**
 * JSON with integers of any size: RPC nodes write u64 values, which exceed the exact range of JavaScript numbers.
 */

/** Any value as JSON text; bigints as integers. `undefined` members are left out. */
export function stringify(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(stringify).join(',')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${stringify(member)}`);
  return `{${members.join(',')}}`;
}

/** Starts a string that stands for an integer too large for a number. No JSON text holds a raw NUL. */
const BIG = '\u0000';
/** A string, or an integer of 16 digits and more that is not part of a fraction. */
const STRING_OR_LONG_INTEGER = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g;

/** Parses JSON text; integers that a number cannot hold exactly become bigint. Throws `SyntaxError`. */
export function parse(text: string): unknown {
  const marked = text.replace(STRING_OR_LONG_INTEGER, (token, at: number) =>
    token.startsWith('"') || text[at - 1] === '.' || Number.isSafeInteger(Number(token))
      ? token
      : JSON.stringify(BIG + token),
  );
  return JSON.parse(marked, (_key, value) =>
    typeof value === 'string' && value.startsWith(BIG) ? BigInt(value.slice(1)) : value,
  );
}
