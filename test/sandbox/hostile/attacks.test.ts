import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import type { DecodedTransaction } from '../../../src/transaction/types.ts';
import { at, Caller, list, text } from '../service/support.ts';

let caller: Caller;
let wallet: string;
beforeAll(async () => {
  caller = await Caller.start();
  wallet = caller.sandbox.wallet.address;
});
afterAll(() => caller.close());

async function serving<T>(name: string | null, work: () => Promise<T>): Promise<T> {
  await caller.ok(caller.control('hostile', { name }));
  try {
    return await work();
  } finally {
    await caller.ok(caller.control('hostile', { name: null }));
  }
}

async function request(extra: Record<string, unknown> = {}) {
  const { keys } = caller.sandbox.service;
  return {
    baseMint: await caller.token(),
    payer: wallet,
    flow: 'damm_v2_direct',
    claimersArray: [wallet, keys.seeded('one').address, keys.seeded('two').address],
    basisPointsArray: [5000, 3000, 2000],
    ...extra,
  };
}

const configs = (body: object) => caller.ok(caller.post('/fee-share/config/v2', body));

async function attacked(name: string, extra: Record<string, unknown> = {}) {
  const body = await request(extra);
  const answer = await serving(name, () => configs(body));
  const stages = list(answer, 'plan.transactions');
  return { answer, stages, bytes: Buffer.from(text(stages[0], 'transaction'), 'base64') };
}

async function swapped(name: string | null) {
  const [launch] = [...caller.sandbox.service.state.launches.values()];
  const token = launch?.tokenMint ?? '';
  const path = `/trade/v2/quote?inputMint=${WSOL_MINT}&outputMint=${token}&amount=1000000&taker=${wallet}`;
  const requestId = text(await caller.ok(caller.get(path)), 'requestId');
  const answer = await serving(name, () =>
    caller.ok(caller.post('/trade/v2/swap', { requestId, userPublicKey: wallet })),
  );
  return text(answer, 'swapTransaction');
}

/** Whether every signature that is there is one of this message. */
function cosignaturesHold({ message, signatures, staticAccounts }: DecodedTransaction): boolean {
  return signatures.every((signature, index) => {
    if (signature === null) return true;
    const der = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      addressBytes(staticAccounts[index] ?? ''),
    ]);
    return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
  });
}

describe('hostile mode', () => {
  it('knows its attacks by name, each with the row it shows and what it does', async () => {
    const answer = await caller.ok(caller.control('hostile', { name: null }));
    for (const attack of list(answer, 'attacks')) {
      expect(text(attack, 'row')).toMatch(/^T[0-9]+$/);
      expect(text(attack, 'does').length).toBeGreaterThan(10);
    }
    expect((await caller.control('hostile', { name: 'no such attack' })).status).toBe(404);
  });

  it.each([
    'append-transfer',
    'assign-wallet',
    'approve-delegate',
    'set-token-owner',
    'close-to-attacker',
    'high-fee',
  ])('%s keeps hash and co-signatures in order, and succeeds on chain when it is signed', async (name) => {
    for (const transactionFormat of ['v0', 'v1']) {
      const { stages, bytes } = await attacked(name, { transactionFormat });
      const read = readTransaction(bytes);
      expect(read.messageSha256).toBe(text(stages[0], 'messageSha256'));
      expect(cosignaturesHold(read)).toBe(true);
      expect(read.signatures[0]).toBeNull();
      const simulated = caller.sandbox.chain.simulate(new Uint8Array(bytes));
      expect(simulated.err).toBeNull();
    }
  });

  it('append-transfer takes SOL out of a swap too', async () => {
    const honest = readTransaction(Buffer.from(await swapped(null), 'base64'));
    const hostile = readTransaction(Buffer.from(await swapped('append-transfer'), 'base64'));
    expect(hostile.instructions.length).toBe(honest.instructions.length + 1);
  });

  it('alter-hash and alter-byte make the hash another one', async () => {
    for (const name of ['alter-hash', 'alter-byte']) {
      const { stages, bytes } = await attacked(name);
      const { message } = readTransaction(bytes);
      const hash = createHash('sha256').update(message).digest('hex');
      expect(hash).not.toBe(text(stages[0], 'messageSha256'));
    }
  });

  it('trailing-byte and junk-base64 are not canonical', async () => {
    const { bytes } = await attacked('trailing-byte');
    expect(() => readTransaction(bytes)).toThrow();
    const { stages } = await attacked('junk-base64');
    expect(text(stages[0], 'transaction')).toMatch(/\s/);
  });

  it('wrong-signers names somebody the bytes do not', async () => {
    const { stages, bytes } = await attacked('wrong-signers');
    const { staticAccounts, numRequiredSignatures } = readTransaction(bytes);
    expect(at(stages[0], 'requiredSigners')).not.toEqual(staticAccounts.slice(0, numRequiredSignatures));
  });

  it('garbage-cosignature leaves no signature that holds', async () => {
    for (const transactionFormat of ['v0', 'v1']) {
      const { bytes } = await attacked('garbage-cosignature', { transactionFormat });
      expect(cosignaturesHold(readTransaction(bytes))).toBe(false);
    }
  });

  it('v1-asked-v0-given calls v0 bytes v1', async () => {
    const { stages, bytes } = await attacked('v1-asked-v0-given', { transactionFormat: 'v1' });
    expect(at(stages[0], 'format')).toBe('v1');
    expect(readTransaction(bytes).format).toBe('v0');
  });

  it('durable-nonce advances a nonce of the attacker first', async () => {
    const { bytes } = await attacked('durable-nonce');
    const read = readTransaction(bytes);
    expect([...(read.instructions[0]?.data ?? [])]).toEqual([4, 0, 0, 0]);
    expect(cosignaturesHold(read)).toBe(true);
  });

  it('swap-claimer and other-admin write somebody else into an otherwise good config', async () => {
    const attacker = caller.sandbox.service.keys.seeded('attacker').address;
    for (const [name, field] of [
      ['swap-claimer', `${attacker}:2000`],
      ['other-admin', attacker],
    ] as const) {
      const { answer } = await attacked(name);
      await caller.landAll(at(answer, 'plan'));
      const data = caller.sandbox.chain.getAccount(text(answer, 'feeShareConfig'))?.data ?? new Uint8Array();
      expect(Buffer.from(data).includes(field)).toBe(true);
    }
  });

  it('is over when it is switched off: the next answer lands', async () => {
    const answer = await configs(await request());
    await caller.landAll(at(answer, 'plan'));
  });
});
