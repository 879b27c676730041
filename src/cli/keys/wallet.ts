/**
 * `countersign wallet create | import FILE | list | show | label | default | remove | empty`: keys are put into the
 * secret store and never exported. A home has one or several labelled wallets.
 */

import { SetupError } from '../../runtime/backends/backend.ts';
import { createKeypair, importKeypairFile } from '../../secrets/keys/wallet.ts';
import type { Secret } from '../../secrets/secret.ts';
import { keychainWorks, setUpStore } from '../../secrets/stores/chooseStore.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import { checkLabel } from '../../secrets/wallets/label.ts';
import { chooseWallet, homeWallets, keepWallet, walletWords } from '../../secrets/wallets/wallets.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { passphrasePrompt } from '../terminal.ts';
import { storeOf } from './owner.ts';

const USAGE =
  'countersign wallet create [LABEL] | import FILE [LABEL] | list | show [NAME] | label NAME LABEL | default NAME | remove NAME | empty ADDRESS';

export const walletCommand: Command = async (input) => {
  const [verb, first, second] = input.words;
  if (verb === 'create') return keep(input, createKeypair(), 'Created', first);
  if (verb === 'import' && first !== undefined)
    return keep(input, importKeypairFile(first), 'Imported', second);
  if (verb === 'show') return show(input);
  if (verb === 'empty') return (await import('./empty.ts')).emptyWallet(input);
  if (verb === 'list') return (await import('./wallets/list.ts')).listWallets(input);
  if (verb === 'label') return (await import('./wallets/rename.ts')).labelCommand(input);
  if (verb === 'default') return (await import('./wallets/rename.ts')).defaultCommand(input);
  if (verb === 'remove') return (await import('./wallets/remove.ts')).removeCommand(input);
  throw new SetupError('The wallet command needs to know what to do.', USAGE);
};

/** Returns the store of this home, chosen now if necessary. */
export async function storeForSetup(input: CommandInput): Promise<SecretStore> {
  const { home, env, terminal, store } = input;
  if (store !== undefined) return store;
  const requested = textOption(input.options, 'secret-store') ?? (await preferredStore(input));
  return setUpStore({
    home,
    env,
    requested,
    rootUrl: textOption(input.options, 'root-url'),
    ...(terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
}

/** Returns the suggested store: the keychain if it works. `undefined` if the home already has one. */
export async function preferredStore(input: CommandInput): Promise<string | undefined> {
  const { readStoreRecord } = await import('../../secrets/stores/chooseStore.ts');
  if (readStoreRecord(input.home) !== undefined) return undefined;
  if (input.env.COUNTERSIGN_PASSPHRASE) return 'file';
  return (await keychainWorks(input.env)) ? 'keychain' : 'file';
}

async function keep(
  input: CommandInput,
  pair: { address: string; secret: Secret },
  how: string,
  label: string | undefined,
): Promise<number> {
  const { terminal } = input;
  try {
    // Checked before a store is chosen and opened.
    if (label !== undefined) checkLabel(label);
    const store = await storeForSetup(input);
    await keepWallet({ store, pair, label });
    terminal.print(pair.address);
    terminal.tell(`${how}. The key is in the ${store.kind} store.`);
    const wallets = await homeWallets(store);
    if (wallets.length > 1) {
      terminal.tell(`The wallets of this home: ${wallets.map(walletWords).join(', ')}.`);
      terminal.tell('Next: name it in a policy, under "wallets"; a policy signs for no other wallet.');
      terminal.tell('Restart servers of this home: running ones keep the secrets they opened.');
      return 0;
    }
    terminal.tell('Next: `countersign login --root-url URL` (or `--profile bags`) for an API key.');
    return 0;
  } finally {
    pair.secret.wipe();
  }
}

async function show(input: CommandInput): Promise<number> {
  const { terminal, words, options } = input;
  const wallets = await homeWallets(storeOf(input, true));
  const wallet = chooseWallet(wallets, words[1] ?? textOption(options, 'wallet'));
  if (wallet !== undefined) {
    terminal.print(wallet.address);
    return 0;
  }
  terminal.tell('There is no wallet yet: `countersign wallet create` or `countersign wallet import FILE`.');
  return 1;
}
