/** A fork drops one unconfirmed transaction: its effects go, the rest stays (F30). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from './actors.ts';

let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual', confirmedLag: 4, finalizedLag: 8 });
});
afterEach(() => chain.close());

async function pay(from: Awaited<ReturnType<typeof fundedSigner>>, to: string, amount: bigint) {
  const { bytes, signature } = await signed(
    0,
    from,
    [transfer(from, to, amount)],
    chain.latestBlockhash('processed'),
  );
  expect(chain.submit(bytes)).toMatchObject({ landed: true, record: { err: null } });
  return { bytes, signature };
}

test('the dropped transaction is unknown, and the same bytes may land again', async () => {
  const from = await fundedSigner(chain);
  const { address } = await fixedSigner(1);
  chain.advanceSlots(4);
  const { bytes, signature } = await pay(from, address, SOL);
  expect(chain.status(signature)?.commitment).toBe('processed');

  chain.fork(signature);
  expect(chain.status(signature)).toBeUndefined();
  expect(chain.transactionsFor(address)).toEqual([]);
  expect(chain.getAccount(address)).toBeNull();
  expect(chain.getAccount(from.address)?.lamports).toBe(10n * SOL);

  expect(chain.submit(bytes).landed).toBe(true);
  expect(chain.getAccount(address)?.lamports).toBe(SOL);
});

test('transactions before, beside and after it stay, in their own slots and views', async () => {
  const [a, b] = [await fundedSigner(chain), await fundedSigner(chain)];
  const { address } = await fixedSigner(1);
  chain.advanceSlots(8);
  const before = await pay(b, address, SOL);
  const dropped = await pay(a, address, 2n * SOL);
  const slot = chain.slot;
  chain.advanceSlots(1);
  const after = await pay(b, address, 3n * SOL);
  chain.setAccount((await fixedSigner(2)).address, {
    lamports: 5n,
    data: new Uint8Array(),
    owner: '11111111111111111111111111111111',
    executable: false,
  });
  chain.advanceSlots(1);

  chain.fork(dropped.signature);
  expect(chain.slot).toBe(slot + 2);
  expect(chain.getAccount(address)?.lamports).toBe(4n * SOL);
  expect(chain.getAccount(address, slot)?.lamports).toBe(SOL);
  expect(chain.getAccount(address, 'confirmed')).toBeNull();
  expect(chain.getAccount((await fixedSigner(2)).address)?.lamports).toBe(5n);
  expect(chain.status(before.signature)?.slot).toBe(slot);
  expect(chain.status(after.signature)?.slot).toBe(slot + 1);
  expect(chain.transactionsFor(address).map((record) => record.signature)).toEqual([
    after.signature,
    before.signature,
  ]);
});

test('what was built on the dropped transaction goes with it', async () => {
  const from = await fundedSigner(chain);
  const middle = await fundedSigner(chain, 0n + SOL);
  chain.advanceSlots(8);
  const { address } = await fixedSigner(1);
  const dropped = await pay(from, middle.address, 5n * SOL);
  const dependent = await pay(middle, address, 4n * SOL);
  chain.fork(dropped.signature);
  expect(chain.transaction(dependent.signature)?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(chain.getAccount(address)).toBeNull();
});

test('a confirmed transaction is never dropped', async () => {
  const from = await fundedSigner(chain);
  const { signature } = await pay(from, from.address, 1n);
  chain.advanceSlots(4);
  expect(() => chain.fork(signature)).toThrow(/confirmed/);
  expect(chain.status(signature)).toBeDefined();
});
