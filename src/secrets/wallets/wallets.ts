// The wallets of a home: their keys are entries of the secret store, and so is what they are called and which of them is
// the default. These entries say it in their names, so that a list of names is all that has to be read. They are kept
// beside the keys and not in a file of their own: a program that could make a label mean another wallet has the keys
// already (T132), and what carries the keys (backup, restore, migration) carries the labels.

import { SecretError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { type SecretStore, secretNames } from '../stores/store.ts';
import { checkLabel, isLabel, shapeOf } from './label.ts';

/** A wallet of a home, without its key. */
export interface HomeWallet {
  /** Base58. */
  readonly address: string;
  readonly label?: string | undefined;
  /** The one that is meant where none is named: the first of the home, until a person chooses another. */
  readonly isDefault: boolean;
}

const WALLET = secretNames.wallet('');
const DEFAULT = secretNames.walletDefault('');
const LABEL = /^wallet-label:([^:]+):([^:]+)$/;
/** Entries have a value; these say what they say in their names. */
const SAID = '1';

/** Addresses of the wallets in a store. */
export const walletAddresses = async (store: Pick<SecretStore, 'list'>): Promise<string[]> =>
  restOf(await store.list(), WALLET);

/**
 * The wallets of a store, the default first, then by label and address. Reads names and no key. A label that stands at two
 * wallets, or is none, names nothing; where two are the default, none is. Throws what the store throws.
 */
export async function homeWallets(store: Pick<SecretStore, 'list'>): Promise<readonly HomeWallet[]> {
  const names = await store.list();
  const addresses = restOf(names, WALLET);
  const labels = labelsIn(names).filter(({ address }) => addresses.includes(address));
  const chosen = restOf(names, DEFAULT).filter((address) => addresses.includes(address));
  const [only, ...others] = chosen.length === 0 ? addresses : chosen;
  const wallets = addresses.map((address) => ({
    address,
    label: labels.find(
      (each) =>
        each.address === address && labels.every((other) => other === each || other.label !== each.label),
    )?.label,
    isDefault: others.length === 0 && address === only,
  }));
  // `~` comes after every letter: wallets without a label are last.
  const place = ({ address, label, isDefault }: HomeWallet) =>
    `${isDefault ? 0 : 1} ${label ?? '~'} ${address}`;
  return wallets.sort((left, right) => (place(left) < place(right) ? -1 : 1));
}

/** The wallet of that label or address, whole and exact. */
export const walletCalled = (wallets: readonly HomeWallet[], name: string): HomeWallet | undefined =>
  wallets.find(({ address, label }) => address === name || label === name);

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * The wallet that is meant: the one of that label or address, else the only one, else the default where that may be meant.
 * `undefined` only for a home without a wallet where none was named. Throws `INVALID_NAME`, naming those there are.
 */
export function chooseWallet(
  wallets: readonly HomeWallet[],
  name: string | undefined,
  unnamed: 'default' | 'refused' = 'default',
): HomeWallet | undefined {
  const all = wallets.map(walletWords).join(', ');
  if (name !== undefined) {
    const found = walletCalled(wallets, name);
    if (found !== undefined) return found;
    // What was given is repeated only where it cannot hold anything but a name.
    const shown = isLabel(name) || ADDRESS.test(name) ? ` "${name}"` : ' of that name';
    throw new SecretError(
      'INVALID_NAME',
      `This home has no wallet${shown}.`,
      `The wallets here: ${all || 'none'}.`,
    );
  }
  const [only, ...others] = wallets;
  if (others.length === 0) return only;
  const usual = unnamed === 'default' ? wallets.find(({ isDefault }) => isDefault) : undefined;
  if (usual !== undefined) return usual;
  throw new SecretError(
    'INVALID_NAME',
    `There is more than one wallet in this home: ${all}.`,
    'Say which: `--wallet LABEL` or `--wallet ADDRESS`.',
  );
}

/** A wallet in words: `treasury 7Vb… (default)`, in full. */
export const walletWords = ({ address, label, isDefault }: HomeWallet): string =>
  `${label === undefined ? '' : `${label} `}${address}${isDefault ? ' (default)' : ''}`;

export interface KeepWalletParameters {
  readonly store: SecretStore;
  readonly pair: { readonly address: string; readonly secret: Secret };
  /** Needed for every wallet but the first of a home. */
  readonly label?: string | undefined;
}

/**
 * Keeps a wallet's key, then its label: stopped in between, the wallet is there without a label. The first wallet of a
 * home is its default and stays that. Throws `INVALID_NAME` for a label that is no label, is another wallet's or could be
 * taken for it, and where a second wallet has none.
 */
export async function keepWallet({ store, pair, label }: KeepWalletParameters): Promise<void> {
  const { address, secret } = pair;
  const wallets = await homeWallets(store);
  const isNew = walletCalled(wallets, address) === undefined;
  if (label !== undefined) requireFree(label, address, wallets);
  if (label === undefined && isNew && wallets.length > 0) {
    throw new SecretError(
      'INVALID_NAME',
      `This home already has a wallet: ${wallets.map(({ address: each }) => each).join(', ')}.`,
      'Use it (`countersign wallet show`), call the new one something (`countersign wallet create LABEL`), or take another home folder (`--home DIR`).',
    );
  }
  const first = wallets.find(({ isDefault }) => isDefault)?.address;
  // Which one is the default is written down before there is a second.
  if (isNew && first !== undefined) await makeDefault(store, first);
  await store.set(secretNames.wallet(address), secret);
  if (label !== undefined) await labelWallet(store, address, label);
}

/** Gives a wallet of the store a label, in place of the one it had. Throws `INVALID_NAME` as `keepWallet` does. */
export async function labelWallet(store: SecretStore, address: string, label: string): Promise<void> {
  requireFree(label, address, await homeWallets(store));
  await say(store, secretNames.walletLabel(label, address));
  await unsay(store, (each) => each.address === address && each.label !== label);
}

/** Makes a wallet of the store the one that is meant where none is named. */
export async function makeDefault(store: SecretStore, address: string): Promise<void> {
  const others = restOf(await store.list(), DEFAULT).filter((each) => each !== address);
  await say(store, secretNames.walletDefault(address));
  for (const other of others) await store.delete(secretNames.walletDefault(other));
}

/** Deletes a wallet's label and then its key: stopped in between, the wallet is there without a label. */
export async function removeWallet(store: SecretStore, address: string): Promise<void> {
  await unsay(store, (each) => each.address === address);
  await store.delete(secretNames.walletDefault(address));
  await store.delete(secretNames.wallet(address));
}

const restOf = (names: readonly string[], prefix: string): string[] =>
  names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));

interface Said {
  readonly label: string;
  readonly address: string;
}

const labelsIn = (names: readonly string[]): Said[] =>
  names.flatMap((name) => {
    const [, label = '', address = ''] = LABEL.exec(name) ?? [];
    return isLabel(label) ? [{ label, address }] : [];
  });

async function say(store: SecretStore, name: string): Promise<void> {
  if (!(await store.list()).includes(name)) await store.set(name, Secret.fromText(SAID));
}

async function unsay(store: SecretStore, which: (each: Said) => boolean): Promise<void> {
  for (const { label, address } of labelsIn(await store.list()).filter(which))
    await store.delete(secretNames.walletLabel(label, address));
}

function requireFree(label: string, address: string, wallets: readonly HomeWallet[]): void {
  checkLabel(label);
  const taken = wallets.find(
    (each) => each.address !== address && each.label !== undefined && shapeOf(each.label) === shapeOf(label),
  );
  if (taken?.label === undefined) return;
  throw new SecretError(
    'INVALID_NAME',
    taken.label === label
      ? `The wallet ${taken.address} is called ${label} already.`
      : `${label} could be taken for ${taken.label}, which is the wallet ${taken.address}.`,
    'Choose another label. `countersign wallet list` shows those there are.',
  );
}
