/** `countersign policy init | check | schema | …`: people's side of the signing policy. */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { profiles } from '../../contract/profiles/index.ts';
import { policyJsonSchema } from '../../policy/file/schema.ts';
import { policyTemplate, TEMPLATE_NAMES, type TemplateName } from '../../policy/file/templates.ts';
import { createChain } from '../../rpc/chain.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { readStoreRecord } from '../../secrets/stores/chooseStore.ts';
import { isAddress } from '../../transaction/addresses.ts';
import { isOnCurve } from '../../transaction/derive.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { storeOf } from '../keys/owner.ts';
import { walletNames } from '../keys/wallet.ts';
import { profileOption } from '../sandbox.ts';
import { readPolicy } from './read.ts';

const USAGE =
  'countersign policy init | check FILE | explain FILE | test FILE CASES | diff OLD NEW | observe | accept FILE | schema';

export const policyCommand: Command = async (input) => {
  const [verb] = input.words;
  if (verb === 'init') return init(input);
  if (verb === 'check') return check(input);
  if (verb === 'explain') return (await import('./explain.ts')).explainPolicyCommand(input);
  if (verb === 'test') return (await import('./test.ts')).testPolicyCommand(input);
  if (verb === 'diff') return (await import('./diff.ts')).diffPolicyCommand(input);
  if (verb === 'observe') return (await import('./observe.ts')).observePolicyCommand(input);
  if (verb === 'accept') return (await import('./policyAccept.ts')).acceptPolicyCommand(input);
  if (verb === 'schema') {
    input.terminal.print(JSON.stringify(policyJsonSchema(), null, 2));
    return 0;
  }
  throw new SetupError('The policy command needs to know what to do.', USAGE);
};

/** Writes a policy file from a template; asks for what it was not told. Never overwrites. */
async function init(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const template = templateName(await given(input, 'template', `Template (${TEMPLATE_NAMES.join(', ')}):`));
  const wallet =
    textOption(options, 'wallet') ??
    (await onlyWallet(input)) ??
    (await given(input, 'wallet', "Address of the agent's wallet:"));
  if (!isAddress(wallet) || !isOnCurve(wallet)) {
    throw new SetupError(
      'That is not the address of a wallet.',
      'Pass `--wallet ADDRESS`, as `countersign wallet show` prints it.',
    );
  }
  const out = resolve(await given(input, 'out', 'File to write:'));
  if (existsSync(out))
    throw new SetupError(`${out} is already there.`, 'Choose another file with `--out FILE`.');
  const rpcUrl = await given(input, 'rpc-url', 'RPC address (its genesis hash names the network):');
  const network = await createChain({ rpcUrl, fetch: (url, init) => fetch(url, init) }).genesisHash();
  const { addresses } = profiles[profileOption(options)];
  const servicePrograms = Object.entries(addresses).map(([label, address]) => ({ label, address }));
  const file = policyTemplate(template, {
    wallet,
    network,
    ...(servicePrograms.length > 0 ? { servicePrograms } : {}),
  });
  writeFileSync(out, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  terminal.print(out);
  terminal.tell(
    `Template "${template}" for ${wallet}. Read it with \`countersign policy explain ${out}\`, change what you like, then \`countersign policy check ${out}\`.`,
  );
  terminal.tell(
    existsSync(ownerKeyPath(input.home))
      ? `Next: \`countersign setup --live --policy ${out} --write\`.`
      : `Next: \`countersign owner create\`, then \`countersign setup --live --policy ${out} --write\`.`,
  );
  return 0;
}

/** The wallet of this home, when there is exactly one and its store opens. */
async function onlyWallet(input: CommandInput): Promise<string | undefined> {
  if (readStoreRecord(input.home) === undefined) return undefined;
  const [first, ...others] = await walletNames(storeOf(input, true)).catch(() => []);
  return others.length === 0 ? first : undefined;
}

async function check({ words, terminal }: CommandInput): Promise<number> {
  const path = words[1];
  if (path === undefined) throw new SetupError('Which file?', 'countersign policy check FILE');
  const loaded = await readPolicy(path, terminal);
  if (loaded === undefined) return 1;
  terminal.print(`${path}: ${loaded.policy.id} is valid, hash ${loaded.hash}`);
  return 0;
}

async function given(input: CommandInput, name: string, question: string): Promise<string> {
  const value = textOption(input.options, name);
  if (value !== undefined) return value;
  return (await input.terminal.ask(question, { or: `Pass \`--${name}\`.` })).trim();
}

function templateName(text: string): TemplateName {
  const name = TEMPLATE_NAMES.find((each) => each === text);
  if (name !== undefined) return name;
  throw new SetupError('There is no such template.', `Use --template ${TEMPLATE_NAMES.join(', ')}.`);
}
