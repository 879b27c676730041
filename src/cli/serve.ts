/**
 * `countersign [serve]`: the MCP server on stdio. On the start path, so it only reads options; the first call opens
 * what the tools need.
 */

import { hasRuntime, withoutRuntime } from '../base/runtimePlatforms.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Redactor } from '../secrets/redaction/redact.ts';
import type { OpenHost } from '../server/host.ts';
import { createServer, serve as serveStdio } from '../server/index.ts';
import type { OptionValues } from './options.ts';

/** Options that only live mode uses. */
const LIVE_ONLY = ['root-url', 'rpc-url', 'second-rpc-url', 'secret-store', 'signer', 'wallet'] as const;

/** Maximum bytes of unread log lines; further lines are dropped. */
export const MAX_UNREAD_LOG_BYTES = 1024 * 1024;

/** Starts serving and returns; the process ends when the client disconnects. */
export function serve(options: OptionValues, version: string, process: NodeJS.Process): void {
  let clean = (value: unknown): unknown => value;
  const log = (line: string): void => {
    // Unread log lines must not fill the memory.
    if (process.stderr.writableLength < MAX_UNREAD_LOG_BYTES)
      process.stderr.write(`countersign: ${clean(line)}\n`);
  };
  let around: Promise<Redactor> | undefined;
  /** Redacts with the secrets of the environment from the start, and those of the home once it is open. */
  const redact = async (value: unknown): Promise<unknown> => {
    around ??= import('./redactedTerminal.ts').then(({ surroundings }) => surroundings(options, process.env));
    return clean((await around).redactValue(value));
  };
  const mode = options.live === true ? 'live' : 'sandbox';
  const unused = mode === 'live' ? [] : LIVE_ONLY.filter((name) => typeof options[name] === 'string');
  if (unused.length > 0) log(`The sandbox has its own values and ignores: ${unused.join(', ')}.`);
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

/** Loads the telemetry module in the background, if configured. Returns a function that ends it. */
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

/** Returns the settings of the options, when the first call needs them. */
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
