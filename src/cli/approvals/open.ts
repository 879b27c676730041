/** `countersign open`: reopens the approval page of the running server through a new launch file that works once. */
import { existsSync } from 'node:fs';
import { launchFilePath, readHandle, removeLaunchFile } from '../../page/http/launchFile.ts';
import { openInBrowser } from '../../page/http/openBrowser.ts';
import { reopen } from '../../page/http/reopen.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command } from '../command.ts';

export const openCommand: Command = async ({ home, env, terminal }) => {
  const handle = readHandle(home);
  const without =
    '`countersign pending` lists open questions, and `countersign approve ID` answers one without the page.';
  if (handle === undefined) {
    throw new SetupError(
      'No running server of this home has an approval page.',
      `The page opens with the first question of an agent. ${without}`,
    );
  }
  // Removes a launch file left by another server, so that it is not taken for the new one.
  removeLaunchFile(home);
  if (!(await reopen(handle)) || !existsSync(launchFilePath(home))) {
    throw new SetupError(
      'The server of this approval page has stopped.',
      `A new page opens with the next question of an agent. ${without}`,
    );
  }
  const file = launchFilePath(home);
  const opened = openInBrowser(file, env);
  terminal.print(file);
  terminal.tell(
    opened
      ? 'The page opens in your browser. If it does not, open this file in it: it works once, within ten minutes.'
      : 'Open this file in a browser: it works once, within ten minutes.',
  );
  return 0;
};
