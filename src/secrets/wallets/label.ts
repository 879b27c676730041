// Labels of wallets. A label can be used instead of an address (`--wallet`, the principals file), so it cannot look
// like an address, another label, or a reserved word (T132).

import { SecretError } from '../errors.ts';

/** Shorter than any address, so that no text is both. */
const LONGEST = 24;
const FORM = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Words that select wallets without naming one. */
const RESERVED: readonly string[] = ['all', 'default', 'none'];

/** Description of a valid label. */
export const LABEL_FORM = `a label is 1 to ${LONGEST} lower-case letters, digits and single hyphens, beginning with a letter`;

/** Returns whether a text is a valid label. Valid labels are safe to print. */
export const isLabel = (text: string): boolean =>
  text.length <= LONGEST && FORM.test(text) && !RESERVED.includes(text);

/** Throws `INVALID_NAME` for an invalid label. The text is not quoted, since it may contain anything. */
export function checkLabel(text: string): void {
  if (isLabel(text)) return;
  throw new SecretError(
    'INVALID_NAME',
    RESERVED.includes(text)
      ? `No wallet can be called "${text}": the word is reserved.`
      : 'The label is invalid.',
    `Choose another: ${LABEL_FORM}, such as \`treasury\` or \`desk-2\`.`,
  );
}

const LOOKS_LIKE: readonly (readonly [RegExp, string])[] = [
  [/-/g, ''],
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1ij]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
  [/2/g, 'z'],
  [/8/g, 'b'],
];

/** Returns a label's shape: two labels with the same shape could be confused at a glance. */
export const shapeOf = (label: string): string =>
  LOOKS_LIKE.reduce((text, [pattern, by]) => text.replace(pattern, by), label.toLowerCase());
