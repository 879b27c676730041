/**
 * `countersign init`: sets up a working client in one command. Asks only for what is missing; run again, it continues
 * where it stopped. `--yes` asks nothing and takes everything from options and the environment.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, withDeadline } from '../../clock.ts';
import { profiles } from '../../contract/profiles/index.ts';
import { operationWords } from '../../plan/operationNames.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import { limitWords } from '../../review/policyFormat.ts';
import { policyTemplate, TEMPLATE_NAMES, type TemplateName } from '../../review/templates/templates.ts';
import { createChain } from '../../rpc/chain.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { SecretError } from '../../secrets/errors.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { Secret } from '../../secrets/secret.ts';
import { checkNewPassphrase } from '../../secrets/stores/ageFile.ts';
import { openStore, readStoreRecord } from '../../secrets/stores/chooseStore.ts';
import { secretFilePath } from '../../secrets/stores/fileStore.ts';
import { originOf, type SecretStore, secretNames } from '../../secrets/stores/store.ts';
import { chooseWallet, homeWallets, walletAddresses } from '../../secrets/wallets/wallets.ts';
import type { Address } from '../../transaction/types.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { keylessClient } from '../keys/keylessClient.ts';
import { loginCommand } from '../keys/login.ts';
import { ownerCommand, storeOf } from '../keys/owner.ts';
import { preferredStore, storeForSetup, walletCommand } from '../keys/wallet.ts';
import { initPolicyCommand } from '../policy/init.ts';
import { readPolicy } from '../policy/read.ts';
import { profileOption } from '../sandbox.ts';
import { changeSettings, readSettings } from '../settings.ts';
import { setupCommand } from '../setup/setup.ts';
import { passphrasePrompt } from '../terminal.ts';
import { askFor, nameOf, retryInput } from './asking.ts';
import { fund } from './funding.ts';

/** The three modes, as presented to the user. */
const MODES = {
  play: 'a chain, wallet and service inside the program; only your client has to know of it',
  rehearsal: 'your own wallet, keys and policy with play money, on a chain that `countersign sandbox` runs',
  real: 'your own wallet and real money',
} as const;
type Mode = keyof typeof MODES;
const MODE_NAMES: readonly Mode[] = ['play', 'rehearsal', 'real'];

export const initCommand: Command = async (given) => {
  const input = { ...given, terminal: withoutNext(given.terminal) };
  const { terminal } = input;
  const mode = await modeOf(input);
  if (mode === 'play') return play(input);

  step(terminal, 1, 'The service and the chain');
  const placed = await places(input, mode);
  step(terminal, 2, 'A wallet of its own');
  const { ready, wallet } = await walletOf(placed);
  return steps(ready, wallet, given.env).finally(() => ready.store.lock());
};

/** The steps after the wallet, with its store open. Returns the exit code of `doctor`. */
async function steps(ready: WithStore, wallet: Address, env: CommandInput['env']): Promise<number> {
  const { terminal, home } = ready;
  step(terminal, 3, 'The API key of the service');
  await apiKey(ready);
  step(terminal, 4, 'The signing policy');
  const policy = await policyOf(ready, wallet);
  changeSettings(home, { policy });
  const whole = { ...ready, words: [], options: { ...ready.options, policy, live: true, sandbox: false } };
  step(terminal, 5, 'Your own key, for approvals');
  await ownerKey(whole);
  step(terminal, 6, 'Money');
  await fund(whole, wallet);
  step(terminal, 7, 'Your client');
  const saved = readSettings(home);
  await setupCommand({ ...whole, env, saved, options: { ...whole.options, write: true } });
  step(terminal, 8, 'Everything once more');
  const { doctorCommand } = await import('../doctor/doctor.ts');
  const code = await doctorCommand(whole);
  if (code === 0) await ending(whole, env, policy);
  else terminal.tell('The setup is incomplete. Correct it and run `countersign init` again.');
  return code;
}

async function modeOf(input: CommandInput): Promise<Mode> {
  const { options } = input;
  if (options.live === true) return 'real';
  if (options.yes === true) return 'play';
  return askFor(input, {
    option: 'mode',
    text: 'How do you begin?',
    usual: 'play',
    choices: MODES,
    read: (answer) => nameOf(MODE_NAMES, answer, 'mode'),
  });
}

const step = (terminal: CommandInput['terminal'], number: number, what: string): void =>
  terminal.tell(`\n${number}/8 ${what}`);

/** Suppresses the next steps printed by the commands of single steps. */
const withoutNext = (terminal: CommandInput['terminal']): CommandInput['terminal'] => ({
  ...terminal,
  tell: (line) => (line.startsWith('Next: ') ? undefined : terminal.tell(line)),
});

async function play(input: CommandInput): Promise<number> {
  const { home, saved, options } = input;
  if (saved?.mode === 'live') changeSettings(home, { mode: 'sandbox' });
  const code = await setupCommand({ ...input, words: [], options: { ...options, write: true } });
  input.terminal.tell('Restart your client and ask it for `get_status` of Countersign.');
  return code;
}

/** Prints spending limits, approvals and backup, and whether a client started now can open the wallet. */
async function ending(input: CommandInput, env: CommandInput['env'], policy: string): Promise<void> {
  const { terminal, home } = input;
  const loaded = await readPolicy(policy, terminal);
  if (loaded === undefined) return;
  const { limits, rules } = loaded.policy;
  terminal.tell(`\nMay be spent: ${limits.map(inSol).join(' ') || 'Nothing.'}`);
  const approvalRules = rules.filter(({ effect }) => effect === 'require_approval');
  const titles = [...new Set(approvalRules.map(({ operation }) => operationWords(operation).toLowerCase()))];
  terminal.tell(`Asks you first: ${titles.join('; ') || 'nothing'}.`);
  terminal.tell('Full policy: `countersign policy explain`. Used so far: `countersign limits`.');
  terminal.tell('Back up: `countersign backup DIR`, and keep both passphrases elsewhere.');
  const store = openStore({ home, env, requested: textOption(input.options, 'secret-store') });
  try {
    await store.list();
    terminal.tell('Setup complete: start your client, and ask it for `get_status` of Countersign.');
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    terminal.tell(
      'Last step: set COUNTERSIGN_PASSPHRASE where your client is started. Without it the client cannot open the wallet.',
    );
  } finally {
    store.lock();
  }
}

/** Addresses of `countersign sandbox --seed rehearsal --port 8900`. */
const REHEARSAL = { 'root-url': 'http://127.0.0.1:8900', 'rpc-url': 'http://127.0.0.1:8901' } as const;

/** Returns the addresses of service and chain; both must answer. They become settings of the home. */
async function places(input: CommandInput, mode: 'rehearsal' | 'real'): Promise<CommandInput> {
  const { home, options, terminal } = input;
  const named = textOption(options, 'profile');
  const profileFor = (rootUrl: string) =>
    profiles[profileOption({ profile: named ?? (rootUrl === profiles.bags.rootUrl ? 'bags' : undefined) })];
  if (mode === 'rehearsal') {
    terminal.tell('In another terminal: `countersign sandbox --seed rehearsal --port 8900`.');
    terminal.tell(`Press Enter to use its addresses: ${REHEARSAL['root-url']} and ${REHEARSAL['rpc-url']}.`);
  }
  const usual =
    mode === 'rehearsal'
      ? REHEARSAL['root-url']
      : options.yes === true && named === undefined
        ? undefined
        : profileFor(profiles.bags.rootUrl ?? '').rootUrl;
  if (mode === 'real' && usual !== undefined) terminal.tell(`Enter takes ${usual}.`);
  const rootUrl = await askFor(input, {
    option: 'root-url',
    text: 'Address of the service:',
    ...(usual === undefined ? {} : { usual }),
    read: async (answer) => {
      if (answer === '') throw new SetupError('The service needs an address.', 'It begins with https://.');
      const service = keylessClient(profileFor(answer), answer);
      await withDeadline({ clock: systemClock, ms: 10_000 }, (signal) =>
        service.call('ping', {}, { signal }),
      ).catch(() => {
        throw new SetupError(`Nothing answers at ${service.origin}.`, 'Check the address, and that it runs.');
      });
      return answer;
    },
  });
  const profile = profileFor(rootUrl).name;
  terminal.tell(`The service answers (profile ${profile}).`);
  const rpcUrl = await askFor(input, {
    option: 'rpc-url',
    text: 'Address of your own RPC:',
    ...(mode === 'rehearsal' ? { usual: REHEARSAL['rpc-url'] } : {}),
    read: async (answer) => {
      if (!/^https?:\/\//.test(answer))
        throw new SetupError('The RPC needs an address.', 'It begins with https:// or http://.');
      const chain = createChain({
        rpcUrl: answer,
        timeoutMs: 10_000,
      });
      const genesis = await chain.genesisHash().catch(() => {
        throw new SetupError('No RPC answers there.', 'Check the address of the RPC.');
      });
      const name = Object.keys(GENESIS).find((network) => GENESIS[network] === genesis);
      terminal.tell(`The RPC answers: ${name ?? `a chain of its own (${genesis})`}.`);
      return answer;
    },
  });
  const where = { profile, 'root-url': rootUrl, 'rpc-url': rpcUrl };
  const kept = Object.fromEntries(
    ['wallet', 'secret-store', 'second-rpc-url'].flatMap((name) => {
      const value = textOption(options, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  changeSettings(home, { mode: 'live', ...kept, ...where });
  return { ...input, options: { ...options, ...where } };
}

type WithStore = CommandInput & { readonly store: SecretStore };

/**
 * Returns this home's wallet and creates it if missing. An entered passphrase and the store it opens are reused for
 * the whole command.
 */
async function walletOf(input: CommandInput): Promise<{ ready: WithStore; wallet: Address }> {
  const { home, env, options, terminal } = input;
  const record = readStoreRecord(home);
  const kind = record?.kind ?? textOption(options, 'secret-store') ?? (await preferredStore(input));
  let unlocked = input;
  if (kind === 'file' && !env.COUNTERSIGN_PASSPHRASE && terminal.interactive) {
    // An interrupted first run may have chosen the file store without writing the file.
    const isNew = !existsSync(secretFilePath(home));
    if (isNew)
      terminal.tell(
        'The keys go into an encrypted file. Choose a passphrase of four or five random words for it.',
      );
    unlocked = await retryInput(input, async () => {
      const typed = await passphrasePrompt(terminal)(isNew ? 'create' : 'open');
      const trial = { ...input, env: { ...env, COUNTERSIGN_PASSPHRASE: typed } };
      if (isNew) {
        checkNewPassphrase(Secret.fromText(typed));
        return trial;
      }
      const store = storeOf(trial, false);
      await store.list();
      return { ...trial, store };
    });
  }
  const isChosen = record !== undefined || kind === 'env';
  const ready = {
    ...unlocked,
    store: isChosen ? storeOf(unlocked, true) : await storeForSetup(unlocked),
  };
  const there = await walletAddresses(ready.store);
  if (there.length === 0) {
    await retryInput(ready, async () => {
      const file =
        options.yes === true || !terminal.interactive
          ? ''
          : (await terminal.ask('Keypair file to import (Enter makes a new wallet):')).trim();
      await walletCommand({ ...ready, words: file === '' ? ['create'] : ['import', file] });
    });
  }
  const wallet = chooseWallet(await homeWallets(ready.store), textOption(options, 'wallet'))?.address;
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
  await retryInput(input, () => loginCommand({ ...input, words: [] }));
}

/** Returns the given policy file, or the one in the home folder, created from a template if missing. */
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
    if (textOption(options, 'template') !== undefined)
      terminal.tell('The template is not used. `countersign policy init --out FILE` writes another policy.');
    return path;
  }
  const template = await askFor(input, {
    option: 'template',
    text: 'What may the agent do?',
    usual: 'creator',
    choices: templateChoices(),
    read: (answer) => nameOf(TEMPLATE_NAMES, answer, 'template'),
  });
  await initPolicyCommand({
    ...input,
    words: ['init'],
    options: { ...options, template, wallet, out: path },
  });
  return path;
}

/** Formats a limit in SOL only. */
const inSol = (limit: Parameters<typeof limitWords>[0]): string =>
  limitWords(limit).replace(/ \([\d,]+ lamports\)/, '');

/** Describes each template, the default first: its purpose and SOL limits. */
function templateChoices(): Record<string, string> {
  const rows = ['creator' as const, ...TEMPLATE_NAMES].map((name) => {
    const { limits } = policyTemplate(name, { wallet: '', network: 'mainnet-beta' });
    const spends = limits.flatMap((limit) =>
      'asset' in limit && limit.asset === 'SOL' ? [inSol(limit)] : [],
    );
    return [name, `${TEMPLATE_WORDS[name]} ${spends.join(' ') || 'Spends nothing.'}`];
  });
  return Object.fromEntries(rows);
}

const TEMPLATE_WORDS: Readonly<Record<TemplateName, string>> = {
  observer: 'Reads and builds, signs nothing.',
  creator: 'Sets up fee shares and claims fees; a launch or a changed split asks you.',
  trader: 'Trades SOL and claims fees; where money is real, the first purchase of a token asks you.',
  sandbox: 'For chains with play money: nearly everything, with wide limits.',
};

/** Creates the owner key. Its passphrase is entered by a person, so scripts skip it. */
async function ownerKey(input: CommandInput): Promise<void> {
  const { home, options, terminal } = input;
  if (existsSync(ownerKeyPath(home))) terminal.tell('There already.');
  else if (options.yes === true || !terminal.interactive) {
    terminal.tell(
      'Left out: only a person types its passphrase. Run `countersign owner create` when you are there.',
    );
  } else await retryInput(input, () => ownerCommand({ ...input, words: ['create'] }));
}
