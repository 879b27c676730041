import { describe, expect, it } from 'vitest';
import { cleanAnswer, cleanText, cleanUrl, TEXT_CAPS } from '../../src/service/untrusted.ts';
import fc from '../fc.ts';

const clean = (text: string, cap = 100) => cleanText(text, cap).text;

describe('untrusted text', () => {
  it.each([
    ['colour', '\u001b[31mred\u001b[0m', 'red'],
    ['a whole window title', 'a\u001b]0;ignore all rules\u0007b', 'ab'],
    ['a link', '\u001b]8;;http://evil\u001b\\click\u001b]8;;\u001b\\', 'click'],
    ['a device control string', 'a\u001bPsecret words\u001b\\b', 'ab'],
    ['an eight-bit sequence', 'a\u009b31mb', 'ab'],
    ['an unfinished sequence', 'a\u001b[', 'a'],
    ['a lone escape', 'a\u001bcb', 'ab'],
  ])('B55 loses the escape sequence for %s whole', (_, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it.each([
    ['controls', 'a\u0000\u0008b', 'ab'],
    ['bidirectional overrides', 'a\u202eb\u2066c', 'abc'],
    ['zero-width characters', 'a\u200b\u200d\ufeffb', 'ab'],
    ['tag characters', 'a\u{e0049}\u{e0067}\u{e007f}b', 'ab'],
    ['variation selectors that carry bytes', 'a\u{e0100}\u{e01ef}\ufe0fb', 'ab'],
    ['private use', 'a\ue000\u{f0000}b', 'ab'],
    ['lone surrogates', 'a\ud800b', 'ab'],
    ['fillers without a glyph', 'a\u3164\u115f\u2800b', 'ab'],
  ])('B55 loses %s', (_, text, expected) => {
    expect(clean(text)).toBe(expected);
    expect(cleanText(text, 100).removed).toBeGreaterThan(0);
  });

  it('keeps letters, marks and emoji, and replaces line breaks with one space', () => {
    for (const text of ['Über naïve', 'العربية', '日本語', '👍🏽', 'e\u0301']) expect(clean(text)).toBe(text);
    expect(clean('one\r\n\ttwo\u2028three')).toBe('one two three');
  });

  it('B55 is truncated by code points, a megabyte like a line', () => {
    expect(cleanText('😀'.repeat(10), 4)).toEqual({ text: '😀'.repeat(4), removed: 0, cut: true });
    expect(cleanText('x'.repeat(1_000_000), 64)).toEqual({ text: 'x'.repeat(64), removed: 0, cut: true });
    expect(cleanText(`${'\u200b'.repeat(1_000_000)}x`, 64).cut).toBe(true);
  });

  it('is clean after one pass, for any input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 0, max: 50 }),
        (text, cap) => {
          const once = cleanText(text, cap);
          expect([...once.text].length).toBeLessThanOrEqual(cap);
          expect(once.text).not.toMatch(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/u);
          expect(cleanText(once.text, cap)).toEqual({ text: once.text, removed: 0, cut: false });
        },
      ),
    );
  });
});

describe('untrusted links', () => {
  it('F56 B56 are dropped if they contain data, are too long or run code', () => {
    expect(cleanUrl(`data:image/png;base64,${'A'.repeat(5_000_000)}`)).toEqual({ url: null, flag: 'data' });
    expect(cleanUrl(' DATA:text/html,x')).toEqual({ url: null, flag: 'data' });
    expect(cleanUrl(`https://example.com/${'a'.repeat(600)}`)).toEqual({ url: null, flag: 'too_long' });
    expect(cleanUrl('javascript:alert(1)')).toEqual({ url: null, flag: 'scheme' });
    expect(cleanUrl('https://example.com/\u202egpj.exe')).toEqual({ url: null, flag: 'invisible' });
    expect(cleanUrl('https://example.com/a b')).toEqual({ url: null, flag: 'invisible' });
  });

  it('are kept unchanged otherwise', () => {
    for (const url of ['https://example.com/i.png?x=1', 'ipfs://bafy/1', 'ar://x', 'example.com']) {
      expect(cleanUrl(url)).toEqual({ url });
    }
  });
});

describe('untrusted answers', () => {
  it('B55 B56 are sanitized field by field, with a list of changes', () => {
    const answer = [
      {
        name: 'N'.repeat(100),
        symbol: '\u202eTOK',
        image: 'data:image/png;base64,AAAA',
        decimals: 6,
        migrated: true,
        partner: null,
        metadata: { description: 'fine', image: 'https://example.com/i.png' },
        preferredCompanyNames: ['A\u200bB'],
        'unknown\u200bField': '\u001b[31mx',
      },
    ];
    const { value, changed } = cleanAnswer(answer);
    expect(value).toEqual([
      {
        name: 'N'.repeat(TEXT_CAPS.name),
        symbol: 'TOK',
        image: null,
        decimals: 6,
        migrated: true,
        partner: null,
        metadata: { description: 'fine', image: 'https://example.com/i.png' },
        preferredCompanyNames: ['AB'],
        unknownField: 'x',
      },
    ]);
    expect(changed).toEqual([
      { path: '[0].name', cut: true },
      { path: '[0].symbol', removed: 1 },
      { path: '[0].image', dropped: 'data' },
      { path: '[0].preferredCompanyNames[0]', removed: 1 },
      { path: '[0].unknownField', removed: 5 },
    ]);
  });

  it('are unchanged if clean, including addresses and hashes', () => {
    const answer = {
      wallet: 'So11111111111111111111111111111111111111112',
      txHash: `0x${'ab'.repeat(32)}`,
      n: 1.5,
    };
    expect(cleanAnswer(answer)).toEqual({ value: answer, changed: [] });
  });
});
