/** The command line a client starts the server with, from the options `setup` was given. */

import { resolve } from 'node:path';
import { name as packageName } from '../../../package.json';
import { SetupError } from '../../runtime/backends/backend.ts';
import { secretPartsOfUrl } from '../../secrets/redaction/urlSecrets.ts';
import { type OptionValues, textOption } from '../command.ts';
import { OPTIONS, variableOf } from '../options.ts';
import type { ServerStart } from './clients.ts';

export interface StartParameters {
  readonly options: OptionValues;
  /** The settings of the home: the server reads them itself. */
  readonly saved?: OptionValues | undefined;
  /** The script that runs as `countersign` now. */
  readonly script: string;
  /** Absolute path of this Node. */
  readonly node: string;
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** What the secret store of this home needs in the environment. */
  readonly storeVariables?: readonly string[];
}

/** Options whose value is a path: clients start servers in any folder. */
const PATHS: readonly string[] = ['policy', 'home', 'images'];
const TEXTS = [
  ...['profile', 'root-url', 'rpc-url', 'second-rpc-url', 'policy', 'wallet', 'home', 'secret-store'],
  ...['toolsets', 'images', 'explorer', 'ledger', 'webhook'],
];
/** A webhook's URL is a secret by itself, and the address of a ledger may hold a password. */
const SECRET: readonly string[] = ['ledger', 'webhook'];

/**
 * How clients start the server. The settings of the home are left to it; options that differ from them are written. An
 * installed package is started by `npx` at this very version, so that a new release is a person's decision; a checkout
 * by its own path.
 * @throws SetupError for an RPC URL that is none
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

/** Providers put their key into the path, the query or the user part of an RPC URL. */
function holdsSecret(url: string): boolean {
  try {
    return secretPartsOfUrl(url).length > 0;
  } catch {
    throw new SetupError('The RPC URL is not a URL.', 'Use --rpc-url https://HOST.');
  }
}
