/** `countersign secrets migrate keychain | file`: moves the secrets of this home to another store; none is shown. */

import { several } from '../../base/format.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { migrateHome } from '../../secrets/stores/migrate.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { passphrasePrompt } from '../terminal.ts';

const USAGE = 'countersign secrets migrate keychain | file';

export const secretsCommand: Command = async (input) => {
  const [verb, target] = input.words;
  if (verb === 'migrate' && target !== undefined) return migrate(input, target);
  throw new SetupError('The secrets command needs to know what to do.', USAGE);
};

async function migrate({ home, env, options, terminal }: CommandInput, target: string): Promise<number> {
  const { kind, moved, notDeleted } = await migrateHome({
    home,
    env,
    target,
    rootUrl: textOption(options, 'root-url'),
    ...(terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
  if (options.json === true) {
    terminal.print(JSON.stringify({ store: kind, moved, notDeleted }));
    return 0;
  }
  for (const name of moved) terminal.print(name);
  terminal.tell(
    `${several(moved.length, 'secret')} moved; this home now keeps its secrets in the ${kind} store.`,
  );
  if (notDeleted.length > 0) {
    terminal.tell(`Still in the old store as well, remove by hand: ${notDeleted.join(', ')}.`);
  }
  return 0;
}
