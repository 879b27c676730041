/**
 * What every agent framework is tried through: it starts the built server itself, shows a model its tools and shows it the
 * result of a call. The model is scripted: it makes the one call it is told to and writes down what it was shown.
 */
import { resolve } from 'node:path';
import { TOOLSETS } from '../../src/server/catalogue.ts';

const COMMAND = resolve(import.meta.dirname, '../../dist/countersign.js');

/** How a framework starts the server: the built command over stdio, with a sandbox of its own. */
export interface Command {
  readonly command: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

/** A tool as the framework hands it to a model. */
export interface ShownTool {
  readonly name: string;
  /** The JSON Schema of its arguments. */
  readonly parameters: unknown;
  /** Whether the framework could convert the schema to OpenAI's strict form. */
  readonly strict?: boolean;
}

export interface Connection {
  /** All tools, as a model is given them. */
  tools(): Promise<readonly ShownTool[]>;
  /** Has a model call a tool; what the model is then shown of the result, with quotes and line ends unescaped. */
  call(name: string, args: Readonly<Record<string, unknown>>): Promise<string>;
  close(): Promise<void>;
}

export interface Framework {
  /** The npm package, as `package.json` of this folder names it. */
  readonly name: string;
  /** What it shows a model of a result. */
  readonly shows: readonly ('text' | 'structure')[];
  /** Whether it converts every schema to OpenAI's strict form, where a model must say every argument, null for none. */
  readonly strict?: true;
  connect(server: Command): Promise<Connection>;
}

/** The built command with every toolset and the sandbox on a fast chain, keeping what it keeps in `home`. */
export const sandboxServer = (home: string): Command => ({
  command: process.execPath,
  args: [COMMAND, 'serve', '--sandbox', '--set', 'slot-ms=100', '--toolsets', TOOLSETS.join(',')],
  env: { PATH: process.env.PATH ?? '', HOME: home, COUNTERSIGN_HOME: home },
});

/** What a model reads: a part of its prompt as text, the quotes and line ends of nested JSON unescaped. */
export const read = (part: unknown): string =>
  JSON.stringify(part ?? null)
    .replaceAll(/\\+n/g, '\n')
    .replaceAll(/\\+"/g, '"');
