/** Commitment views lag as on a cluster, and each is one consistent past state. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createChain, type SandboxChain } from '../../../sandbox/chain/chain.ts';
import { fixedSigner, fundedSigner, SOL, signed, transfer } from './actors.ts';

const SYSTEM = '11111111111111111111111111111111';
let chain: SandboxChain;
beforeEach(async () => {
  chain = await createChain({ clock: 'manual', confirmedLag: 2, finalizedLag: 5 });
});
afterEach(() => chain.close());

const account = (lamports: bigint, owner = SYSTEM) => ({
  lamports,
  owner,
  data: new Uint8Array(),
  executable: false,
});

test('an account change reaches confirmed and finalized views only slots later', async () => {
  const { address } = await fixedSigner(1);
  const seen = () =>
    (['processed', 'confirmed', 'finalized'] as const).map((v) => chain.getAccount(address, v)?.lamports);
  chain.airdrop(address, SOL);
  expect(seen()).toEqual([SOL, undefined, undefined]);
  chain.advanceSlots(1);
  chain.airdrop(address, SOL);
  expect(seen()).toEqual([2n * SOL, undefined, undefined]);
  chain.advanceSlots(1);
  expect(seen()).toEqual([2n * SOL, SOL, undefined]);
  chain.advanceSlots(1);
  expect(seen()).toEqual([2n * SOL, 2n * SOL, undefined]);
  chain.advanceSlots(2);
  expect(seen()).toEqual([2n * SOL, 2n * SOL, SOL]);
  chain.advanceSlots(1);
  expect(seen()).toEqual([2n * SOL, 2n * SOL, 2n * SOL]);
});

test('several writes of one slot are one atomic step', async () => {
  const { address } = await fixedSigner(1);
  chain.setAccount(address, account(1n));
  chain.advanceSlots(1);
  for (const lamports of [2n, 3n, 4n]) chain.setAccount(address, account(lamports));
  expect(chain.getAccount(address, chain.slot - 1)?.lamports).toBe(1n);
  expect(chain.getAccount(address, chain.slot)?.lamports).toBe(4n);
});

test('any recent slot can be read, long after it was finalized', async () => {
  const { address } = await fixedSigner(1);
  const start = chain.slot;
  for (let i = 1n; i <= 200n; i += 1n) {
    chain.setAccount(address, account(i));
    chain.advanceSlots(1);
  }
  for (const back of [0, 1, 57, 199]) {
    expect(chain.getAccount(address, start + 199 - back)?.lamports).toBe(200n - BigInt(back));
  }
});

test('program accounts are listed per view', async () => {
  const [a, b] = [(await fixedSigner(1)).address, (await fixedSigner(2)).address];
  const owner = (await fixedSigner(3)).address;
  chain.setAccount(a, account(5n, owner));
  chain.advanceSlots(2);
  chain.setAccount(a, account(5n));
  chain.setAccount(b, account(6n, owner));
  expect([...chain.programAccounts(owner, 'processed').keys()]).toEqual([b]);
  expect([...chain.programAccounts(owner, 'confirmed').keys()]).toEqual([a]);
  expect([...chain.programAccounts(owner, 'finalized').keys()]).toEqual([]);
});

test('a status counts the slots built on it until it is final', async () => {
  const { signature } = chain.airdrop((await fixedSigner(1)).address, SOL);
  const { slot } = chain;
  const base = { slot, err: null };
  expect(chain.status(signature)).toEqual({ ...base, confirmations: 0, commitment: 'processed' });
  chain.advanceSlots(2);
  expect(chain.status(signature)).toEqual({ ...base, confirmations: 2, commitment: 'confirmed' });
  chain.advanceSlots(3);
  expect(chain.status(signature)).toEqual({ ...base, confirmations: null, commitment: 'finalized' });
  expect(chain.status(signature, slot - 1)).toBeUndefined();
});

describe('blockhashes', () => {
  test('a new one is unknown to older views', () => {
    const { blockhash } = chain.latestBlockhash('processed');
    expect(chain.isBlockhashValid(blockhash, 'processed')).toBe(true);
    expect(chain.isBlockhashValid(blockhash, 'confirmed')).toBe(false);
    chain.advanceSlots(2);
    expect(chain.isBlockhashValid(blockhash, 'confirmed')).toBe(true);
    expect(chain.isBlockhashValid(blockhash, 'finalized')).toBe(false);
  });

  test('an expired one is still valid in a lagging finalized view', () => {
    const { blockhash } = chain.latestBlockhash('processed');
    chain.advanceSlots(151);
    expect(chain.isBlockhashValid(blockhash, 'processed')).toBe(false);
    expect(chain.isBlockhashValid(blockhash, 'finalized')).toBe(true);
    chain.advanceSlots(5);
    expect(chain.isBlockhashValid(blockhash, 'finalized')).toBe(false);
  });

  test('block heights are counted apart from slots', () => {
    expect(chain.blockHeight).not.toBe(chain.slot);
    expect(chain.blockHeightAt('confirmed')).toBe(chain.blockHeight - 2);
  });
});

test('a simulation on an older view uses that state and leaves the present unchanged', async () => {
  const from = await fundedSigner(chain, SOL);
  const { address } = await fixedSigner(1);
  chain.advanceSlots(2);
  chain.airdrop(from.address, 4n * SOL);
  const lifetime = chain.latestBlockhash('confirmed');
  const { bytes } = await signed(0, from, [transfer(from, address, 2n * SOL)], lifetime);

  const past = chain.simulate(bytes, { at: 'confirmed', accounts: [address] });
  expect(past.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
  expect(past.accounts).toEqual([null]);

  const present = chain.simulate(bytes, { at: 'processed', accounts: [address] });
  expect(present.err).toBeNull();
  expect(present.accounts[0]?.lamports).toBe(2n * SOL);
  expect(chain.getAccount(from.address)?.lamports).toBe(5n * SOL);
  expect(chain.submit(bytes).landed).toBe(true);
});

test('the clock sysvar has the requested slot', () => {
  const SYSVAR_CLOCK = 'SysvarC1ock11111111111111111111111111111111';
  const slotIn = (view: 'processed' | 'confirmed') =>
    Number(Buffer.from(chain.getAccount(SYSVAR_CLOCK, view)?.data ?? []).readBigUInt64LE(0));
  chain.advanceSlots(7);
  expect(slotIn('processed')).toBe(chain.slot);
  expect(slotIn('confirmed')).toBe(chain.slot - 2);
});
