/**
 * Simulated life of a home: several intents; processes that start, die, hang and resume; faults of the network, the
 * disk, the service and the chain; and a final phase without faults. Invariants are checked throughout.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlanView } from '../../src/presentation/planPort.ts';
import { OVER } from '../../src/presentation/statusWords.ts';
import { createSigner } from '../../src/secrets/keys/wallet.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { Invariants } from './invariants.ts';
import { accountsOf } from './modelAccounts.ts';
import { type ChainFaults, ModelChain } from './modelChain.ts';
import { CALM, type RpcFaults } from './modelRpc.ts';
import { type Intent, KINDS, ModelService, makeIntent } from './modelService.ts';
import { type ProcessWorld, SimulatedProcess } from './process.ts';
import { Random } from './random.ts';
import { EPOCH, VirtualTime } from './time.ts';
import { readAct, testKey } from './transactions.ts';

const WALLET = testKey('wallet');
const SPONSOR = testKey('sponsor');
const SIGNER = createSigner(Secret.fromBytes(WALLET.keypair.slice()));
/** Maximum life in virtual milliseconds. Closing a lookup table alone takes four minutes. */
const CALM_MS = 3_600_000;

export interface Outcome {
  readonly seed: number;
  readonly violations: readonly string[];
  /** SHA-256 over all events in order. */
  readonly trace: string;
  readonly statuses: readonly string[];
  readonly kinds: readonly string[];
  readonly processes: number;
  readonly signatures: number;
  readonly events: number;
  readonly log: readonly string[];
  /** Virtual milliseconds from the start until each complete intent was shown as complete. */
  readonly doneMs: readonly number[];
  /** Number of approved questions. */
  readonly questions: number;
  /** Distinct `situation → action` pairs of runs. */
  readonly visited: readonly string[];
}

/** Overrides of the defaults of every life. */
export interface Profile {
  /** Slot duration in milliseconds; a blockhash is valid for 150 blocks. */
  readonly slotMs?: number;
  /** Requires approval for everything, given after this many milliseconds. */
  readonly personMs?: number;
}

/** Plays one seed to its end. `keepLog` records every event as text. */
export async function simulate(seed: number, keepLog = false, profile: Profile = {}): Promise<Outcome> {
  const folder = mkdtempSync(join(memoryFolder(), 'simulation-'));
  const life = new Life(seed, join(folder, 'ledger.db'), keepLog, profile);
  try {
    return await life.play();
  } finally {
    await life.close();
    rmSync(folder, { recursive: true });
  }
}

/** Returns a folder in memory: disk speed is not simulated, and crash recovery is tested with SQLite. */
function memoryFolder(): string {
  try {
    const folder = mkdtempSync('/dev/shm/simulation-');
    rmSync(folder, { recursive: true });
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}

/** Progress of an intent. */
interface Pursuit {
  readonly intent: Intent;
  planId?: string;
  view?: PlanView;
  quotes: number;
  /** Completion time in virtual milliseconds. */
  doneMs?: number;
}

class Life {
  private readonly seed: number;
  private readonly file: string;
  private readonly time = new VirtualTime();
  private readonly random: Random;
  private readonly hash = createHash('sha256');
  private readonly log: string[] = [];
  private readonly chain: ModelChain;
  private readonly service: ModelService;
  private readonly pursuits: Pursuit[];
  private readonly processes: SimulatedProcess[] = [];
  private readonly visited = new Set<string>();
  private questions = 0;
  private readonly invariants: Invariants;
  private readonly world: ProcessWorld;
  private readonly second: boolean;
  private readonly profile: Profile;

  constructor(seed: number, file: string, keepLog: boolean, profile: Profile) {
    this.profile = profile;
    this.seed = seed;
    this.file = file;
    const random = new Random(`simulation ${seed}`);
    this.random = random;
    const { time } = this;
    const chainFaults: ChainFaults = {
      skip: random.pick([0, 0.05, 0.2]),
      fork: random.pick([0, 0, 0.05]),
      forkDepth: random.pick([1, 2, 2, 2, 2, 12]),
      failOnChain: random.pick([0, 0, 0, 0.1]),
      include: random.pick([1, 0.7, 0.2]),
    };
    this.chain = new ModelChain(`${seed}`, time, new Random(`chain ${seed}`), chainFaults, profile.slotMs);
    this.service = new ModelService(
      this.chain,
      time,
      new Random(`service ${seed}`),
      { wallet: WALLET.address, sponsor: SPONSOR },
      {
        fail: random.pick([0, 0.1, 0.3]),
        stale: random.pick([0, 0.1, 0.5]),
        notReady: random.pick([0, 0.5]),
        lagSlots: random.pick([0, 5, 30]),
      },
    );
    this.second = random.chance(0.25);
    const intents = Array.from({ length: random.whole(1, 3) }, (_, i) =>
      makeIntent(`w${seed}-${i}`, random.pick(KINDS), WALLET.address),
    );
    this.pursuits = intents.map((intent) => ({ intent, quotes: 0 }));
    const trace = (event: string) => {
      const line = `${time.now} ${event}`;
      this.hash.update(`${line}\n`);
      if (keepLog) this.log.push(line);
    };
    this.invariants = new Invariants(this.chain, intents, WALLET.address, trace);
    this.world = {
      chain: this.chain,
      time,
      random: new Random(`network ${seed}`),
      accounts: new Map(intents.flatMap((intent) => accountsOf(intent, WALLET.address))),
      service: this.service,
      intents,
      wallet: WALLET.address,
      requiresApproval: profile.personMs !== undefined,
      trace,
      sign: (message) => {
        const messageSha256 = createHash('sha256').update(message).digest('hex');
        return SIGNER.sign(message, { messageSha256, decisionId: 'of the model' });
      },
      visited: (situation, action) => this.visited.add(`${situation} → ${action}`),
      sending: (bytes) => this.invariants.sending(readAct(bytes).signature),
      journaled: (row) => this.invariants.journaled(row),
    };
  }

  async play(): Promise<Outcome> {
    const { random, time } = this;
    const lives = random.whole(1, 4);
    for (let i = 0; i < lives; i++) {
      const process = await this.start(this.rpcFaults(), false);
      const work = this.pursue(process, random.whole(0, 30), 12);
      let finished = false;
      void work.then(() => {
        finished = true;
      });
      const until = time.now + random.whole(1_000, 180_000);
      await time.run(until, () => finished || process.dead);
      await this.end(process);
    }
    await this.calmDown();
    return this.outcome();
  }

  async close(): Promise<void> {
    for (const process of this.processes) await process.close();
  }

  private async start(rpc: RpcFaults, calm: boolean): Promise<SimulatedProcess> {
    const { random } = this;
    // A node that forgets landed transactions is detected only by another node.
    const first = this.second && !calm ? { ...rpc, forget: random.pick([0, 0.1, 1]) } : rpc;
    const process = new SimulatedProcess(this.world, {
      name: this.processes.length,
      file: this.file,
      rpc: first,
      ...(this.second ? { secondRpc: rpc } : {}),
      torn: calm ? 0 : random.pick([0, 0, 0.02, 0.1]),
      ...(calm || random.chance(0.3) ? {} : { dieAt: random.whole(1, 60) }),
      dieAfterCommit: random.chance(0.5),
      known: random.chance(0.6),
      skewMs: calm ? 0 : random.pick([0, 0, 0, -3_600_000, 5_000, 3_600_000]),
    });
    this.processes.push(process);
    await process.open();
    this.world.trace(`process ${process.options.name} starts`);
    return process;
  }

  /** Kills the process, stops it regularly, or suspends it while the next one works. */
  private async end(process: SimulatedProcess): Promise<void> {
    const { random, time } = this;
    if (process.dead) return;
    const how = random.pick(['kill', 'stop', 'hang']);
    this.world.trace(`process ${process.options.name}: ${how}`);
    if (how === 'hang') return process.suspend(random.whole(1_000, 200_000));
    if (how === 'kill') return process.kill();
    let stopped = false;
    void process.execution.stop().then(() => {
      stopped = true;
    });
    await time.run(time.now + 10_000, () => stopped);
    process.kill();
  }

  private rpcFaults(): RpcFaults {
    const { random } = this;
    return {
      ...CALM,
      drop: random.pick([0, 0.02, 0.2]),
      lost: random.pick([0, 0.02, 0.2]),
      refuse: random.pick([0, 0.2]),
      repeat: random.pick([0, 0.3]),
      late: random.pick([0, 0, 0.3, 0.9]),
      delayMs: random.pick([20, 200, 1_500]),
      lagSlots: random.pick([0, 3, 40]),
    };
  }

  /** Ends the faults: resumes a suspended process, and completes everything in a last process. */
  private async calmDown(): Promise<void> {
    const { chain, service, time, random } = this;
    chain.faults.fork = 0;
    chain.faults.failOnChain = 0;
    chain.faults.include = 1;
    Object.assign(service.faults, { fail: 0, stale: 0, notReady: 0, lagSlots: 0 });
    if (random.chance(0.5)) await time.run(time.now + 60_000, () => false);
    for (const process of this.processes) process.kill();
    // Queued sends and unreleased leases expire.
    await time.run(time.now + 100_000, () => false);
    this.world.trace('calm');
    const last = await this.start(CALM, true);
    last.skewMs = 0;
    let finished = false;
    void this.pursue(last, 300, 20)
      .then(() => last.execution.idle())
      .then(() => {
        finished = true;
      });
    if (!(await time.run(time.now + CALM_MS, () => finished)))
      this.invariants.violate('it never came to rest');
    await this.invariants.atRest(last.ledger, this.pursuits, this.file, EPOCH + time.now);
  }

  /** Pursues an intent like an agent: builds, submits, and submits again until it ends. */
  private async pursue(process: SimulatedProcess, waitSeconds: number, patience: number): Promise<void> {
    await Promise.all(
      this.pursuits.map(async (pursuit) => {
        for (let tries = 0; tries < patience && !process.dead; tries++) {
          try {
            if (await this.step(process, pursuit, waitSeconds)) return;
          } catch (error) {
            this.world.trace(`${pursuit.intent.id}: ${error instanceof Error ? error.message : 'a fault'}`);
          }
          await this.time.wait(this.random.whole(100, 5_000));
        }
      }),
    );
  }

  /** Makes one attempt. Returns `true` when the intent has ended. */
  private async step(process: SimulatedProcess, pursuit: Pursuit, waitSeconds: number): Promise<boolean> {
    const { intent } = pursuit;
    const { execution } = process;
    const again = this.random.chance(0.05) && !OVER.some((over) => over === pursuit.view?.status);
    if (pursuit.planId === undefined || again) await this.build(process, pursuit);
    const { planId } = pursuit;
    if (planId === undefined) return false;
    const view = await execution.submit(planId, waitSeconds, () => {}, new AbortController().signal);
    this.seen(pursuit, view);
    if (view.status === 'approval_required') return this.answer(process, planId);
    if (view.status === 'expired' && view.next?.includes('new quote')) {
      await this.build(process, pursuit);
      return false;
    }
    if (view.status === 'complete') pursuit.doneMs ??= this.time.now;
    this.world.trace(`${intent.id} is ${view.status}`);
    return OVER.includes(view.status);
  }

  /** Approves the question after a delay; the plan continues. */
  private async answer({ ledger }: SimulatedProcess, planId: string): Promise<boolean> {
    await this.time.wait(this.profile.personMs ?? 0);
    const [question] = await ledger.rows('approvals', { planId, state: 'pending' });
    if (question !== undefined) {
      await ledger.answerApproval(question.id, { state: 'approved', channel: 'command' });
      this.questions += 1;
    }
    return false;
  }

  private async build(process: SimulatedProcess, pursuit: Pursuit): Promise<void> {
    const { intent } = pursuit;
    const answer = await this.service.answer(intent);
    let { fields } = intent;
    if (intent.kind === 'swap') {
      const requestId = `${intent.id} ${pursuit.quotes}`;
      pursuit.quotes += 1;
      const asked = { amount: '1', of: intent.id };
      await process.execution.rememberQuote(requestId, asked, { requestId });
      fields = { ...fields, requestId };
    }
    const { execution } = process;
    const opened = await openAny(execution, intent.endpoint, fields, answer);
    if (opened.plan === null || opened.plan.repeats !== undefined) return;
    pursuit.planId = opened.plan.planId;
  }

  private seen(pursuit: Pursuit, view: PlanView): void {
    pursuit.view = view;
    this.invariants.shown(pursuit.intent, view);
  }

  private outcome(): Outcome {
    return {
      seed: this.seed,
      violations: this.invariants.violations,
      trace: this.hash.digest('hex'),
      statuses: this.pursuits.map(({ view }) => view?.status ?? 'never built'),
      kinds: this.pursuits.map(({ intent }) => intent.kind),
      processes: this.processes.length,
      signatures: this.invariants.rows.size,
      events: this.time.fired,
      log: this.log,
      doneMs: this.pursuits.flatMap(({ doneMs }) => doneMs ?? []),
      questions: this.questions,
      visited: [...this.visited].sort(),
    };
  }
}

/** Opens a plan for an endpoint given by name. */
function openAny(
  execution: SimulatedProcess['execution'],
  endpoint: string,
  fields: Readonly<Record<string, unknown>>,
  answer: unknown,
): Promise<{ plan: PlanView | null; note?: string }> {
  const open: unknown = Reflect.get(execution, 'open');
  if (typeof open !== 'function') throw new TypeError('no execution');
  return open(endpoint, fields, answer);
}
