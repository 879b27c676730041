/**
 * Race of two built servers on one home: both build and submit concurrently, the same intent or separate ones; one may
 * be killed and restarted meanwhile. Signatures per stage are counted in the ledger file and on the chain, which runs
 * in a separate process.
 */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Libsql from 'libsql';
import { type Fields, type McpProcess, object, objects, someAddress, text } from './harness.ts';
import { UNFINISHED } from './scene.ts';
import { configArguments, openSharedHome, type SharedHome } from './sharedHome.ts';

/** `configs` and `swaps`: one shared intent. `different`: a config per server, from one wallet. */
export type Raced = 'configs' | 'swaps' | 'different';

export interface RaceOutcome {
  readonly kind: Raced;
  /** Violations; empty when there is one complete plan whose stages were each signed once and landed once. */
  readonly problems: readonly string[];
  readonly stages: number;
  /** Signatures of the race in the ledger. */
  readonly signed: number;
  /** Transactions of the race on chain that the wallet signed. */
  readonly landed: number;
}

/** A blockhash is valid for 150 blocks, here one minute: no stage is signed again because the machine is slow. */
const SLOT_MS = 400;
const SOL = 'So11111111111111111111111111111111111111112';

export class RaceScene {
  private readonly home: SharedHome;
  private readonly servers: [McpProcess, McpProcess];
  private readonly ledger: Libsql.Database;
  /** Mint of a token that trades from the start. */
  private readonly traded: string;

  static async start(): Promise<RaceScene> {
    const home = await openSharedHome(SLOT_MS);
    const servers: [McpProcess, McpProcess] = [await home.serve(), await home.serve()];
    // Both have opened the ledger before the first race.
    for (const server of servers) await server.ok('list_plans');
    const feed = await servers[0].ok('get_launch_feed');
    return new RaceScene(home, servers, text(objects(feed.launches)[0]?.tokenMint));
  }

  private constructor(home: SharedHome, servers: [McpProcess, McpProcess], traded: string) {
    this.home = home;
    this.servers = servers;
    this.traded = traded;
    this.ledger = new Libsql(join(home.wallet.home, 'ledger.db'), { readonly: true });
  }

  /**
   * Runs one race. `race` sets the offset between the builds, and keeps each intent distinct. With `killAfterMs`, one
   * of the servers is killed that long after both submits, and replaced.
   */
  async race(kind: Raced, race: number, killAfterMs?: number): Promise<RaceOutcome> {
    const problems: string[] = [];
    const plansBefore = new Set(this.plans());
    const signedBefore = new Set(this.signed().map(({ signature }) => signature));
    const landedBefore = new Set((await this.home.history()).map(({ signature }) => signature));
    const { tool, requests } = await this.wanted(kind, race);

    const [one, two] = this.servers;
    const four = [one, two, one, two];
    const built = await Promise.all(
      four.map(async (server, n) => {
        await pause(n * (race % 4) * 8);
        return server.call(tool, requests[n % 2]);
      }),
    );
    for (const { isError, text } of built) if (isError) problems.push(`not built: ${text}`);
    const ids = built.map(({ data }) => String(object(data.plan).planId));
    const submitting = four.map((server, n) => submitted(server, ids[n] ?? ''));
    if (killAfterMs !== undefined) await this.killOne(race, killAfterMs);
    const ended = await Promise.all(
      killAfterMs === undefined ? submitting : ids.map((id, n) => submitted(this.server(n), id)),
    );
    for (const { plan, text } of ended) {
      if (plan.status !== 'complete') problems.push(`the plan is ${plan.status}: ${text}`);
    }

    const plans = this.plans().filter((id) => !plansBefore.has(id));
    const wanted = kind === 'different' ? 2 : 1;
    if (plans.length !== wanted || new Set(ids).size !== wanted) {
      problems.push(`${plans.length} plans in the ledger, told as ${ids.join(', ')}`);
    }
    const stages = new Set(
      ended.flatMap(({ plan }) => objects(plan.stages).map(({ id }) => `${plan.planId} ${id}`)),
    );
    const signed = this.signed().filter(({ signature }) => !signedBefore.has(signature));
    for (const stage of new Set([...stages, ...signed.map((row) => row.stage)])) {
      const states = signed.filter((row) => row.stage === stage).map(({ state }) => state);
      if (states.length !== 1)
        problems.push(`${stage} has ${states.length} signatures: ${states.join(', ')}`);
    }
    const landed: string[] = [];
    for (const { signature, failed } of await this.home.history()) {
      if (landedBefore.has(signature) || !(await this.signedByWallet(signature))) continue;
      landed.push(signature);
      if (failed) problems.push(`failed on chain: ${signature}`);
      if (!signed.some((row) => row.signature === signature))
        problems.push(`not in the ledger: ${signature}`);
    }
    for (const { signature } of signed) {
      if (!landed.includes(signature)) problems.push(`not on chain: ${signature}`);
    }
    return { kind, problems, stages: stages.size, signed: signed.length, landed: landed.length };
  }

  private server(n: number): McpProcess {
    return this.servers[n % 2 === 0 ? 0 : 1];
  }

  /** Kills one of the servers after a while and replaces it. */
  private async killOne(race: number, afterMs: number): Promise<void> {
    await pause(afterMs);
    const index = race % 2 === 0 ? 0 : 1;
    await this.servers[index].stop('SIGKILL');
    this.servers[index] = await this.home.serve();
  }

  private async wanted(kind: Raced, race: number) {
    if (kind === 'swaps') return this.swap(race);
    const { tool, requests } = await this.config(race);
    if (kind === 'configs') return { tool, requests };
    const others = await this.config(race + 1);
    return { tool, requests: [requests[0], others.requests[0]] };
  }

  async close(): Promise<void> {
    this.ledger.close();
    await Promise.all(this.servers.map((server) => server.stop('SIGTERM')));
    this.home.close();
  }

  /** Returns a config of one to eleven claimers, which has one to several stages. */
  private async config(race: number) {
    const claimers = Array.from({ length: (race % 3) * 5 }, someAddress);
    const request = await configArguments(this.servers[0], this.home.wallet.address, claimers);
    return { tool: 'create_fee_share_config', requests: [request, request] };
  }

  /** Returns a swap with one shared quote or, in every other race, a quote per server. */
  private async swap(race: number) {
    const quote = async (server: McpProcess): Promise<Fields> => {
      const request = {
        inputMint: SOL,
        outputMint: this.traded,
        amount: `${5_000_000 + race}`,
      };
      return { requestId: text(object(await server.ok('get_swap_quote', request)).requestId) };
    };
    const mine = await quote(this.servers[0]);
    return {
      tool: 'create_swap',
      requests: [mine, race % 2 === 0 ? mine : await quote(this.servers[1])],
    };
  }

  /** Returns whether the wallet is a signer of an on-chain transaction; others may only name it. */
  private async signedByWallet(signature: string): Promise<boolean> {
    const options = { encoding: 'json', commitment: 'confirmed', maxSupportedTransactionVersion: 0 };
    const found = object(await this.home.sandbox.rpc('getTransaction', [signature, options]));
    const message = object(object(found.transaction).message);
    const signers = Number(object(message.header).numRequiredSignatures);
    if (!Array.isArray(message.accountKeys) || !(signers > 0)) throw new Error(`no transaction ${signature}`);
    return message.accountKeys.slice(0, signers).includes(this.home.wallet.address);
  }

  private plans(): string[] {
    return this.ledger
      .prepare('SELECT plan_id FROM plans')
      .all()
      .map((row) => text(object(row).plan_id));
  }

  private signed(): { signature: string; stage: string; state: string }[] {
    return this.ledger
      .prepare('SELECT signature, plan_id, stage_id, state FROM journal')
      .all()
      .map(object)
      .map((row) => ({
        signature: text(row.signature),
        stage: `${text(row.plan_id)} ${text(row.stage_id)}`,
        state: text(row.state),
      }));
  }
}

/** Submits until the plan has ended; retries while the other server holds the wallet. */
async function submitted(server: McpProcess, planId: string): Promise<{ plan: Fields; text: string }> {
  for (let tries = 1; ; tries++) {
    const { isError, data, text } = await server.call('submit_plan', { planId, waitSeconds: 30 });
    const plan = object(data.plan);
    const isContinuing = isError
      ? /WALLET_BUSY/.test(JSON.stringify(data))
      : UNFINISHED.includes(String(plan.status));
    if (!isContinuing || tries === 20 || server.child.signalCode !== null) return { plan, text };
  }
}
