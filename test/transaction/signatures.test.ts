import { describe, expect, test } from 'vitest';
import { readTransaction } from '../../src/transaction/read.ts';
import {
  isSignedBy,
  messageWithoutBlockhash,
  requiredSigners,
  signSlot,
  verifyCosignatures,
  withBlockhash,
} from '../../src/transaction/signatures.ts';
import type { TransactionFormat } from '../../src/transaction/types.ts';
import { compile, SIGNERS, type TransactionSpec } from './arbitrary.ts';
import { testAddress, testKey } from './keys.ts';

const [payer = testKey(''), second = testKey('')] = SIGNERS;
const FORMATS = ['legacy', 'v0', 'v1'] as const;

function twoSigners(
  format: TransactionFormat,
  slots: TransactionSpec['slots'],
  blockhash = testAddress('hash'),
) {
  const accounts = [
    { address: payer.address, signer: true, writable: true },
    { address: second.address, signer: true, writable: false },
  ];
  const instructions = [{ programAddress: testAddress('program'), accounts, data: Uint8Array.of(1) }];
  return readTransaction(
    compile({ format, feePayer: payer.address, blockhash, instructions, tables: [], slots }),
  );
}

describe('the Ed25519 check', () => {
  test('accepts the RFC 8032 vectors and no variation of them', () => {
    const key = 'FVen3X669xLzsi6N2V91DoiyzHzg1uAgqiT8jZ9nS96Z';
    const signature = Uint8Array.from(
      Buffer.from(
        'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
        'hex',
      ),
    );
    expect(isSignedBy(key, signature, new Uint8Array())).toBe(true);
    expect(isSignedBy(key, signature, Uint8Array.of(0))).toBe(false);
    expect(isSignedBy(payer.address, signature, new Uint8Array())).toBe(false);
    for (let bit = 0; bit < 512; bit += 37) {
      const bent = signature.slice();
      bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isSignedBy(key, bent, new Uint8Array())).toBe(false);
    }
    expect(isSignedBy(key, signature.slice(0, 63), new Uint8Array())).toBe(false);
  });

  test('is false, not an error, for an address off the curve', () => {
    expect(isSignedBy(testAddress('other 1'), payer.sign(Uint8Array.of(1)), Uint8Array.of(1))).toBe(false);
  });
});

describe.each(FORMATS)('a %s transaction', (format) => {
  test('reports each slot as valid, invalid or missing (T44)', () => {
    expect(requiredSigners(twoSigners(format, []))).toEqual([payer.address, second.address]);
    const statuses = (slots: TransactionSpec['slots']) =>
      verifyCosignatures(twoSigners(format, slots)).map((slot) => slot.status);
    expect(statuses(['signed', 'signed'])).toEqual(['valid', 'valid']);
    expect(statuses(['empty', 'signed'])).toEqual(['missing', 'valid']);
    expect(statuses(['garbage', 'empty'])).toEqual(['invalid', 'missing']);
  });

  test('with a valid signature over another message is invalid', () => {
    const other = twoSigners(format, ['signed', 'signed'], testAddress('another hash'));
    const tx = twoSigners(format, ['signed', 'empty']);
    const mixed = { ...tx, signatures: [tx.signatures[0] ?? null, other.signatures[1] ?? null] };
    expect(verifyCosignatures(mixed).map((slot) => slot.status)).toEqual(['valid', 'invalid']);
  });

  test('is signed in its own slot only; foreign slots keep their bytes (T45)', async () => {
    for (const foreign of ['signed', 'garbage', 'empty'] as const) {
      const before = twoSigners(format, ['empty', foreign]);
      const after = await signSlot(before, payer);
      expect(after.signatures[1]).toEqual(before.signatures[1]);
      expect(after.message).toEqual(before.message);
      expect(verifyCosignatures(after)[0]).toEqual({ address: payer.address, status: 'valid' });
      expect(before.signatures[0]).toBeNull();
    }
    const complete = await signSlot(twoSigners(format, ['empty', 'signed']), payer);
    expect(complete.bytes).toEqual(twoSigners(format, ['signed', 'signed']).bytes);
  });

  test('is not signed by a stranger, twice, or with an invalid signature', async () => {
    const tx = twoSigners(format, ['empty', 'signed']);
    await expect(signSlot(tx, testKey('stranger'))).rejects.toMatchObject({ code: 'SIGNERS_MISMATCH' });
    await expect(signSlot(tx, second)).rejects.toMatchObject({ code: 'REPLAY' });
    const liar = { address: payer.address, sign: async () => new Uint8Array(64).fill(1) };
    await expect(signSlot(tx, liar)).rejects.toMatchObject({ code: 'COSIGNATURE_INVALID' });
    const short = { address: payer.address, sign: () => new Uint8Array() };
    await expect(signSlot(tx, short)).rejects.toMatchObject({ code: 'COSIGNATURE_INVALID' });
  });

  test('passes the signer a copy that cannot change the message', async () => {
    const tx = twoSigners(format, ['empty', 'signed']);
    const before = tx.message.slice();
    const vandal = {
      address: payer.address,
      sign: (message: Uint8Array) => {
        const signature = payer.sign(message);
        message.fill(0);
        return signature;
      },
    };
    expect((await signSlot(tx, vandal)).message).toEqual(before);
  });

  test('accepts another blockhash only before any key signed it', () => {
    const fresh = testAddress('fresh');
    const tx = twoSigners(format, ['empty', 'empty']);
    const moved = withBlockhash(tx, fresh);
    expect(moved.blockhash).toBe(fresh);
    expect(moved.bytes).toEqual(twoSigners(format, ['empty', 'empty'], fresh).bytes);
    expect(() => withBlockhash(twoSigners(format, ['empty', 'signed']), fresh)).toThrow(
      expect.objectContaining({ code: 'COSIGNATURE_INVALID', message: expect.stringContaining('signed') }),
    );
  });

  test('compares as equal without its blockhash, and as different for any other byte', () => {
    const tx = twoSigners(format, []);
    const other = twoSigners(format, [], testAddress('another hash'));
    expect(other.message).not.toEqual(tx.message);
    const before = tx.message.slice();
    expect(messageWithoutBlockhash(other)).toEqual(messageWithoutBlockhash(tx));
    expect(tx.message).toEqual(before);
    const zeroed = messageWithoutBlockhash(tx);
    const differing = [...zeroed].flatMap((byte, i) => (byte === tx.message[i] ? [] : [i]));
    expect((differing.at(-1) ?? 0) - (differing[0] ?? 0)).toBeLessThan(32);
    expect(withBlockhash(tx, '11111111111111111111111111111111').message).toEqual(zeroed);
  });
});
