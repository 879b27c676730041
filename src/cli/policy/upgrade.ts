/**
 * `countersign policy upgrade FILE`: writes a policy file of version 1 anew as version 2 and shows the difference. The
 * old file stays beside it, and `--out FILE` leaves it where it is.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { JsonError, readJson } from '../../base/strictJson.ts';
import { parsePolicy } from '../../policy/file/file.ts';
import { isVersion1, upgradePolicy } from '../../policy/file/upgrade.ts';
import { unreadProgramWords } from '../../review/explainBounds.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { type Command, textOption } from '../command.ts';
import { columnsFor, wrap } from '../layout.ts';
import { tellErrors } from './read.ts';

export const upgradePolicyCommand: Command = async ({ words, options, terminal }) => {
  const given = words[1] ?? textOption(options, 'policy');
  if (given === undefined) throw new SetupError('Which file?', 'countersign policy upgrade FILE');
  const path = resolve(given);
  const read = await readPolicyFile(path);
  if ('problem' in read) throw new SetupError(`${path}: ${read.problem}.`, 'countersign policy upgrade FILE');
  const old = version1(read.text, path);
  if (old === undefined) {
    terminal.tell(`${path} is not a policy of version 1; nothing was written.`);
    return 'errors' in parsePolicy(read.text) ? 1 : 0;
  }
  const file = upgradePolicy(old);
  const text = `${JSON.stringify(file, null, 2)}\n`;
  const parsed = parsePolicy(text);
  if ('errors' in parsed) {
    terminal.tell(
      `${path} has errors of its own, so nothing was written. They stand in the file as upgraded:`,
    );
    tellErrors(path, parsed.errors, terminal);
    return 1;
  }
  const out = resolve(textOption(options, 'out') ?? path);
  const kept = `${path}.v1`;
  if (out === path) {
    if (existsSync(kept))
      throw new SetupError(`${kept} is already there.`, 'Move it away, or pass `--out FILE`.');
    writeFileSync(kept, read.text, { mode: 0o600, flag: 'wx' });
    writeFileSync(`${path}.new`, text, { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } else if (existsSync(out)) {
    throw new SetupError(`${out} is already there.`, 'Choose another file with `--out FILE`.');
  }
  if (out !== path) writeFileSync(out, text, { mode: 0o600, flag: 'wx' });
  terminal.print(out);
  const unread = parsed.policy.programs.flatMap((entry) => (entry.binding === 'effects' ? [entry] : []));
  const lines = [
    out === path ? `The file of version 1 is now ${kept}.` : `${path} is as it was.`,
    'version: 1 → 2.',
    ...unread.map(
      (entry) => `${unreadProgramWords(entry)}. Until now every instruction of it, in every operation.`,
    ),
    ...(unread.length === 0
      ? ['It named no program that is not read, so it means what it meant.']
      : [
          'Name what you need in "operations", "instructions" and "atMost"; on a public network also "deployedSlot". ' +
            'Everything not read asks a person there.',
        ]),
    'Servers that are running stop signing until they are started again, or until `countersign policy accept FILE`.',
  ];
  for (const line of lines)
    for (const each of wrap(line, columnsFor(terminal.columns), '')) terminal.tell(each);
  return 0;
};

/** The content of a file of version 1; `undefined` for any other. */
function version1(text: string, path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const { value } = readJson(text);
    return isVersion1(value) ? value : undefined;
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new SetupError(`${path}: ${error.message}.`, 'Correct it, then upgrade it.');
  }
}
