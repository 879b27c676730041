/**
 * `npm run fleet -- --minutes 10`: three hosts over HTTP with separate homes, one ledger on PostgreSQL, and 500
 * principals. 380 of them trade from one wallet and share its limit; three more wallets have 40 principals and a limit
 * each. Hosts are killed and the database is restarted at instants repeatable with `--seed`. At the end every plan is
 * completed, and the ledger and the chain are checked for each wallet: spending within the limit, no stage landed
 * twice, nothing in doubt, the limit can be used up, and any excess is refused.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import { openLedger } from '../src/ledger/sqlite/sqlite.ts';
import { object, objects, text } from '../test/e2e/harness.ts';
import { UNFINISHED } from '../test/e2e/scene.ts';
import { usedIn } from '../test/ledger/samples.ts';
import { Random } from '../test/simulator/random.ts';
import { type FleetWallet, openFleet } from './fleetScene.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string' }, seed: { type: 'string' }, agents: { type: 'string' } },
});
const MINUTES = Number(values.minutes ?? 10);
/** Number of concurrently active principals. */
const AT_ONCE = Number(values.agents ?? 6);
const HOSTS = 3;
const SOL = 'So11111111111111111111111111111111111111112';
const AMOUNT = 20_000_000;
const SHARE = 0.95;
/** Returns a limit in lamports for `perMinute` swaps; the excess reserved by one swap is small next to it. */
const swaps = (perMinute: number): bigint =>
  BigInt(Math.max(5 * AMOUNT, Math.round(MINUTES * perMinute * AMOUNT)));
const WALLETS = [
  { principals: 380, max: swaps(6) },
  { principals: 40, max: swaps(3) },
  { principals: 40, max: swaps(2) },
  { principals: 40, max: swaps(1) },
];
const random = new Random(`fleet ${values.seed ?? 0}`);
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const begun = Date.now();
const fleet = await openFleet({ hosts: HOSTS, wallets: WALLETS, random });
const { call, wallets } = fleet;

interface Tried {
  readonly principal: number;
  readonly wallet: FleetWallet;
  status: string;
}
const plans = new Map<string, Tried>();
const failures = new Map<string, number>();
const noted = (error: unknown): string => {
  const message = error instanceof Error ? error.message : String(error);
  const code = /"code":"([A-Z_]+)"/.exec(message)?.[1] ?? message.slice(0, 40);
  failures.set(code, (failures.get(code) ?? 0) + 1);
  return code;
};

/** Submits a plan until it ends, on a random host. */
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

/** Swaps once for a principal of the wallet. Returns the plan, or `undefined` if none was built. */
async function trade(wallet: FleetWallet, amount: number): Promise<string | undefined> {
  const principal = wallet.principals[random.whole(0, wallet.principals.length - 1)] ?? 0;
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
    plans.set(planId, { principal, wallet, status: 'built' });
    await finish(planId, 20);
    return planId;
  } catch (error) {
    noted(error);
    await pause(300);
    return undefined;
  }
}

await fleet.begin();
let traded = '';
for (let tries = 0; traded === '' && tries < 20; tries += 1) {
  const feed = await call(0, 'get_launch_feed', {}).catch((error: unknown) => noted(error));
  if (typeof feed !== 'string') traded = text(objects(feed.launches)[0]?.tokenMint);
}
const before = new Map<string, bigint>();
for (const { address } of wallets) {
  // The airdrop is finalized shortly after the chain starts.
  while ((await fleet.balance(address)) === 0n) await pause(200);
  before.set(address, await fleet.balance(address));
}

let running = true;
const started = Date.now();
const until = started + MINUTES * 60_000;
const attempts = new Map<FleetWallet, number>();
/**
 * Returns whether a wallet is due for a trade. Trades are spread so that the limits and the service's hourly quota last
 * until the end of the run; by then 1.5 times the trades that fit in the limit have been tried.
 */
function isDue(wallet: FleetWallet): boolean {
  const share = (Date.now() - started) / (until - started);
  const due = (attempts.get(wallet) ?? 0) < 2 + (1.5 * share * Number(wallet.max)) / AMOUNT;
  if (due) attempts.set(wallet, (attempts.get(wallet) ?? 0) + 1);
  return due;
}
let [kills, restarts] = [0, 0];
const [shared, ...own] = wallets;
const someWallet = (): FleetWallet | undefined =>
  random.chance(0.5) ? shared : own[random.whole(0, own.length - 1)];
const working = Array.from({ length: AT_ONCE }, async () => {
  while (running) {
    const wallet = someWallet();
    if (wallet !== undefined && isDue(wallet)) await trade(wallet, AMOUNT);
    else await pause(300);
  }
});
const killing = (async () => {
  while (running) {
    await pause(random.whole(6_000, 20_000));
    if (!running) return;
    kills += 1;
    await fleet.kill(random.whole(0, HOSTS - 1));
  }
})();
const restarting = (async () => {
  while (running) {
    await pause(random.whole(30_000, 70_000));
    if (!running) return;
    restarts += 1;
    fleet.postgres.stop(random.chance(0.5) ? 'immediate' : 'fast');
    await pause(random.whole(200, 2_000));
    fleet.postgres.start();
  }
})();
while (Date.now() < until) {
  await pause(Math.min(30_000, until - Date.now()));
  print({ seconds: Math.round((Date.now() - begun) / 1000), plans: plans.size, kills, restarts });
}
running = false;
await Promise.all([...working, killing, restarting]);

// With no more kills, complete every plan and use up the rest of each limit.
const ledger = openLedger({ database: fleet.database, clock: systemClock });
for (const [planId, { status }] of plans) if (status !== 'complete') await finish(planId, 10);
const network = text(await fleet.sandbox.rpc('getGenesisHash'));
const used = async ({ spec, address }: FleetWallet): Promise<bigint> =>
  (await usedIn(ledger, [spec], address, network))[spec.id] ?? 0n;
/** Returns the used amount once every landed transaction is counted with its actual cost; reservations are higher. */
async function settled(wallet: FleetWallet): Promise<bigint> {
  for (
    let tries = 0;
    tries < 60 && (await ledger.rows('journal', { open: true, wallet: wallet.address })).length > 0;
    tries += 1
  )
    await pause(500);
  return used(wallet);
}
const usedInRun = new Map<string, bigint>();
for (const wallet of wallets) {
  usedInRun.set(wallet.address, await used(wallet));
  for (let more = 0; more < 80; more += 1) {
    const left = Number(wallet.max - (await settled(wallet)));
    if (left <= (1 - SHARE) * Number(wallet.max)) break;
    await trade(wallet, Math.max(100_000, Math.min(20_000_000, left - 3_000_000)));
  }
}

const problems: string[] = [];
for (const wallet of wallets) {
  const tooMuch = await trade(wallet, Number(wallet.max - (await used(wallet))) + 1_000);
  const code = tooMuch === undefined ? undefined : await refusalOf(tooMuch);
  if (code !== 'LIMIT_EXCEEDED')
    problems.push(`more than is left of the limit of ${wallet.address} was answered with ${code}`);
}
/** Returns the refusal reason of a plan's newest decision. */
async function refusalOf(planId: string): Promise<string | undefined> {
  const [newest] = await ledger.rows('decisions', { planId, limit: 1 });
  return newest?.decision.reasonCodes[0] ?? newest?.decision.effect;
}
for (const [planId, { status }] of plans) if (UNFINISHED.includes(status)) await finish(planId, 10);
// A transaction not final when its host was killed is reconciled by the wallet's next operation, of any principal.
const lastOf = new Map([...plans].map(([planId, { wallet, principal }]) => [wallet, { planId, principal }]));
for (let tries = 0; tries < 120 && (await ledger.rows('journal', { open: true })).length > 0; tries += 1) {
  for (const { planId, principal } of lastOf.values())
    await call(principal, 'submit_plan', { planId }).catch(noted);
  await pause(500);
}

const open = await ledger.rows('journal', { open: true });
if (open.length > 0) problems.push(`${open.length} signatures are still open`);
const rows = await fleet.postgres.query(
  fleet.database,
  'SELECT signature, wallet, plan_id, stage_id, state FROM journal',
);
const landings = rows.filter(({ state }) => state === 'finalized' || state === 'confirmed');
const landedIn = new Map<string, number>();
for (const { plan_id: plan, stage_id: stage } of landings)
  landedIn.set(`${plan} ${stage}`, (landedIn.get(`${plan} ${stage}`) ?? 0) + 1);
for (const [stage, times] of landedIn) if (times > 1) problems.push(`${stage} landed ${times} times`);
const known = new Set(rows.map(({ signature }) => signature));
const shown: object[] = [];
for (const wallet of wallets) {
  const { address, max } = wallet;
  const left = (before.get(address) ?? 0n) - (await fleet.balance(address));
  const counted = await used(wallet);
  const share = Number(counted) / Number(max);
  if (left > max) problems.push(`${left} left ${address}, and its limit is ${max}`);
  if (counted > max) problems.push(`the ledger counts ${counted} of ${max} for ${address}`);
  if (left > counted) problems.push(`${left} left ${address}, and the ledger counts ${counted}`);
  if (share < SHARE) problems.push(`only ${share} of the limit of ${address} could be used`);
  const onChain = await fleet.history(address);
  const seen = onChain.filter(({ signature, failed }) => !failed && known.has(signature)).length;
  const landed = landings.filter((row) => row.wallet === address).length;
  if (seen !== landed && onChain.length < 1000)
    problems.push(`the ledger knows of ${landed} landings of ${address}, and the chain of ${seen}`);
  shown.push({
    principals: wallet.principals.length,
    landed,
    limit: `${max}`,
    leftTheWallet: `${left}`,
    counted: `${counted}`,
    shareInTheRun: Math.round((Number(usedInRun.get(address)) / Number(max)) * 1000) / 1000,
    share: Math.round(share * 1000) / 1000,
  });
}
const held = await fleet.postgres.query(
  fleet.database,
  "SELECT 1 FROM reservations WHERE state IN ('held', 'signed')",
);
if (held.length > 0) problems.push(`${held.length} reservations were never given back`);
const record = await ledger.verifyDecisions();
if (record.brokenAt !== undefined) problems.push(`the record of decisions is broken at ${record.brokenAt}`);
await ledger.close();
fleet.end();
print({
  minutes: MINUTES,
  principals: wallets.reduce((sum, { principals }) => sum + principals.length, 0),
  kills,
  restarts,
  plans: plans.size,
  landed: landedIn.size,
  decisions: record.rows,
  wallets: shown,
  refusedOrCutOff: Object.fromEntries(failures),
  problems,
});
if (problems.length > 0) {
  process.stderr.write(fleet.output());
  process.exitCode = 1;
}
