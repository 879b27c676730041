/**
 * `countersign owner create | show`: the key behind a person's approvals. Its passphrase is entered each time without
 * echo, and never read from the environment.
 */
import { existsSync } from 'node:fs';
import { SetupError } from '../../runtime/backends/backend.ts';
import { createOwnerKey, openOwnerKey, ownerKeyPath, ownerPublicKey } from '../../secrets/keys/ownerKey.ts';
import { Secret } from '../../secrets/secret.ts';
import { openStore } from '../../secrets/stores/chooseStore.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { passphrasePrompt } from '../terminal.ts';

const USAGE = 'countersign owner create | show';
const OWN_ONLY = 'Run it in a terminal: the owner passphrase is never read from the environment or a file.';

export const ownerCommand: Command = async (input) => {
  const [verb] = input.words;
  if (verb === 'create') return create(input);
  if (verb === 'show') return show(input);
  throw new SetupError('The owner command needs to know what to do.', USAGE);
};

async function create(input: CommandInput): Promise<number> {
  const { home, env, terminal } = input;
  const store = storeOf(input, true);
  terminal.tell('The owner key signs your decisions: an approval, a changed policy, the end of a freeze.');
  terminal.tell('Choose a passphrase that is not the one of the wallet, and that no program here can read.');
  const passphrase = await newPassphrase(input);
  const walletPassphrase = env.COUNTERSIGN_PASSPHRASE;
  const forbidden = walletPassphrase ? [Secret.fromText(walletPassphrase)] : [];
  try {
    const { publicKey, publicKeyStored } = await createOwnerKey({ home, passphrase, forbidden, store });
    terminal.print(publicKey);
    if (publicKeyStored) terminal.tell(`Created. Its public half is in the ${store.kind} store.`);
    else {
      terminal.tell('Created. The environment store is read-only, so set this where the server is started:');
      terminal.tell(`  COUNTERSIGN_OWNER_PUBLIC_KEY=${publicKey}`);
    }
    terminal.tell('Next: `countersign setup --write`.');
    return 0;
  } finally {
    passphrase.wipe();
    for (const secret of forbidden) secret.wipe();
  }
}

async function show(input: CommandInput): Promise<number> {
  const { home, terminal } = input;
  const publicKey = await ownerPublicKey(storeOf(input, true));
  if (publicKey !== undefined) {
    terminal.print(publicKey);
    return 0;
  }
  if (!existsSync(ownerKeyPath(home))) {
    terminal.tell('There is no owner key yet: `countersign owner create`.');
    return 1;
  }
  // For a copied key or the environment store, only the passphrase reveals the public key.
  const passphrase = await askOwnerPassphrase(input);
  try {
    const key = await openOwnerKey({ home, passphrase });
    terminal.print(key.publicKey);
    key.lock();
  } finally {
    passphrase.wipe();
  }
  terminal.tell(
    'The secret store of this home does not contain it, so servers started here do not accept its signatures. docs/fleet.md says how a host gets the owner key.',
  );
  return 0;
}

async function newPassphrase({ terminal }: CommandInput): Promise<Secret> {
  const first = await terminal.ask('New owner passphrase:', { secret: true, or: OWN_ONLY });
  const second = await terminal.ask('The same again:', { secret: true, or: OWN_ONLY });
  if (first !== second) throw new SetupError('The two passphrases differ.', 'Type the same one twice.');
  return Secret.fromText(first);
}

/** Runs `work` with the owner passphrase, asked for if `isNeeded`, and wipes it afterwards. */
export async function withOwnerPassphrase<T>(
  input: CommandInput,
  isNeeded: boolean,
  work: (passphrase: Secret | undefined) => Promise<T>,
): Promise<T> {
  const passphrase = isNeeded ? await askOwnerPassphrase(input) : undefined;
  return work(passphrase).finally(() => passphrase?.wipe());
}

/** Asks for the owner passphrase. The caller wipes it. */
export async function askOwnerPassphrase({ home, terminal }: CommandInput): Promise<Secret> {
  if (!existsSync(ownerKeyPath(home))) {
    throw new SetupError('This home has no owner key.', 'Make one with `countersign owner create`.');
  }
  return Secret.fromText(await terminal.ask('Owner passphrase:', { secret: true, or: OWN_ONLY }));
}

/** Returns the store of this home; with `ask` the user may unlock it. */
export function storeOf({ home, env, options, terminal, store }: CommandInput, ask: boolean): SecretStore {
  if (store !== undefined) return store;
  return openStore({
    home,
    env,
    requested: textOption(options, 'secret-store'),
    rootUrl: textOption(options, 'root-url'),
    ...(ask && terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
}

/**
 * Returns the owner's public key in the wallet's store. Asks for no second passphrase: a locked store is not read,
 * and the server, whose store is open, checks every statement again.
 */
export const knownOwnerPublicKey =
  (input: CommandInput): (() => Promise<string | undefined>) =>
  async () => {
    try {
      return await ownerPublicKey(storeOf(input, false));
    } catch {
      return undefined;
    }
  };
