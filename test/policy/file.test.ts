import { describe, expect, it } from 'vitest';
import { JsonError, readJson } from '../../src/base/strictJson.ts';
import { parsePolicy, policyHash } from '../../src/policy/file/file.ts';
import { type PolicyFile, policyJsonSchema } from '../../src/policy/file/schema.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/review/templates/templates.ts';
import { LOADER_V3_PROGRAM, STAKE_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { keyNamed, unsupportedProgram } from './people.ts';

const wallet = keyNamed('wallet').address;
const file = (change: (file: PolicyFile) => unknown = (same) => same) =>
  JSON.stringify(change(policyTemplate('creator', { wallet, network: 'devnet' })), null, 2);

/** The errors of a text, as `line:column path: message`. */
function errorsOf(text: string): string[] {
  const parsed = parsePolicy(text);
  if (!('errors' in parsed)) return [];
  return parsed.errors.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
}

/** Returns the position of a text in the format of error messages. */
function at(text: string, piece: string): string {
  const before = text.slice(0, text.indexOf(piece)).split('\n');
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

describe('a policy file', () => {
  it('is parsed with its hash, independent of spacing and key order', () => {
    const loaded = parsePolicy(file());
    if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
    expect(loaded.policy.id).toBe('creator');
    expect(loaded.hash).toMatch(/^[0-9a-f]{64}$/);
    const { version, ...rest } = policyTemplate('creator', { wallet, network: 'devnet' });
    const other = parsePolicy(JSON.stringify({ ...rest, version }));
    expect('hash' in other && other.hash).toBe(loaded.hash);
    expect(policyHash({ a: 1, b: 2 })).toBe(policyHash({ b: 2, a: 1 }));
  });

  it('is another policy after any change', () => {
    const hashes = [
      file(),
      file((f) => ({ ...f, id: 'other' })),
      file((f) => ({ ...f, limits: f.limits.slice(1) })),
    ].map((text) => {
      const loaded = parsePolicy(text);
      return 'hash' in loaded ? loaded.hash : '';
    });
    expect(new Set(hashes).size).toBe(3);
  });

  it('is refused for an unknown key, with the line and column of its value', () => {
    const text = file((f) => ({
      ...f,
      rules: f.rules.map((rule, i) => (i === 1 ? { ...rule, efect: 'x' } : rule)),
    }));
    expect(errorsOf(text)).toEqual([`${at(text, '"x"')} rules[1].efect: Unknown key.`]);
  });

  it('is refused for a duplicate key, at the second position', () => {
    const text = file().replace('"effect": "allow"', '"effect": "deny",\n      "effect": "allow"');
    const [error] = errorsOf(text);
    expect(error).toBe(`${at(text, '"effect": "allow"')} : the same key stands here twice.`);
  });

  it.each([
    ['a number for an amount', '"max": "500000000"', '"max": 500000000', /limits\[0\]\.max/],
    ['a leading zero', '"max": "500000000"', '"max": "0500"', /limits\[0\]\.max: must be a whole number/],
    ['a negative amount', '"max": "500000000"', '"max": "-1"', /limits\[0\]\.max/],
    ['an amount over u64', '"max": "500000000"', '"max": "18446744073709551616"', /limits\[0\]\.max/],
    ['an unknown effect', '"effect": "allow"', '"effect": "maybe"', /rules\[0\]\.effect/],
    ['an unknown operation', '"operation": "config"', '"operation": "mint"', /rules\[0\]/],
    ['an unknown network', '"network": "devnet"', '"network": "the moon"', /network/],
    ['an unknown window', '"rolling": "24h"', '"rolling": "1 day"', /limits\[1\]/],
    ['an unknown time zone', '"timeZone": "UTC"', '"timeZone": "Mars/Olympus"', /limits\[2\]/],
    ['an invalid address', `"address": "${wallet}"`, '"address": "me"', /wallets\[0\]\.address/],
    ['another version', '"version": 2', '"version": 3', /version/],
  ])('is refused for %s', (_what, from, to, where) => {
    const text = file();
    expect(text).toContain(from);
    const errors = errorsOf(text.replace(from, to));
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.join('\n')).toMatch(where);
  });

  it.each([
    ['no wallets', (f: PolicyFile) => ({ ...f, wallets: [] }), /wallets: must not be empty/],
    [
      'a rule without a reason',
      (f: PolicyFile) => ({ ...f, rules: f.rules.map(({ why: _why, ...rule }) => rule) }),
      /rules\[0\]\.why/,
    ],
    ['no rules', (f: PolicyFile) => ({ ...f, rules: [] }), /rules: must not be empty/],
    [
      'two rules with one id',
      (f: PolicyFile) => ({ ...f, rules: [...f.rules, f.rules[0]] }),
      /rules\[\d+\]\.id: This id is already used/,
    ],
    [
      'two similar labels',
      (f: PolicyFile) => ({ ...f, addressBook: [{ label: 'Agent', address: keyNamed('x').address }] }),
      /addressBook\[0\]\.label/,
    ],
    [
      'a loader among the programs (T7)',
      (f: PolicyFile) => ({ ...f, programs: [{ address: LOADER_V3_PROGRAM, binding: 'exact' }] }),
      /can never be allowed/,
    ],
    [
      'the stake program (T6)',
      (f: PolicyFile) => ({ ...f, programs: [unsupportedProgram(STAKE_PROGRAM)] }),
      /can never be allowed/,
    ],
    [
      'a stock program allowed without its reader (T10)',
      (f: PolicyFile) => ({ ...f, programs: [unsupportedProgram(TOKEN_PROGRAM)] }),
      /programs\[0\]\.binding: Token is supported/,
    ],
    [
      'simulation disabled with an unsupported program',
      (f: PolicyFile) => ({
        ...f,
        programs: [...f.programs, unsupportedProgram(keyNamed('venue').address, { deployedSlot: 5 })],
        simulation: { required: false },
      }),
      /simulation\.required: This must be true/,
    ],
    [
      'a denial with a condition',
      (f: PolicyFile) => ({
        ...f,
        rules: [{ id: 'x', operation: 'config', effect: 'deny', claimers: 'own', why: 'no' }],
      }),
      /rules\[0\]\.claimers: A deny rule cannot have this condition/,
    ],
    [
      'a sum over different tokens',
      (f: PolicyFile) => ({ ...f, limits: [{ id: 'x', asset: 'any', window: { rolling: '1h' }, max: '1' }] }),
      /limits\[0\]\.asset/,
    ],
    [
      'hours without a length',
      (f: PolicyFile) => ({
        ...f,
        rules: [
          {
            id: 'x',
            operation: 'swap',
            effect: 'allow',
            hours: { from: '09:00', to: '09:00', timeZone: 'UTC' },
            why: 'w',
          },
        ],
      }),
      /"from" and "to" must differ/,
    ],
  ])('is refused with %s', (_what, change, message) => {
    expect(errorsOf(file(change)).join('\n')).toMatch(message);
  });

  it('may disable simulation if every program is supported exactly', () => {
    expect(errorsOf(file((f) => ({ ...f, simulation: { required: false } })))).toEqual([]);
  });

  it('is refused with a byte order mark, a comment, text after the end, or a forbidden key (B72, B73)', () => {
    expect(errorsOf(`\ufeff${file()}`)[0]).toMatch(/^1:1 .*byte order mark/);
    expect(errorsOf(`// mine\n${file()}`)[0]).toMatch(/^1:1 /);
    expect(errorsOf(`${file()} {}`)[0]).toMatch(/something after the end/);
    expect(errorsOf('{"__proto__": {"version": 1}}')[0]).toMatch(/not allowed/);
    expect(errorsOf(`{"version": 1${' '.repeat(600_000)}}`)[0]).toMatch(/larger than 512 KiB/);
    expect(errorsOf('['.repeat(100))[0]).toMatch(/nested deeper/);
  });

  it('has a JSON Schema that names every part', () => {
    const schema = policyJsonSchema();
    expect(Object.keys(schema.properties ?? {})).toEqual(
      expect.arrayContaining(['rules', 'limits', 'programs']),
    );
  });
});

describe('the strict JSON reader', () => {
  it('parses output of JSON.stringify to the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const text = JSON.stringify(value);
        if (/"(__proto__|constructor|prototype)":|-0(?![.\d])/.test(text)) return;
        expect(readJson(text).value).toEqual(JSON.parse(text));
      }),
    );
  });

  it('accepts nothing JSON.parse refuses', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.string({ minLength: 1, maxLength: 2 }),
        (value, where, extra) => {
          const text = JSON.stringify(value);
          const cut = where % (text.length + 1);
          const changed = text.slice(0, cut) + extra + text.slice(cut);
          let parsed: unknown;
          try {
            parsed = readJson(changed).value;
          } catch (error) {
            expect(error).toBeInstanceOf(JsonError);
            return;
          }
          expect(parsed).toEqual(JSON.parse(changed));
        },
      ),
    );
  });
});

describe('a template', () => {
  it.each(TEMPLATE_NAMES)('%s is a valid file with a reason for every rule', (name) => {
    const template = policyTemplate(name, { wallet, network: 'mainnet-beta' });
    const loaded = parsePolicy(JSON.stringify(template));
    if ('errors' in loaded) throw new Error(JSON.stringify(loaded.errors));
    for (const rule of loaded.policy.rules) expect(rule.why.length).toBeGreaterThan(5);
    expect(loaded.policy.wallets).toEqual([{ label: 'agent', address: wallet }]);
    expect(loaded.policy.simulation.required).toBe(true);
  });

  it('observer allows nothing', () => {
    const { rules } = policyTemplate('observer', { wallet, network: 'devnet' });
    expect(rules.every((rule) => rule.effect === 'deny')).toBe(true);
  });

  it.each(['launch', 'manager_update'] as const)(
    'only the sandbox template, on its own chain, allows a %s without asking',
    (operation) => {
      for (const name of TEMPLATE_NAMES)
        for (const network of ['devnet', wallet]) {
          const { rules } = policyTemplate(name, { wallet, network });
          const allows = rules.some((rule) => rule.operation === operation && rule.effect === 'allow');
          expect([name, network, allows]).toEqual([name, network, name === 'sandbox' && network === wallet]);
        }
    },
  );

  it('accepts the given service programs by their effects', () => {
    const address = keyNamed('venue').address;
    const template = policyTemplate('trader', {
      wallet,
      network: 'devnet',
      servicePrograms: [unsupportedProgram(address, { label: 'venue', deployedSlot: 5 })],
    });
    expect(template.programs).toContainEqual(
      unsupportedProgram(address, { label: 'venue', deployedSlot: 5 }),
    );
    expect(parsePolicy(JSON.stringify(template))).toHaveProperty('hash');
  });
});
