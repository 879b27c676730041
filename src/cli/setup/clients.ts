/**
 * Clients known to `setup`: the file of their servers on each platform, and its format. Paths and formats are from
 * the clients' own documentation.
 */
import { posix, win32 } from 'node:path';
import type { Environment } from '../../secrets/home.ts';

export const CLIENT_IDS = ['claude-desktop', 'claude-code', 'cursor', 'vscode'] as const;
export type ClientId = (typeof CLIENT_IDS)[number];

/** Command line of the server; the same for every client. */
export interface ServerStart {
  readonly command: string;
  readonly args: readonly string[];
  /** Environment variables with secrets, whose values the client takes from its own environment. */
  readonly secretVariables: readonly string[];
}

export interface Place {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** The user's home folder, as returned by `os.homedir()`. */
  readonly userHome: string;
}

export interface Client {
  readonly id: ClientId;
  readonly title: string;
  /** Returns the absolute path of its file. */
  file(place: Place): string;
  /** Returns the folder that exists if the client is installed. */
  folder(place: Place): string;
  /** Key of the servers in the file. */
  readonly servers: string;
  /** Whether the file may contain comments. */
  readonly lenient: boolean;
  /** Returns the entry under the server's name. */
  entry(start: ServerStart): Record<string, unknown>;
  /** What to do after writing. */
  readonly after: string;
}

const join = ({ platform }: Place, ...parts: string[]): string =>
  platform === 'win32' ? win32.join(...parts) : posix.join(...parts);

/** Returns the platform's folder for application settings. */
function settings(place: Place): string {
  const { env, platform, userHome } = place;
  if (platform === 'win32') return env.APPDATA || win32.join(userHome, 'AppData', 'Roaming');
  if (platform === 'darwin') return posix.join(userHome, 'Library', 'Application Support');
  return env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : posix.join(userHome, '.config');
}

/** Returns `{command, args, env}`; `reference` formats a reference to a variable of the client's environment. */
function entry(
  { command, args, secretVariables }: ServerStart,
  reference: ((name: string) => string) | undefined,
): Record<string, unknown> {
  const env = Object.fromEntries(secretVariables.map((name) => [name, reference?.(name)]));
  return {
    command,
    args: [...args],
    ...(reference === undefined || secretVariables.length === 0 ? {} : { env }),
  };
}

const dollarEnv = (name: string): string => `\${env:${name}}`;

const claudeDesktop: Client = {
  id: 'claude-desktop',
  title: 'Claude Desktop',
  folder: (place) => join(place, settings(place), 'Claude'),
  file: (place) => join(place, settings(place), 'Claude', 'claude_desktop_config.json'),
  servers: 'mcpServers',
  lenient: false,
  // It has no references; secrets belong into the bundle's settings, which it keeps in the keychain.
  entry: (start) => entry(start, undefined),
  after: 'Quit Claude Desktop and start it again.',
};

const claudeCode: Client = {
  id: 'claude-code',
  title: 'Claude Code',
  folder: (place) => place.env.CLAUDE_CONFIG_DIR || join(place, place.userHome, '.claude'),
  file: (place) => join(place, place.env.CLAUDE_CONFIG_DIR || place.userHome, '.claude.json'),
  servers: 'mcpServers',
  lenient: false,
  entry: (start) => ({ type: 'stdio', ...entry(start, (name) => `\${${name}}`) }),
  after: 'Close running sessions before writing: they rewrite this file. Then /mcp shows the server.',
};

const cursor: Client = {
  id: 'cursor',
  title: 'Cursor',
  folder: (place) => join(place, place.userHome, '.cursor'),
  file: (place) => join(place, place.userHome, '.cursor', 'mcp.json'),
  servers: 'mcpServers',
  lenient: false,
  entry: (start) => entry(start, dollarEnv),
  after: 'Switch the server on under Settings, MCP.',
};

const vscode: Client = {
  id: 'vscode',
  title: 'VS Code',
  folder: (place) => join(place, settings(place), 'Code', 'User'),
  file: (place) => join(place, settings(place), 'Code', 'User', 'mcp.json'),
  servers: 'servers',
  lenient: true,
  entry: (start) => ({ type: 'stdio', ...entry(start, dollarEnv) }),
  after: 'Run "MCP: List Servers" and start it.',
};

export const CLIENTS: readonly Client[] = [claudeDesktop, claudeCode, cursor, vscode];
