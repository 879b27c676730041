/** Several wallets in one home: labels, selection, and recovery from crashes. */
import { describe, expect, it } from 'vitest';
import { createKeypair } from '../../../src/secrets/keys/wallet.ts';
import { Secret } from '../../../src/secrets/secret.ts';
import { createFileStore } from '../../../src/secrets/stores/fileStore.ts';
import { createMemoryStore, type SecretStore, secretNames } from '../../../src/secrets/stores/store.ts';
import { isLabel } from '../../../src/secrets/wallets/label.ts';
import {
  chooseWallet,
  homeWallets,
  keepWallet,
  labelWallet,
  makeDefault,
  removeWallet,
} from '../../../src/secrets/wallets/wallets.ts';
import { TEST_WORK_FACTOR, temporaryHome, thrownBy } from '../temporaryHome.ts';

/** Adds a wallet. Returns its address. */
async function added(store: SecretStore, label?: string): Promise<string> {
  const pair = createKeypair();
  await keepWallet({ store, pair, label });
  return pair.address;
}
const seen = async (store: SecretStore) =>
  (await homeWallets(store)).map(({ address, label, isDefault }) => [label, address, isDefault]);

describe('a home of an earlier version', () => {
  it('has its one wallet as the default without a label, and writes nothing until one is given', async () => {
    const { address, secret } = createKeypair();
    const store = createFileStore({
      home: temporaryHome(),
      env: { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' },
      workFactor: TEST_WORK_FACTOR,
    });
    // Wallet without a label: only the key under the wallet's address.
    await store.set(`wallet:${address}`, secret);
    expect(await seen(store)).toEqual([[undefined, address, true]]);
    expect(await store.list()).toEqual([`wallet:${address}`]);
    const treasury = await added(store, 'treasury');
    expect(await seen(store)).toEqual([
      [undefined, address, true],
      ['treasury', treasury, false],
    ]);
    await labelWallet(store, address, 'first');
    expect(await seen(store)).toEqual([
      ['first', address, true],
      ['treasury', treasury, false],
    ]);
  });

  it('with two wallets in its store has no default until one is chosen, and lists them', async () => {
    const store = createMemoryStore();
    for (const { address, secret } of [createKeypair(), createKeypair()])
      await store.set(`wallet:${address}`, secret);
    const wallets = await homeWallets(store);
    expect(wallets.filter(({ isDefault }) => isDefault)).toEqual([]);
    const error = await thrownBy(() => chooseWallet(wallets, undefined));
    expect(error).toMatchObject({
      code: 'INVALID_NAME',
      message: expect.stringContaining('more than one wallet'),
    });
    for (const { address } of wallets)
      expect(error).toMatchObject({ message: expect.stringContaining(address) });
    await makeDefault(store, wallets[1]?.address ?? '');
    expect(chooseWallet(await homeWallets(store), undefined)?.address).toBe(wallets[1]?.address);
  });
});

describe('T132 a label', () => {
  it('consists of lower-case letters, digits and single hyphens, and is shorter than an address', () => {
    for (const good of ['treasury', 'desk-2', 'a', 'a1-b2-c3', 'x'.repeat(24)])
      expect([good, isLabel(good)]).toEqual([good, true]);
    for (const bad of [
      '',
      'Treasury',
      'TREASURY',
      '2desk',
      '-desk',
      'desk-',
      'desk--2',
      'my desk',
      ' desk',
      'desk\n',
      'desk\u001b[2K',
      'd\u0435sk',
      'dеsk',
      'ｄesk',
      'desk\u200b',
      'desk\u202e',
      '../desk',
      'desk:treasury',
      'all',
      'default',
      'none',
      'x'.repeat(25),
      createKeypair().address,
      createKeypair().address.toLowerCase(),
    ])
      expect([bad, isLabel(bad)]).toEqual([bad, false]);
  });

  it('that is refused is not repeated', async () => {
    const error = await thrownBy(() => added(createMemoryStore(), 'x\u001b]0;evil\u0007'));
    expect(error).toMatchObject({ code: 'INVALID_NAME' });
    expect(JSON.stringify(error)).not.toContain('evil');
    expect(String(error)).not.toContain('evil');
  });

  it('is refused if another wallet has it or a similar one, and nothing is stored', async () => {
    const store = createMemoryStore();
    await added(store, 'treasury1');
    const before = await store.list();
    for (const alike of ['treasury1', 'treasuryl', 'treasuryi', 'treasury-1', 't-reasury1'])
      expect([alike, await thrownBy(() => added(store, alike))]).toMatchObject([
        alike,
        { code: 'INVALID_NAME' },
      ]);
    expect(await store.list()).toEqual(before);
    await added(store, 'treasury2');
    await added(store, 'modern');
    expect(await thrownBy(() => added(store, 'modem'))).toMatchObject({
      message: expect.stringContaining('modern'),
    });
  });

  it('names one wallet: given to another key in the store by two programs at once, it names neither', async () => {
    const store = createMemoryStore();
    const [one, other] = [await added(store, 'treasury'), await added(store, 'desk')];
    await store.set(secretNames.walletLabel('treasury', other), Secret.fromText('1'));
    const wallets = await homeWallets(store);
    expect(await thrownBy(() => chooseWallet(wallets, 'treasury'))).toMatchObject({
      code: 'INVALID_NAME',
      message: 'This home has no wallet "treasury".',
    });
    expect(chooseWallet(wallets, 'desk')?.address).toBe(other);
    await labelWallet(store, other, 'desk');
    expect(chooseWallet(await homeWallets(store), 'treasury')?.address).toBe(one);
  });

  it('without a wallet is reported with the existing ones, and a text that is not a label is not repeated', async () => {
    const store = createMemoryStore();
    const address = await added(store, 'treasury');
    const wallets = await homeWallets(store);
    expect(await thrownBy(() => chooseWallet(wallets, 'treasure'))).toMatchObject({
      message: 'This home has no wallet "treasure".',
      hint: `The wallets here: treasury ${address} (default).`,
    });
    expect(await thrownBy(() => chooseWallet(wallets, 'Treasury\u001b[1m'))).toMatchObject({
      message: 'This home has no wallet of that name.',
    });
  });
});

describe('wallets of a home', () => {
  it('keep the first as default, and refuse a second one without a label', async () => {
    const store = createMemoryStore();
    const first = await added(store);
    expect(await thrownBy(() => added(store))).toMatchObject({
      message: `This home already has a wallet: ${first}.`,
      hint: expect.stringContaining('wallet create LABEL'),
    });
    await added(store, 'a-desk');
    await added(store, 'b-desk');
    expect((await seen(store)).map(([label, , isDefault]) => [label, isDefault])).toEqual([
      [undefined, true],
      ['a-desk', false],
      ['b-desk', false],
    ]);
    expect(chooseWallet(await homeWallets(store), undefined)?.address).toBe(first);
    expect(
      await thrownBy(async () => chooseWallet(await homeWallets(store), undefined, 'refused')),
    ).toMatchObject({
      message: expect.stringContaining('more than one wallet'),
    });
  });

  it('keep their label when imported again, or get another one', async () => {
    const store = createMemoryStore();
    const { address, secret } = createKeypair();
    await keepWallet({ store, pair: { address, secret: secret.clone() }, label: 'desk' });
    await keepWallet({ store, pair: { address, secret: secret.clone() } });
    expect(await seen(store)).toEqual([['desk', address, true]]);
    await keepWallet({ store, pair: { address, secret }, label: 'till' });
    expect(await seen(store)).toEqual([['till', address, true]]);
  });

  it('leave nothing behind when removed, and free the label', async () => {
    const store = createMemoryStore();
    const first = await added(store, 'treasury');
    const second = await added(store, 'desk');
    await removeWallet(store, second);
    expect(await seen(store)).toEqual([['treasury', first, true]]);
    expect((await store.list()).filter((name) => name.includes(second))).toEqual([]);
    const third = await added(store, 'desk');
    expect(await seen(store)).toEqual([
      ['treasury', first, true],
      ['desk', third, false],
    ]);
  });

  it('are complete and usable whichever write of adding, labelling or removing one was the last', async () => {
    for (let last = 0; last < 12; last++) {
      const inner = createMemoryStore();
      const first = await added(inner);
      let writes = 0;
      const dies = () => {
        writes += 1;
        if (writes > last) throw new Error('killed');
      };
      const store: SecretStore = {
        ...inner,
        set: async (name, secret) => {
          dies();
          return inner.set(name, secret);
        },
        delete: async (name) => {
          dies();
          return inner.delete(name);
        },
      };
      const second = await added(store, 'desk').catch(() => undefined);
      if (second !== undefined) {
        await labelWallet(store, second, 'till').catch(() => undefined);
        await removeWallet(store, second).catch(() => undefined);
      }
      const wallets = await homeWallets(inner);
      // The default never changes automatically, and every wallet with a key can be named.
      expect([last, chooseWallet(wallets, undefined)?.address]).toEqual([last, first]);
      for (const { address } of wallets) expect(chooseWallet(wallets, address)?.address).toBe(address);
      // Every operation can be repeated.
      for (const { address } of wallets.filter((each) => each.address !== first)) {
        await labelWallet(inner, address, 'done');
        await removeWallet(inner, address);
      }
      expect(await seen(inner)).toEqual([[undefined, first, true]]);
    }
  });
});
