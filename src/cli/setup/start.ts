/** The command line a client starts the server with, from the options `setup` was given. */

import { resolve } from 'node:path';
import { name as packageName } from '../../../package.json';
import { SetupError } from '../../runtime/backends/backend.ts';
import { secretPartsOfUrl } from '../../secrets/redaction/urlSecrets.ts';
import { type OptionValues, textOption } from '../command.ts';
import type { ServerStart } from './clients.ts';

export interface StartParameters {
  readonly options: OptionValues;
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
  'profile',
  'root-url',
  'policy',
  'wallet',
  'home',
  'secret-store',
  'toolsets',
  'images',
  'explorer',
] as const;

/** True when `setup` is to configure live mode. */
export const wantsLive = (options: OptionValues): boolean => options.live === true || options.mode === 'live';

/**
 * How clients start the server. An installed package is started by `npx` at this very version, so that a new release
 * is a person's decision; a checkout by its own path.
 * @throws SetupError for an RPC URL that is none
 */
export function serverStart({
  options,
  script,
  node,
  version,
  platform,
  storeVariables = [],
}: StartParameters): ServerStart {
  const words = ['serve', wantsLive(options) ? '--live' : '--sandbox'];
  for (const name of TEXTS) {
    const value = textOption(options, name);
    if (value !== undefined) words.push(`--${name}`, PATHS.includes(name) ? resolve(value) : value);
  }
  if (options['read-only'] === true) words.push('--read-only');
  const secretVariables: string[] = [];
  for (const [name, variable] of [
    ['rpc-url', 'COUNTERSIGN_RPC_URL'],
    ['second-rpc-url', 'COUNTERSIGN_SECOND_RPC_URL'],
  ] as const) {
    const url = textOption(options, name);
    if (url === undefined) continue;
    if (holdsSecret(url)) secretVariables.push(variable);
    else words.push(`--${name}`, url);
  }
  // The address of a ledger may hold a password.
  if (textOption(options, 'ledger') !== undefined) secretVariables.push('COUNTERSIGN_LEDGER');
  // A webhook's URL is a secret by itself.
  if (textOption(options, 'webhook') !== undefined) secretVariables.push('COUNTERSIGN_WEBHOOK');
  for (const name of storeVariables) secretVariables.push(name);
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
