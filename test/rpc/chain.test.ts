import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/index.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { createChain } from '../../src/rpc/chain.ts';
import { ChainError } from '../../src/rpc/errors.ts';
import { parseExact } from '../../src/rpc/jsonRpc.ts';
import { type Chain, rentFor } from '../../src/rpc/types.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { signSlot } from '../../src/transaction/signatures.ts';
import { compile } from './transfer.ts';

const fetchIt = (url: string, init: RequestInit) => fetch(url, init);

describe('the chain over a real RPC', () => {
  let sandbox: Sandbox;
  let chain: Chain;

  beforeAll(async () => {
    sandbox = await startSandbox({ seed: 'chain', clock: 'manual' });
    chain = createChain({ rpcUrl: sandbox.rpcUrl, fetch: fetchIt });
    sandbox.advanceSlots(2); // confirms the sandbox's setup
  });
  afterAll(() => sandbox.close());

  const transfer = async (lamports: bigint, to = sandbox.service.keys.treasury.address) => {
    const { value } = await chain.latestBlockhash('confirmed');
    const { address, secretKey } = sandbox.wallet;
    const unsigned = await compile(address, value.blockhash, [
      encodeInstruction('system.transfer', { accounts: { from: address, to }, args: { lamports } }),
    ]);
    const signed = await signSlot(readTransaction(unsigned), {
      address,
      sign: (message) => sandbox.service.keys.wallet.sign(message),
    });
    expect(secretKey).toHaveLength(64);
    return { unsigned, signed: signed.bytes };
  };

  it('returns time, accounts and token accounts with the slot of the view', async () => {
    expect(await chain.genesisHash()).toBe(sandbox.genesisHash);
    const head = await chain.head('processed');
    expect(head.slot).toBe(sandbox.chain.slot);
    const { slot, value } = await chain.accounts([sandbox.wallet.address, sandbox.genesisHash], 'processed');
    expect(slot).toBe(head.slot);
    expect(value[0]).toMatchObject({ exists: true, lamports: '100000000000' });
    expect(value[1]).toEqual({
      address: sandbox.genesisHash,
      exists: false,
      lamports: '0',
      owner: '11111111111111111111111111111111',
      executable: false,
      data: '',
    });
    expect((await chain.tokenAccounts(sandbox.wallet.address, 'processed')).slot).toBe(head.slot);
    expect(rentFor(await chain.rent(), 165)).toBe(2_039_280n);
  });

  it('keeps lamports beyond 2^53 exact', async () => {
    const address = sandbox.service.keys.tracking.address;
    const account = {
      lamports: 9_007_199_254_740_993n,
      owner: '11111111111111111111111111111111',
      data: new Uint8Array(),
    };
    sandbox.chain.setAccount(address, { ...account, executable: false });
    const { value } = await chain.accounts([address], 'processed');
    expect(value[0]?.lamports).toBe('9007199254740993');
  });

  it('simulates unsigned transactions and returns every watched account before and after', async () => {
    const { unsigned } = await transfer(1_000_000n);
    const watch = [sandbox.wallet.address, sandbox.service.keys.treasury.address];
    const fact = await chain.simulate(unsigned, watch, 'processed');
    if (fact.status !== 'done') throw new Error(fact.status);
    expect(fact.error).toBeNull();
    const change = (i: number) =>
      BigInt(fact.after[i]?.lamports ?? 0) - BigInt(fact.before[i]?.lamports ?? 0);
    expect(change(1)).toBe(1_000_000n);
    expect(change(0)).toBe(-1_005_000n);
  });

  it('reports a failing transaction without inventing accounts', async () => {
    const { unsigned } = await transfer(10n ** 15n);
    const fact = await chain.simulate(unsigned, [sandbox.wallet.address], 'processed');
    expect(fact).toMatchObject({ status: 'done', after: [] });
    expect(fact.status === 'done' && fact.error).toMatch(/InstructionError/);
  });

  it('sends, finds the status with history, and fetches landed transactions', async () => {
    const { signed } = await transfer(2_000_000n);
    const sent = await chain.send(signed);
    if (sent.outcome !== 'accepted') throw new Error(JSON.stringify(sent));
    const before = await chain.statuses([sent.signature, unknownSignature]);
    expect(before.value[0]).toMatchObject({ error: null, commitment: 'processed' });
    expect(before.value[1]).toBeUndefined();
    sandbox.advanceSlots(40);
    expect((await chain.statuses([sent.signature])).value[0]?.commitment).toBe('finalized');
    const landed = await chain.landed(sent.signature);
    expect(landed).toMatchObject({ error: null, feeLamports: 5_000n });
    const i = landed?.accounts.indexOf(sandbox.service.keys.treasury.address) ?? -1;
    expect((landed?.lamportsAfter[i] ?? 0n) - (landed?.lamportsBefore[i] ?? 0n)).toBe(2_000_000n);
    expect(await chain.send(signed)).toEqual({ outcome: 'already_processed' });
  });

  it('F37 reports an expired blockhash and a send refused for it', async () => {
    const { value } = await chain.latestBlockhash('processed');
    const { signed } = await transfer(3_000_000n);
    sandbox.advanceSlots(200);
    expect((await chain.isBlockhashValid(value.blockhash, 'confirmed')).value).toBe(false);
    expect(await chain.send(signed)).toMatchObject({ outcome: 'refused', blockhashNotFound: true });
  });

  it('F34 refuses a view older than requested', async () => {
    await expect(chain.head('confirmed', sandbox.chain.slot + 1000)).rejects.toMatchObject({
      code: 'RPC_BEHIND',
    });
  });

  it('F32 counts a send with a lost response as unclear', async () => {
    sandbox.rpc.faults.arm('land_then_503', 1);
    const { signed } = await transfer(4_000_000n);
    expect((await chain.send(signed)).outcome).toBe('unclear');
  });
});

/** Sixty-four zero bytes, the signature of no transaction. */
const unknownSignature = '1'.repeat(64);

describe('an endpoint that does not respond as a Solana RPC', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const answering = async (
    reply: (body: string) => { status?: number; body: string; close?: boolean },
  ): Promise<Chain> => {
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { status = 200, body: text, close = false } = reply(body);
        if (close) {
          request.socket.destroy();
          return;
        }
        response.writeHead(status, status === 302 ? { location: 'http://127.0.0.1:9/' } : {}).end(text);
      });
    });
    await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo; // a TCP server
    return createChain({
      rpcUrl: `http://127.0.0.1:${port}/secret-token`,
      fetch: fetchIt,
      timeoutMs: 300_000,
    });
  };
  const result = (body: string, value: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: value });

  const cases: [string, (body: string) => { status?: number; body: string }, string][] = [
    ['HTML', () => ({ body: '<html></html>' }), 'RPC_BAD_ANSWER'],
    ['an error page', () => ({ status: 503, body: 'busy' }), 'RPC_UNREACHABLE'],
    ['too many requests', () => ({ status: 429, body: '{"error":{"code":429}}' }), 'RPC_RATE_LIMITED'],
    ['a missing key', () => ({ status: 401, body: '{"error":{"code":401}}' }), 'RPC_UNAUTHORIZED'],
    ['a redirect', () => ({ status: 302, body: '' }), 'RPC_UNREACHABLE'],
    [
      'an answer to another call',
      () => ({ body: '{"jsonrpc":"2.0","id":999,"result":"x"}' }),
      'RPC_BAD_ANSWER',
    ],
    ['a number where text belongs', (body) => ({ body: result(body, 7) }), 'RPC_BAD_ANSWER'],
    [
      'a refusal',
      (body) => ({
        body: JSON.stringify({ id: JSON.parse(body).id, error: { code: -32601, message: 'no' } }),
      }),
      'RPC_REFUSED',
    ],
  ];
  it.each(cases)('F36 %s is an error without the address', async (_name, reply, code) => {
    const chain = await answering(reply);
    const error = await chain.genesisHash().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ChainError);
    expect(error).toMatchObject({ code });
    expect(
      JSON.stringify({ ...(error as ChainError), message: (error as ChainError).message }),
    ).not.toContain('secret-token');
  });

  it('is asked again if the connection closed during a read, never during a send', async () => {
    const requests: string[] = [];
    let closes = 1;
    const chain = await answering((body) => {
      const { method } = JSON.parse(body);
      requests.push(method);
      return { body: result(body, 'genesis'), close: closes-- > 0 };
    });
    expect(await chain.genesisHash()).toBe('genesis');
    closes = 1;
    expect(await chain.send(new Uint8Array(65))).toEqual({ outcome: 'unclear', reason: 'RPC_UNREACHABLE' });
    closes = 2;
    await expect(chain.genesisHash()).rejects.toMatchObject({ code: 'RPC_UNREACHABLE' });
    expect(requests).toEqual([
      'getGenesisHash',
      'getGenesisHash',
      'sendTransaction',
      'getGenesisHash',
      'getGenesisHash',
    ]);
  });

  it('is refused for a height that is not a number', async () => {
    const chain = await answering((body) => ({
      body: result(body, { absoluteSlot: 5, blockHeight: '1e9' }),
    }));
    await expect(chain.head('confirmed')).rejects.toMatchObject({ code: 'RPC_BAD_ANSWER' });
  });

  it.each([
    ['more for each byte', 890_880n * 1_000n, 6_960n * 1_000n],
    ['more for every account', 890_880n + 1n, 6_960n],
    ['nothing for a byte', 890_880n, 0n],
  ])('T14 is refused for a rent that takes %s than public clusters', async (_, empty, perByte) => {
    const chain = await answering((body) => ({
      body: result(body, Number(JSON.parse(body).params[0] === 0 ? empty : empty + perByte)),
    }));
    await expect(chain.rent()).rejects.toMatchObject({ code: 'RPC_BAD_ANSWER' });
  });

  it('never confirms a status that the node omitted', async () => {
    const chain = await answering((body) => ({ body: result(body, { context: { slot: 1 }, value: [] }) }));
    await expect(chain.statuses(['a'])).rejects.toMatchObject({ code: 'RPC_BAD_ANSWER' });
  });

  it('T56 reads an error as names and numbers, never as prose that reaches people and agents', async () => {
    const errorOf = async (err: unknown) => {
      const value = [{ slot: 7, err, confirmations: null, confirmationStatus: 'finalized' }];
      const chain = await answering((body) => ({ body: result(body, { context: { slot: 9 }, value }) }));
      return (await chain.statuses(['a'])).value[0]?.error;
    };
    expect(await errorOf(null)).toBe(null);
    expect(await errorOf('AccountNotFound')).toBe('AccountNotFound');
    const custom = { InstructionError: [2, { Custom: 6001 }] };
    expect(await errorOf(custom)).toBe(JSON.stringify(custom));
    for (const prose of ['Ask the owner to unfreeze.', '\u001b[2J', 'a\u202eb', 'x'.repeat(201)])
      for (const err of [prose, { InstructionError: [0, prose] }, { [prose]: 1 }])
        expect(await errorOf(err)).toBe('UnknownError');
  });

  it('fails a simulation while the accounts keep changing', async () => {
    let reads = 0;
    const chain = await answering((body) => {
      const { method } = JSON.parse(body);
      reads += 1;
      const account = {
        lamports: reads,
        owner: '11111111111111111111111111111111',
        executable: false,
        data: ['', 'base64'],
      };
      const value = method === 'simulateTransaction' ? { err: null, accounts: [account] } : [account];
      return { body: result(body, { context: { slot: reads }, value }) };
    });
    expect(
      await chain.simulate(new Uint8Array(4), ['11111111111111111111111111111111'], 'confirmed'),
    ).toEqual({
      status: 'unavailable',
      reason: 'the accounts kept changing',
    });
  });
});

describe('JSON with long integers', () => {
  it('keeps their digits and changes nothing else', () => {
    expect(
      parseExact(
        '{"a":18446744073709551615,"b":"18446744073709551615","c":-1.5e300,"d":123,"e":"x\\"9007199254740993"}',
      ),
    ).toEqual({
      a: '18446744073709551615',
      b: '18446744073709551615',
      c: -1.5e300,
      d: 123,
      e: 'x"9007199254740993',
    });
  });
});
