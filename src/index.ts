/**
 * Countersign inside another program: the same tools, policy and ledger as the MCP server, without a process or a
 * protocol between. For agent frameworks.
 *
 * @example
 * ```ts
 * const countersign = createCountersign({ mode: 'sandbox' });
 * const { structuredContent } = await countersign.callTool('get_wallet');
 * await countersign.close();
 * ```
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../package.json';
import { type ProfileName, profiles } from './contract/profiles/index.ts';
import type { Ledger } from './ledger/types.ts';
import type { Mode } from './plan/types.ts';
import type { PolicyFile } from './policy/file/schema.ts';
import type { ApprovalView } from './presentation/question/view.ts';
import type { Own, WalletSigner } from './runtime/backends/backend.ts';
import { fixedPolicy } from './runtime/policyFile.ts';
import { openRuntime, type Runtime } from './runtime/runtime.ts';
import { type Environment, resolveHome } from './secrets/home.ts';
import { Secret } from './secrets/secret.ts';
import { createMemoryStore, type SecretStore, secretNames } from './secrets/stores/store.ts';
import { callTool } from './server/call.ts';
import { type ListedTool, select } from './server/catalogue.ts';

export type { Ledger, Tables } from './ledger/types.ts';
export type { PolicyFile } from './policy/file/schema.ts';
export type { ApprovalView } from './presentation/question/view.ts';
export { policyTemplate, TEMPLATE_NAMES, type TemplateName } from './review/templates/templates.ts';
export type { WalletSigner } from './runtime/backends/backend.ts';
/** What a secret store of your own keeps and gives. */
export { Secret } from './secrets/secret.ts';
export type { SecretStore } from './secrets/stores/store.ts';

/** A tool as MCP clients see it. Schemas are JSON Schema. */
export type ToolDefinition = ListedTool['tool'];

/** What a call gives, in the shape of an MCP tool result. Errors are results with `isError`. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** Progress of long work: `done` of `total` stages. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  readonly message: string;
}

export interface CallToolOptions {
  /** Gives up waiting. Work already signed goes on. */
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A question for a person: what will happen, in words, and the same as data. */
export interface ApprovalQuestion {
  readonly lines: readonly string[];
  readonly view: ApprovalView;
}

export interface CountersignOptions {
  /** Default `sandbox`: a chain, wallet and service of its own, gone when it closes. */
  readonly mode?: Mode | undefined;
  readonly profile?: ProfileName | undefined;
  /** Folder for state. Default: the user's home folder of Countersign; in the sandbox a fresh temporary one. */
  readonly home?: string | undefined;
  /** Live mode: root URL of the service. */
  readonly rootUrl?: string | undefined;
  /** Live mode: your own RPC. */
  readonly rpcUrl?: string | undefined;
  readonly secondRpcUrl?: string | undefined;
  /** A policy file's path, or its content. Live mode without one denies every signature. */
  readonly policy?: string | PolicyFile | undefined;
  /** Live mode: signs instead of the wallet in the secret store. */
  readonly signer?: WalletSigner | undefined;
  /** Live mode: where secrets live instead of this home's secret store. */
  readonly secrets?: SecretStore | undefined;
  /** Live mode with a `signer` of your own: the service's API key, kept in memory only. */
  readonly apiKey?: string | undefined;
  /** The durable store of plans, journal, limits and decisions. Default: SQLite in the home folder. */
  readonly store?: Ledger | undefined;
  /**
   * Asks a person, when a rule asks for approval and the policy's `approval.channels` holds `elicitation`. Never let a model
   * answer. Launches are not asked about this way.
   */
  readonly approve?: ((question: ApprovalQuestion) => Promise<'approve' | 'deny' | 'later'>) | undefined;
  /** Tool domains to offer; default all but the opt-in ones. */
  readonly toolsets?: readonly string[] | undefined;
  /** Offers only tools that change nothing. */
  readonly readOnly?: boolean | undefined;
  /** Folder that local images may be read from. */
  readonly images?: string | undefined;
  /** Default `process.env`. */
  readonly env?: Environment | undefined;
  /** Called with errors of background work, one line each, without secrets. */
  readonly log?: ((line: string) => void) | undefined;
}

export interface Countersign {
  readonly version: string;
  readonly mode: Mode;
  /** The tools on offer, in order. Opens nothing. */
  listTools(): readonly ToolDefinition[];
  /**
   * Runs a tool. What goes wrong is part of the result.
   * @throws Error only for a tool that is not on offer, and after `close`
   */
  callTool(name: string, args?: Record<string, unknown>, options?: CallToolOptions): Promise<ToolResult>;
  /** Stops at the next journaled state. Plans go on when they are submitted again. */
  close(): Promise<void>;
}

/** Every option, with the mode it belongs to. */
const OPTIONS: Readonly<Record<keyof CountersignOptions, Mode | 'both'>> = {
  mode: 'both',
  profile: 'both',
  home: 'both',
  rootUrl: 'live',
  rpcUrl: 'live',
  secondRpcUrl: 'live',
  policy: 'both',
  signer: 'live',
  secrets: 'live',
  apiKey: 'live',
  store: 'both',
  approve: 'both',
  toolsets: 'both',
  readOnly: 'both',
  images: 'both',
  env: 'both',
  log: 'both',
};

/** Throws for an option that would be ignored: a misspelt one could be the second RPC or the read-only switch. */
function requireKnown(options: CountersignOptions, mode: Mode): void {
  if (mode !== 'sandbox' && mode !== 'live') throw new TypeError('The mode is sandbox or live.');
  const belongs = new Map<string, Mode | 'both'>(Object.entries(OPTIONS));
  for (const [name, value] of Object.entries(options)) {
    const of = belongs.get(name);
    if (of === undefined) throw new TypeError(`There is no option ${name.slice(0, 64)}.`);
    if (of === 'live' && mode === 'sandbox' && value !== undefined)
      throw new TypeError(`The sandbox brings its own: ${name} is for live mode.`);
  }
  if (options.secrets !== undefined && options.apiKey !== undefined)
    throw new TypeError('Give the API key in secrets or as apiKey, not both.');
}

/** Makes an instance. Throws for unknown or contradicting options; opens nothing until the first call. */
export function createCountersign(options: CountersignOptions = {}): Countersign {
  const mode = options.mode ?? 'sandbox';
  requireKnown(options, mode);
  const log = options.log ?? (() => undefined);
  const offered = select(options).map(({ tool }) => tool);
  const names = new Set(offered.map(({ name }) => name));
  let opened: Runtime | undefined;
  let opening: Promise<Runtime> | undefined;
  let closed = false;
  const open = (): Promise<Runtime> => {
    opening ??= start(options, mode, log).then(
      (runtime) => {
        opened = runtime;
        return runtime;
      },
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  };
  const { approve } = options;
  return {
    version,
    mode,
    listTools: () => offered,
    callTool: async (name, args = {}, { signal, onProgress } = {}) => {
      if (closed) throw new Error('This instance is closed.');
      if (!names.has(name))
        throw new Error(`There is no tool ${JSON.stringify(name.slice(0, 64))} on offer.`);
      const answer = await callTool({
        mode,
        name,
        arguments: args,
        opened,
        open,
        call: { signal: signal ?? new AbortController().signal, progress: (update) => onProgress?.(update) },
        decide: approve && (async (lines, view) => answerFrom(await approve({ lines, view }))),
        log,
      });
      return asToolResult(answer);
    },
    close: async () => {
      closed = true;
      const runtime = opened ?? (await opening?.catch(() => undefined));
      await runtime?.stop();
    },
  };
}

const ANSWERS = new Map<unknown, 'approved' | 'denied' | 'set_aside'>([
  ['approve', 'approved'],
  ['deny', 'denied'],
  ['later', 'set_aside'],
]);

function answerFrom(given: unknown) {
  const answer = ANSWERS.get(given);
  if (answer === undefined) throw new TypeError('approve answered neither approve, deny nor later');
  return answer;
}

/** A call without a client never asks back, so its answer is always a result. */
function asToolResult(answer: Awaited<ReturnType<typeof callTool>>): ToolResult {
  if (!('structuredContent' in answer)) throw new Error('a question came back where a result belongs');
  const { content, structuredContent, isError } = answer as ToolResult; // what renderResult made
  return { content, structuredContent, ...(isError === true ? { isError } : {}) };
}

async function start(options: CountersignOptions, mode: Mode, log: (line: string) => void): Promise<Runtime> {
  const env = options.env ?? process.env;
  const { policy, store, signer } = options;
  const { profile = 'contract', rootUrl, rpcUrl, secondRpcUrl, images } = options;
  const own: Own = {
    signer,
    secrets: await ownSecrets(options),
    policy:
      policy === undefined || typeof policy === 'string' ? undefined : fixedPolicy(JSON.stringify(policy)),
  };
  const home = await homeOf(options, mode, env);
  const runtime = await openRuntime(
    {
      mode,
      profile,
      home: home.folder,
      env,
      rootUrl,
      rpcUrl,
      secondRpcUrl,
      images,
      policy: typeof policy === 'string' ? policy : undefined,
    },
    { log, own, ...(store === undefined ? {} : { ledger: store }) },
  );
  if (!home.temporary) return runtime;
  const stop = async (): Promise<void> => {
    await runtime.stop();
    await rm(home.folder, { recursive: true, force: true });
  };
  return { ...runtime, stop };
}

/** The program's own store; in memory when it brings a signer, since then nothing else is secret but the key. */
async function ownSecrets({
  secrets,
  signer,
  apiKey,
  profile = 'contract',
  rootUrl = profiles[profile].rootUrl,
}: CountersignOptions): Promise<SecretStore | undefined> {
  if (secrets !== undefined || (signer === undefined && apiKey === undefined)) return secrets;
  const memory = createMemoryStore();
  if (apiKey !== undefined && rootUrl !== undefined)
    await memory.set(secretNames.apiKey(rootUrl), Secret.fromText(apiKey));
  return memory;
}

/** Where state lives, and whether it goes when the instance closes. */
async function homeOf(
  { home }: CountersignOptions,
  mode: Mode,
  env: Environment,
): Promise<{ folder: string; temporary: boolean }> {
  if (home === undefined && mode === 'sandbox')
    return { folder: await mkdtemp(join(tmpdir(), 'countersign-library-')), temporary: true };
  const folder = resolveHome({ option: home, env, platform: process.platform, userHome: homedir() });
  return { folder, temporary: false };
}
