// What a wallet may be called. A label stands where an address may stand (`--wallet`, the principals file), so no label
// can be read as an address, as another label, or as a word with a meaning of its own (T132).

import { SecretError } from '../errors.ts';

/** Fewer characters than an address has: a text is never both. */
const LONGEST = 24;
const FORM = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Words that say which wallets are meant without naming one. */
const RESERVED: readonly string[] = ['all', 'default', 'none'];

/** The form of a label, in words. */
export const LABEL_FORM = `a label is 1 to ${LONGEST} lower-case letters, digits and single hyphens, beginning with a letter`;

/** Whether a text has the form of a label. Such a text can be printed anywhere. */
export const isLabel = (text: string): boolean =>
  text.length <= LONGEST && FORM.test(text) && !RESERVED.includes(text);

/** Throws `INVALID_NAME` for a text that cannot be a label. The text is not repeated: it may hold anything. */
export function checkLabel(text: string): void {
  if (isLabel(text)) return;
  throw new SecretError(
    'INVALID_NAME',
    RESERVED.includes(text)
      ? `No wallet can be called "${text}": the word has a meaning of its own.`
      : 'A wallet cannot be called that.',
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

/** What a person sees who does not look closely: two labels with one shape could be taken for each other. */
export const shapeOf = (label: string): string =>
  LOOKS_LIKE.reduce((text, [pattern, by]) => text.replace(pattern, by), label.toLowerCase());
