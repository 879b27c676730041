/**
 * `countersign serve --http`: one server for many agents. Reads the agents, listens, and ends on a signal. Every line
 * on stderr is a JSON object for log collectors.
 */
import { errorWords } from '../../base/systemErrors.ts';
import { orAborted, systemClock, withDeadline } from '../../clock.ts';
import type { Mode } from '../../plan/types.ts';
import { codeOf } from '../../runtime/host/readiness.ts';
import { namesLabels, type PrincipalsFile, readPrincipals } from '../../runtime/principals/file.ts';
import { lackingIn, lackingWords } from '../../runtime/principals/lacking.ts';
import { watchRoster } from '../../runtime/principals/roster.ts';
import { openRuntime, type Runtime } from '../../runtime/runtime.ts';
import type { Settings } from '../../runtime/settings.ts';
import type { HomeWallet } from '../../secrets/wallets/wallets.ts';
import type { CountersignServer } from '../../server/createServer.ts';
import { createHttpHandler } from '../../server/http/handler.ts';
import { listenHttp } from '../../server/http/serveHttp.ts';
import { createServer } from '../../server/index.ts';
import { currentScope, outOfScope } from '../../server/scope.ts';
import { CRASHED, framesOf } from '../../server/serve.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import { type OptionValues, textOption } from '../command.ts';
import { UsageError } from '../options.ts';
import { surroundings } from '../redactedTerminal.ts';
import { MAX_UNREAD_LOG_BYTES, startTelemetry } from '../serve.ts';
import { createAgents, type Entry } from './agents.ts';

const DEFAULT_PORT = 8787;
/** Milliseconds a readiness check waits for the first opening. */
const OPENING_MS = 3_000;
/** Maximum duration of stopping in milliseconds. A supervisor should wait longer before it kills the process. */
const MAX_STOP_MS = 30_000;
/** Name of the single agent of a server configured by `http-token-file` alone: it may use everything in the home. */
const ONLY = 'agent';
/** Rate limits of that agent, beyond any normal use. */
const ONLY_CALLS = { callsPerMinute: 6_000, callsAtOnce: 32 } as const;

export interface ServeHttpInput {
  readonly options: OptionValues;
  readonly version: string;
  readonly mode: Mode;
  readonly process: NodeJS.Process;
  readonly settings: () => Promise<Settings>;
}

/** Serves until a signal. Sets the exit code: 0 after a clean end, 1 or 2 if it could not start. */
export async function serveHttp(input: ServeHttpInput): Promise<void> {
  const { options, process } = input;
  const redactor = surroundings(options, process.env);
  let clean = (text: string): string => redactor.redact(text);
  const log = (fields: Readonly<Record<string, unknown>>): void => {
    // Unread log lines must not fill the memory.
    if (process.stderr.writableLength >= MAX_UNREAD_LOG_BYTES) return;
    const { request, principal } = currentScope() ?? {};
    const line = { time: new Date().toISOString(), request, principal, ...fields };
    process.stderr.write(`${clean(JSON.stringify(line))}\n`);
  };
  // The server continues if the log's reader disconnects.
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (error) => {
    log({ message: 'stopped by an internal error', at: framesOf(error) });
    process.exit(CRASHED);
  });
  try {
    const { host, port, hostnames, audience, issuer, isLocal } = addressOf(options);
    const stated = await fileOf(options);
    const path = textOption(options, 'principals');
    const settings = await input.settings();
    const endTelemetry = startTelemetry(options, input.version, (message) => log({ message }));
    let runtime: Promise<Runtime> | undefined;
    const open = (): Promise<Runtime> => {
      // Opened by one request, for all requests.
      runtime ??= outOfScope(() => openRuntime(settings, { log: (message) => log({ message }) })).then(
        (opened) => {
          clean = (text) => String(opened.redact(text));
          return opened;
        },
        (error: unknown) => {
          runtime = undefined;
          throw error;
        },
      );
      return runtime;
    };
    const agents = createAgents({
      isLocal,
      host,
      issuer,
      audience,
      serverOf: (entry) => serverOf(entry, input, open, (message) => log({ principal: entry.name, message })),
    });
    const wallets = async () => (await open()).wallets();
    // Labels are resolved to addresses here. A server that cannot read its wallets does not start without some.
    const file =
      path !== undefined && namesLabels(stated.entries)
        ? await readPrincipals(path, await wallets())
        : stated;
    agents.serve(file.entries);
    const handler = createHttpHandler({
      hostnames,
      authenticator: agents.authenticator,
      ...(audience === undefined || agents.oauth === undefined
        ? {}
        : { oauth: { audience, authenticator: agents.oauth } }),
      principalOf: agents.principalOf,
      unready: () => unready(open),
      record: (record) => log({ ...record }),
      passed: () => performance.now(),
      redact: async (text) => clean(text),
    });
    const server = await listenHttp(handler, { host, port });
    log({ message: `serving ${file.entries.length} principals at ${server.origin}/mcp` });
    void logMissingWallets(file.entries, wallets, log);
    const watching =
      path === undefined
        ? undefined
        : watchRoster({
            path,
            first: file,
            wallets,
            accepted: async () => (await open()).acceptedPrincipals(),
            apply: async (next) => {
              for (const principal of agents.serve(next.entries)) {
                await handler.forget(principal);
                await principal.server.stop();
              }
              void logMissingWallets(next.entries, wallets, log);
            },
            log: (message) => log({ message }),
          });
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => {
        watching?.stop();
        log({ message: `stopping after ${signal}` });
        setTimeout(() => {
          log({ message: 'stopped before all work had ended; all signatures are in the ledger' });
          process.exit(1);
        }, MAX_STOP_MS).unref();
        const answered = server.close();
        const ended = async (): Promise<void> => {
          const opened = await runtime?.catch(() => undefined);
          // Work stops at the next journaled state and open calls are answered; then leases and ledger are released.
          await opened?.stop(answered);
          await answered;
          await endTelemetry();
        };
        void ended().then(
          () => process.exit(0),
          () => process.exit(1),
        );
      });
  } catch (error) {
    const { message, hint } = errorWords(error);
    log({ message, ...(hint === undefined ? {} : { hint }) });
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
}

/** Logs which wallets are missing, one line per principal. If they cannot be read, `/readyz` reports it. */
async function logMissingWallets(
  entries: readonly Entry[],
  wallets: () => Promise<readonly HomeWallet[]>,
  log: (fields: Readonly<Record<string, unknown>>) => void,
): Promise<void> {
  const named = entries.map(({ name, wallets: own = 'all' }) => ({ name, wallets: own }));
  if (named.every((entry) => entry.wallets === 'all')) return;
  const here = await wallets().catch(() => undefined);
  if (here === undefined) return;
  for (const each of lackingIn(named, here))
    log({
      principal: each.principal,
      message: `${lackingWords(each)} It is left out: import its key with \`countersign wallet import FILE\`, or correct the principals file and accept it.`,
    });
}

/** Returns why the server is not ready: the runtime's reason, or why no runtime exists yet. */
async function unready(open: () => Promise<Runtime>): Promise<string | undefined> {
  try {
    const opened = await withDeadline({ ms: OPENING_MS, clock: systemClock }, (signal) =>
      orAborted(open(), signal),
    );
    return await opened.unready();
  } catch (error) {
    return `it is not set up or still starting (${codeOf(error)})`;
  }
}

/** Creates the server of one principal. */
function serverOf(
  entry: Entry,
  { version, mode, options }: ServeHttpInput,
  open: () => Promise<Runtime>,
  log: (line: string) => void,
): CountersignServer {
  const { name, wallets, policy, policyHash, images, callsAtOnce } = entry;
  return createServer({
    version,
    mode,
    openHost: async () => {
      const runtime = await open();
      return policy === undefined || wallets === undefined
        ? runtime
        : runtime.forPrincipal({ name, wallets, policy, policyHash, images });
    },
    log,
    toolsets: entry.toolsets ?? textOption(options, 'toolsets')?.split(','),
    readOnly: entry.readOnly,
    callsAtOnce,
    approvesThroughClient: false,
  });
}

/**
 * Returns the address to listen on and the host names of this server. A server others can reach must be an OAuth
 * resource behind TLS.
 */
function addressOf(options: OptionValues) {
  const host = textOption(options, 'host') ?? '127.0.0.1';
  const port = Number(textOption(options, 'port') ?? DEFAULT_PORT);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError('The port must be a number from 0 to 65535.', 'Use --port N.');
  const issuer = textOption(options, 'issuer');
  const audience = textOption(options, 'audience');
  if ((issuer === undefined) !== (audience === undefined))
    throw new UsageError('The settings issuer and audience belong together.', 'Give both, or neither.');
  if (audience !== undefined && !URL.canParse(audience))
    throw new UsageError(
      'The setting audience must be an address.',
      'For example https://agents.example.com/mcp.',
    );
  const isLocal = isLoopback(host) || host === '::1';
  if (!isLocal && (issuer === undefined || !audience?.startsWith('https://')))
    throw new UsageError(
      `Others can reach ${host}, so their tokens must come from an issuer, over TLS.`,
      'Set issuer and an https audience, or leave host out.',
    );
  const hostnames = ['localhost', '127.0.0.1', '[::1]'];
  if (audience !== undefined) hostnames.push(new URL(audience).hostname);
  return { host, port, hostnames, audience, issuer, isLocal };
}

/** Returns the initial agents: those of the principals file, or the single agent of a token file. */
async function fileOf(
  options: OptionValues,
): Promise<Pick<PrincipalsFile, 'digest'> & { readonly entries: readonly Entry[] }> {
  const file = textOption(options, 'principals');
  const tokenFile = textOption(options, 'http-token-file');
  if (file !== undefined && tokenFile !== undefined)
    throw new UsageError(
      'The principals file names its own token files.',
      'Leave the setting http-token-file out.',
    );
  if (file !== undefined && textOption(options, 'wallet') !== undefined)
    throw new UsageError('The principals file says which wallets each agent has.', 'Leave --wallet out.');
  if (file !== undefined) return readPrincipals(file);
  if (tokenFile === undefined)
    throw new UsageError(
      'A server over HTTP must know who may use it.',
      'Set http-token-file for one agent, or principals for several: `--set principals=FILE`.',
    );
  const only = { name: ONLY, is: [{ tokenFile }], readOnly: options['read-only'] === true, ...ONLY_CALLS };
  return { digest: '', entries: [only] };
}
