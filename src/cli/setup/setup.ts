/**
 * `countersign setup [CLIENT…] [--write]`: configures MCP clients. Prints the exact change; `--write` makes it. Other
 * entries and comments are never touched: a file that cannot be changed safely is left alone and its entry printed.
 */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { version } from '../../../package.json';
import { asRecord } from '../../base/record.ts';
import { valueOfNode } from '../../base/strictJson.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { createRedactor } from '../../secrets/redaction/redact.ts';
import { readStoreRecord } from '../../secrets/stores/chooseStore.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { widthOf, wrap } from '../layout.ts';
import { CLIENT_IDS, CLIENTS, type Client, type Place, type ServerStart } from './clients.ts';
import { preview, readText, replaceText } from './file.ts';
import { type EntryEdit, parseFileTree, setEntry, valueAt } from './setEntry.ts';
import { serverStart } from './start.ts';

/** Name of the server in every client. */
const SERVER = 'countersign';
/** The fields of an existing entry that are set; the others (`env`, `disabled`, …) belong to the user. */
const OURS: readonly string[] = ['type', 'command', 'args'];

export const setupCommand: Command = async (input) => {
  const place: Place = { env: input.env, platform: process.platform, userHome: input.env.HOME || homedir() };
  const named = input.words;
  const chosen = choose(named);
  const write = input.options.write === true;
  let trouble = 0;
  for (const client of chosen) {
    // Without names, only installed clients are written to; printing shows all.
    const there = existsSync(client.folder(place)) || existsSync(client.file(place));
    if (write && named.length === 0 && !there) {
      input.terminal.tell(
        `${client.title}: not found here. \`countersign setup ${client.id} --write\` writes anyway.`,
      );
      continue;
    }
    if (!setUp(input, client, place, write)) trouble += 1;
  }
  notes(input, chosen, write);
  return trouble === 0 ? 0 : 1;
};

function choose(words: readonly string[]): readonly Client[] {
  const unknown = words.find((word) => !CLIENT_IDS.some((id) => id === word));
  if (unknown !== undefined) {
    throw new SetupError('There is no such client here.', `Clients: ${CLIENT_IDS.join(', ')}.`);
  }
  return words.length === 0 ? CLIENTS : CLIENTS.filter((client) => words.includes(client.id));
}

/** Shows, and with `write` makes, the change of one client's file. Returns false if the file could not be changed. */
function setUp(input: CommandInput, client: Client, place: Place, write: boolean): boolean {
  const { terminal } = input;
  const path = client.file(place);
  const before = readText(path);
  const start = startOf(input);
  const { edit, entry } = change(client, before, client.entry(start));
  const print = (text: string): void => {
    for (const line of wrap(text, widthOf(terminal.columns), '  ')) terminal.print(line);
  };
  terminal.print('');
  for (const line of wrap(`${client.title}: ${path}`, widthOf(terminal.columns), '', '  '))
    terminal.print(line);
  if (edit.kind === 'same') {
    print('is already configured.');
    return true;
  }
  if (edit.kind === 'unsafe') {
    print(`was not changed: ${edit.reason}. Add this under "${client.servers}" by hand:`);
    for (const line of JSON.stringify({ [SERVER]: entry }, undefined, 2).split('\n'))
      terminal.print(`  ${line}`);
    return !write;
  }
  const redactor = createRedactor();
  for (const line of preview(before, edit.edit)) terminal.print(`  ${String(redactor.redactValue(line))}`);
  if (!write) return true;
  const backup = replaceText(path, before, edit.text);
  print(`written${backup === undefined ? '' : `; the previous file is ${backup}`}.`);
  print(client.after);
  return true;
}

/** Returns the change of a file; the user's additions to our entry are kept. */
function change(
  client: Client,
  before: string | undefined,
  entry: Record<string, unknown>,
): { edit: EntryEdit; entry: Record<string, unknown> } {
  const path = [client.servers, SERVER] as const;
  const kept = before === undefined ? {} : additions(before, path, client.lenient);
  const env = { ...asRecord(kept.env), ...asRecord(entry.env) };
  const whole = { ...kept, ...entry, ...(Object.keys(env).length === 0 ? {} : { env }) };
  return {
    edit: setEntry(before ?? '', { path: [...path], value: whole, lenient: client.lenient }),
    entry: whole,
  };
}

function additions(before: string, path: readonly string[], lenient: boolean): Record<string, unknown> {
  try {
    const old = asRecord(valueAt(valueOfNode(parseFileTree(before, lenient)), path));
    return Object.fromEntries(Object.entries(old).filter(([key]) => !OURS.includes(key)));
  } catch {
    // Unreadable: setEntry reports it.
    return {};
  }
}

/** Returns how clients start the server of this home. */
function startOf({ options, saved, script, home }: CommandInput): ServerStart {
  const storeVariables =
    options.live === true ? STORE_VARIABLES[readStoreRecord(home)?.kind ?? 'keychain'] : [];
  return serverStart({
    options,
    saved,
    script,
    node: process.execPath,
    version,
    platform: process.platform,
    storeVariables,
  });
}

/** Environment variables each secret store reads; never written to a client's file. */
const STORE_VARIABLES = {
  keychain: [],
  file: ['COUNTERSIGN_PASSPHRASE'],
  env: ['COUNTERSIGN_API_KEY', 'COUNTERSIGN_WALLET_FILE', 'COUNTERSIGN_OWNER_PUBLIC_KEY'],
} as const;

function notes(input: CommandInput, chosen: readonly Client[], write: boolean): void {
  const { options, terminal, home } = input;
  const live = options.live === true;
  const { secretVariables } = startOf(input);
  if (secretVariables.length > 0) {
    terminal.tell(
      `No secret is written: set ${secretVariables.join(' and ')} where the client is started; its configuration takes them from there.`,
    );
    if (chosen.some((client) => client.id === 'claude-desktop')) {
      terminal.tell('Claude Desktop: install the .mcpb bundle instead; it keeps secrets in the keychain.');
    }
  }
  if (live && (textOption(options, 'rpc-url') ?? textOption(options, 'policy')) === undefined)
    terminal.tell('This home is not set up: `countersign init` asks for what is missing.');
  if (!live && readStoreRecord(home) !== undefined)
    terminal.tell('This configures the sandbox. `countersign init` sets up the wallet of this home.');
  if (!write) terminal.tell('Nothing was written. Add --write to write it.');
  else if (live) terminal.tell('Next: `countersign doctor` checks the setup.');
}
