/**
 * A static decision over the work that cannot be saved: Ed25519 verifies and one SHA-256 of the same message by the
 * same verifier. Static means without a simulation: a preview, and one that nothing is wrong with. The code is warm, as in
 * a server that has decided before. Measured two ways: stages of plans with a hundred earners, each decided once, so that
 * nothing is remembered that was read for it alone; and every recorded kind of stage in turn, with new facts each time.
 * The first decision of a plan also derives its addresses, reads the stages beside it and compares a hundred new earners
 * with known addresses: it is the cold one, reported beside.
 */
import { createHash } from 'node:crypto';
import { evaluate } from '../src/policy/decide/evaluate.ts';
import { sealFacts } from '../src/policy/decide/factsDigest.ts';
import type { Facts } from '../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../src/policy/file/file.ts';
import { readTransaction } from '../src/transaction/read.ts';
import { isSignedBy } from '../src/transaction/signatures.ts';
import { decodeWire } from '../src/transaction/wire.ts';
import { embeddedWith, STAGES, stage } from '../test/policy/recorded/stages.ts';
import { keyNamed, NOTHING_USED, World } from '../test/policy/world.ts';
import { median, type Ratio, ratio } from './measure.ts';

const PLANS = 160;
const CLAIMERS = 100;
const WARM_UP_PLANS = 120;
/** How often a stage of a warm-up plan is decided. */
const WARM_UP_ROUNDS = 8;
/** How often every recorded kind is decided, first to warm up and then measured. */
const ROUNDS = 500;

/** Facts of every continuing stage (`config-2` …) of one hundred-claimer config in v0, with one co-signature each. */
async function stageFacts(world: World, plan: number): Promise<Facts[]> {
  const { mint } = await world.token(`Bench ${plan}`);
  const claimersArray = Array.from({ length: CLAIMERS }, (_, i) => keyNamed(`bench ${plan}/${i}`).address);
  const request = {
    baseMint: mint,
    payer: world.wallet,
    flow: 'damm_v2_direct',
    admin: world.wallet,
    claimersArray,
    basisPointsArray: claimersArray.map(() => 100),
  };
  const setup = await world.plan('feeShareConfig', request);
  for (const stage of setup.stages) await world.land(setup, stage.id);
  const built = await world.plan('feeShareConfig', request);
  const facts: Facts[] = [];
  await world.land(built, 'config-1');
  for (const stage of built.stages.filter(({ id }) => id !== 'config-1')) {
    facts.push(await world.facts(built, stage.id, { purpose: 'preview' }));
  }
  return facts;
}

/** One decision, and the work that cannot be saved, in milliseconds. */
interface Measured {
  readonly ours: number;
  readonly base: number;
}

function measure(facts: Facts, policy: LoadedPolicy): Measured {
  const { message, signatures, staticAccounts } = readTransaction(
    decodeWire(facts.stage.transaction, 'base64'),
  );
  let start = performance.now();
  for (const [slot, signature] of signatures.entries()) {
    if (signature !== null) isSignedBy(staticAccounts[slot] ?? '', signature, message);
  }
  createHash('sha256').update(message).digest('hex');
  const base = performance.now() - start;
  start = performance.now();
  const { effect } = evaluate(facts, policy, NOTHING_USED);
  const ours = performance.now() - start;
  if (effect !== 'allow') throw new Error(`${facts.stage.id}: ${effect}`);
  return { ours, base };
}

function ratioOf(name: string, rows: readonly Measured[], budget: number, about = ''): Ratio {
  const [ours, base] = [rows.map((row) => row.ours), rows.map((row) => row.base)];
  return ratio(name, `evaluate() over Ed25519 verify + SHA-256${about}`, budget, ours, base);
}

export async function benchDecision(): Promise<Ratio[]> {
  return [...measureRecorded(), ...(await measureHundredEarners())];
}

/** Every recorded kind of stage that comes co-signed in v0; the largest of those with one co-signature has the budget. */
function measureRecorded(): Ratio[] {
  const policy = embeddedWith();
  const kinds = STAGES.flatMap((name) => {
    const facts: Facts = { ...stage(name), purpose: 'preview', simulation: { status: 'not_yet' } };
    const read = readTransaction(decodeWire(facts.stage.transaction, 'base64'));
    const cosignatures = read.signatures.filter((signature) => signature !== null).length;
    const isAllowed = evaluate(facts, policy, NOTHING_USED).effect === 'allow';
    return isAllowed && read.format === 'v0' && cosignatures > 0
      ? [{ name, facts, cosignatures, size: read.bytes.length, rows: [] as Measured[] }]
      : [];
  });
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    for (const { facts, rows } of kinds) {
      const measured = measure(sealFacts(structuredClone(facts)), policy);
      if (round >= ROUNDS) rows.push(measured);
    }
  }
  const bySize = kinds.toSorted((a, b) => b.size - a.size);
  const largest = bySize.find(({ cosignatures }) => cosignatures === 1);
  if (largest === undefined) throw new Error('no recorded stage has one co-signature');
  const costliest = kinds.reduce((a, b) => (medianRatio(a.rows) >= medianRatio(b.rows) ? a : b));
  const about = ({ name, size }: (typeof kinds)[number]) => `: ${name}, ${size} bytes`;
  return [
    ratioOf('static decision, largest v0 stage', largest.rows, 2, about(largest)),
    ratioOf('the same, costliest kind', costliest.rows, Number.POSITIVE_INFINITY, about(costliest)),
  ];
}

const medianRatio = (rows: readonly Measured[]): number => median(rows.map(({ ours, base }) => ours / base));

/** Stages that continue a config of a hundred earners. */
async function measureHundredEarners(): Promise<Ratio[]> {
  const world = await World.start('bench');
  const cold: Measured[] = [];
  const warm: Measured[] = [];
  try {
    for (let plan = 0; plan < PLANS; plan += 1) {
      const stages = await stageFacts(world, plan);
      for (const facts of stages) {
        const measured = measure(facts, world.policy);
        if (plan >= WARM_UP_PLANS) (facts === stages[0] ? cold : warm).push(measured);
        else for (let round = 1; round < WARM_UP_ROUNDS; round += 1) measure(facts, world.policy);
      }
    }
  } finally {
    await world.close();
  }
  return [
    ratioOf('static decision, a hundred earners', warm, 2),
    ratioOf('the same, first of a plan (cold)', cold, Number.POSITIVE_INFINITY),
  ];
}
