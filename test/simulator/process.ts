/**
 * One process of the home: the real execution layer over the real ledger, isolated when killed or suspended. At every
 * ledger write it can die before or after the commit, or receive a write error.
 */

import { hostname } from 'node:os';
import type { Clock } from '../../src/clock.ts';
import { createExecution } from '../../src/execution/execution.ts';
import type { ExecutionDeps, GatherInput } from '../../src/execution/ports.ts';
import { LedgerError } from '../../src/ledger/errors.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { createPlans, type Plans } from '../../src/presentation/plans.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { PATIENCE, situationOf } from '../execution/situations.ts';
import { modelPolicy } from './modelPolicy.ts';
import { modelRpc, type RpcFaults, type RpcWorld } from './modelRpc.ts';
import type { Intent, ModelService } from './modelService.ts';
import type { Random } from './random.ts';
import { EPOCH, type VirtualTime } from './time.ts';

export interface ProcessOptions {
  readonly name: number;
  readonly file: string;
  readonly rpc: RpcFaults;
  readonly secondRpc?: RpcFaults;
  /** Chance that a ledger write reports a failure, before or after its commit. */
  readonly torn: number;
  /** Dies at this write. */
  readonly dieAt?: number;
  readonly dieAfterCommit: boolean;
  /** Whether other processes detect its death at once. */
  readonly known: boolean;
  readonly skewMs: number;
}

export interface ProcessWorld extends RpcWorld {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly service: ModelService;
  readonly intents: readonly Intent[];
  readonly wallet: string;
  readonly requiresApproval: boolean;
  sign(message: Uint8Array): Uint8Array;
  /** Called with the situation of a run and its next action. */
  visited(situation: string, action: string): void;
  /** Called with every signed transaction right after its row is committed. */
  journaled(transaction: string): void;
}

const WRITES: ReadonlySet<string> = new Set([
  'storePlan',
  'setPlanNote',
  'recordDecision',
  'lease',
  'reserve',
  'journalSigned',
  'journalMove',
  'release',
  'setNote',
]);

const never = new Promise<never>(() => {});
/** Above every possible process id. */
const NO_PROCESS = 99_999_999;

export class SimulatedProcess {
  readonly options: ProcessOptions;
  readonly execution: Plans;
  readonly ledger: HomeLedger;
  dead = false;
  skewMs: number;
  private writes = 0;
  private asleep: Promise<void> | undefined;
  private wake = () => {};
  private readonly world: ProcessWorld;
  private readonly raw: HomeLedger;

  constructor(world: ProcessWorld, options: ProcessOptions) {
    this.world = world;
    this.options = options;
    this.skewMs = options.skewMs;
    const clock: Clock = {
      now: () => EPOCH + world.time.now + this.skewMs,
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
    this.raw = openLedger({ file: options.file, clock });
    this.ledger = this.faulty(this.raw);
    const chain = this.gated(modelRpc(world, options.rpc));
    const deps: ExecutionDeps = {
      mode: 'live',
      ledger: this.ledger,
      chain,
      ...(options.secondRpc === undefined
        ? {}
        : { secondChain: this.gated(modelRpc(world, options.secondRpc)) }),
      clock,
      wallets: {
        addresses: async () => [world.wallet],
        signer: async (address) => ({
          address,
          sign: async (message) => this.gate(() => world.sign(message)),
        }),
      },
      policy: async () => modelPolicy(world.requiresApproval),
      answerHolds: async () => true,
      gather: (input) => gather(chain, input),
      service: {
        call: async (_, fields) => {
          const intent = world.intents.find((known) => sameIntent(known, fields));
          if (intent === undefined) throw new Error('an unknown request');
          return this.gate(() => world.service.answer(intent));
        },
      },
      encodingOf: () => 'base64',
      timing: { pollMs: 1_000, resendMs: 4_000, askAgainMs: 1_000, askAgainTimes: PATIENCE.askAgainTimes },
      holder: `${options.known ? hostname() : 'elsewhere'}:${NO_PROCESS}:${options.name}`,
    };
    const execution = createExecution(deps, (snapshot, run, action) =>
      world.visited(situationOf(snapshot, run), action.do),
    );
    this.execution = createPlans(deps, execution);
  }

  /** Opens the ledger in advance, so that later steps need no real time. */
  async open(): Promise<void> {
    await this.raw.time();
  }

  kill(): void {
    this.dead = true;
    this.wake();
  }

  /** Suspends the process at an arbitrary point. */
  suspend(ms: number): void {
    this.asleep = new Promise((resolve) => {
      this.wake = resolve;
    });
    this.world.time.at(ms, () => {
      this.asleep = undefined;
      this.wake();
    });
  }

  async close(): Promise<void> {
    this.kill();
    await this.raw.close();
  }

  private async gate<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.dead) return never;
    if (this.asleep !== undefined) await this.asleep;
    if (this.dead) return never;
    try {
      return await work();
    } finally {
      if (this.asleep !== undefined) await this.asleep;
      if (this.dead) await never;
    }
  }

  private sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const fire = async () => {
        if (this.asleep !== undefined) await this.asleep;
        if (this.dead) return;
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
      this.world.time.at(ms, () => void fire());
    });
  }

  private gated(chain: Chain): Chain {
    return wrapped(chain, (_, call) => this.gate(call));
  }

  private faulty(ledger: HomeLedger): HomeLedger {
    const { random, trace, journaled } = this.world;
    const { torn, dieAt, dieAfterCommit } = this.options;
    const failure = () => new LedgerError('LEDGER_UNHEALTHY', 'The ledger cannot be written.');
    return wrapped(ledger, (name, call, args) =>
      this.gate(async () => {
        if (!WRITES.has(name)) return call();
        this.writes += 1;
        const dies = this.writes === dieAt;
        const tears = torn > 0 && random.chance(torn);
        const after = random.chance(0.5);
        if (dies && !dieAfterCommit) {
          trace(`${this.options.name} dies before ${name}`);
          this.kill();
          return never;
        }
        if (tears && !after) {
          trace(`${this.options.name} fails before ${name}`);
          throw failure();
        }
        const value = await call();
        trace(`${this.options.name} ${name} ${logText(args)}`);
        if (name === 'journalSigned' && isOk(value)) journaled(transactionOf(args[2]));
        if (dies) {
          trace(`${this.options.name} dies after ${name}`);
          this.kill();
          return never;
        }
        if (tears) {
          trace(`${this.options.name} fails after ${name}`);
          throw failure();
        }
        return value;
      }),
    );
  }
}

const transactionOf = (row: unknown): string =>
  typeof row === 'object' && row !== null ? String(Reflect.get(row, 'transaction')) : '';
const isOk = (outcome: unknown): boolean =>
  typeof outcome === 'object' && outcome !== null && Reflect.get(outcome, 'ok') === true;
const logText = (args: readonly unknown[]): string => args.filter((arg) => typeof arg === 'string').join(' ');

/** Wraps each method of an object in `around`. */
function wrapped<T extends object>(
  target: T,
  around: (name: string, call: () => unknown, args: readonly unknown[]) => unknown,
): T {
  return new Proxy(target, {
    get: (_, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function' || typeof name !== 'string') return method;
      return (...args: unknown[]) => around(name, () => method.apply(target, args), args);
    },
  });
}

/** Compares intents; a quote's id is not part of one. */
export const sameIntent = (intent: Intent, fields: Readonly<Record<string, unknown>>): boolean => {
  const { requestId, ...rest } = fields;
  if (intent.kind === 'swap') return typeof requestId === 'string' && requestId.startsWith(`${intent.id} `);
  return JSON.stringify(rest) === JSON.stringify(intent.fields);
};

async function gather(chain: Chain, input: GatherInput): Promise<DecisionInputs> {
  const { plan, stage, siblings, purpose, mode, time, ourWallets, quote } = input;
  const { blockhash } = stage.transaction.read();
  const { slot, value } = await chain.isBlockhashValid(blockhash, 'confirmed');
  const { planId, operation, intentKey, network, wallet } = plan;
  return {
    time,
    mode,
    purpose,
    network,
    plan: {
      planId,
      operation,
      intentKey,
      network,
      mode,
      wallet,
      endpoint: plan.request.endpoint,
      request: {},
      answer: {},
    },
    stage,
    siblings: siblings.map((sibling) => ({
      ...sibling,
      stage: { ...sibling.stage, transaction: new DecodedStage('') },
    })),
    ourWallets,
    blockhashValid: value,
    slot,
    tables: [],
    accounts: [],
    simulation: { status: 'not_yet' },
    ...(quote === undefined ? {} : { quote }),
    serviceAddresses: [],
    rent: { lamportsPerByteYearTimesExemption: '1', overheadBytes: 128 },
  };
}
