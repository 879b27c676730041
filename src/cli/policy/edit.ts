/**
 * `countersign policy edit [FILE]`: opens a copy in the editor, checks it, shows the changes and which recorded
 * decisions they affect, and replaces the file once the owner confirms.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { writePrivateFile } from '../../secrets/privateFile.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { diffPolicyCommand } from './diff.ts';
import { acceptPolicyCommand } from './policyAccept.ts';
import { readPolicy } from './read.ts';

export const editPolicyCommand: Command = async (input) => {
  const { words, options, terminal, home } = input;
  const path = words[1] ?? textOption(options, 'policy');
  if (path === undefined)
    throw new SetupError('Which file?', 'countersign policy edit FILE; `countersign init` makes one.');
  const file = await readPolicyFile(path);
  if ('problem' in file) throw new SetupError(`${path}: ${file.problem}.`, 'Correct that first.');
  if (!terminal.interactive)
    throw new SetupError(
      'An editor needs a terminal.',
      'Change the file, then `countersign policy accept FILE`.',
    );
  const folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
  const copy = join(folder, 'policy.json');
  try {
    writeFileSync(copy, file.text, { mode: 0o600 });
    if (!(await edited(input, copy))) return 1;
    const changed = await readPolicyFile(copy);
    if ('problem' in changed) throw new SetupError(`${copy}: ${changed.problem}.`, 'Nothing was changed.');
    if (changed.text === file.text) {
      terminal.tell('Nothing was changed.');
      return 0;
    }
    await diffPolicyCommand({ ...input, words: ['diff', path, copy] });
    if (!(await says(input, `Put this in the place of ${path}? Type yes:`))) {
      terminal.tell('Nothing was changed.');
      return 1;
    }
    writePrivateFile(path, Buffer.from(changed.text));
    terminal.print(`Written to ${path}.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (existsSync(ownerKeyPath(home))) return acceptPolicyCommand({ ...input, words: ['accept', path] });
  terminal.tell('Servers that are running deny everything until they are started again.');
  return 0;
};

const says = async ({ terminal }: CommandInput, question: string): Promise<boolean> =>
  (await terminal.ask(question)).trim().toLowerCase() === 'yes';

/** Opens the editor until the copy is a valid policy, or the user gives up. */
async function edited(input: CommandInput, copy: string): Promise<boolean> {
  for (;;) {
    await openEditor(input, copy);
    if ((await readPolicy(copy, input.terminal)) !== undefined) return true;
    if (!(await says(input, 'Open it again? Type yes:'))) {
      input.terminal.tell('Nothing was changed.');
      return false;
    }
  }
}

/** Runs the environment's editor, which uses the terminal until it ends. */
function openEditor({ env }: CommandInput, path: string): Promise<void> {
  const usual = process.platform === 'win32' ? 'notepad' : 'vi';
  const [command = usual, ...words] = (env.VISUAL || env.EDITOR || usual).split(' ');
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...words, path], { stdio: 'inherit' });
    child.once('error', () =>
      reject(new SetupError(`The editor "${command}" cannot be started.`, 'Set EDITOR to another one.')),
    );
    child.once('exit', () => resolve());
  });
}
