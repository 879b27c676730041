/** `countersign policy init`: writes a policy file from a template; asks for missing options. Never overwrites. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { listWords } from '../../base/format.ts';
import { type ProfileName, profiles } from '../../contract/profiles/index.ts';
import { readDeployments } from '../../execution/deciding/programs.ts';
import { isPublicNetwork } from '../../policy/file/networks.ts';
import type { UnsupportedProgram } from '../../policy/file/schema.ts';
import { SANDBOX_PROGRAMS, sandboxPolicy } from '../../review/templates/embedded.ts';
import { serviceProgram } from '../../review/templates/servicePrograms.ts';
import {
  policyTemplate,
  TEMPLATE_NAMES,
  type TemplateInput,
  type TemplateName,
} from '../../review/templates/templates.ts';
import { createChain } from '../../rpc/chain.ts';
import type { Chain } from '../../rpc/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { systemCode } from '../../secrets/errors.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { isAddress } from '../../transaction/base58.ts';
import { isOnCurve } from '../../transaction/derive.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { askFor, nameOf } from '../init/asking.ts';
import { addressOf, walletOption, walletsHere } from '../keys/wallets/named.ts';
import { profileOption } from '../sandbox.ts';

export const initPolicyCommand: Command = async (input) => {
  const { options, terminal } = input;
  // A caller with all options may be a script; the profile is then the one without programs.
  const answers = ['template', 'out', 'rpc-url'].some((name) => textOption(options, name) === undefined);
  const template: TemplateName = await askFor(input, {
    option: 'template',
    text: `Template (${TEMPLATE_NAMES.join(', ')}):`,
    read: (answer) => nameOf(TEMPLATE_NAMES, answer, 'template'),
  });
  // A store that does not open has no wallets; the user enters one.
  const here = await walletsHere(input).catch(() => []);
  const wallet =
    (await walletOption(input)) ??
    (here.length === 1 ? here[0]?.address : undefined) ??
    (await askFor(input, {
      option: 'wallet',
      text: "Address or label of the agent's wallet:",
      read: (name) => addressOf(input, name),
    }));
  if (!isAddress(wallet) || !isOnCurve(wallet)) {
    throw new SetupError(
      'That is not the address of a wallet.',
      'Pass `--wallet ADDRESS`, as `countersign wallet show` prints it.',
    );
  }
  const profile = await profileName(input, answers);
  const out = await askFor(input, { option: 'out', text: 'File to write:', read: newFile });
  const rpcUrl = await askFor(input, {
    option: 'rpc-url',
    text: 'RPC address (its genesis hash names the network):',
    read: String,
  });
  const chain = createChain({ rpcUrl });
  const network = await chain.genesisHash();
  const { entries, messages } = await programsOf(chain, profile, network);
  // Our own sandbox has programs of its own. If the chain has them, this writes the sandbox's policy.
  const own = template === 'sandbox' && !isPublicNetwork(network) ? await ownPrograms(chain, entries) : [];
  const servicePrograms = [...entries, ...own];
  const made = (own.length > 0 ? sandboxPolicy : templateOf(template))({ wallet, network, servicePrograms });
  const label = here.find(({ address }) => address === wallet)?.label;
  const file = label === undefined ? made : { ...made, wallets: [{ label, address: wallet }] };
  try {
    writeFileSync(out, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    // A partial file would block the next attempt.
    if (systemCode(error) !== 'EEXIST') rmSync(out, { force: true });
    throw error;
  }
  terminal.print(out);
  terminal.tell(
    `Template "${template}" for ${wallet}, service profile "${profile}". Read it with \`countersign policy explain ${out}\`, edit it, then \`countersign policy check ${out}\`.`,
  );
  for (const line of messages) terminal.tell(line);
  terminal.tell(
    existsSync(ownerKeyPath(input.home))
      ? `Next: \`countersign settings policy ${out}\`, then \`countersign setup --write\`.`
      : `Next: \`countersign settings policy ${out}\`, then \`countersign owner create\`.`,
  );
  return 0;
};

/**
 * Returns entries for a profile's programs that exist on chain, with the slot of their code. Prints omitted addresses
 * and entries that need more.
 */
async function programsOf(
  chain: Chain,
  profile: ProfileName,
  network: string,
): Promise<{ entries: Omit<UnsupportedProgram, 'binding'>[]; messages: string[] }> {
  const known = Object.entries(profiles[profile].addresses);
  if (known.length === 0) {
    return {
      entries: [],
      messages: [
        `The profile "${profile}" names no programs, so only fully decoded transactions can be signed. ` +
          'For a known deployment name its profile: `--profile bags`.',
      ],
    };
  }
  const found = await readDeployments(
    chain,
    known.map(([, address]) => address),
  );
  const entries: Omit<UnsupportedProgram, 'binding'>[] = [];
  const [others, unheld, unnamed]: string[][] = [[], [], []];
  for (const [i, [label, address]] of known.entries()) {
    const { isProgram = false, deployedSlot } = found[i] ?? {};
    if (!isProgram) others?.push(label);
    // On a public network an entry must name the slot of the program's code; a program without one gets no entry.
    else if (deployedSlot === undefined && isPublicNetwork(network)) unheld?.push(label);
    else {
      const made = serviceProgram(label, address, deployedSlot);
      if (made.every(({ instructions }) => instructions.length === 0)) unnamed?.push(label);
      entries.push(...made);
    }
  }
  const listed = (labels: string[] | undefined, text: string) =>
    labels === undefined || labels.length === 0 ? [] : [`${text}: ${listWords(labels)}.`];
  return {
    entries,
    messages: [
      ...listed(others, 'Not listed, since they are not programs on this chain'),
      ...listed(unheld, 'Not listed, since their deployed slot cannot be read'),
      ...listed(unnamed, 'Listed without instructions: no call is allowed until you name some'),
    ],
  };
}

const templateOf = (name: TemplateName) => (input: TemplateInput) => policyTemplate(name, input);

/** Returns entries of a sandbox's own programs that the chain has and no other entry names. */
async function ownPrograms(
  chain: Chain,
  entries: readonly Pick<UnsupportedProgram, 'address'>[],
): Promise<Omit<UnsupportedProgram, 'binding'>[]> {
  const addresses = [...new Set(SANDBOX_PROGRAMS.map(({ address }) => address))];
  const found = await readDeployments(chain, addresses);
  const there = addresses.filter((_, i) => found[i]?.isProgram === true);
  return SANDBOX_PROGRAMS.filter(
    ({ address }) => there.includes(address) && !entries.some((entry) => entry.address === address),
  );
}

/** Returns the given profile; asks for it only if the command asks other questions too. */
function profileName(input: CommandInput, answers: boolean): Promise<ProfileName> | ProfileName {
  if (textOption(input.options, 'profile') !== undefined || !answers) return profileOption(input.options);
  const names = Object.keys(profiles);
  return askFor(input, {
    option: 'profile',
    text: `Service profile, which names the programs of the service (${names.join(', ')}; Enter for ${names[0]}):`,
    usual: names[0] ?? '',
    read: (profile) => profileOption({ profile }),
  });
}

/** Parses the path of a file that does not exist yet: existing files are never overwritten. */
function newFile(answer: string): string {
  const path = resolve(answer);
  if (answer !== '' && !existsSync(path)) return path;
  throw new SetupError(
    answer === '' ? 'The policy needs a file.' : `${path} is already there.`,
    'Choose another file with `--out FILE`; `countersign policy explain FILE` describes this one.',
  );
}
