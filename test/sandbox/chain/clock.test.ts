/** Chain time: manual or automatic, repeatable by seed, distinct per chain. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ChainOptions, createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { fixedSigner, SOL, signed, transfer } from './actors.ts';

const open: SandboxChain[] = [];
async function chainWith(options: Partial<ChainOptions>) {
  const chain = await createChain({ clock: 'manual', ...options });
  open.push(chain);
  return chain;
}
beforeEach(() => {
  vi.useFakeTimers({ now: 1_800_000_000_000, toFake: ['setInterval', 'clearInterval', 'Date'] });
});
afterEach(() => {
  for (const chain of open.splice(0)) chain.close();
  vi.useRealTimers();
});

test('two chains have different genesis hashes and share no blockhash', async () => {
  const [a, b] = [await chainWith({}), await chainWith({})];
  expect(a.genesisHash).not.toBe(b.genesisHash);
  expect(a.latestBlockhash('finalized').blockhash).not.toBe(b.latestBlockhash('finalized').blockhash);
  expect(a.faucetAddress).not.toBe(b.faucetAddress);
});

test('one seed produces one history, signature by signature', async () => {
  const history = async (seed: string) => {
    const chain = await chainWith({ seed });
    const payer = await fixedSigner(3);
    const { signature } = chain.airdrop(payer.address, SOL);
    chain.advanceSlots(3);
    const own = await signed(
      0,
      payer,
      [transfer(payer, payer.address, 1n)],
      chain.latestBlockhash('confirmed'),
    );
    chain.submit(own.bytes);
    const record = chain.transaction(own.signature);
    return [chain.genesisHash, chain.slot, chain.faucetAddress, signature, record];
  };
  expect(await history('one')).toEqual(await history('one'));
  expect((await history('one'))[0]).not.toBe((await history('two'))[0]);
});

test('a manual clock advances only explicitly, not with sends', async () => {
  const chain = await chainWith({});
  const { slot } = chain;
  chain.airdrop((await fixedSigner(1)).address, SOL);
  vi.advanceTimersByTime(60_000);
  expect(chain.slot).toBe(slot);
  chain.advanceSlots(10);
  expect(chain.slot).toBe(slot + 10);
  expect(chain.blockTime(chain.slot) - chain.blockTime(slot)).toBe(1);
});

test('an automatic clock produces a slot per slot time and catches up after a busy period', async () => {
  const chain = await chainWith({ clock: 'auto', slotMs: 100, now: () => Date.now() });
  const start = chain.slot;
  vi.advanceTimersByTime(1_000);
  expect(chain.slot).toBe(start + 10);
  expect(chain.blockTime(chain.slot)).toBe(1_800_000_001);

  vi.setSystemTime(Date.now() + 900);
  vi.advanceTimersByTime(100);
  expect(chain.slot).toBe(start + 20);
});

test('after a long sleep the chain continues from its last slot at the present time', async () => {
  const chain = await chainWith({ clock: 'auto', slotMs: 100, now: () => Date.now() });
  const { blockhash } = chain.latestBlockhash('processed');
  const start = chain.slot;
  vi.setSystemTime(Date.now() + 3_600_000);
  vi.advanceTimersByTime(100);
  expect(chain.slot).toBe(start + 32);
  expect(chain.isBlockhashValid(blockhash, 'processed')).toBe(true);
  expect(chain.blockTime(chain.slot)).toBe(1_800_003_600);
  vi.advanceTimersByTime(100);
  expect(chain.slot).toBe(start + 33);
});

test('a closed chain produces no slots and notifies no subscriber', async () => {
  const chain = await chainWith({ clock: 'auto', now: () => Date.now() });
  const slots: number[] = [];
  chain.on('slot', ({ slot }) => slots.push(slot));
  vi.advanceTimersByTime(200);
  chain.close();
  const { slot } = chain;
  vi.advanceTimersByTime(1_000);
  chain.advanceSlots(1);
  expect(slots).toEqual([slot - 1, slot]);
});

test('each slot is announced once with its parent and root, and each transaction as it lands', async () => {
  const chain = await chainWith({ finalizedLag: 3 });
  const events: unknown[] = [];
  chain.on('slot', (event) => events.push(event));
  const stop = chain.on('transaction', ({ signature }) => events.push(signature));
  const { slot } = chain;
  const { signature } = chain.airdrop((await fixedSigner(1)).address, SOL);
  stop();
  chain.airdrop((await fixedSigner(1)).address, SOL);
  chain.advanceSlots(2);
  expect(events).toEqual([
    signature,
    { slot: slot + 1, parent: slot, root: slot - 2 },
    { slot: slot + 2, parent: slot + 1, root: slot - 1 },
  ]);
});
