import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { address, isOffCurveAddress } from '@solana/kit';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { isEvmAddress, isPublicKey, isWallet } from '../../src/contract/keys.ts';
import fc from '../fc.ts';
import { problems, validRequests, WALLET, walletNamed } from './validRequests.ts';

/** No private key exists for this address. */
const OFF_CURVE =
  Array.from({ length: 64 }, (_, i) => bs58.encode(Buffer.alloc(32, i + 1))).find((text) =>
    isOffCurveAddress(address(text)),
  ) ?? '';

const ofMint = (tokenMint: unknown) => problems('launchCreators', { tokenMint });

describe('public keys', () => {
  it('B08 C-FIELD-01 accepts exactly the base58 encoding of 32 bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 0, maxLength: 48 }), (bytes) => {
        expect(isPublicKey(bs58.encode(bytes))).toBe(bytes.length === 32);
      }),
    );
  });

  it.each([
    ['31 bytes', bs58.encode(Buffer.alloc(31, 7))],
    ['33 bytes', bs58.encode(Buffer.alloc(33, 7))],
    ['characters that base58 lacks', `0OIl${WALLET.slice(4)}`],
    ['a leading space', ` ${WALLET}`],
    ['a trailing newline', `${WALLET}\n`],
    ['no character', ''],
    ['ten megabytes', '1'.repeat(10_000_000)],
  ])('B08 refuses a key of %s', (_, key) => {
    expect(ofMint(key)).toEqual([expect.stringMatching(/^tokenMint: must be a base58 public key/)]);
  });

  it('B08 refuses a number in place of a key', () => {
    expect(ofMint(1)).toEqual([expect.stringMatching(/^tokenMint: .*expected string/)]);
  });

  it('B09 reports an EVM address in a Solana field', () => {
    expect(ofMint('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')[0]).toMatch(/EVM address or hex/);
  });

  it('B09 reports a Solana key in an EVM field', () => {
    expect(problems('evmCreatorRoster', { tokenAddress: WALLET })[0]).toMatch(/looks like a Solana key/);
  });
});

describe('wallets', () => {
  it('B10 C-FIELD-02 agrees with two curve libraries on whether a key is on the curve', () => {
    for (let i = 0; i < 200; i++) {
      const bytes = randomBytes(32);
      const text = bs58.encode(bytes);
      let onCurve = true;
      try {
        ed25519.Point.fromBytes(bytes, true);
      } catch {
        onCurve = false;
      }
      expect(isWallet(text)).toBe(onCurve);
      expect(isWallet(text)).toBe(!isOffCurveAddress(address(text)));
    }
  });

  it('B10 accepts the address of every key pair', () => {
    for (let i = 0; i < 50; i++) expect(isWallet(walletNamed(`pair ${i}`))).toBe(true);
  });

  it.each([
    ['the System program', '11111111111111111111111111111111'],
    ['the Token program', 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA'],
    ['the wrapped SOL mint', 'So11111111111111111111111111111111111111112'],
    ['an address off the curve', OFF_CURVE],
  ])('B10 refuses %s as payer', (_, payer) => {
    const found = problems('feeShareConfig', { ...validRequests.feeShareConfig, payer });
    expect(found).toEqual([expect.stringMatching(/^payer: must be a wallet that can sign/)]);
  });
});

describe('C-FIELD-03 EVM addresses', () => {
  it.each([
    ['lower case', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['upper case', '0X5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED'],
    ['a wrong checksum', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['the zero address', `0x${'0'.repeat(40)}`],
  ])('B49 B50 accepts %s', (_, text) => {
    expect(isEvmAddress(text)).toBe(true);
  });

  it.each([
    ['39 digits', `0x${'a'.repeat(39)}`],
    ['41 digits', `0x${'a'.repeat(41)}`],
    ['no prefix', 'a'.repeat(40)],
    ['a letter outside hexadecimal', `0x${'a'.repeat(39)}g`],
    ['a newline', `0x${'a'.repeat(40)}\n`],
  ])('B49 refuses %s', (_, tokenAddress) => {
    expect(problems('evmCreatorRoster', { tokenAddress })).toEqual([
      'tokenAddress: must be an EVM address: 0x and 40 hexadecimal digits, in any letter casing',
    ]);
  });
});
