/**
 * `countersign policy accept FILE`: puts a changed policy file in force for running servers, with the owner key. Shows
 * what the file allows first, since another program may have changed it. Without it a changed file denies everything
 * until the server is restarted.
 */
import { parsePolicy } from '../../policy/file/file.ts';
import { explainPolicy } from '../../review/explainPolicy.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { atDesk } from '../approvals/answerDesk.ts';
import { type Command, textOption } from '../command.ts';
import { askOwnerPassphrase } from '../keys/owner.ts';
import { columnsFor } from '../layout.ts';
import { policyPageLines } from './policyLines.ts';

export const acceptPolicyCommand: Command = async (input) => {
  const { words, options, terminal } = input;
  const path = words[1] ?? textOption(options, 'policy');
  if (path === undefined) throw new SetupError('Which file?', 'countersign policy accept FILE');
  const file = await readPolicyFile(path);
  if ('problem' in file)
    throw new SetupError(`Not accepted: ${file.problem}.`, 'Correct it, then accept it.');
  const parsed = parsePolicy(file.text);
  if ('errors' in parsed) {
    throw new SetupError('The file is not a valid policy.', `See \`countersign policy check ${path}\`.`);
  }
  const { policy, hash } = parsed;
  return atDesk(input, async ({ answering }) => {
    for (const line of policyPageLines(explainPolicy(policy, hash), columnsFor(terminal.columns)))
      terminal.tell(line);
    const passphrase = await askOwnerPassphrase(input);
    try {
      await answering.acceptPolicy(hash, passphrase);
    } finally {
      passphrase.wipe();
    }
    terminal.print(`Accepted ${hash}.`);
    terminal.tell(
      'Running servers apply it at their next decision. A server without a decision within a day needs another acceptance.',
    );
    return 0;
  });
};
