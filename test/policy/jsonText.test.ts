/** Errors of the strict JSON parser with message and position, and self-contradictory policy files. */

import { describe, expect, it } from 'vitest';
import { JsonError, readJson } from '../../src/base/strictJson.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { parseCases, runCase } from '../../src/review/cases.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { LOADER_V3_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { inputs, usual } from './deciding.ts';
import { keyNamed, unsupportedProgram } from './people.ts';

function refusal(text: string): string {
  try {
    readJson(text);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    expect(error.name).toBe('JsonError');
    return `${error.position.line}:${error.position.column} ${error.message}`;
  }
  return 'accepted';
}

describe('text that is not valid policy JSON', () => {
  it.each([
    ['\ufeff1', '1:1 the text starts with a byte order mark'],
    ['', '1:1 this is no JSON value'],
    ['nul', '1:1 this is no JSON value'],
    ['1 2', '1:3 there is something after the end'],
    ['[1,]', '1:4 this is no JSON value'],
    ['[1 2]', '1:4 a comma is missing here'],
    ['[1', '1:3 a ] is missing here'],
    ['{"a" 1}', '1:6 a : is missing here'],
    ['{"a":1', '1:7 a } is missing here'],
    ['{"a":1 "b":2}', '1:8 a comma is missing here'],
    ['{a:1}', '1:2 this is no JSON value'],
    ['{"a":1,\n "b":2,\n "a":3}', '3:2 the same key stands here twice'],
    ['{"constructor":1}', '1:2 this key is not allowed'],
    ['{"prototype":1}', '1:2 this key is not allowed'],
    ['{"__proto__":1}', '1:2 this key is not allowed'],
    ['"abc', '1:1 a text does not end on its line'],
    ['"a\nb"', '1:1 a text does not end on its line'],
    ['"a\\x"', '1:1 a text has an unknown escape'],
    ['"a\\', '1:1 a text does not end on its line'],
    ['-0', '1:1 this number is not allowed'],
    ['1e999', '1:1 this number is not allowed'],
    ['01', '1:2 there is something after the end'],
    ['+1', '1:1 this is no JSON value'],
    ['.5', '1:1 this is no JSON value'],
    [`${'['.repeat(33)}`, '1:33 nested deeper than 32'],
  ])('%j: %s', (text, message) => {
    expect(refusal(text)).toBe(message);
  });

  it('is nested no deeper than the limit', () => {
    expect(refusal(`${'['.repeat(32)}1${']'.repeat(32)}`)).toBe('accepted');
    expect(refusal(`${'['.repeat(33)}${']'.repeat(33)}`)).toBe('1:33 nested deeper than 32');
    expect(refusal('['.repeat(500_000))).toBe('1:33 nested deeper than 32');
  });
});

describe('a JSON text', () => {
  it('is accepted exactly if JSON.parse accepts it, except duplicate or forbidden keys, -0, infinite numbers and depth', () => {
    const texts = fc.oneof(
      fc.json({ maxDepth: 5 }),
      fc
        .array(
          fc.constantFrom(
            ...['{', '}', '[', ']', ',', ':', '"a"', '"\\u00e9"', '1', '-1.5e3', 'true', 'null'],
            ...[' ', '\t', '//', '\u00a0', '\v', "'"],
          ),
        )
        .map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const read = refusal(text);
        if (/twice|not allowed/.test(read)) return;
        let parsed: unknown;
        try {
          parsed = JSON.parse(text);
        } catch {
          expect(read).not.toBe('accepted');
          return;
        }
        expect(read).toBe('accepted');
        expect(readJson(text).value).toEqual(parsed);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['{}', {}],
    ['[]', []],
    [
      ' { "a" : [ 1 , -2.5e+3 , true , false , null , "x\\"\\\\\\u0041" ] } ',
      { a: [1, -2500, true, false, null, 'x"\\A'] },
    ],
    ['"\\\\"', '\\'],
    ['0', 0],
    ['10', 10],
    ['1E2', 100],
    ['\t\r\n1\t', 1],
  ])('%s is parsed', (text, value) => {
    expect(readJson(text).value).toEqual(value);
  });

  it('has a position for each part, or the nearest enclosing one', () => {
    const { at } = readJson('{\n "a": [1,\n  {"b": 2}]\n}');
    expect(at([])).toEqual({ line: 1, column: 1 });
    expect(at(['a'])).toEqual({ line: 2, column: 7 });
    expect(at(['a', 1])).toEqual({ line: 3, column: 3 });
    expect(at(['a', 1, 'b'])).toEqual({ line: 3, column: 9 });
    expect(at(['a', 1, 'c', 'd'])).toEqual({ line: 3, column: 3 });
    expect(at(['nowhere'])).toEqual({ line: 1, column: 1 });
  });
});

describe('a contradictory policy file', () => {
  const wallet = keyNamed('wallet').address;
  const [one, two] = [keyNamed('one').address, keyNamed('two').address];
  const base = policyTemplate('trader', { wallet, network: 'devnet' });
  const errors = (change: Partial<PolicyFile>): string[] => {
    const parsed = parsePolicy(JSON.stringify({ ...base, ...change }));
    return 'errors' in parsed ? parsed.errors.map(({ path, message }) => `${path}: ${message}`) : [];
  };
  const rule = { id: 'r', operation: 'swap', effect: 'allow', why: 'w' } as const;
  const limit = { id: 'l', asset: 'SOL', window: { rolling: '1h' }, max: '1' } as const;
  const named = (...entries: readonly (readonly [string, string])[]) =>
    entries.map(([label, address]) => ({ label, address }));
  const rate = { input: 'SOL', output: one, perInput: '1', minOutput: '1' };

  it.each<[Partial<PolicyFile>, string]>([
    [
      { wallets: named(['a', wallet], ['b', wallet]) },
      'wallets[1].address: This address is already used above.',
    ],
    [{ wallets: named(['a', wallet], ['A', one]) }, 'wallets[1].label: This label is already used above.'],
    [
      { addressBook: named(['a', one], ['b', one]) },
      'addressBook[1].address: This address is already used above.',
    ],
    [
      { addressBook: named(['a', one], ['a', two]) },
      'addressBook[1].label: This label is already used above.',
    ],
    [
      { programs: [{ address: one, binding: 'exact' }, unsupportedProgram(one, { deployedSlot: 5 })] },
      'programs[1].address: This program is already used above.',
    ],
    [{ limits: [limit, limit] }, 'limits[1].id: This id is already used above.'],
    [{ rules: [rule, rule] }, 'rules[1].id: This id is already used above.'],
    [
      { programs: [{ address: LOADER_V3_PROGRAM, binding: 'exact' }] },
      'programs[0].address: Loader v3 (upgradeable) can never be allowed.',
    ],
    [
      { programs: [unsupportedProgram(TOKEN_PROGRAM)] },
      'programs[0].binding: Token is supported; use "exact".',
    ],
    [
      { limits: [{ ...limit, asset: 'any' }] },
      'limits[0].asset: A limit for "any" token must be per transaction: amounts of different tokens cannot be added over time.',
    ],
    [
      { rules: [{ ...rule, hours: { from: '09:00', to: '09:00', timeZone: 'UTC' } }] },
      'rules[0].hours: "from" and "to" must differ.',
    ],
    [
      { rules: [{ ...rule, effect: 'deny', minOutOfQuoteBps: 5 }] },
      'rules[0].minOutOfQuoteBps: A deny rule cannot have this condition.',
    ],
    [
      { rules: [{ ...rule, minRates: [rate, { ...rate, perInput: '0' }] }] },
      'rules[0].minRates[1].perInput: This must not be 0.',
    ],
    [
      { rules: [{ ...rule, minRates: [{ ...rate, output: 'SOL' }] }] },
      'rules[0].minRates[0].output: This must differ from "input".',
    ],
    [
      {
        rules: [
          {
            ...rule,
            operation: 'launch',
            maxFirstBuyValue: ['SOL', one].map((quote, i) => ({ quote, max: `${1 - i}` })),
          },
        ],
      },
      'rules[0].maxFirstBuyValue[1].max: This must not be 0.',
    ],
    [
      {
        programs: [...base.programs, unsupportedProgram(one, { deployedSlot: 5 })],
        simulation: { required: false },
      },
      'simulation.required: This must be true while a program is allowed with binding "effects".',
    ],
  ])('%j', (change, message) => {
    expect(errors(change)).toEqual([message]);
  });

  it('is valid without the contradiction', () => {
    expect(
      errors({
        limits: [
          { ...limit, asset: 'any', window: 'transaction' },
          { ...limit, id: 'm' },
        ],
      }),
    ).toEqual([]);
    expect(
      errors({
        rules: [{ ...rule, effect: 'deny', hours: { from: '09:00', to: '10:00', timeZone: 'UTC' } }],
      }),
    ).toEqual([]);
    expect(errors({ rules: [{ ...rule, minRates: [rate] }] })).toEqual([]);
    expect(
      errors({
        programs: [
          { address: TOKEN_PROGRAM, binding: 'exact' },
          { address: one, binding: 'exact' },
        ],
      }),
    ).toEqual([]);
    expect(errors({ simulation: { required: false } })).toEqual([]);
  });

  it('is at most half a mebibyte', () => {
    const parsed = parsePolicy(' '.repeat(512 * 1024 + 1));
    expect('errors' in parsed && parsed.errors).toEqual([
      { line: 1, column: 1, path: '', message: 'The file is larger than 512 KiB.' },
    ]);
    const padded = JSON.stringify(base).padEnd(512 * 1024);
    expect(parsePolicy(padded)).toHaveProperty('hash');
    expect(parsePolicy(padded.slice(1))).toMatchObject({
      errors: [{ path: '', message: expect.stringMatching(/\.$/) }],
    });
  });
});

describe('a case file', () => {
  it('is refused with its path, and for its size', () => {
    expect(parseCases('[]')).toMatchObject({
      errors: [{ line: 1, column: 1, message: expect.not.stringMatching(/^:/) }],
    });
    expect(parseCases('{"version":1,"cases":[{"name":""}]}')).toMatchObject({
      errors: expect.arrayContaining([
        expect.objectContaining({ message: expect.stringMatching(/^cases\.0\.name: /) }),
      ]),
    });
    expect(parseCases(' '.repeat(32 * 1024 * 1024 + 1))).toEqual({
      errors: [{ line: 1, column: 1, message: 'The file is too large.' }],
    });
    expect(parseCases('{')).toEqual({ errors: [{ line: 1, column: 2, message: 'a } is missing here.' }] });
  });

  it('compares only what it names, codes in any order', () => {
    const run = (expected: object) =>
      runCase(
        { name: 'x', decision: 'decision-1', expect: { effect: 'deny', ...expected } } as never,
        usual,
        { inputs: { ...inputs, ourWallets: [], blockhashValid: false }, view: { used: {} } },
      );
    expect(run({})).toMatchObject({ ok: true, problems: [], expected: 'deny' });
    expect(run({ codes: ['SIGNER_UNAVAILABLE', 'LIFETIME_MISMATCH'] }).ok).toBe(true);
    expect(run({ codes: ['LIFETIME_MISMATCH', 'SIGNER_UNAVAILABLE'] }).ok).toBe(true);
    expect(run({ codes: ['LIFETIME_MISMATCH'] }).problems).toEqual([
      'codes: expected LIFETIME_MISMATCH, got LIFETIME_MISMATCH SIGNER_UNAVAILABLE',
    ]);
    expect(run({ codes: [], rule: 'other' }).problems).toEqual([
      'codes: expected none, got LIFETIME_MISMATCH SIGNER_UNAVAILABLE',
      'rule: expected other, got fee-plans',
    ]);
  });
});
