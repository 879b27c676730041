/**
 * Kills the built server in the middle of landing a plan, starts another one, and says whether the plan landed,
 * once. Every server of a scene shares one home; the chain is in a process of its own and knows what happened.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  createHome,
  type Fields,
  liveEnvironment,
  type McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  someAddress,
  startSandbox,
  startServer,
  type TestWallet,
  text,
} from './harness.ts';

/** `before:3`: when its third write of the ledger is about to be committed. A number: so many milliseconds after the submit. */
export type Instant = `${'before' | 'after'}:${number}` | number;

export interface Killed {
  readonly instant: Instant;
  /** Whether it died at that instant, or was done before. */
  readonly died: boolean;
  /** What went wrong; empty when the plan landed exactly once. */
  readonly problems: readonly string[];
  /** Milliseconds of processor time the next process needed, from its start to the completed plan. */
  readonly workMs: number;
  readonly stages: number;
}

const HOOK = resolve(process.cwd(), 'test/e2e/killHook.cjs');
const CLAIMERS = 12;

export class KillScene {
  private readonly sandbox: SandboxProcess;
  private readonly wallet: TestWallet;
  private readonly policy: string;
  private server: McpProcess;

  static async start(): Promise<KillScene> {
    const sandbox = await startSandbox(['--slot-ms', '40']);
    const wallet = createHome();
    await sandbox.rpc('requestAirdrop', [wallet.address, 1_000_000_000_000]);
    const policy = join(wallet.home, 'policy.json');
    const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
    const made = await run([...init, '--rpc-url', sandbox.rpcUrl], liveEnvironment(wallet, sandbox));
    if (made.code !== 0) throw new Error(made.err);
    // The same thing is wanted again and again here; how much of it a day is not what is tested.
    const file = object(JSON.parse(readFileSync(policy, 'utf8')));
    const most = (limit: Fields) => ('asset' in limit ? '999999999999999' : 1_000_000);
    const limits = objects(file.limits).map((limit) => ({ ...limit, max: most(limit) }));
    writeFileSync(policy, JSON.stringify({ ...file, limits }), { mode: 0o600 });
    const server = await serve(sandbox, wallet, policy);
    return new KillScene(sandbox, wallet, policy, server);
  }

  private constructor(sandbox: SandboxProcess, wallet: TestWallet, policy: string, server: McpProcess) {
    this.sandbox = sandbox;
    this.wallet = wallet;
    this.policy = policy;
    this.server = server;
  }

  async kill(instant: Instant): Promise<Killed> {
    const planId = await this.build();
    await this.server.stop('SIGTERM');
    const before = new Set(await this.history());

    const at = typeof instant === 'string' ? instant : undefined;
    const victim = await serve(this.sandbox, this.wallet, this.policy, at);
    const submitted = victim.request('tools/call', {
      name: 'submit_plan',
      arguments: { planId, waitSeconds: 30 },
    });
    const gone = new Promise<'gone'>((done) => victim.child.once('exit', () => done('gone')));
    const ended = submitted.then(() => 'ended' as const);
    if (typeof instant === 'number') {
      await Promise.race([new Promise((done) => setTimeout(done, instant)), ended]);
    }
    // What goes on in the background after the answer is killed at too.
    const patience = () => new Promise<'ended'>((done) => setTimeout(() => done('ended'), 2_500));
    const died =
      typeof instant === 'number'
        ? victim.child.exitCode === null
        : (await Promise.race([gone, ended.then(patience)])) === 'gone';
    await victim.stop('SIGKILL');

    this.server = await serve(this.sandbox, this.wallet, this.policy);
    const plan = await this.finish(planId);
    const workMs = processorMs(this.server.child.pid ?? 0);
    const problems = await this.problems(plan, before);
    return { instant, died, problems, workMs, stages: objects(plan.stages).length };
  }

  async close(): Promise<void> {
    await this.server.stop();
    this.sandbox.stop();
  }

  private async build(): Promise<string> {
    const token = await this.server.ok('create_token_info', {
      name: 'Kill',
      symbol: 'KILL',
      description: 'made by a test',
      imageUrl: 'https://example.com/a.png',
    });
    const share = Math.floor(10_000 / CLAIMERS);
    const built = await this.server.ok('create_fee_share_config', {
      baseMint: token.tokenMint,
      payer: this.wallet.address,
      flow: 'damm_v2_direct',
      claimersArray: [this.wallet.address, ...Array.from({ length: CLAIMERS - 1 }, someAddress)],
      basisPointsArray: Array.from({ length: CLAIMERS }, (_, i) =>
        i === 0 ? 10_000 - share * (CLAIMERS - 1) : share,
      ),
    });
    return text(object(built.plan).planId);
  }

  private async finish(planId: string): Promise<Fields> {
    for (let tries = 0; ; tries++) {
      const answer = await this.server.call('submit_plan', { planId, waitSeconds: 30 });
      const plan = object(answer.data.plan);
      if (!answer.isError && plan.status !== 'running' && plan.status !== 'waiting_setup') return plan;
      if (tries > 5) throw new Error(`it never ended: ${answer.text}`);
    }
  }

  private async problems(plan: Fields, before: ReadonlySet<string>): Promise<string[]> {
    const problems: string[] = [];
    if (plan.status !== 'complete') problems.push(`the plan is ${plan.status}: ${plan.next}`);
    const ours = objects(plan.stages).map(({ signature }) => String(signature));
    const landed = (await this.history()).filter((signature) => !before.has(signature));
    for (const signature of ours)
      if (!landed.includes(signature)) problems.push(`not on chain: ${signature}`);
    for (const signature of landed)
      if (!ours.includes(signature)) problems.push(`a second one: ${signature}`);
    return problems;
  }

  /** Every transaction of the wallet that succeeded, newest first. */
  private async history(): Promise<string[]> {
    const options = { limit: 1000, commitment: 'confirmed' };
    const found = objects(await this.sandbox.rpc('getSignaturesForAddress', [this.wallet.address, options]));
    return found.filter(({ err }) => err === null).map(({ signature }) => text(signature));
  }
}

function serve(
  sandbox: SandboxProcess,
  wallet: TestWallet,
  policy: string,
  killAt?: string,
): Promise<McpProcess> {
  const where = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy];
  const hooked: Record<string, string> =
    killAt === undefined ? {} : { NODE_OPTIONS: `--require ${HOOK}`, KILL_AT: killAt };
  return startServer(where, { ...liveEnvironment(wallet, sandbox), ...hooked });
}

/** Processor time of a process so far, as Linux counts it. */
export function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}
