/**
 * `countersign principals check FILE | accept FILE`: describes a principals file, and puts a changed one in force for
 * running servers, with the owner key if this home is set up for live mode.
 */
import { SetupError } from '../../runtime/backends/backend.ts';
import { type PrincipalEntry, type PrincipalsFile, readPrincipals } from '../../runtime/principals/file.ts';
import { lackingIn, lackingWords } from '../../runtime/principals/lacking.ts';
import { SecretError } from '../../secrets/errors.ts';
import { isLabel } from '../../secrets/wallets/label.ts';
import { type HomeWallet, walletCalled, walletWords } from '../../secrets/wallets/wallets.ts';
import { atDesk } from '../approvals/answerDesk.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { withOwnerPassphrase } from '../keys/owner.ts';
import { walletsHere } from '../keys/wallets/named.ts';
import { widthOf, wrap } from '../layout.ts';

const USAGE = 'countersign principals check FILE | accept FILE';

export const principalsCommand: Command = async (input) => {
  const [verb, named] = input.words;
  const path = named ?? textOption(input.options, 'principals');
  if (verb !== 'check' && verb !== 'accept')
    throw new SetupError('The principals command needs to know what to do.', USAGE);
  if (path === undefined) throw new SetupError('Which file?', USAGE);
  const stated = await readPrincipals(path);
  const here = await walletsFor(input, stated, verb);
  const file = here === undefined ? stated : await readPrincipals(path, here);
  const unusable = file.entries.find(({ policyHash }) => policyHash === undefined);
  printEntries(input, file, here ?? []);
  if (unusable !== undefined)
    throw new SetupError(
      `The policy of ${unusable.name} cannot be used: ${unusable.policy}.`,
      'See `countersign policy check FILE`.',
    );
  requireWallets(input, file, here, verb);
  if (verb === 'check') {
    input.terminal.print(`${path}: ${file.entries.length} principals, digest ${file.digest}`);
    return 0;
  }
  return accept(input, file);
};

/**
 * Returns the wallets of this home, to compare with the file. Returns `undefined` if there is nothing to compare, or
 * no wallets: a machine with only the owner key accepts for hosts that have the wallets.
 */
async function walletsFor(
  input: CommandInput,
  { entries }: PrincipalsFile,
  verb: string,
): Promise<readonly HomeWallet[] | undefined> {
  if (entries.every(({ wallets }) => wallets === 'all')) return undefined;
  const signer = textOption(input.options, 'signer');
  if (signer !== undefined) {
    const { loadSigners } = await import('../../runtime/backends/signerModule.ts');
    return (await loadSigners(signer)).map(({ address }) => ({ address, isDefault: false }));
  }
  try {
    const here = await walletsHere(input);
    return here.length === 0 ? undefined : here;
  } catch (error) {
    if (!(error instanceof SecretError) || verb !== 'check') throw error;
    input.terminal.tell(
      `The wallets of this home cannot be read, so they are not compared: ${error.message}`,
    );
    return undefined;
  }
}

/** Refuses to accept a file that names missing wallets; `check` only reports them. */
function requireWallets(
  { terminal }: CommandInput,
  { entries }: PrincipalsFile,
  here: readonly HomeWallet[] | undefined,
  verb: string,
): void {
  const lacking = lackingIn(entries, here ?? []);
  const byLabel = lacking.flatMap(({ wallets }) => wallets.filter(isLabel));
  if (here === undefined && byLabel.length === 0) {
    if (lacking.length > 0)
      terminal.tell(
        'This home has no wallets, so it cannot be checked here whether the hosts have the named ones.',
      );
    return;
  }
  const [first] = lacking;
  if (first === undefined) return;
  const problem = lacking.map(lackingWords).join(' ');
  const hint =
    here === undefined
      ? 'Labels belong to the home with the wallets: run the command there, or use addresses.'
      : `Import its key with \`countersign wallet import FILE\`, or correct the file. The wallets here: ${here.map(walletWords).join(', ')}.`;
  if (verb !== 'check') throw new SetupError(problem, hint);
  terminal.tell(problem);
  terminal.tell(hint);
}

const accept = (input: CommandInput, { digest }: PrincipalsFile): Promise<number> =>
  atDesk(input, async ({ answering }) => {
    await withOwnerPassphrase(input, await answering.unfreezeNeedsOwner(), (passphrase) =>
      answering.acceptPrincipals(digest, passphrase),
    );
    input.terminal.print(`Accepted ${digest}.`);
    input.terminal.tell(
      'Each running server with this ledger applies it within a second, once its own files match. A server whose files match only after a day needs another acceptance.',
    );
    return 0;
  });

/** Prints one line per principal: identity and permissions. */
function printEntries(
  { terminal }: CommandInput,
  { entries }: PrincipalsFile,
  here: readonly HomeWallet[],
): void {
  for (const entry of entries)
    for (const line of wrap(wordsOf(entry, here), widthOf(terminal.columns))) terminal.tell(line);
}

function wordsOf(
  { name, is, wallets, readOnly, callsPerMinute, policyHash, toolsets, images }: PrincipalEntry,
  here: readonly HomeWallet[],
): string {
  const wallet = (named: string): string => {
    const found = walletCalled(here, named);
    return found?.label === undefined ? named : `${found.label} ${named}`;
  };
  const who = is
    .map((each) =>
      'tokenFile' in each ? `token file ${each.tokenFile}` : `${each.subject} of ${each.issuer}`,
    )
    .join(', ');
  const may = readOnly ? 'reads only' : `policy ${policyHash ?? 'that cannot be used'}`;
  const tools = toolsets === undefined ? '' : `; toolsets ${toolsets.join(', ')}`;
  const folder = images === undefined ? '' : `; images of ${images}`;
  return `${name}: ${who}; wallets ${wallets === 'all' ? 'all' : wallets.map(wallet).join(', ')}; ${may}${tools}${folder}; ${callsPerMinute} calls a minute`;
}
