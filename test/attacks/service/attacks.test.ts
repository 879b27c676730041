import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, lookalike, lyingChain } from '../../../sandbox/attacks/service/index.ts';
import { REASON_CODES } from '../../../src/policy/decide/types.ts';
import { readMint } from '../../../src/programs/token/accounts.ts';
import { addressBytes, isAddress } from '../../../src/transaction/base58.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import type { DecodedTransaction } from '../../../src/transaction/types.ts';
import { at, Caller, list, text } from '../../sandbox/service/support.ts';

let caller: Caller;
let wallet: string;
beforeAll(async () => {
  caller = await Caller.start();
  wallet = caller.sandbox.wallet.address;
  await caller.sandbox.service.ready();
  caller.sandbox.advanceSlots(2);
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
    claimersArray: [wallet, keys.seeded('one').address],
    basisPointsArray: [6000, 4000],
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

async function quoted(
  inputMint = WSOL_MINT,
  outputMint = caller.sandbox.service.keys.tokenMint(0).address,
  amount = '1000000',
): Promise<string> {
  const path = `/trade/v2/quote?inputMint=${inputMint}&outputMint=${outputMint}&amount=${amount}&taker=${wallet}`;
  return text(await caller.ok(caller.get(path)), 'requestId');
}

async function swapped(name: string | null) {
  const requestId = await quoted();
  const answer = await serving(name, () =>
    caller.ok(caller.post('/trade/v2/swap', { requestId, userPublicKey: wallet })),
  );
  return text(answer, 'swapTransaction');
}

/** Returns whether every present signature is valid for this message. */
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

describe('the registry of attacks', () => {
  it("states for each attack its row, its effect, the asset taken and the policy's reason", () => {
    const codes: readonly string[] = [...REASON_CODES, 'PLAN_INVALID', 'QUOTE_CONFLICT'];
    expect(ATTACKS.size).toBeGreaterThanOrEqual(110);
    for (const [name, { row, does, takes, code }] of ATTACKS) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(row).toMatch(/^T[1-9][0-9]{0,2}$/);
      expect(codes).toContain(code);
      for (const sentence of [does, takes]) expect(sentence).toMatch(/^\S.{3,}\S$/);
    }
  });

  it('is the list in the control interface; unknown names are refused', async () => {
    const answer = await caller.ok(caller.control('hostile', { name: null }));
    expect(list(answer, 'attacks').map((attack) => text(attack, 'name'))).toEqual([...ATTACKS.keys()]);
    expect((await caller.control('hostile', { name: 'no such attack' })).status).toBe(404);
  });
});

describe('hostile mode', () => {
  it.each([
    'append-transfer',
    'assign-wallet',
    'approve-checked',
    'give-token-account',
    'give-close-authority',
    'priority-fee',
  ])('%s keeps hash and co-signatures valid and succeeds on chain once signed', async (name) => {
    for (const transactionFormat of ['v0', 'v1']) {
      const { stages, bytes } = await attacked(name, { transactionFormat });
      const read = readTransaction(bytes);
      expect(read.messageSha256).toBe(text(stages[0], 'messageSha256'));
      expect(cosignaturesHold(read)).toBe(true);
      expect(read.signatures[0]).toBeNull();
      expect(caller.sandbox.chain.simulate(new Uint8Array(bytes)).err).toBeNull();
    }
  });

  it('takes SOL out of a swap and out of a config', async () => {
    const honest = readTransaction(Buffer.from(await swapped(null), 'base64'));
    const hostile = readTransaction(Buffer.from(await swapped('append-transfer'), 'base64'));
    expect(hostile.instructions.length).toBe(honest.instructions.length + 1);
  });

  it('hash-of-another and cosignature-of-another return a transaction whose hash differs from the declared one', async () => {
    for (const name of ['hash-of-another', 'cosignature-of-another']) {
      for (const transactionFormat of ['v0', 'v1']) {
        const { stages, bytes } = await attacked(name, { transactionFormat });
        const { message } = readTransaction(bytes);
        const hash = createHash('sha256').update(message).digest('hex');
        expect(hash).not.toBe(text(stages[0], 'messageSha256'));
      }
    }
  });

  it('bytes-after-the-end and length-written-long return bytes that no decoder should accept', async () => {
    const { bytes } = await attacked('bytes-after-the-end');
    expect(() => readTransaction(bytes)).toThrow();
    const swap = await swapped('length-written-long');
    expect(() => readTransaction(Buffer.from(swap, 'base64'))).toThrow();
  });

  it('text-broken-up returns text that only lenient decoders accept', async () => {
    const { stages } = await attacked('text-broken-up');
    expect(text(stages[0], 'transaction')).toMatch(/\s/);
  });

  it('signer-not-declared declares fewer signers than the transaction has', async () => {
    const { stages, bytes } = await attacked('signer-not-declared');
    const { staticAccounts, numRequiredSignatures } = readTransaction(bytes);
    expect(at(stages[0], 'requiredSigners')).not.toEqual(staticAccounts.slice(0, numRequiredSignatures));
  });

  it('garbage-cosignature leaves an invalid signature, cosignature-withheld omits one', async () => {
    for (const transactionFormat of ['v0', 'v1']) {
      const { bytes } = await attacked('garbage-cosignature', { transactionFormat });
      expect(cosignaturesHold(readTransaction(bytes))).toBe(false);
      const missing = (name: string) =>
        attacked(name, { transactionFormat }).then(
          (each) => readTransaction(each.bytes).signatures.filter((signature) => signature === null).length,
        );
      expect(await missing('cosignature-withheld')).toBe(2);
    }
  });

  it('format-changed returns v1 regardless of the requested format', async () => {
    const { bytes } = await attacked('format-changed');
    expect(readTransaction(bytes).format).toBe('v1');
  });

  it("durable-nonce begins with advancing the attacker's nonce", async () => {
    const { bytes } = await attacked('durable-nonce');
    const read = readTransaction(bytes);
    expect([...(read.instructions[0]?.data ?? [])]).toEqual([4, 0, 0, 0]);
    expect(cosignaturesHold(read)).toBe(true);
  });

  it.each(['claimers-replaced', 'admin-replaced', 'claimer-slipped-in', 'partner-added'])(
    '%s adds another wallet to an otherwise valid config',
    async (name) => {
      const attacker = caller.sandbox.service.keys.seeded('attacker').address;
      const { answer } = await attacked(name);
      await caller.landAll(at(answer, 'plan'));
      const data = caller.sandbox.chain.getAccount(text(answer, 'feeShareConfig'))?.data ?? new Uint8Array();
      expect(Buffer.from(data).includes(Buffer.from(addressBytes(attacker)))).toBe(true);
    },
  );

  it('the token turns malicious once a trade is built and is restored after the attack', async () => {
    const { keys } = caller.sandbox.service;
    const mint = keys.quoteMint('TAXQ').address;
    const before = caller.sandbox.chain.getAccount(mint);
    let during: typeof before = null;
    caller.sandbox.service.hostile.use('permanent-delegate');
    try {
      const quote = await quoted(keys.tokenMint(2).address, mint, '1000000000');
      expect(caller.sandbox.chain.getAccount(mint)).toEqual(before);
      await caller.ok(caller.post('/trade/v2/swap', { requestId: quote, userPublicKey: wallet }));
      during = caller.sandbox.chain.getAccount(mint);
    } finally {
      caller.sandbox.service.hostile.use(undefined);
    }
    expect(readMint(during?.data ?? new Uint8Array()).extensions).toContain('permanentDelegate');
    expect(caller.sandbox.chain.getAccount(mint)).toEqual(before);
  });

  it('ends when switched off: the next plan executes', async () => {
    const answer = await configs(await request());
    await caller.landAll(at(answer, 'plan'));
  });
});

describe('a lying RPC', () => {
  it('falsifies reads and simulations while the chain is unchanged', () => {
    const { chain, service } = caller.sandbox;
    const lies = new Map();
    const liar = lyingChain(chain, lies);
    const friend = service.keys.seeded('rich friend').address;
    expect(liar.getAccount(friend)).toBeNull();
    lies.set(friend, { ...chain.getAccount(wallet), lamports: 7n });
    expect(liar.getAccount(friend)).toMatchObject({ lamports: 7n });
    expect(chain.getAccount(friend)).toBeNull();
    expect(liar.slot).toBe(chain.slot);
    expect(liar.genesisHash).toBe(chain.genesisHash);
  });
});

describe('a look-alike address', () => {
  it('differs from the address but has the same beginning and end', () => {
    const other = lookalike(wallet);
    expect(isAddress(other)).toBe(true);
    expect(other).not.toBe(wallet);
    expect([other.slice(0, 4), other.slice(-4)]).toEqual([wallet.slice(0, 4), wallet.slice(-4)]);
  });
});
