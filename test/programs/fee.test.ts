import { getTransactionDecoder } from '@solana/kit';
import { FailedTransactionMetadata, LiteSVM } from 'litesvm';
import { describe, expect, test } from 'vitest';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { transactionFee } from '../../src/programs/solana/fee.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import type { TransactionConfig, TransactionFormat } from '../../src/transaction/types.ts';
import { compile, SIGNERS } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';

const [payer = '', second = ''] = SIGNERS.map((key) => key.address);
const price = (microLamports: bigint) =>
  encodeInstruction('computeBudget.setComputeUnitPrice', { accounts: {}, args: { microLamports } });
const limit = (units: number) =>
  encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units } });
const heap = encodeInstruction('computeBudget.requestHeapFrame', { accounts: {}, args: { bytes: 65536 } });
const transfer = encodeInstruction('system.transfer', {
  accounts: { from: payer, to: payer },
  args: { lamports: 1n },
});

function build(
  format: TransactionFormat,
  instructions: EncodedInstruction[],
  config?: TransactionConfig,
  blockhash = testAddress('hash'),
): Uint8Array {
  const slots = ['signed', 'signed'] as const;
  return compile({
    format,
    feePayer: payer,
    blockhash,
    instructions,
    tables: [],
    slots,
    ...(config ? { config } : {}),
  });
}

const fee = (format: TransactionFormat, instructions: EncodedInstruction[], config?: TransactionConfig) =>
  transactionFee(readTransaction(build(format, instructions, config)));

describe('the fee of a legacy or v0 transaction', () => {
  test('is 5,000 lamports per signature without a price', () => {
    expect(fee('v0', [transfer])).toEqual({
      base: 5000n,
      priority: 0n,
      total: 5000n,
      computeUnitLimit: 1_400_000,
    });
    const two = encodeInstruction('system.createAccount', {
      accounts: { payer, newAccount: second },
      args: { lamports: 1n, space: 0n, owner: payer },
    });
    expect(fee('legacy', [two]).base).toBe(10_000n);
  });

  test('adds price times limit, rounded up (T21)', () => {
    expect(fee('v0', [price(1n), limit(1), transfer]).priority).toBe(1n);
    expect(fee('v0', [price(1_000_000n), limit(1000), transfer]).priority).toBe(1000n);
    expect(fee('v0', [price(1_000_001n), limit(1000), transfer]).priority).toBe(1001n);
    expect(fee('legacy', [limit(3), price(333_334n), transfer]).total).toBe(5002n);
    expect(fee('v0', [price(0n), limit(1000), transfer]).priority).toBe(0n);
  });

  test('counts an absent limit, and one over the cap, as 1.4 million units', () => {
    expect(fee('v0', [price(1_000_000n), transfer])).toMatchObject({
      priority: 1_400_000n,
      computeUnitLimit: 1_400_000,
    });
    expect(fee('v0', [price(1_000_000n), limit(4_000_000_000), transfer]).priority).toBe(1_400_000n);
    expect(fee('v0', [price(2n ** 64n - 1n), transfer]).priority).toBe(25_825_441_703_193_372_261n);
  });

  test('is refused if a Compute Budget instruction is repeated or cannot be decoded (T52)', () => {
    const refused = expect.objectContaining({ code: 'NONCANONICAL_BYTES' });
    const bad =
      (...instructions: EncodedInstruction[]) =>
      () =>
        fee('v0', [...instructions, transfer]);
    expect(bad(price(1n), price(1n))).toThrow(refused);
    expect(bad(limit(1), limit(2))).toThrow(refused);
    expect(bad(heap, heap)).toThrow(refused);
    expect(bad(price(1n), limit(1), heap)).not.toThrow();
    const raw = (...data: number[]) => ({
      programAddress: COMPUTE_BUDGET_PROGRAM,
      accounts: [],
      data: Uint8Array.from(data),
    });
    // The runtime applies this price despite a trailing byte.
    expect(bad(raw(...price(5n).data, 0))).toThrow(refused);
    expect(bad(raw())).toThrow(refused);
    expect(bad(raw(9))).toThrow(refused);
  });

  test('cannot be hidden by passing an account to the price instruction', () => {
    const accounts = [{ address: testAddress('x'), signer: false, writable: false }];
    expect(fee('v0', [{ ...price(1_000_000n), accounts }, limit(7), transfer]).priority).toBe(7n);
  });
});

describe('the fee of a v1 transaction', () => {
  test('is stated in its config, without any instruction (T22)', () => {
    expect(fee('v1', [transfer], { priorityFeeLamports: 502_000_000n, computeUnitLimit: 5000 })).toEqual({
      base: 5000n,
      priority: 502_000_000n,
      total: 502_005_000n,
      computeUnitLimit: 5000,
    });
    expect(fee('v1', [transfer])).toMatchObject({ priority: 0n, computeUnitLimit: 0 });
  });

  test('does not depend on Compute Budget instructions, which have no effect there', () => {
    expect(fee('v1', [price(1_000_000n), price(1n), transfer], { priorityFeeLamports: 3n }).total).toBe(
      5003n,
    );
  });
});

describe('a real runtime', () => {
  const full = { computeUnitLimit: 9999, loadedAccountsDataSizeLimit: 100_000 };
  test.each<[string, TransactionFormat, EncodedInstruction[], TransactionConfig | undefined]>([
    ['no price', 'v0', [transfer], undefined],
    ['a price that rounds up', 'v0', [price(1n), limit(1000), transfer], undefined],
    ['a price over two lamports', 'legacy', [limit(1001), price(1999n), transfer], undefined],
    ['a limit over the cap', 'v0', [price(7n), limit(4_000_000_000), transfer], undefined],
    [
      'an account on the price',
      'v0',
      [{ ...price(900_000n), accounts: transfer.accounts.slice(0, 1) }, limit(1000), transfer],
      undefined,
    ],
    ['a v1 priority fee', 'v1', [transfer], { ...full, priorityFeeLamports: 12_345n }],
    [
      'a v1 message with idle instructions',
      'v1',
      [price(1_000_000n), limit(5), transfer],
      { ...full, priorityFeeLamports: 1n },
    ],
  ])('charges exactly the computed fee: %s', (_, format, instructions, config) => {
    const chain = new LiteSVM();
    const transaction = (bytes: Uint8Array) => getTransactionDecoder().decode(bytes);
    const bytes = build(format, instructions, config, chain.latestBlockhash());
    const keys = getTransactionDecoder().decode(bytes).signatures;
    const feePayer = Object.keys(keys)[0] as keyof typeof keys; // Kit's nominal address type
    chain.airdrop(feePayer, 10_000_000_000n as Parameters<LiteSVM['airdrop']>[1]);
    const before = chain.getBalance(feePayer) ?? 0n;
    const outcome = chain.sendTransaction(transaction(bytes));
    expect(outcome).not.toBeInstanceOf(FailedTransactionMetadata);
    expect(before - (chain.getBalance(feePayer) ?? 0n)).toBe(transactionFee(readTransaction(bytes)).total);
  });
});
