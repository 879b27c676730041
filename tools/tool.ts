/**
 * The type of tools. MCP hints follow from the declared effect, and the context consists of ports without access to keys.
 */
import type { z } from 'zod';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../src/contract/index.ts';
import type { ProgressUpdate } from '../src/execution/run/driver.ts';
import type { DecisionFilter, DecisionRecord } from '../src/ledger/types.ts';
import type { Mode } from '../src/plan/types.ts';
import type { MintFacts } from '../src/presentation/mintFacts.ts';
import type { PlanPort } from '../src/presentation/planPort.ts';
import type { ShownAmount, TokenFacts } from '../src/presentation/tokens.ts';
import type { Address } from '../src/transaction/types.ts';
import { whole } from './resultText.ts';

export type { ProgressUpdate } from '../src/execution/run/driver.ts';
export type { MintFacts } from '../src/presentation/mintFacts.ts';
export type { ShownCost } from '../src/presentation/planFacts.ts';
export type { PlanPort, PlanView } from '../src/presentation/planPort.ts';
export type { ShownAmount, TokenFacts } from '../src/presentation/tokens.ts';

/**
 * read: changes nothing · write: a record at the service, nothing on chain ·
 * build: the service returns transactions, a plan is stored, nothing is signed · submit: signs and sends.
 */
export type ToolEffect = 'read' | 'write' | 'build' | 'submit';

export const DOMAINS = [
  'account',
  'launch',
  'fees',
  'trade',
  'evm',
  'incorporation',
  'plan',
  'wallet',
  'claims',
  'send',
  'analytics',
  'partner',
  'admin',
  'extra',
] as const;
export type Domain = (typeof DOMAINS)[number];

/** Ports of a tool. Each opens its resources on first use. */
export interface ToolContext {
  readonly mode: Mode;
  readonly signal: AbortSignal;
  progress(update: ProgressUpdate): void;
  readonly service: {
    call<N extends EndpointName>(name: N, request: EndpointRequest<N>): Promise<EndpointResponse<N>>;
  };
  readonly plans: PlanPort;
  readonly wallet: WalletPort;
  /** Decimals, symbols and owners of accounts, from our own RPC. */
  readonly tokens: TokenPort;
  readonly account: AccountPort;
  readonly policy: {
    view(): Promise<Record<string, unknown>>;
    /** Rejects with `APPROVAL_REQUIRED` unless the policy permits the incorporation of a token and nothing is frozen. */
    permitIncorporation(token: string): Promise<void>;
  };
  readonly decisions: {
    list(filter: DecisionFilter): Promise<DecisionRecord[]>;
    count(filter: DecisionFilter): Promise<number>;
  };
  /** Reads a local image from under the folder a person configured; rejects anything else. */
  readonly images: { read(path: string): Promise<{ bytes: Uint8Array; type: string; name: string }> };
}

export interface TokenPort {
  /** Facts by mint; a mint that cannot be read is absent. */
  facts(mints: readonly Address[]): Promise<ReadonlyMap<Address, TokenFacts>>;
  amounts(
    assets: Iterable<readonly [asset: string, units: bigint]>,
    signed?: 'signed',
  ): Promise<ShownAmount[]>;
  /** Returns one mint with its largest holders; `undefined` for any other account. */
  mint(mint: Address): Promise<MintFacts | undefined>;
  /** Returns the owner program of an account; `undefined` if the account does not exist. */
  ownerOf(address: Address): Promise<Address | undefined>;
}

export interface WalletPort {
  /** Returns the default wallet; rejects with instructions for creating or naming one if there is none. */
  address(): Promise<Address>;
  /**
   * Returns the holdings of a wallet of the caller, by label or address, or of the default wallet. Of its
   * `held` token accounts, ordered by address, `tokens` has the `most` from the offset on, each with its balance.
   */
  overview(of: {
    called?: string | undefined;
    offset: number;
    most: number;
  }): Promise<Record<string, unknown>>;
  /** Base units of a mint in the wallet; the wrapped SOL mint means SOL. */
  balance(mint: Address): Promise<bigint>;
}

export interface AccountPort {
  /** Exchanges a login JWT for an API key, which goes to the secret store and never to the result. */
  createKey(name: string, token?: string): Promise<Record<string, unknown>>;
  status(): Promise<Record<string, unknown>>;
}

/** One tool. `I` and `O` are the zod schemas of its arguments and its result. */
export interface Tool<I extends z.ZodType = z.ZodType, O extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly title: string;
  readonly domain: Domain;
  readonly effect: ToolEffect;
  /** Purpose, when to use and not to use it, and the next step. */
  readonly description: string;
  /** Whether repeated calls with the same arguments have no further effect. Always true for reads. */
  readonly idempotent?: boolean;
  /** Whether a record is irreversible. Signatures always are. */
  readonly destructive?: boolean;
  readonly input: I;
  readonly output: O;
  run(input: z.output<I>, context: ToolContext): Promise<z.input<O>>;
  /** Returns the text block: the result in brief. */
  text(result: z.input<O>): string;
}

/** Declares a tool. Its text is generated from the result by default. */
export const defineTool = <I extends z.ZodType, O extends z.ZodType>(
  tool: Omit<Tool<I, O>, 'text'> & Partial<Pick<Tool<I, O>, 'text'>>,
): Tool<I, O> => ({ text: (result) => whole(Object(result)), ...tool });

/** Returns the MCP hints of an effect. */
export function hints(tool: Pick<Tool, 'effect' | 'idempotent' | 'destructive'>): {
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
} {
  const read = tool.effect === 'read';
  return {
    readOnlyHint: read,
    destructiveHint: tool.effect === 'submit' || tool.destructive === true,
    idempotentHint: read || tool.idempotent === true,
    openWorldHint: true,
  };
}
