import { inspect } from 'node:util';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { REDACTED } from '../../src/secrets/redaction/patterns.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { Secret } from '../../src/secrets/secret.ts';
import fc from '../fc.ts';

const API_KEY = 'cs_live_9QmX2vTzB7wKpR4sYh8L';

const textEncodings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 in a user:password pair': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'base64 after one byte': (text) => Buffer.from(`x${text}yz`).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  base58: (text) => bs58.encode(Buffer.from(text)),
  hex: (text) => Buffer.from(text).toString('hex'),
  'upper-case hex': (text) => Buffer.from(text).toString('hex').toUpperCase(),
  'URL component': encodeURIComponent,
  'URL query': (text) => new URLSearchParams({ a: text }).toString(),
  'URL password': (text) => {
    const url = new URL('https://example.org/');
    url.password = text;
    return url.href;
  },
  'every byte percent-encoded': (text) =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  JSON: (text) => JSON.stringify({ text }),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify({ text })),
  inspected: (text) => inspect({ text }, { breakLength: Number.POSITIVE_INFINITY }),
  'byte array': (text) => JSON.stringify([...Buffer.from(text)]),
  'pretty byte array': (text) => JSON.stringify([...Buffer.from(text)], null, 2),
  'JSON of a buffer': (text) => JSON.stringify(Buffer.from(text)),
  'JSON of a typed array': (text) => JSON.stringify(Uint8Array.from(Buffer.from(text))),
};

/** Returns whether the output still contains the secret in any of the encodings. */
function survives(output: string, secret: string): boolean {
  return Object.values(textEncodings).some((encode) => output.includes(encode(secret)));
}

describe('redacting a registered value', () => {
  for (const [name, encode] of Object.entries(textEncodings)) {
    it(`removes an API key as ${name}`, () => {
      const redactor = createRedactor();
      expect(redactor.register(API_KEY)).toBe(true);
      const leaked = `before ${encode(API_KEY)} after`;
      const output = redactor.redact(leaked);
      expect(output).not.toBe(leaked);
      expect(output).toContain(REDACTED);
      expect(output.startsWith('before ')).toBe(true);
      expect(output.endsWith(' after')).toBe(true);
      expect(survives(output, API_KEY)).toBe(false);
      const stripped = encode(API_KEY).slice(2, -6);
      expect(output.includes(stripped)).toBe(false);
    });
  }

  it('removes every registered secret in every encoding from any surroundings', () => {
    const secrets = fc.string({ unit: 'grapheme', minLength: 8, maxLength: 60 }).filter((text) => {
      // A value contained in the mask would be found in every redacted text.
      return !REDACTED.includes(text.slice(0, 4)) && text.trim().length >= 8;
    });
    const encoders = Object.entries(textEncodings);
    fc.assert(
      fc.property(
        fc.array(secrets, { minLength: 1, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.string({ maxLength: 20 })), { minLength: 1, maxLength: 5 }),
        (values, leaks) => {
          const redactor = createRedactor();
          for (const value of values) redactor.register(value);
          let text = '';
          for (const [which, how, between] of leaks) {
            const value = values[which % values.length] ?? '';
            text += ` ${between} ${encoders[how % encoders.length]?.[1](value)} ${between}`;
          }
          const output = redactor.redact(text);
          for (const value of values) expect(survives(output, value)).toBe(false);
        },
      ),
      { numRuns: 400 },
    );
  });

  it('removes a wallet key, and its seed alone, in every printed form', () => {
    const { secret } = createKeypair();
    const key = Uint8Array.from(secret.exposeBytes());
    const redactor = createRedactor();
    redactor.register(secret);
    for (const bytes of [key, key.slice(0, 32)]) {
      const forms = [
        JSON.stringify([...bytes]),
        JSON.stringify([...bytes], null, 2),
        [...bytes].join('\n'),
        JSON.stringify(bytes),
        JSON.stringify(bytes, null, 2),
        JSON.stringify(Buffer.from(bytes)),
        inspect(bytes),
        inspect(Buffer.from(bytes)),
        inspect({ ...bytes }),
        bs58.encode(bytes),
        Buffer.from(bytes).toString('hex'),
        Buffer.from(bytes).toString('base64'),
        Buffer.concat([Buffer.from([9, 9]), bytes]).toString('base64'),
        [...bytes].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`).join(', '),
      ];
      const seedForms = [
        bs58.encode(key.slice(0, 32)),
        Buffer.from(key.slice(0, 32)).toString('hex'),
        [...key.slice(0, 32)].join(','),
        [...key.slice(0, 32)].map((byte) => byte.toString(16).padStart(2, '0')).join(' '),
      ];
      for (const form of forms) {
        const output = redactor.redact(`key=${form};`);
        expect(output).toContain(REDACTED);
        for (const seed of seedForms) expect(output).not.toContain(seed);
        const numbers = (output.match(/\d+/g) ?? []).length;
        expect(numbers).toBeLessThan(40);
      }
    }
  });

  it('leaves the public half of a wallet key readable', () => {
    const { secret, address } = createKeypair();
    const redactor = createRedactor();
    redactor.register(secret);
    const publicKey = [...secret.exposeBytes().slice(32)];
    expect(redactor.redact(`wallet ${address} ${JSON.stringify(publicKey)}`)).toContain(address);
    expect(redactor.redact(JSON.stringify(publicKey))).toBe(JSON.stringify(publicKey));
  });

  it('removes the remainder of a truncated value', () => {
    const redactor = createRedactor();
    redactor.register(API_KEY);
    expect(redactor.redact(`key ${API_KEY.slice(0, 20)}… is wrong`)).toBe(`key ${REDACTED}… is wrong`);
  });

  it('masks overlapping values as one span', () => {
    const redactor = createRedactor();
    redactor.register('abcdefghij');
    redactor.register('ghijklmnop');
    expect(redactor.redact('<abcdefghijklmnop>')).toBe(`<${REDACTED}>`);
  });

  it('reports that a value is too short to search for', () => {
    expect(createRedactor().register('abc')).toBe(false);
  });

  it('keeps no readable copy of registered values', () => {
    const redactor = createRedactor();
    redactor.register(Secret.fromText(API_KEY));
    expect(inspect(redactor, { depth: 12, showHidden: true })).not.toContain(API_KEY);
  });

  it('returns clean text and values unchanged', () => {
    const redactor = createRedactor();
    redactor.register(API_KEY);
    const value = {
      plan: { id: 'plan_1', stages: [{ amount: '1000000', fee: 5000, ok: true, none: null }] },
      wallet: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      hash: 'a3f5b6c7d8e9f00112233445566778899aabbccddeeff00112233445566778899',
      shares: Array.from({ length: 64 }, (_, i) => (i % 2 === 0 ? 156 : 157)),
    };
    expect(redactor.redactValue(value)).toBe(value);
    expect(redactor.redact(JSON.stringify(value))).toBe(JSON.stringify(value));
  });

  it('scans a text once for any number of registered values', () => {
    const text = 'The quick brown fox jumps over 13 lazy dogs. '.repeat(20_000);
    const redactor = createRedactor();
    for (let i = 0; i < 200; i++) redactor.register(`secret-number-${i}-${'x'.repeat(20)}`);
    expect(redactor.redact(text)).toBe(text);
  });
});

describe('redacting structured values', () => {
  it('covers field names, nested texts, errors, secrets and byte arrays', () => {
    const { secret } = createKeypair();
    const redactor = createRedactor();
    redactor.register(API_KEY);
    redactor.register(secret);
    const cause = new Error(`refused ${API_KEY}`);
    const leaked = {
      [API_KEY]: 1,
      list: [
        { text: `x ${API_KEY}` },
        [...secret.exposeBytes()],
        secret.exposeBytes(),
        { ...secret.exposeBytes() },
      ],
      error: new Error(`bad key ${API_KEY}`, { cause }),
      secret,
      headers: { 'X-Api-Key': 'never-registered-value', Authorization: 'whatever' },
      passphrase: 'correct horse battery',
    };
    const output = inspect(redactor.redactValue(leaked), { depth: 10 });
    expect(output).not.toContain(API_KEY);
    expect(output).not.toContain('never-registered-value');
    expect(output).not.toContain('whatever');
    expect(output).not.toContain('horse');
    expect(output).not.toContain([...secret.exposeBytes().slice(0, 8)].join(', '));
    expect(output).toContain('[secret]');
  });

  it('handles a cyclic value', () => {
    const loop: Record<string, unknown> = { text: `a ${API_KEY}` };
    loop.self = loop;
    const redactor = createRedactor();
    redactor.register(API_KEY);
    expect(redactor.redactValue(loop)).toEqual({ text: `a ${REDACTED}`, self: '[circular]' });
  });
});

describe('redacting by pattern', () => {
  const jwt = `eyJ${'hbGciOiJIUzI1NiJ9'}.${Buffer.from('{"sub":"agent","exp":1}').toString('base64url')}.c2lnbmF0dXJl`;
  const hidden: [string, string, string][] = [
    ['a JWT', `token is ${jwt}.`, jwt],
    ['an x-api-key header', 'x-api-key: abcd1234efgh', 'abcd1234efgh'],
    ['an x-api-key field', '{"x-api-key":"abcd1234efgh"}', 'abcd1234efgh'],
    ['an escaped x-api-key field', '{\\"X-API-Key\\": \\"abcd1234efgh\\"}', 'abcd1234efgh'],
    ['raw headers', '["x-api-key","abcd1234efgh"]', 'abcd1234efgh'],
    ['a bearer token', 'Authorization: Bearer abc.DEF-123', 'abc.DEF-123'],
    ['a bare bearer token', 'sent bearer 0123abcdefgh4567', '0123abcdefgh4567'],
    ['an age key', `AGE-SECRET-KEY-1${'Q'.repeat(58)}`, 'QQQQQQ'],
    ['a PEM key', '-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----', 'MC4CAQ'],
    ['URL userinfo', 'postgres://user:hunter2@db/x', 'hunter2'],
    ['a URL query', 'https://rpc.example/?api-key=4d1f8f0e-0d57-4fb2-9c65-5d7de4d8a111', '4d1f8f0e'],
    ['a token in a query', 'wss://rpc.example/x?t=a1B2c3D4e5F6g7H8i9J0k1L2', 'a1B2c3D4'],
    ['a key in a path', 'https://sol.example/v2/Ab3dEf6hIj9lMn2pQr5tUv8xYz1_-aBc', 'Ab3dEf6h'],
    [
      'a hex key in a path',
      'https://x.example/0123456789abcdef0123456789abcdef01234567/',
      '0123456789abcdef',
    ],
    ['a UUID path', 'https://x.example/4d1f8f0e-0d57-4fb2-9c65-5d7de4d8a111', '4d1f8f0e'],
    ['a keypair array', JSON.stringify([...createKeypair().secret.exposeBytes()]), ','],
    ['a keypair as an object', JSON.stringify(Uint8Array.from(createKeypair().secret.exposeBytes())), '"1":'],
  ];
  for (const [name, text, secret] of hidden) {
    it(`removes ${name} that was never registered`, () => {
      const output = createRedactor().redact(text);
      expect(output).toContain(REDACTED);
      expect(output).not.toContain(secret);
    });
  }

  const kept = [
    'Send the x-api-key header. The bearer of this letter is unknown.',
    'https://explorer.example/tx/5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    'https://explorer.example/account/4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T?cluster=devnet',
    'https://ipfs.io/ipfs/QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG',
    'https://arweave.net/Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5MEFCQ0RFRkdISUo',
    'https://docs.example/guide/how-to-launch-a-token-in-2026?page=3&sort=newest#fees',
    'plan://plan_01HV2Z/stages/LAUNCH',
    'sha256 a3f5b6c7d8e9f00112233445566778899aabbccddeeff00112233445566778899',
    '{"apiKey": true, "keyId": "key_123"}',
  ];
  for (const text of kept) {
    it(`keeps ordinary text: ${text.slice(0, 50)}`, () => {
      expect(createRedactor().redact(text)).toBe(text);
    });
  }

  it('hides userinfo, query and path of a registered RPC URL wherever they appear', () => {
    const redactor = createRedactor();
    redactor.registerUrl('https://me:p%40ssw0rd@rpc.example/token/aaaabbbbccccdddd?plan=growth-tier');
    const output = redactor.redact('p@ssw0rd p%40ssw0rd aaaabbbbccccdddd growth-tier rpc.example token');
    expect(output).toBe(`${REDACTED} ${REDACTED} ${REDACTED} ${REDACTED} rpc.example token`);
  });

  it('hides the password of a PostgreSQL address, and no ordinary words', () => {
    const redactor = createRedactor();
    redactor.registerUrl(
      'postgres://countersign:pl9%23word@db.example/countersign_ledger?sslmode=verify-full',
    );
    const words = 'countersign approve, countersign_ledger, verify-full';
    expect(redactor.redact(`${words} pl9#word`)).toBe(`${words} ${REDACTED}`);
  });

  it('has bounded time on text made to defeat its patterns', () => {
    const redactor = createRedactor();
    const nasty = ['a://', 'eyJ', 'bearer ', 'x-api-key:', '[1,', '{"0":1,', '1 ', 'AGE-SECRET-KEY-1', '\\"'];
    for (const piece of nasty) {
      const text = piece.repeat(20_000);
      expect(typeof redactor.redact(text)).toBe('string');
    }
  });
});

it('hides a field name seen before it was registered', () => {
  const redactor = createRedactor();
  const row = { 'ordinary-looking-name': 1 };
  expect(redactor.redactValue(row)).toBe(row);
  redactor.register('ordinary-looking-name');
  expect(JSON.stringify(redactor.redactValue(row))).not.toContain('ordinary-looking-name');
});
