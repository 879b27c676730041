/**
 * `countersign init`: from nothing to a client that works, in one command. Asks each thing once and only what is missing;
 * run again, it goes on where it stopped. `--yes` asks nothing and takes everything from options and the environment.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, withDeadline } from '../../clock.ts';
import { profiles } from '../../contract/profiles/index.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import { TEMPLATE_NAMES } from '../../policy/file/templates.ts';
import { createChain } from '../../rpc/chain.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { readStoreRecord } from '../../secrets/stores/chooseStore.ts';
import { secretFilePath } from '../../secrets/stores/fileStore.ts';
import { originOf, secretNames } from '../../secrets/stores/store.ts';
import { chooseWallet, homeWallets, walletAddresses } from '../../secrets/wallets/wallets.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { keylessClient } from '../keys/keylessClient.ts';
import { loginCommand } from '../keys/login.ts';
import { ownerCommand, storeOf } from '../keys/owner.ts';
import { preferredStore, walletCommand } from '../keys/wallet.ts';
import { initPolicyCommand } from '../policy/init.ts';
import { readPolicy } from '../policy/read.ts';
import { profileOption } from '../sandbox.ts';
import { setupCommand } from '../setup/setup.ts';
import { passphrasePrompt } from '../terminal.ts';
import { askFor, askUntilRight, nameOf } from './asking.ts';
import { readChoices, writeChoices } from './choices.ts';
import { fund } from './funding.ts';

export const initCommand: Command = async (given) => {
  const input = { ...given, terminal: withoutNext(given.terminal) };
  const { terminal } = input;
  const live =
    input.options.live === true ||
    (input.options.yes !== true &&
      (await askFor(input, {
        option: 'mode',
        text: 'Real money (live) or play money (sandbox)? Enter for sandbox:',
        usual: 'sandbox',
        read: (answer) => nameOf(['live', 'sandbox'], answer, 'mode', terminal.tell),
      })) === 'live');
  if (!live) return sandbox(input);

  step(terminal, 1, 'The service and the chain');
  const placed = await places(input);
  step(terminal, 2, 'A wallet of its own');
  const { ready, wallet } = await walletOf(placed);
  step(terminal, 3, 'The API key of the service');
  await apiKey(ready);
  step(terminal, 4, 'What the agent may do');
  const policy = await policyOf(ready, wallet);
  const whole = { ...ready, options: { ...ready.options, policy } };
  step(terminal, 5, 'Your own key, for approvals');
  await ownerKey(whole);
  step(terminal, 6, 'Money');
  await fund(whole, wallet);
  step(terminal, 7, 'Your client');
  await setupCommand({ ...whole, words: [], options: { ...whole.options, live: true, write: true } });
  step(terminal, 8, 'Everything once more');
  const { doctorCommand } = await import('../doctor/doctor.ts');
  const code = await doctorCommand({ ...whole, words: [], options: { ...whole.options, live: true } });
  if (code !== 0)
    terminal.tell('Something is still missing. Put it right and run `countersign init --live` again.');
  return code;
};

const step = (terminal: CommandInput['terminal'], number: number, what: string): void =>
  terminal.tell(`\n${number}/8 ${what}`);

/** What the commands of one step say of the next is told by the steps themselves. */
const withoutNext = (terminal: CommandInput['terminal']): CommandInput['terminal'] => ({
  ...terminal,
  tell: (line) => (line.startsWith('Next: ') ? undefined : terminal.tell(line)),
});

async function sandbox(input: CommandInput): Promise<number> {
  const { terminal } = input;
  terminal.tell(
    'The sandbox brings its own chain, wallet, key and policy: only your client has to know of it.',
  );
  const code = await setupCommand({ ...input, words: [], options: { ...input.options, write: true } });
  terminal.tell('Restart your client and ask it for `get_status` of Countersign.');
  return code;
}

/** Where the service and the chain are; both must answer. What was chosen is remembered for the next run. */
async function places(input: CommandInput): Promise<CommandInput> {
  const { home, options, terminal } = input;
  const known = readChoices(home);
  const profile = profiles[profileOption({ profile: textOption(options, 'profile') ?? known.profile })];
  const usualRoot = known.rootUrl ?? profile.rootUrl;
  const rootUrl = await askFor(
    { ...input, options: { ...options, 'root-url': textOption(options, 'root-url') ?? usualRoot } },
    {
      option: 'root-url',
      text: 'Address of the service:',
      read: async (answer) => {
        if (answer === '') throw new SetupError('The service needs an address.', 'It begins with https://.');
        const service = keylessClient(profile, answer);
        await withDeadline({ clock: systemClock, ms: 10_000 }, (signal) =>
          service.call('ping', {}, { signal }),
        ).catch(() => {
          throw new SetupError(
            `Nothing answers at ${service.origin}.`,
            'Check the address, and that it runs.',
          );
        });
        return answer;
      },
    },
  );
  terminal.tell(`The service answers (profile ${profile.name}).`);
  const rpcUrl = await askFor(
    { ...input, options: { ...options, 'rpc-url': textOption(options, 'rpc-url') ?? known.rpcUrl } },
    {
      option: 'rpc-url',
      text: 'Address of your own RPC:',
      read: async (answer) => {
        if (!/^https?:\/\//.test(answer))
          throw new SetupError('The RPC needs an address.', 'It begins with https:// or http://.');
        const chain = createChain({
          rpcUrl: answer,
          fetch: (url, init) => fetch(url, init),
          timeoutMs: 10_000,
        });
        const genesis = await chain.genesisHash().catch(() => {
          throw new SetupError('No RPC answers there.', 'Check the address of the RPC.');
        });
        const name = Object.keys(GENESIS).find((network) => GENESIS[network] === genesis);
        terminal.tell(`The RPC answers: ${name ?? `a chain of its own (${genesis})`}.`);
        return answer;
      },
    },
  );
  writeChoices(home, { profile: profile.name, rootUrl, rpcUrl });
  return {
    ...input,
    options: { ...options, profile: profile.name, 'root-url': rootUrl, 'rpc-url': rpcUrl },
  };
}

/** The wallet of this home, made now where there is none. A passphrase that is typed serves the whole command. */
async function walletOf(input: CommandInput): Promise<{ ready: CommandInput; wallet: string }> {
  const { home, env, options, terminal } = input;
  const record = readStoreRecord(home);
  const kind = record?.kind ?? textOption(options, 'secret-store') ?? (await preferredStore(input));
  let ready = input;
  if (kind === 'file' && !env.COUNTERSIGN_PASSPHRASE && terminal.interactive) {
    // A first run that was interrupted may have chosen the file and written none yet.
    const isNew = !existsSync(secretFilePath(home));
    if (isNew) terminal.tell('The keys go into an encrypted file. Choose a passphrase for it.');
    const passphrase = await askUntilRight(input, async () => {
      const typed = await passphrasePrompt(terminal)(isNew ? 'create' : 'open');
      const trial = { ...input, env: { ...env, COUNTERSIGN_PASSPHRASE: typed } };
      if (!isNew) await storeOf(trial, false).list();
      else if (typed.length < 12)
        throw new SetupError('That passphrase is short.', 'Take four words or more.');
      return typed;
    });
    ready = { ...input, env: { ...env, COUNTERSIGN_PASSPHRASE: passphrase } };
  }
  const there = record === undefined && kind !== 'env' ? [] : await walletAddresses(storeOf(ready, true));
  if (there.length === 0) {
    const file = textOption(options, 'import');
    const words = file === undefined ? ['create'] : ['import', file];
    if ((await walletCommand({ ...ready, words })) !== 0)
      throw new SetupError('No wallet was made.', 'Run it again.');
  }
  const wallet = chooseWallet(
    await homeWallets(storeOf(ready, true)),
    textOption(options, 'wallet'),
  )?.address;
  if (wallet === undefined)
    throw new SetupError('There is no wallet in this home.', 'Run `countersign init` again.');
  if (there.length > 0) terminal.tell(`There already: ${wallet}.`);
  return { ready, wallet };
}

async function apiKey(input: CommandInput): Promise<void> {
  const name = secretNames.apiKey(originOf(textOption(input.options, 'root-url') ?? ''));
  if ((await storeOf(input, true).list()).includes(name)) {
    input.terminal.tell('There already.');
    return;
  }
  await askUntilRight(input, () => loginCommand({ ...input, words: [] }));
}

/** The policy file that was named, or one in the home folder; made from a template where there is none. */
async function policyOf(input: CommandInput, wallet: string): Promise<string> {
  const { home, options, terminal } = input;
  const path = textOption(options, 'policy') ?? join(home, 'policy.json');
  if (existsSync(path)) {
    const loaded = await readPolicy(path, terminal);
    if (loaded === undefined) throw new SetupError(`${path} cannot be used.`, 'Correct it, or move it away.');
    if (loaded.policy.wallets.every(({ address }) => address !== wallet)) {
      throw new SetupError(
        `${path} does not name the wallet ${wallet}.`,
        'Add it under "wallets", or name another file.',
      );
    }
    terminal.tell(`There already: ${path}.`);
    return path;
  }
  const template = await askFor(input, {
    option: 'template',
    text: `Template (${TEMPLATE_NAMES.join(', ')}; Enter for creator):`,
    usual: 'creator',
    read: (answer) => nameOf(TEMPLATE_NAMES, answer, 'template', terminal.tell),
  });
  await initPolicyCommand({
    ...input,
    words: ['init'],
    options: { ...options, template, wallet, out: path },
  });
  return path;
}

/** The owner key. Its passphrase is typed by a person: a script leaves it for later. */
async function ownerKey(input: CommandInput): Promise<void> {
  const { home, options, terminal } = input;
  if (existsSync(ownerKeyPath(home))) terminal.tell('There already.');
  else if (options.yes === true || !terminal.interactive) {
    terminal.tell(
      'Left out: only a person types its passphrase. Run `countersign owner create` when you are there.',
    );
  } else await askUntilRight(input, () => ownerCommand({ ...input, words: ['create'] }));
}
