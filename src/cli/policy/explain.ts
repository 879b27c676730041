/** `countersign policy explain FILE`: explains the file as a readable page. */
import { explainPolicy } from '../../review/explainPolicy.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type Command, textOption } from '../command.ts';
import { columnsFor } from '../layout.ts';
import { policyPageLines } from './policyLines.ts';
import { readPolicy } from './read.ts';

export const explainPolicyCommand: Command = async ({ words, options, terminal }) => {
  const path = words[1] ?? textOption(options, 'policy');
  if (path === undefined) throw new SetupError('Which file?', 'countersign policy explain FILE');
  const loaded = await readPolicy(path, terminal);
  if (loaded === undefined) return 1;
  const page = explainPolicy(loaded.policy, loaded.hash);
  if (options.json === true) {
    terminal.print(JSON.stringify(page));
    return 0;
  }
  for (const line of policyPageLines(page, columnsFor(terminal.columns))) terminal.print(line);
  return 0;
};
