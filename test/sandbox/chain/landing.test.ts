/** Execution, refusals and fees: cluster rules that the bare runtime lacks. */
import { getTransactionDecoder, getTransactionEncoder, type SignatureBytes } from '@solana/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { ChainError } from '../../../sandbox/chain/errors.ts';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from './actors.ts';

let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual' });
});
afterEach(() => chain.close());

describe('a transfer', () => {
  test.each(['legacy', 0, 1] as const)(
    'of version %s lands once, moves lamports and pays its fee',
    async (version) => {
      const from = await fundedSigner(chain, 10n * SOL);
      const to = await fixedSigner(7);
      const { bytes, signature } = await signed(
        version,
        from,
        [transfer(from, to.address, SOL)],
        chain.latestBlockhash('processed'),
      );

      const outcome = chain.submit(bytes);

      expect(outcome).toMatchObject({ landed: true, signature, record: { err: null, fee: 5000n, version } });
      expect(chain.getAccount(to.address)?.lamports).toBe(SOL);
      expect(chain.getAccount(from.address)?.lamports).toBe(9n * SOL - 5000n);
      expect(chain.submit(bytes)).toEqual({ landed: false, signature, err: 'AlreadyProcessed' });
      expect(chain.getAccount(to.address)?.lamports).toBe(SOL);
    },
  );

  test('that fails on chain has landed: the fee is spent and the rest reverted', async () => {
    const from = await fundedSigner(chain, SOL);
    const to = await fixedSigner(7);
    const { bytes } = await signed(
      0,
      from,
      [transfer(from, to.address, 5n * SOL)],
      chain.latestBlockhash('processed'),
    );
    const outcome = chain.submit(bytes);
    expect(outcome).toMatchObject({
      landed: true,
      record: { err: { InstructionError: [0, { Custom: 1 }] }, fee: 5000n },
    });
    expect(chain.getAccount(from.address)?.lamports).toBe(SOL - 5000n);
    expect(chain.getAccount(to.address)).toBeNull();
  });
});

describe('refused without effect', () => {
  test('a blockhash is valid for exactly 150 blocks', async () => {
    const from = await fundedSigner(chain);
    const to = await fundedSigner(chain);
    const lifetime = chain.latestBlockhash('processed');
    const first = await signed(0, from, [transfer(from, to.address, 1n)], lifetime);
    const second = await signed(0, from, [transfer(from, to.address, 2n)], lifetime);

    chain.advanceSlots(150);
    expect(chain.blockHeight).toBe(lifetime.lastValidBlockHeight);
    expect(chain.submit(first.bytes).landed).toBe(true);
    chain.advanceSlots(1);
    expect(chain.submit(second.bytes)).toMatchObject({ landed: false, err: 'BlockhashNotFound' });
    expect(chain.status(second.signature)).toBeUndefined();
  });

  test('a blockhash of another chain is unknown', async () => {
    const other = await createChain({ clock: 'manual' });
    const from = await fundedSigner(chain);
    const { bytes } = await signed(
      0,
      from,
      [transfer(from, from.address, 1n)],
      other.latestBlockhash('processed'),
    );
    expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'BlockhashNotFound' });
  });

  test.each([
    ['missing', new Uint8Array(64)],
    ['forged', new Uint8Array(64).fill(3)],
  ])('a %s signature', async (_name, forged) => {
    const from = await fundedSigner(chain);
    const { bytes } = await signed(
      0,
      from,
      [transfer(from, from.address, 1n)],
      chain.latestBlockhash('processed'),
    );
    const transaction = getTransactionDecoder().decode(bytes);
    const changed = { ...transaction, signatures: { [from.address]: forged as SignatureBytes } };
    const outcome = chain.submit(new Uint8Array(getTransactionEncoder().encode(changed)));
    expect(outcome).toMatchObject({ landed: false, err: 'SignatureFailure' });
    expect(chain.getAccount(from.address)?.lamports).toBe(10n * SOL);
  });

  test('a transaction whose fee payer has no SOL', async () => {
    const poor = await fixedSigner(5);
    const { bytes } = await signed(
      0,
      poor,
      [transfer(poor, poor.address, 1n)],
      chain.latestBlockhash('processed'),
    );
    expect(chain.submit(bytes)).toMatchObject({ landed: false, err: 'AccountNotFound' });
  });

  test('bytes above the packet limit, cut bytes and trailing bytes', async () => {
    const from = await fundedSigner(chain);
    const { bytes } = await signed(
      0,
      from,
      [transfer(from, from.address, 1n)],
      chain.latestBlockhash('processed'),
    );
    const large = new Uint8Array(1233);
    large.set(bytes);
    const largeV1 = new Uint8Array(4097).fill(0x81, 0, 1);
    const code = (input: Uint8Array) => {
      try {
        chain.submit(input);
        return 'submitted';
      } catch (error) {
        return error instanceof ChainError ? error.code : error;
      }
    };
    expect(code(large)).toBe('TOO_LARGE');
    expect(code(largeV1)).toBe('TOO_LARGE');
    expect(code(bytes.slice(0, -1))).toBe('MALFORMED');
    expect(code(Uint8Array.from([...bytes, 0]))).toBe('MALFORMED');
    expect(code(new Uint8Array())).toBe('MALFORMED');
  });
});

test('lamports above 2^53 stay exact', async () => {
  const rich = await fixedSigner(9);
  const lamports = 2n ** 60n + 1n;
  chain.setAccount(rich.address, {
    lamports,
    data: new Uint8Array(),
    owner: '11111111111111111111111111111111',
    executable: false,
  });
  const { bytes } = await signed(
    0,
    rich,
    [transfer(rich, rich.address, 1n)],
    chain.latestBlockhash('processed'),
  );
  expect(chain.submit(bytes)).toMatchObject({
    landed: true,
    record: { preBalances: [lamports, 1n], postBalances: [lamports - 5000n, 1n] },
  });
});

test('airdrops are ordinary, unique transactions from the faucet', async () => {
  const to = await fixedSigner(4);
  const first = chain.airdrop(to.address, SOL);
  const second = chain.airdrop(to.address, SOL);
  expect(first.signature).not.toBe(second.signature);
  expect(first.staticAccounts[0]).toBe(chain.faucetAddress);
  expect(chain.getAccount(to.address)?.lamports).toBe(2n * SOL);
  expect(chain.transactionsFor(to.address).map((record) => record.signature)).toEqual([
    second.signature,
    first.signature,
  ]);
  expect(() => chain.airdrop(to.address, 2n ** 63n)).toThrow(/airdrop failed/);
});
