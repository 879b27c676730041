import { Keypair, PublicKey, SystemProgram, Transaction, VersionedMessage } from '@solana/web3.js';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { checkJwt } from '../../src/secrets/jwt.ts';
import { challengeText } from '../../src/secrets/keys/challenge.ts';
import { thrownBy } from './temporaryHome.ts';

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (payload: unknown, header: unknown = { alg: 'HS256' }) =>
  `${part(header)}.${part(payload)}.c2lnbmF0dXJl`;

describe('a login JWT', () => {
  it('is accepted by its format, with its expiry and no other claim', () => {
    expect(checkJwt(jwt({ exp: 2_000, sub: 'ann' }), 1_000)).toEqual({
      ok: true,
      expiresAt: 2_000,
      expired: false,
    });
    expect(checkJwt(jwt({ exp: 2_000 }), 2_000)).toEqual({ ok: true, expiresAt: 2_000, expired: true });
    expect(checkJwt(jwt({ sub: 'ann' }), 1_000)).toEqual({ ok: true, expired: false });
    expect(checkJwt(jwt({ exp: 'soon' }), 1_000)).toEqual({ ok: true, expired: false });
  });

  it('is refused in another format, without repeating any of it (B59)', () => {
    const good = jwt({ exp: 2_000, note: 'private-claim' });
    const wrong = [
      '',
      'private-claim',
      good.split('.').slice(0, 2).join('.'),
      `${good}.x`,
      `${good}\n`,
      ` ${good}`,
      good.replace('.', '..'),
      `${part('text')}.${part({})}.c2ln`,
      `${part({})}.${part([1])}.c2ln`,
      `${part({})}.bm90IGpzb24.c2ln`,
      `${part({})}.${part({})}.`,
      `${part({})}.${part({})}.si=g`,
      'a'.repeat(100_000),
    ];
    for (const text of wrong) {
      const result = checkJwt(text, 0);
      expect(result.ok, text.slice(0, 40)).toBe(false);
      expect(JSON.stringify(result)).not.toContain('private-claim');
    }
  });
});

describe('a login challenge to be signed by the wallet', () => {
  const payer = Keypair.generate();
  const transaction = new Transaction({
    feePayer: payer.publicKey,
    recentBlockhash: PublicKey.unique().toBase58(),
  }).add(SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: PublicKey.unique(), lamports: 5 }));
  const message = transaction.serializeMessage();
  transaction.sign(payer);
  const wire = transaction.serialize();

  /** Returns whether another library decodes a transaction message. */
  const isTransactionLike = (bytes: Uint8Array): boolean => {
    try {
      const read = VersionedMessage.deserialize(bytes);
      return Buffer.from(read.serialize()).equals(Buffer.from(bytes));
    } catch {
      return false;
    }
  };
  const check = (bytes: Uint8Array) => challengeText(bytes, isTransactionLike);
  const ascii = (text: string) => new TextEncoder().encode(text);

  it('is accepted if it is a sentence or a nonce, and returned as it is signed', () => {
    for (const text of [
      'Sign in to example.org\nNonce: 8c1f5d2e\r\nIssued: 2026-11-21\n',
      '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
      'Anmelden für Zoë \u2014 \u{1F511}',
    ])
      expect(check(ascii(text))).toBe(text);
  });

  it('is refused if a person cannot read all of it', async () => {
    for (const form of [
      // A digest: its content cannot be shown.
      Uint8Array.from({ length: 32 }, (_, i) => i * 7),
      ascii(`Log in${'\n'.repeat(30)}I sell everything for 1 SOL.`),
      ascii('Log in\rI sell everything'),
      ascii('Log in \u001b[8mI sell everything'),
      ascii('Log in \u202eI sell everything'),
      ascii('Log in \u{E0049}\u{E0020}\u{E0073}'),
      ascii('Log in \u3164'),
      ascii('Log in\u2028I sell everything'),
    ]) {
      expect(await thrownBy(() => check(form))).toMatchObject({
        code: 'CHALLENGE_REFUSED',
        message: expect.stringContaining('cannot be shown as text in full'),
      });
    }
  });

  it('is refused if it is a transaction, plain, signed or encoded', async () => {
    const forms = [
      message,
      wire,
      ascii(Buffer.from(message).toString('base64')),
      ascii(Buffer.from(message).toString('hex')),
      ascii(bs58.encode(message)),
      ascii(Buffer.from(wire).toString('base64')),
      ascii(` ${Buffer.from(ascii(bs58.encode(message))).toString('base64')}\n`),
    ];
    for (const form of forms) {
      expect(await thrownBy(() => check(form))).toMatchObject({
        code: 'CHALLENGE_REFUSED',
        message: expect.stringContaining('transaction'),
        hint: expect.stringContaining('countersign login'),
      });
    }
  });

  it('is refused if it is empty or too long', async () => {
    for (const form of [new Uint8Array(0), ascii('x'.repeat(1_025))]) {
      expect(await thrownBy(() => check(form))).toMatchObject({ code: 'CHALLENGE_REFUSED' });
    }
  });
});
