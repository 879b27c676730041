/** `countersign settings [NAME [VALUE]]`: reads or changes the settings of this home; `-` removes one. */
import { resolve } from 'node:path';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command } from '../command.ts';
import { columnsFor, table } from '../layout.ts';
import { OPTIONS, SETTINGS } from '../options.ts';
import { changeSettings, PATHS, readSettings, settingsPath } from '../settings.ts';

export const settingsCommand: Command = async ({ words, home, terminal, options }) => {
  const [name, value] = words;
  if (name !== undefined && !SETTINGS.includes(name))
    throw new SetupError('There is no such setting.', `Settings: ${SETTINGS.join(', ')}.`);
  if (name !== undefined && value !== undefined) {
    const isFlag = OPTIONS[name]?.type === 'boolean';
    if (isFlag && !['true', 'false', '-'].includes(value))
      throw new SetupError(`${name} is true or false.`, `countersign settings ${name} true`);
    if (name === 'mode' && !['live', 'sandbox', '-'].includes(value))
      throw new SetupError('The mode is live or sandbox.', 'countersign settings mode live');
    const text = PATHS.includes(name) ? resolve(value) : value;
    changeSettings(home, { [name]: value === '-' ? undefined : isFlag ? value === 'true' : text });
    terminal.tell(`Written to ${settingsPath(home)}. Restart servers of this home.`);
  }
  const all = readSettings(home);
  if (options.json === true) {
    terminal.print(JSON.stringify(all));
    return 0;
  }
  const rows = Object.entries(all).filter(([each]) => name === undefined || each === name);
  for (const line of table(
    rows.map(([each, of]) => [each, String(of)]),
    columnsFor(terminal.columns),
  ))
    terminal.print(line);
  if (rows.length === 0) terminal.tell('Nothing is set here: `countersign init` sets up this home.');
  return 0;
};
