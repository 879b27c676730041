import { format, inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../src/secrets/secret.ts';

describe('a secret', () => {
  const text = 'cs_live_9QmX2vTzB7wK';

  it('prints [secret] in every string conversion of JavaScript', () => {
    const secret = Secret.fromText(text);
    const printed = [
      `${secret}`,
      String(secret),
      secret.toString(),
      `a ${secret}`,
      JSON.stringify(secret),
      JSON.stringify({ deep: [secret] }),
      inspect(secret),
      inspect({ deep: [secret] }, { showHidden: true, depth: 9 }),
      format('%s %o %O %j', secret, secret, secret, secret),
      new Error('failed', { cause: secret }).message + inspect(new Error('failed', { cause: secret })),
    ];
    for (const one of printed) {
      expect(one).not.toContain(text);
      expect(one).not.toContain(text.slice(0, 8));
    }
    for (const one of printed) expect(one).toContain('[secret]');
    expect(Object.keys(secret)).not.toContain('bytes');
    expect(JSON.stringify(Object.entries(secret))).not.toContain(text);
  });

  it('is exposed only on request, unchanged', () => {
    expect(Secret.fromText('päss🔑').expose()).toBe('päss🔑');
    expect(Secret.fromBytes(Uint8Array.of(1, 2, 255)).exposeBytes()).toEqual(Uint8Array.of(1, 2, 255));
    expect(() => Secret.fromBytes(Uint8Array.of(1)).expose()).toThrow(
      expect.objectContaining({ code: 'INVALID_SECRET' }),
    );
  });

  it('zeroes its bytes when wiped and cannot be read afterwards', () => {
    const secret = Secret.fromText(text);
    const live = secret.exposeBytes();
    secret.wipe();
    secret.wipe();
    expect(live.every((value) => value === 0)).toBe(true);
    expect(secret.wiped).toBe(true);
    expect(() => secret.expose()).toThrow(expect.objectContaining({ code: 'SECRET_WIPED' }));
  });

  it('copies its input, so that both can be wiped separately', () => {
    const source = Uint8Array.of(1, 2, 3);
    const secret = Secret.fromBytes(source);
    source.fill(0);
    const copy = secret.clone();
    secret.wipe();
    expect(copy.exposeBytes()).toEqual(Uint8Array.of(1, 2, 3));
  });

  it('compares by value', () => {
    expect(Secret.fromText('abc').equals(Secret.fromText('abc'))).toBe(true);
    expect(Secret.fromText('abc').equals(Secret.fromText('abd'))).toBe(false);
    expect(Secret.fromText('abc').equals(Secret.fromText('abcd'))).toBe(false);
    expect(Secret.fromText('').equals(Secret.fromText(''))).toBe(true);
  });
});
