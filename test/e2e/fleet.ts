/**
 * `npm run fleet -- --minutes 10`: three hosts over HTTP, each with a home of its own, one ledger on PostgreSQL, and 500
 * principals that trade from one wallet under one limit. All the while hosts are killed and the database is restarted, at
 * instants that `--seed` repeats. At the end every plan is brought to its end, and the ledger and the chain are asked: no
 * more left the wallet than the limit, no stage landed twice, nothing stays in doubt, and no share of the limit is lost.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../../src/clock.ts';
import type { LimitSpec } from '../../src/ledger/limits.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { startPostgres } from '../ledger/postgres.ts';
import { Random } from '../simulator/random.ts';
import { COMMAND, type Fields, object, objects, text } from './harness.ts';
import { UNFINISHED } from './scene.ts';
import { openSharedHome } from './sharedHome.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    principals: { type: 'string' },
    agents: { type: 'string' },
  },
});
const MINUTES = Number(values.minutes ?? 10);
const PRINCIPALS = Number(values.principals ?? 500);
/** How many of them are at work at once. */
const AT_ONCE = Number(values.agents ?? 4);
const HOSTS = 3;
const SOL = 'So11111111111111111111111111111111111111112';
const AMOUNT = 5_000_000;
const LIMIT = BigInt(Math.round(MINUTES * 12 * AMOUNT));
const SHARE = 0.95;
const random = new Random(`fleet ${values.seed ?? 0}`);
const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const postgres = startPostgres({ durable: true });
const database = await postgres.newLedger();
const home = await openSharedHome(400);
const policyFile = join(home.wallet.home, 'policy.json');
const policy = object(JSON.parse(readFileSync(policyFile, 'utf8')));
const limits = objects(policy.limits).map((limit) =>
  limit.asset === 'SOL' && limit.window !== undefined ? { ...limit, max: `${LIMIT}` } : limit,
);
writeFileSync(policyFile, JSON.stringify({ ...policy, limits }), { mode: 0o600 });
const tokenOf = (index: number): string => `agent-${index}-`.padEnd(40, 'x');
const principals = Array.from({ length: PRINCIPALS }, (_, index) => {
  writeFileSync(join(home.wallet.home, `agent-${index}.token`), tokenOf(index), { mode: 0o600 });
  const is = [{ tokenFile: `agent-${index}.token` }];
  return { name: `agent-${index}`, is, wallets: 'all', policy: 'policy.json', callsPerMinute: 10_000 };
});
writeFileSync(join(home.wallet.home, 'principals.json'), JSON.stringify({ version: 1, principals }), {
  mode: 0o600,
});
const homes = Array.from({ length: HOSTS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-fleet-'));
  cpSync(home.wallet.home, folder, { recursive: true });
  return folder;
});

/** One host: a process that is started again whenever it was killed. */
interface Host {
  child?: ChildProcess;
  url?: string | undefined;
}
const hosts: Host[] = homes.map(() => ({}));
const log: string[] = [];

async function start(index: number): Promise<void> {
  const folder = homes[index] ?? '';
  const live = ['--live', '--root-url', home.sandbox.rootUrl, '--rpc-url', home.sandbox.rpcUrl];
  const served = ['serve', '--http', '--port', '0', '--principals', join(folder, 'principals.json')];
  const child = spawn(process.execPath, [COMMAND, ...served, ...live], {
    env: {
      ...process.env,
      ...home.env,
      COUNTERSIGN_HOME: folder,
      COUNTERSIGN_WALLET_FILE: join(folder, 'wallet.json'),
      COUNTERSIGN_LEDGER: database,
      COUNTERSIGN_NO_BROWSER: '1',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  hosts[index] = { child };
  const url = await new Promise<string | undefined>((resolve) => {
    let said = '';
    child.once('exit', () => resolve(undefined));
    child.stderr.on('data', (chunk) => {
      log.push(`${chunk}`);
      if (log.length > 200) log.shift();
      said = `${said}${chunk}`.slice(-10_000);
      const found = /at (http:[^"\s]+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  if (hosts[index]?.child === child) hosts[index] = { child, url };
}

/** Kills a host, and starts another one in its home. */
async function kill(index: number): Promise<void> {
  const host = hosts[index];
  const gone = new Promise((resolve) => host?.child?.once('exit', resolve));
  hosts[index] = {};
  host?.child?.kill('SIGKILL');
  await gone;
  await start(index);
}

/** The data of an answer; throws where the host is gone or the tool failed. */
async function call(principal: number, name: string, args: Fields): Promise<Fields> {
  const up = hosts.flatMap(({ url }) => url ?? []);
  const url = up[random.whole(0, Math.max(0, up.length - 1))];
  if (url === undefined) throw new Error('no host');
  const post = async (message: Fields, session?: string) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${tokenOf(principal)}`,
        ...(session === undefined ? {} : { 'mcp-session-id': session }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(60_000),
    });
    const body = await response.text();
    if (!response.ok) throw new Error(`${response.status}: ${body.slice(0, 200)}`);
    const json = body.startsWith('{') ? body : (/^data: (\{.*"result".*\})$/m.exec(body)?.[1] ?? '{}');
    return {
      result: object(object(JSON.parse(json)).result),
      session: response.headers.get('mcp-session-id'),
    };
  };
  const clientInfo = { name: 'fleet', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  const { session } = await post({ id: 1, method: 'initialize', params });
  const asked = { id: 2, method: 'tools/call', params: { name, arguments: args } };
  const { result } = await post(asked, session ?? undefined);
  const data = object(result.structuredContent);
  if (result.isError === true) throw new Error(JSON.stringify(data).slice(0, 300));
  return data;
}

const plans = new Map<string, { readonly principal: number; status: string }>();
const failures = new Map<string, number>();
const noted = (error: unknown): string => {
  const said = error instanceof Error ? error.message : String(error);
  const code = /"code":"([A-Z_]+)"/.exec(said)?.[1] ?? said.slice(0, 40);
  failures.set(code, (failures.get(code) ?? 0) + 1);
  return code;
};

/** Brings a plan to its end, on whichever host answers. */
async function finish(planId: string, tries: number): Promise<void> {
  const plan = plans.get(planId);
  if (plan === undefined) return;
  for (let left = tries; left > 0; left -= 1) {
    try {
      const data = await call(plan.principal, 'submit_plan', { planId, waitSeconds: 20 });
      plan.status = String(object(data.plan).status);
      if (!UNFINISHED.includes(plan.status)) return;
    } catch (error) {
      noted(error);
      await pause(500);
    }
  }
}

/** One swap of one principal; why there is none, where there is none. */
async function trade(amount: number): Promise<string | undefined> {
  const principal = random.whole(0, PRINCIPALS - 1);
  try {
    const quote = await call(principal, 'get_swap_quote', {
      inputMint: SOL,
      outputMint: traded,
      amount: `${amount}`,
    });
    const data = await call(principal, 'create_swap', {
      requestId: text(object(quote.quote ?? quote).requestId),
    });
    const planId = text(object(data.plan).planId);
    plans.set(planId, { principal, status: 'built' });
    await finish(planId, 20);
    return undefined;
  } catch (error) {
    await pause(300);
    return noted(error);
  }
}

const begun = Date.now();
await Promise.all(hosts.map((_, index) => start(index)));
let traded = '';
for (let tries = 0; traded === '' && tries < 20; tries += 1) {
  const feed = await call(0, 'get_launch_feed', {}).catch((error: unknown) => noted(error));
  if (typeof feed !== 'string') traded = text(objects(feed.launches)[0]?.tokenMint);
}
const balance = async (): Promise<bigint> =>
  BigInt(Number(object(await home.sandbox.rpc('getBalance', [home.wallet.address])).value));
// What the wallet was given is finalized a little after the chain has begun.
while ((await balance()) === 0n) await pause(200);
const before = await balance();

let running = true;
const until = Date.now() + MINUTES * 60_000;
let [kills, restarts] = [0, 0];
const working = Array.from({ length: AT_ONCE }, async () => {
  while (running) await trade(AMOUNT);
});
const killing = (async () => {
  while (running) {
    await pause(random.whole(6_000, 20_000));
    if (!running) return;
    kills += 1;
    await kill(random.whole(0, HOSTS - 1));
  }
})();
const restarting = (async () => {
  while (running) {
    await pause(random.whole(30_000, 70_000));
    if (!running) return;
    restarts += 1;
    postgres.stop(random.chance(0.5) ? 'immediate' : 'fast');
    await pause(random.whole(200, 2_000));
    postgres.start();
  }
})();
while (Date.now() < until) {
  await pause(Math.min(30_000, until - Date.now()));
  say({ seconds: Math.round((Date.now() - begun) / 1000), plans: plans.size, kills, restarts });
}
running = false;
await Promise.all([...working, killing, restarting]);

// Now that nothing is killed any more, every plan comes to its end, and what is left of the limit can be used.
const ledger = openLedger({ database, clock: systemClock });
for (const [planId, { status }] of plans) if (status !== 'complete') await finish(planId, 10);
const network = text(await home.sandbox.rpc('getGenesisHash'));
const day = limits.find((limit) => limit.asset === 'SOL' && limit.window !== undefined);
if (day === undefined) throw new Error('the policy has no limit of SOL in a window');
const spec: LimitSpec = {
  id: 'fleet',
  kind: 'asset',
  of: 'SOL',
  max: LIMIT,
  window: { rollingMs: 7 * 86_400_000 },
};
const used = async (): Promise<bigint> =>
  (await ledger.used([spec], home.wallet.address, network)).fleet ?? 0n;
for (let more = 0; more < 80 && Number(await used()) < SHARE * Number(LIMIT); more += 1) {
  const left = Number(LIMIT - (await used()));
  await trade(Math.max(100_000, Math.min(20_000_000, left - 3_000_000)));
}
for (const [planId, { status }] of plans) if (UNFINISHED.includes(status)) await finish(planId, 10);
// A landing that was not final when its host was killed is looked up by the next work with the wallet, of any principal.
const [[lastPlan, last] = []] = [...plans].reverse();
for (let tries = 0; tries < 120 && (await ledger.openRows({})).length > 0; tries += 1) {
  if (last !== undefined) await call(last.principal, 'submit_plan', { planId: lastPlan }).catch(noted);
  await pause(500);
}

const problems: string[] = [];
const left = before - (await balance());
const share = Number(await used()) / Number(LIMIT);
if (left > LIMIT) problems.push(`${left} left the wallet, and the limit is ${LIMIT}`);
if ((await used()) > LIMIT) problems.push(`the ledger counts ${await used()} of ${LIMIT}`);
if (share < SHARE) problems.push(`only ${share} of the limit could be used`);
const open = await ledger.openRows({});
if (open.length > 0) problems.push(`${open.length} signatures are still open`);
const rows = await postgres.query(database, 'SELECT signature, plan_id, stage_id, state FROM journal');
const landedIn = new Map<string, number>();
for (const row of rows) {
  if (row.state !== 'finalized' && row.state !== 'confirmed') continue;
  const stage = `${row.plan_id} ${row.stage_id}`;
  landedIn.set(stage, (landedIn.get(stage) ?? 0) + 1);
}
for (const [stage, times] of landedIn) if (times > 1) problems.push(`${stage} landed ${times} times`);
const known = new Set(rows.map(({ signature }) => signature));
const onChain = await home.history();
const unknown = onChain.filter(({ signature, failed }) => !failed && known.has(signature));
const landedByLedger = rows.filter(({ state }) => state === 'finalized' || state === 'confirmed').length;
if (unknown.length !== landedByLedger && onChain.length < 1000)
  problems.push(`the ledger knows of ${landedByLedger} landings, and the chain of ${unknown.length}`);
const held = await postgres.query(database, "SELECT 1 FROM reservations WHERE state IN ('held', 'signed')");
if (held.length > 0) problems.push(`${held.length} reservations were never given back`);
const record = await ledger.verifyDecisions();
if (record.brokenAt !== undefined) problems.push(`the record of decisions is broken at ${record.brokenAt}`);
const commits = await ledger
  .time()
  .then(() => postgres.query(database, "SELECT value FROM meta WHERE key = 'writes'"));
await ledger.close();
for (const { child } of hosts) child?.kill('SIGKILL');
home.close();
for (const folder of homes) rmSync(folder, { recursive: true, force: true });
postgres.end();
say({
  minutes: MINUTES,
  principals: PRINCIPALS,
  kills,
  restarts,
  plans: plans.size,
  landed: landedIn.size,
  decisions: record.rows,
  writes: Number(commits[0]?.value),
  limit: `${LIMIT}`,
  leftTheWallet: `${left}`,
  share: Math.round(share * 1000) / 1000,
  refusedOrCutOff: Object.fromEntries(failures),
  problems,
});
if (problems.length > 0) {
  process.stderr.write(log.slice(-20).join(''));
  process.exitCode = 1;
}
