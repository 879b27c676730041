/**
 * Kills the built server while it executes a plan, starts another one, and checks that the plan landed once. Every
 * server of a scene shares one home; the chain runs in a separate process.
 */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Fields, type McpProcess, object, objects, someAddress, text } from './harness.ts';
import { configArguments, openSharedHome, type SharedHome } from './sharedHome.ts';

/** `before:3`: just before the third ledger write is committed. A number: milliseconds after the submit. */
export type Instant = `${'before' | 'after'}:${number}` | number;

export interface Killed {
  readonly instant: Instant;
  /** Whether the server died at that instant, or had finished before. */
  readonly died: boolean;
  /** Violations; empty when the plan landed exactly once. */
  readonly problems: readonly string[];
  /** CPU milliseconds of the next process, from start to completed plan. */
  readonly workMs: number;
  readonly stages: number;
}

const HOOK = resolve(process.cwd(), 'test/e2e/killHook.cjs');
const CLAIMERS = 30;

export class KillScene {
  private readonly home: SharedHome;
  private server: McpProcess;

  static async start(): Promise<KillScene> {
    const home = await openSharedHome(40);
    return new KillScene(home, await home.serve());
  }

  private constructor(home: SharedHome, server: McpProcess) {
    this.home = home;
    this.server = server;
  }

  async kill(instant: Instant): Promise<Killed> {
    const planId = await this.build();
    await this.server.stop('SIGTERM');
    const before = new Set(await this.succeeded());

    const hooked: Record<string, string> =
      typeof instant === 'string' ? { NODE_OPTIONS: `--require ${HOOK}`, KILL_AT: instant } : {};
    const victim = await this.home.serve(hooked);
    const submitted = victim.request('tools/call', {
      name: 'submit_plan',
      arguments: { planId, waitSeconds: 30 },
    });
    const gone = new Promise<'gone'>((done) => victim.child.once('exit', () => done('gone')));
    const ended = submitted.then(() => 'ended' as const);
    if (typeof instant === 'number') {
      await Promise.race([new Promise((done) => setTimeout(done, instant)), ended]);
    }
    // Covers kills during background work after the answer.
    const patience = () => new Promise<'ended'>((done) => setTimeout(() => done('ended'), 2_500));
    const died =
      typeof instant === 'number'
        ? victim.child.exitCode === null
        : (await Promise.race([gone, ended.then(patience)])) === 'gone';
    await victim.stop('SIGKILL');

    this.server = await this.home.serve();
    const plan = await this.finish(planId);
    const workMs = processorMs(this.server.child.pid ?? 0);
    const problems = await this.problems(plan, before);
    return { instant, died, problems, workMs, stages: objects(plan.stages).length };
  }

  async close(): Promise<void> {
    await this.server.stop();
    this.home.close();
  }

  private async build(): Promise<string> {
    const claimers = Array.from({ length: CLAIMERS - 1 }, someAddress);
    const request = await configArguments(this.server, this.home.wallet.address, claimers);
    const built = await this.server.ok('create_fee_share_config', request);
    return text(object(built.plan).planId);
  }

  private async finish(planId: string): Promise<Fields> {
    for (let errors = 0; ; ) {
      const answer = await this.server.call('submit_plan', { planId, waitSeconds: 30 });
      const plan = object(answer.data.plan);
      if (!answer.isError && plan.status !== 'running' && plan.status !== 'waiting_setup') return plan;
      if (answer.isError) errors += 1;
      if (errors > 5) throw new Error(`it never ended: ${answer.text}`);
    }
  }

  private async problems(plan: Fields, before: ReadonlySet<string>): Promise<string[]> {
    const problems: string[] = [];
    if (plan.status !== 'complete') problems.push(`the plan is ${plan.status}: ${plan.next}`);
    const ours = objects(plan.stages).map(({ signature }) => String(signature));
    const landed = (await this.succeeded()).filter((signature) => !before.has(signature));
    for (const signature of ours)
      if (!landed.includes(signature)) problems.push(`not on chain: ${signature}`);
    for (const signature of landed)
      if (!ours.includes(signature)) problems.push(`a second one: ${signature}`);
    return problems;
  }

  /** Returns the wallet's successful transactions. */
  private async succeeded(): Promise<string[]> {
    return (await this.home.history()).filter(({ failed }) => !failed).map(({ signature }) => signature);
  }
}

/** Returns the CPU time of a process (Linux). */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}
