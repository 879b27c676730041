/** `countersign open`: opens the approval page of the running server again, through a new door that works once. */
import { existsSync } from 'node:fs';
import { closeDoor, doorPath, readHandle } from '../../page/http/door.ts';
import { knock } from '../../page/http/knock.ts';
import { openInBrowser } from '../../page/http/openBrowser.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command } from '../command.ts';

export const openCommand: Command = async ({ home, env, terminal }) => {
  const handle = readHandle(home);
  const without =
    '`countersign pending` lists what waits, and `countersign approve ID` answers it without the page.';
  if (handle === undefined) {
    throw new SetupError(
      'No running server of this home has an approval page.',
      `It comes with the first question of an agent. ${without}`,
    );
  }
  // A door that another server left behind must not be taken for the new one.
  closeDoor(home);
  if (!(await knock(handle)) || !existsSync(doorPath(home))) {
    throw new SetupError(
      'The server whose approval page this was does not answer: it has stopped.',
      `A new page comes with the next question of an agent. ${without}`,
    );
  }
  const file = doorPath(home);
  const opened = openInBrowser(file, env);
  terminal.print(file);
  terminal.tell(
    opened
      ? 'The page opens in your browser. If it does not, open this file in it: it works once, within ten minutes.'
      : 'Open this file in a browser: it works once, within ten minutes.',
  );
  return 0;
};
