/**
 * Interface of subcommands. Each subcommand is one short file that reads its arguments, calls a lower layer and
 * prints.
 */
import type { Environment } from '../secrets/home.ts';
import type { SecretStore } from '../secrets/stores/store.ts';
import type { Terminal } from './terminal.ts';

/** Values of options from the command line or the environment. */
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

export interface CommandInput {
  /** Arguments after the subcommand that are not options. */
  readonly words: readonly string[];
  readonly options: OptionValues;
  /** Options from the home's `settings.json`, not from the command line. */
  readonly saved?: OptionValues;
  /** Absolute path of the home folder. */
  readonly home: string;
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Secret store shared by the steps of a longer command, which locks it; each opening costs a key derivation. */
  readonly store?: SecretStore;
  /** The script that `node` runs as `countersign`. */
  readonly script: string;
}

/** Returns the exit code. */
export type Command = (input: CommandInput) => Promise<number>;

/** Returns the value of a text option. */
export function textOption(options: OptionValues, name: string): string | undefined {
  const value = options[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
