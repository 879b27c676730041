/** The command line with which clients start the server, from the options of `setup`. */

import { resolve } from 'node:path';
import { name as packageName } from '../../../package.json';
import { SetupError } from '../../runtime/backends/backend.ts';
import { secretPartsOfUrl } from '../../secrets/redaction/urlSecrets.ts';
import { type OptionValues, textOption } from '../command.ts';
import { OPTIONS, variableOf } from '../options.ts';
import type { ServerStart } from './clients.ts';

export interface StartParameters {
  readonly options: OptionValues;
  /** The settings of the home, which the server reads itself. */
  readonly saved?: OptionValues | undefined;
  /** The script that runs as `countersign` now. */
  readonly script: string;
  /** Absolute path of this Node. */
  readonly node: string;
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** Environment variables required by the secret store. */
  readonly storeVariables?: readonly string[];
}

/** Options that are paths: clients start servers in any folder. */
const PATHS: readonly string[] = ['policy', 'home', 'images'];
const TEXTS = [
  ...['profile', 'root-url', 'rpc-url', 'second-rpc-url', 'policy', 'wallet', 'home', 'secret-store'],
  ...['toolsets', 'images', 'explorer', 'ledger', 'webhook'],
];
/** A webhook's URL is a secret, and the ledger's address may contain a password. */
const SECRET: readonly string[] = ['ledger', 'webhook'];

/**
 * Returns how clients start the server. Options that differ from the home's settings are written. An installed
 * package is started by `npx` at this exact version, so that upgrading is the user's decision; a checkout by its
 * path.
 * @throws SetupError for an invalid RPC URL
 */
export function serverStart(parameters: StartParameters): ServerStart {
  const { options, saved = {}, script, node, version, platform, storeVariables = [] } = parameters;
  const words = ['serve', options.live === true ? '--live' : '--sandbox'];
  const secretVariables: string[] = [];
  for (const name of TEXTS) {
    const value = textOption(options, name);
    if (value === undefined || value === saved[name]) continue;
    if (SECRET.includes(name) || (name.endsWith('rpc-url') && holdsSecret(value)))
      secretVariables.push(variableOf(name));
    else {
      const given = PATHS.includes(name) ? resolve(value) : value;
      words.push(...(Object.hasOwn(OPTIONS, name) ? [`--${name}`, given] : ['--set', `${name}=${given}`]));
    }
  }
  if (options['read-only'] === true && saved['read-only'] !== true) words.push('--read-only');
  secretVariables.push(...storeVariables);
  const packaged = /[\\/]node_modules[\\/]/.test(script);
  const [command, ...args] = packaged
    ? [...(platform === 'win32' ? ['cmd', '/c'] : []), 'npx', '-y', `${packageName}@${version}`, ...words]
    : [node, script, ...words];
  return { command: command ?? node, args, secretVariables };
}

/** Returns whether an RPC URL contains a secret: providers put keys into path, query or user part. */
function holdsSecret(url: string): boolean {
  try {
    return secretPartsOfUrl(url).length > 0;
  } catch {
    throw new SetupError('The RPC URL is not a URL.', 'Use --rpc-url https://HOST.');
  }
}
