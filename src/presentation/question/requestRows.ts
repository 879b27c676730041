/**
 * Formats the agent's request as readable rows. The text is untrusted: cleaned, capped, flat, and never used in
 * decisions (T56).
 */
import { cleanText } from '../../service/untrusted.ts';

const MAX_ROWS = 32;
const MAX_NAME = 48;
const MAX_VALUE = 160;

/** Returns request fields by name, with lists and nested fields flattened: `claimersArray[0]`. Omits absent ones. */
export function requestRows(fields: Readonly<Record<string, unknown>>): { name: string; value: string }[] {
  const rows: { name: string; value: string }[] = [];
  const walk = (name: string, value: unknown): void => {
    if (value === null || value === undefined) return;
    if (Array.isArray(value)) {
      for (const [index, inner] of value.entries()) walk(`${name}[${index}]`, inner);
    } else if (typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) walk(name === '' ? key : `${name}.${key}`, inner);
    } else {
      rows.push({ name: shown(name, MAX_NAME), value: shown(String(value), MAX_VALUE) });
    }
  };
  walk('', fields);
  if (rows.length <= MAX_ROWS) return rows;
  return [...rows.slice(0, MAX_ROWS), { name: '…', value: `${rows.length - MAX_ROWS} more` }];
}

function shown(text: string, cap: number): string {
  const clean = cleanText(text, cap);
  return clean.cut ? `${clean.text}…` : clean.text;
}
