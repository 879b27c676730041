/**
 * `countersign principals check FILE | accept FILE`: what a principals file says, and putting a changed one in force for
 * servers that are running, with the owner key wherever this home was set up for real money.
 */
import { SetupError } from '../../runtime/backends/backend.ts';
import { type PrincipalEntry, type PrincipalsFile, readPrincipals } from '../../runtime/principals/file.ts';
import type { Secret } from '../../secrets/secret.ts';
import { atDesk } from '../approvals/answerDesk.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { askOwnerPassphrase } from '../keys/owner.ts';
import { widthOf, wrap } from '../layout.ts';

const USAGE = 'countersign principals check FILE | accept FILE';

export const principalsCommand: Command = async (input) => {
  const [verb, named] = input.words;
  const path = named ?? textOption(input.options, 'principals');
  if (verb !== 'check' && verb !== 'accept')
    throw new SetupError('The principals command needs to know what to do.', USAGE);
  if (path === undefined) throw new SetupError('Which file?', USAGE);
  const file = await readPrincipals(path);
  const unusable = file.entries.find(({ policyHash }) => policyHash === undefined);
  tell(input, file);
  if (unusable !== undefined)
    throw new SetupError(
      `The policy of ${unusable.name} cannot be used: ${unusable.policy}.`,
      'See `countersign policy check FILE`.',
    );
  if (verb === 'check') {
    input.terminal.print(`${path}: ${file.entries.length} principals, digest ${file.digest}`);
    return 0;
  }
  return accept(input, file);
};

const accept = (input: CommandInput, { digest }: PrincipalsFile): Promise<number> =>
  atDesk(input, async ({ answering }) => {
    let passphrase: Secret | undefined;
    try {
      if (await answering.unfreezeNeedsOwner()) passphrase = await askOwnerPassphrase(input);
      await answering.acceptPrincipals(digest, passphrase);
    } finally {
      passphrase?.wipe();
    }
    input.terminal.print(`Accepted ${digest}.`);
    input.terminal.tell(
      'Servers that are running with this ledger take it up where their files are the same, within a day.',
    );
    return 0;
  });

/** One line for each principal: who it is, and what it may use. */
function tell({ terminal }: CommandInput, { entries }: PrincipalsFile): void {
  for (const entry of entries)
    for (const line of wrap(wordsOf(entry), widthOf(terminal.columns))) terminal.tell(line);
}

function wordsOf({ name, is, wallets, readOnly, callsPerMinute, policyHash }: PrincipalEntry): string {
  const who = is
    .map((each) =>
      'tokenFile' in each ? `token file ${each.tokenFile}` : `${each.subject} of ${each.issuer}`,
    )
    .join(', ');
  const may = readOnly ? 'reads only' : `policy ${policyHash ?? 'that cannot be used'}`;
  return `${name}: ${who}; wallets ${wallets === 'all' ? 'all' : wallets.join(', ')}; ${may}; ${callsPerMinute} calls a minute`;
}
