/**
 * `countersign [serve]`: the MCP server on stdio. This file is on the path from spawning the server to its list of
 * tools, so it reads options and nothing else; what the tools need is opened by the first call.
 */

import { hasRuntime, withoutRuntime } from '../base/runtimePlatforms.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Redactor } from '../secrets/redaction/redact.ts';
import type { OpenHost } from '../server/host.ts';
import { createServer, serve as serveStdio } from '../server/index.ts';
import type { OptionValues } from './options.ts';

/** Options that only live mode uses. */
const LIVE_ONLY = ['root-url', 'rpc-url', 'second-rpc-url', 'secret-store', 'signer', 'wallet'] as const;

/** Most bytes of log lines that wait to be read; further lines are left out. */
export const MAX_UNREAD_LOG_BYTES = 1024 * 1024;

/** Starts serving and returns; the process ends when the client is gone. */
export function serve(options: OptionValues, version: string, process: NodeJS.Process): void {
  let clean = (value: unknown): unknown => value;
  const log = (line: string): void => {
    // Lines that are not read must not fill the memory either.
    if (process.stderr.writableLength < MAX_UNREAD_LOG_BYTES)
      process.stderr.write(`countersign: ${clean(line)}\n`);
  };
  let around: Promise<Redactor> | undefined;
  /** A redactor that has the secrets of the environment from the start, and those of the home as soon as it is open. */
  const redact = async (value: unknown): Promise<unknown> => {
    around ??= import('./redactedTerminal.ts').then(({ surroundings }) => surroundings(options, process.env));
    return clean((await around).redactValue(value));
  };
  const mode = options.live === true ? 'live' : 'sandbox';
  const unused = mode === 'live' ? [] : LIVE_ONLY.filter((name) => typeof options[name] === 'string');
  if (unused.length > 0) log(`The sandbox brings its own, so it does not use: ${unused.join(', ')}.`);
  if (mode === 'sandbox' && !hasRuntime(process.platform, process.arch))
    log(withoutRuntime(process.platform, process.arch));
  if (options.http === true) {
    void import('./http/serveHttp.ts').then(({ serveHttp }) =>
      serveHttp({ options, version, mode, process, settings: () => settingsOf(options, mode, process) }),
    );
    return;
  }
  const openHost: OpenHost = async () => {
    const { openRuntime } = await import('../runtime/runtime.ts');
    const runtime = await openRuntime(await settingsOf(options, mode, process), { log });
    clean = (value) => runtime.redact(value);
    return runtime;
  };
  const toolsets =
    typeof options.toolsets === 'string' ? options.toolsets.split(',').map((s) => s.trim()) : undefined;
  const server = createServer({
    version,
    mode,
    openHost,
    log,
    toolsets,
    readOnly: options['read-only'] === true,
  });
  serveStdio(server, process, { log, redact, atEnd: startTelemetry(options, version, log) });
}

/** Loads the telemetry module in the background, if one is named. Returns a function that ends it. */
export function startTelemetry(
  options: OptionValues,
  version: string,
  log: (line: string) => void,
): () => Promise<void> {
  const path = options.telemetry;
  if (typeof path !== 'string') return async () => undefined;
  let shutdown: (() => Promise<void>) | undefined;
  void import('../runtime/telemetry.ts')
    .then(({ openTelemetry }) => openTelemetry(path, version, log))
    .then((end) => {
      shutdown = end;
    });
  return async () => shutdown?.();
}

/** What the options say, made when the first call needs it. */
async function settingsOf(
  options: OptionValues,
  mode: Settings['mode'],
  { env, platform }: NodeJS.Process,
): Promise<Settings> {
  const [{ resolveHome }, { homedir }] = await Promise.all([import('../secrets/home.ts'), import('node:os')]);
  const text = (name: string): string | undefined => {
    const value = options[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    mode,
    profile: text('profile') === 'bags' ? 'bags' : 'contract',
    home: resolveHome({ option: text('home'), env, platform, userHome: homedir() }),
    env,
    rootUrl: text('root-url'),
    rpcUrl: text('rpc-url'),
    secondRpcUrl: text('second-rpc-url'),
    ledger: text('ledger'),
    policy: text('policy'),
    wallet: text('wallet'),
    webhook: text('webhook'),
    webhookDetails: text('webhook-details') === 'true',
    secretStore: text('secret-store'),
    signer: text('signer'),
    images: text('images'),
    explorer: text('explorer'),
    seed: text('seed'),
    slotMs: text('slot-ms') === undefined ? undefined : Number(text('slot-ms')),
  };
}
