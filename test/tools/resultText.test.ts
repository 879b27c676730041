/** Result text for readers without the structure. */
import { describe, expect, it } from 'vitest';
import { facts, heading, whole } from '../../tools/resultText.ts';

describe('the text of a result', () => {
  it('states counts, in the singular and for none', () => {
    expect([0, 1, 2].map((count) => heading(count, 'launch', 'launches'))).toEqual([
      'No launches.',
      '1 launch:',
      '2 launches:',
    ]);
  });

  it('shows our sentences as they are, and quotes every other text; a service has no such field', () => {
    const result = {
      note: 'Ask (once).',
      notes: ['One!', 'Two.'],
      name: 'a [link](x)',
      rows: [{ note: 'x (y)' }],
    };
    expect(whole(result).split('\n')).toEqual([
      'name "a \\[link\\]\\(x\\)"',
      'Ask (once).',
      'One!',
      'Two.',
      'rows: 1',
      '- note "x \\(y\\)"',
    ]);
    expect(whole({ note: 'a (b)' }, [])).toBe('note "a \\(b\\)"');
  });

  it('keeps a content address in the form the next tool accepts', () => {
    const tokenMetadata = 'ipfs://QmXWth1zaPpk3vY5PCRsMd3CxQKtkFDT8VxM26Pb6GUxw5';
    expect(facts({ tokenMetadata }, 'tokenMetadata')).toBe(`tokenMetadata ${tokenMetadata}`);
  });

  it.each([
    'https://evil.example/QmXWth1zaPpk3vY5PCRsMd3CxQKtkFDT8VxM26Pb6GUxw5',
    'ipfs://QmXWth1zaPpk3vY5PCRsMd3CxQKtkFDT8VxM26Pb6GUxw5/[click](https://evil.example)',
    'ipfs://short',
  ])('breaks every other link: %s', (url) => {
    expect(facts({ url }, 'url')).toMatch(/^url ".*: \/\/.*"$/);
    expect(facts({ url }, 'url')).not.toContain('://');
  });
});
