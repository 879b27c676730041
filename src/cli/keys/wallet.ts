/** `countersign wallet create | import FILE | show`: keys go into the secret store and never come out. `empty` is in a file of its own. */

import { SetupError } from '../../runtime/backends/backend.ts';
import { createKeypair, importKeypairFile } from '../../secrets/keys/wallet.ts';
import type { Secret } from '../../secrets/secret.ts';
import { keychainWorks, openStore, setUpStore } from '../../secrets/stores/chooseStore.ts';
import { type SecretStore, secretNames } from '../../secrets/stores/store.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { passphrasePrompt } from '../terminal.ts';

const USAGE = 'countersign wallet create | import FILE | show | empty ADDRESS';

export const walletCommand: Command = async (input) => {
  const [verb, file] = input.words;
  if (verb === 'create') return keep(input, createKeypair(), 'Created');
  if (verb === 'import' && file !== undefined) return keep(input, importKeypairFile(file), 'Imported');
  if (verb === 'show') return show(input);
  if (verb === 'empty') return (await import('./empty.ts')).emptyWallet(input);
  throw new SetupError('The wallet command needs to know what to do.', USAGE);
};

/** The store of this home, chosen now if it was not yet. */
export async function storeForSetup(input: CommandInput): Promise<SecretStore> {
  const { home, env, terminal } = input;
  const requested = textOption(input.options, 'secret-store') ?? (await preferredStore(input));
  return setUpStore({
    home,
    env,
    requested,
    rootUrl: textOption(input.options, 'root-url'),
    ...(terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
}

/** The store a home is offered: the keychain where it works. `undefined` where it has one already. */
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
): Promise<number> {
  const { terminal } = input;
  try {
    const store = await storeForSetup(input);
    const others = await walletNames(store);
    if (others.length > 0 && !others.includes(pair.address)) {
      throw new SetupError(
        `This home already has a wallet: ${others.join(', ')}.`,
        'Use that one (`countersign wallet show`), or another home folder (`--home DIR`): one purpose, one key.',
      );
    }
    await store.set(secretNames.wallet(pair.address), pair.secret);
    terminal.print(pair.address);
    terminal.tell(`${how}. The key is in the ${store.kind} store.`);
    terminal.tell('Next: `countersign login --root-url URL` (or `--profile bags`) for an API key.');
    return 0;
  } finally {
    pair.secret.wipe();
  }
}

async function show(input: CommandInput): Promise<number> {
  const { home, env, terminal } = input;
  const store = openStore({
    home,
    env,
    requested: textOption(input.options, 'secret-store'),
    rootUrl: textOption(input.options, 'root-url'),
    ...(terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
  const addresses = await walletNames(store);
  for (const address of addresses) terminal.print(address);
  if (addresses.length > 0) return 0;
  terminal.tell('There is no wallet yet: `countersign wallet create` or `countersign wallet import FILE`.');
  return 1;
}

/** Addresses of the wallets in a store. */
export async function walletNames(store: SecretStore): Promise<string[]> {
  const prefix = secretNames.wallet('');
  return (await store.list())
    .filter((name) => name.startsWith(prefix))
    .map((name) => name.slice(prefix.length));
}
