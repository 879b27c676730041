// The wallets of a home. Keys, labels and the default are entries of the secret store; labels and the default are
// encoded in entry names, so that listing names suffices. They are stored with the keys: a program that could
// redirect a label could already read the keys (T132), and backup, restore and migration include them.

import { SecretError } from '../errors.ts';
import { Secret } from '../secret.ts';
import { type SecretStore, secretNames } from '../stores/store.ts';
import { checkLabel, isLabel, shapeOf } from './label.ts';

/** A wallet of a home, without its key. */
export interface HomeWallet {
  /** Base58. */
  readonly address: string;
  readonly label?: string | undefined;
  /** Whether it is used if no wallet is named: the first of the home, until the user chooses another. */
  readonly isDefault: boolean;
}

const WALLET = secretNames.wallet('');
const DEFAULT = secretNames.walletDefault('');
const LABEL = /^wallet-label:([^:]+):([^:]+)$/;
/** Entries need a value; these carry their data in the name. */
const PLACEHOLDER = '1';

/** Returns the addresses of the wallets in a store. */
export const walletAddresses = async (store: Pick<SecretStore, 'list'>): Promise<string[]> =>
  restOf(await store.list(), WALLET);

/**
 * Returns the wallets of a store, the default first, then by label and address. Reads names only. An invalid label or
 * one of two wallets is ignored, and so is an ambiguous default. Throws the store's errors.
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
  // `~` sorts after letters: wallets without a label are last.
  const place = ({ address, label, isDefault }: HomeWallet) =>
    `${isDefault ? 0 : 1} ${label ?? '~'} ${address}`;
  return wallets.sort((left, right) => (place(left) < place(right) ? -1 : 1));
}

/** Returns the wallet with exactly that label or address. */
export const walletCalled = (wallets: readonly HomeWallet[], name: string): HomeWallet | undefined =>
  wallets.find(({ address, label }) => address === name || label === name);

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Returns the wallet with that label or address; without a name the only one, or the default if allowed. Returns
 * `undefined` only for a home without wallets if none was named. Throws `INVALID_NAME` with the list of wallets.
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
    // The given name is quoted only if it is a valid label or address.
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

/** Formats a wallet: `treasury 7Vb… (default)`, with the full address. */
export const walletWords = ({ address, label, isDefault }: HomeWallet): string =>
  `${label === undefined ? '' : `${label} `}${address}${isDefault ? ' (default)' : ''}`;

export interface KeepWalletParameters {
  readonly store: SecretStore;
  readonly pair: { readonly address: string; readonly secret: Secret };
  /** Required for every wallet but the first of a home. */
  readonly label?: string | undefined;
}

/**
 * Stores a wallet's key, then its label; if interrupted, the wallet has no label. The first wallet of a home is its
 * default. Throws `INVALID_NAME` for a label that is invalid, taken or easily confused, and for a second wallet
 * without one.
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
      'Use it (`countersign wallet show`), give the new one a label (`countersign wallet create LABEL`), or use another home folder (`--home DIR`).',
    );
  }
  const first = wallets.find(({ isDefault }) => isDefault)?.address;
  // The default is recorded before there is a second wallet.
  if (isNew && first !== undefined) await makeDefault(store, first);
  await store.set(secretNames.wallet(address), secret);
  if (label !== undefined) await labelWallet(store, address, label);
}

/** Sets a wallet's label and replaces its old one. Throws `INVALID_NAME` like `keepWallet`. */
export async function labelWallet(store: SecretStore, address: string, label: string): Promise<void> {
  requireFree(label, address, await homeWallets(store));
  await addEntry(store, secretNames.walletLabel(label, address));
  await removeLabels(store, (each) => each.address === address && each.label !== label);
}

/** Makes a wallet the default. */
export async function makeDefault(store: SecretStore, address: string): Promise<void> {
  const others = restOf(await store.list(), DEFAULT).filter((each) => each !== address);
  await addEntry(store, secretNames.walletDefault(address));
  for (const other of others) await store.delete(secretNames.walletDefault(other));
}

/** Deletes a wallet's label and then its key; if interrupted, the wallet has no label. */
export async function removeWallet(store: SecretStore, address: string): Promise<void> {
  await removeLabels(store, (each) => each.address === address);
  await store.delete(secretNames.walletDefault(address));
  await store.delete(secretNames.wallet(address));
}

const restOf = (names: readonly string[], prefix: string): string[] =>
  names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));

interface LabelEntry {
  readonly label: string;
  readonly address: string;
}

const labelsIn = (names: readonly string[]): LabelEntry[] =>
  names.flatMap((name) => {
    const [, label = '', address = ''] = LABEL.exec(name) ?? [];
    return isLabel(label) ? [{ label, address }] : [];
  });

async function addEntry(store: SecretStore, name: string): Promise<void> {
  if (!(await store.list()).includes(name)) await store.set(name, Secret.fromText(PLACEHOLDER));
}

async function removeLabels(store: SecretStore, which: (each: LabelEntry) => boolean): Promise<void> {
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
      : `${label} could be confused with ${taken.label}, which is the wallet ${taken.address}.`,
    'Choose another label. `countersign wallet list` lists existing labels.',
  );
}
