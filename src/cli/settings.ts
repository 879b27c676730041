/**
 * The settings of a home, `settings.json`: written by `init` and `countersign settings`, read by every command and by
 * `serve`, overridden by options and environment variables. May contain an RPC key, so only its owner may read it.
 */
import { join, resolve } from 'node:path';
import { ensureHome } from '../secrets/home.ts';
import { readPrivateFile, writePrivateFile } from '../secrets/privateFile.ts';
import { type OptionValues, SETTINGS, UsageError } from './options.ts';

export const settingsPath = (home: string): string => join(home, 'settings.json');

/** Settings that are paths; relative ones are below the home, so that a restored home finds its files. */
export const PATHS: readonly string[] = [
  ...['policy', 'images', 'signer', 'telemetry', 'principals', 'http-token-file'],
];
const MAX_BYTES = 65_536;

/**
 * Returns the settings of a home with absolute paths; empty without a file.
 * @throws UsageError if the file is not an object of known settings; SecretError if others can read it
 */
export function readSettings(home: string): OptionValues {
  const path = settingsPath(home);
  const bytes = readPrivateFile(path, MAX_BYTES)?.bytes;
  if (bytes === undefined) return {};
  const unusable = (why: string) =>
    new UsageError(`${path} ${why}.`, 'Correct the file, or delete it and run `countersign init`.');
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw unusable('is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unusable('is not a JSON object');
  const settings: Record<string, string | boolean> = {};
  for (const [name, each] of Object.entries(value)) {
    if (!SETTINGS.includes(name)) throw unusable(`has a setting with an unknown name (${name.slice(0, 30)})`);
    if (typeof each !== 'string' && typeof each !== 'boolean')
      throw unusable(`has a value for "${name}" that is neither text nor true or false`);
    settings[name] = typeof each === 'string' && PATHS.includes(name) ? resolve(home, each) : each;
  }
  return settings;
}

/** Changes settings of a home; `undefined` removes one. Paths inside the home are stored relative to it. */
export function changeSettings(home: string, changes: OptionValues): void {
  const all = { ...readSettings(home), ...changes };
  const inside = `${resolve(home)}/`;
  const stored = Object.entries(all).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (typeof value !== 'string' || !PATHS.includes(name)) return [[name, value]];
    const path = resolve(value);
    return [[name, path.startsWith(inside) ? path.slice(inside.length) : path]];
  });
  ensureHome(home);
  writePrivateFile(
    settingsPath(home),
    Buffer.from(`${JSON.stringify(Object.fromEntries(stored), undefined, 2)}\n`),
  );
}
