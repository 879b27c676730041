/**
 * Sending, simulating and looking up transactions over bare JSON-RPC: error codes, encodings and paging of real nodes.
 */
import { getTransactionDecoder, getTransactionEncoder, type SignatureBytes } from '@solana/kit';
import { expect, test } from 'vitest';
import { fixedSigner, fundedSigner, SOL, signed, transfer, type Version } from '../chain/actors.ts';
import { serve } from './served.ts';

async function served() {
  const { chain, call } = await serve();
  const from = await fundedSigner(chain);
  const to = (await fixedSigner(7)).address;
  chain.advanceSlots(1);
  const pay = async (amount: bigint, version: Version = 0) =>
    signed(version, from, [transfer(from, to, amount)], chain.latestBlockhash('confirmed'));
  const send = (bytes: Uint8Array, options: object = {}) =>
    call('sendTransaction', base64(bytes), {
      encoding: 'base64',
      preflightCommitment: 'confirmed',
      ...options,
    });
  return { chain, call, from, to, pay, send };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

function withoutSignature(bytes: Uint8Array, signer: string): Uint8Array {
  const transaction = getTransactionDecoder().decode(bytes);
  const empty = new Uint8Array(64) as SignatureBytes;
  return new Uint8Array(getTransactionEncoder().encode({ ...transaction, signatures: { [signer]: empty } }));
}

test('preflight reports a failure with error, logs and units', async () => {
  const { pay, send, chain, to } = await served();
  const { bytes } = await pay(99n * SOL);
  expect(await send(bytes)).toMatchObject({
    error: {
      code: -32002,
      message: 'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
      data: {
        err: { InstructionError: [0, { Custom: 1 }] },
        logs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
        unitsConsumed: 150,
        accounts: null,
      },
    },
  });
  expect(chain.getAccount(to)).toBeNull();
});

test('without preflight a failing transaction lands with its error and costs its fee', async () => {
  const { pay, send, chain, from } = await served();
  const { bytes, signature } = await pay(99n * SOL);
  expect(await send(bytes, { skipPreflight: true })).toMatchObject({ result: signature });
  expect(chain.status(signature)?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(chain.getAccount(from.address)?.lamports).toBe(10n * SOL - 5000n);
});

test('an expired blockhash is reported by preflight and silently dropped without it', async () => {
  const { pay, send, chain } = await served();
  const { bytes, signature } = await pay(SOL);
  chain.advanceSlots(152);
  expect(await send(bytes)).toMatchObject({
    error: { code: -32002, message: 'Transaction simulation failed: Blockhash not found' },
  });
  expect(await send(bytes, { skipPreflight: true })).toMatchObject({ result: signature });
  expect(chain.status(signature)).toBeUndefined();
});

test('a blockhash newer than the preflight view is not found there', async () => {
  const { chain, from, send } = await served();
  const { bytes, signature } = await signed(
    0,
    from,
    [transfer(from, from.address, 1n)],
    chain.latestBlockhash('processed'),
  );
  expect(await send(bytes)).toMatchObject({ error: { data: { err: 'BlockhashNotFound' } } });
  expect(await send(bytes, { preflightCommitment: 'processed' })).toMatchObject({ result: signature });
});

test('unsigned transactions simulate, but are refused when sent, before and after', async () => {
  const { call, chain, pay, send, from, to } = await served();
  const { bytes } = await pay(SOL);
  const unsigned = withoutSignature(bytes, from.address);
  const refused = { error: { code: -32003, message: 'Transaction signature verification failure' } };
  expect(await send(unsigned)).toMatchObject(refused);
  const options = { encoding: 'base64', commitment: 'processed' };
  const accounts = { addresses: [to], encoding: 'base64' };
  expect(await call('simulateTransaction', base64(unsigned), { ...options, accounts })).toMatchObject({
    result: {
      context: { slot: chain.slot },
      value: {
        err: null,
        unitsConsumed: 150,
        accounts: [{ lamports: Number(SOL), data: ['', 'base64'] }],
      },
    },
  });
  expect(await call('simulateTransaction', base64(unsigned), { ...options, sigVerify: true })).toMatchObject(
    refused,
  );
  expect(await send(unsigned)).toMatchObject(refused);
  await send(unsigned, { skipPreflight: true });
  expect(chain.getAccount(to)).toBeNull();
});

test('a simulation replaces the blockhash only on request, and never with checked signatures', async () => {
  const { call, chain, pay } = await served();
  const { bytes } = await pay(SOL);
  chain.advanceSlots(200);
  const options = { encoding: 'base64', commitment: 'confirmed' };
  expect(await call('simulateTransaction', base64(bytes), options)).toMatchObject({
    result: { value: { err: 'BlockhashNotFound', accounts: null, replacementBlockhash: null } },
  });
  const { blockhash, lastValidBlockHeight } = chain.latestBlockhash('confirmed');
  const replace = { ...options, replaceRecentBlockhash: true };
  expect(await call('simulateTransaction', base64(bytes), replace)).toMatchObject({
    result: { value: { err: null, replacementBlockhash: { blockhash, lastValidBlockHeight } } },
  });
  expect(await call('simulateTransaction', base64(bytes), { ...replace, sigVerify: true })).toMatchObject({
    error: { code: -32602 },
  });
});

test.each([
  ['one byte too many', base64(new Uint8Array(1233)), 'base64', /1233 bytes/],
  ['a v1 body above its own limit', base64(new Uint8Array(4097).fill(0x81)), 'base64', /4097 bytes/],
  ['a cut transaction', base64(new Uint8Array(100)), 'base64', /transaction/],
  ['text that is not base64', '%%%%', 'base64', /base64/],
  ['text that is not base58', '0OIl', 'base58', /base58/],
  ['an unknown encoding', 'AA==', 'hex', /unsupported encoding/],
])('refuses %s as a wrong parameter', async (_name, text, encoding, message) => {
  const { call } = await served();
  for (const method of ['sendTransaction', 'simulateTransaction']) {
    expect(await call(method, text, { encoding })).toMatchObject({
      error: { code: -32602, message: expect.stringMatching(message) },
    });
  }
});

test('a landed transaction is returned in base64 and as JSON', async () => {
  const { call, chain, pay, send, from, to } = await served();
  for (const version of ['legacy', 0, 1] as const) {
    const { bytes, signature } = await pay(SOL, version);
    await send(bytes);
    chain.advanceSlots(1);
    const get = (encoding: string) =>
      call('getTransaction', signature, {
        encoding,
        commitment: 'confirmed',
        maxSupportedTransactionVersion: 1,
      });
    expect(await get('base64')).toMatchObject({
      result: { version, transaction: [base64(bytes), 'base64'] },
    });
    expect(await get('json')).toMatchObject({
      result: {
        slot: chain.slot - 1,
        transaction: {
          signatures: [signature],
          message: {
            accountKeys: [from.address, to, '11111111111111111111111111111111'],
            header: {
              numRequiredSignatures: 1,
              numReadonlySignedAccounts: 0,
              numReadonlyUnsignedAccounts: 1,
            },
            instructions: [{ programIdIndex: 2, accounts: [0, 1] }],
          },
        },
        meta: { err: null, status: { Ok: null }, fee: 5000, computeUnitsConsumed: expect.any(Number) },
      },
    });
  }
});

test('a client without a stated version gets none it may not support', async () => {
  const { call, chain, pay, send } = await served();
  const { bytes, signature } = await pay(SOL, 1);
  await send(bytes);
  chain.advanceSlots(32);
  expect(await call('getTransaction', signature)).toMatchObject({ error: { code: -32015 } });
  expect(await call('getTransaction', signature, { maxSupportedTransactionVersion: 0 })).toMatchObject({
    error: { code: -32015, message: expect.stringContaining('"maxSupportedTransactionVersion": 1') },
  });
});

test('history starts at confirmed, newest first, in pages', async () => {
  const { call, chain, pay, send, to } = await served();
  const signatures: string[] = [];
  for (const amount of [1n, 2n, 3n]) {
    const { bytes, signature } = await pay(amount * SOL);
    await send(bytes);
    signatures.unshift(signature);
    chain.advanceSlots(1);
  }
  const list = async (options: object) => {
    const { result } = await call('getSignaturesForAddress', to, { commitment: 'confirmed', ...options });
    return (result as { signature: string }[]).map((entry) => entry.signature);
  };
  expect(await list({})).toEqual(signatures);
  expect(await list({ limit: 2 })).toEqual(signatures.slice(0, 2));
  expect(await list({ before: signatures[0] })).toEqual(signatures.slice(1));
  expect(await list({ until: signatures[2] })).toEqual(signatures.slice(0, 2));
  expect(await list({ commitment: 'finalized' })).toEqual([]);
  expect(await call('getSignaturesForAddress', to, { commitment: 'processed' })).toMatchObject({
    error: { code: -32602 },
  });
  expect(await call('getTransaction', signatures[0], { commitment: 'processed' })).toMatchObject({
    error: { code: -32602 },
  });
});

test('old statuses require a history search', async () => {
  const { call, chain, pay, send } = await served();
  const { bytes, signature } = await pay(SOL);
  await send(bytes);
  chain.advanceSlots(151);
  expect(await call('getSignatureStatuses', [signature])).toMatchObject({ result: { value: [null] } });
  expect(await call('getSignatureStatuses', [signature], { searchTransactionHistory: true })).toMatchObject({
    result: {
      context: { slot: chain.slot },
      value: [{ err: null, confirmations: null, confirmationStatus: 'finalized', status: { Ok: null } }],
    },
  });
});
