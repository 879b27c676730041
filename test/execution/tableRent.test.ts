/** Closing of lookup tables, built by this program: the returned rent, and rejection of all other bytes (T9). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { budgetOf } from '../../sandbox/service/build/compile.ts';
import {
  createTable,
  deactivateTable,
  extendTable,
  planTable,
} from '../../sandbox/service/build/lookupTable.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';

const friend = testKey('friend').address;
const stranger = testKey('stranger').address;

let home: Home;
beforeEach(async () => {
  home = await Home.withoutMarket({
    // No freeze: these tests cause many denials.
    policy: (file) => ({ ...file, freeze: { afterDenials: { count: 1000, windowSeconds: 600 } } }),
  });
  home.sandbox.advanceSlots(4);
});
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const lamportsOf = (address: string) => home.sandbox.chain.getAccount(address)?.lamports ?? 0n;

describe('the rent of a lookup table', () => {
  /** Creates a lookup table of an owner, active or deactivated. */
  function table(owner: { address: string }, seed: string, deactivated = true): string {
    const { service, chain } = home.sandbox;
    const signer = service.keys.seeded(seed);
    const keys = owner.address === home.wallet ? service.keys.wallet : signer;
    if (keys !== service.keys.wallet) chain.airdrop(keys.address, 1_000_000_000n);
    const plan = planTable(keys.address, chain.slotAt('confirmed'), [friend]);
    const land = (instructions: EncodedInstruction[]) => {
      service.onchain.land({
        format: 'v0',
        feePayer: keys.address,
        instructions,
        budget: budgetOf(50_000),
        signers: [keys],
      });
      home.sandbox.advanceSlots(2);
    };
    land([createTable(keys.address, plan.recentSlot), extendTable(plan.table, keys.address, [friend])]);
    if (deactivated) land([deactivateTable(plan.table, keys.address)]);
    return plan.table;
  }

  it('returns to the wallet once the table has been deactivated long enough, in its own run', async () => {
    const lookupTable = table({ address: home.wallet }, 'own');
    const build = () => home.plans.build('reclaimRent', { wallet: home.wallet, lookupTable });
    await expect(build()).rejects.toThrow(/can be closed in \d+ slots/);
    home.sandbox.advanceSlots(520);
    const rent = lamportsOf(lookupTable);
    const before = lamportsOf(home.wallet);
    const { plan } = await build();
    expect(plan).toMatchObject({ operation: 'lookup_table_close', status: 'ready' });
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(lamportsOf(home.wallet) - before).toBe(rent - 5_000n);
    await expect(build()).rejects.toThrow(/no lookup table has this address/);
  });

  it('T9 transactions that pay the rent to another wallet, close another table or one in use, or do more are refused; the honest close lands', async () => {
    const [requested, other, used] = [
      table({ address: home.wallet }, 'own'),
      table({ address: home.wallet }, 'own'),
      table({ address: home.wallet }, 'own', false),
    ];
    home.sandbox.advanceSlots(520);
    const request = { wallet: home.wallet, lookupTable: requested };
    const close = (at: string, recipient = home.wallet): EncodedInstruction =>
      encodeInstruction('lookupTable.close', {
        accounts: { table: at, authority: home.wallet, recipient },
      });
    const before = lamportsOf(stranger);
    const put = (instructions: EncodedInstruction[], about = request) =>
      home.submitInstructions('reclaimRent', about, instructions);
    for (const [wrong, about] of [
      [[close(requested, stranger)], request],
      [[close(other)], request],
      [[close(requested), close(other)], request],
      [[close(requested), systemTransfer(home.wallet, stranger, 1_000_000n)], request],
      [[close(used)], { ...request, lookupTable: used }],
    ] as const) {
      const view = await put([...wrong], about);
      expect([view.status, view.decision.effect]).not.toContain('complete');
      expect(view.decision.effect).toBe('deny');
    }
    expect(home.signatures).toBe(0);
    expect(lamportsOf(stranger)).toBe(before);
    expect(await put([close(requested)])).toMatchObject({ status: 'complete' });
  });

  it('of a table in use or of another owner is not reclaimed', async () => {
    const [own, others] = [
      table({ address: home.wallet }, 'own', false),
      table({ address: stranger }, 'other'),
    ];
    home.sandbox.advanceSlots(520);
    const build = (lookupTable: string) =>
      home.plans.build('reclaimRent', { wallet: home.wallet, lookupTable });
    await expect(build(own)).rejects.toThrow(/is not deactivated/);
    await expect(build(others)).rejects.toThrow(/is not a table of this wallet/);
    await expect(home.plans.build('reclaimRent', { wallet: home.wallet })).rejects.toThrow(
      /No lookup table of this home can be closed now/,
    );
  });
});
