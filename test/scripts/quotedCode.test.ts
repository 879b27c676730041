/** Types quoted on a page are those of the sources. */
import { expect, it } from 'vitest';
import { quotedCode } from '../../scripts/quotedCode.ts';

const SOURCE = 'const a = 1;\n\n/** One. */\nexport interface One {\n  readonly of: { readonly x: 1 };\n}\n';

it('puts the declaration a page names between its markers, in place of what stood there', () => {
  const page = (body: string) => `before\n<!-- code: a.ts One -->${body}<!-- end of code -->\nafter`;
  const quoted = page('\n\n```ts\ninterface One {\n  readonly of: { readonly x: 1 };\n}\n```\n\n');
  expect(quotedCode(page('\nold\n'), () => SOURCE)).toBe(quoted);
  expect(quotedCode(quoted, () => SOURCE)).toBe(quoted);
});

it('fails for a type that is not there', () => {
  const page = '<!-- code: a.ts Two -->\n<!-- end of code -->';
  expect(() => quotedCode(page, () => SOURCE)).toThrow('a.ts declares no interface Two');
});
