/**
 * A static decision over the work that cannot be saved: one Ed25519 verify and one SHA-256 of the same message by the
 * same verifier. Every measured stage is decided once, so nothing about its own bytes is remembered from before; the
 * code is warm, as in a server that has decided before. The first decision of a plan also derives its addresses, reads
 * the stages beside it and compares a hundred new earners with known addresses: it is the cold one, reported beside.
 */
import { createHash } from 'node:crypto';
import { evaluate } from '../src/policy/decide/evaluate.ts';
import type { Facts } from '../src/policy/decide/types.ts';
import { readTransaction } from '../src/transaction/read.ts';
import { isSignedBy } from '../src/transaction/signatures.ts';
import { decodeWire } from '../src/transaction/wire.ts';
import { keyNamed, NOTHING_USED, World } from '../test/policy/world.ts';
import { type Ratio, ratio } from './measure.ts';

const PLANS = 160;
const CLAIMERS = 100;
const WARM_UP_PLANS = 120;
/** How often a stage of a warm-up plan is decided. */
const WARM_UP_ROUNDS = 8;

/** Facts of every continuing stage (`config-2` …) of one hundred-claimer config in v0: near the size limit, one co-signature. */
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

export async function benchDecision(): Promise<Ratio[]> {
  const world = await World.start('bench');
  const cold: { ours: number[]; base: number[] } = { ours: [], base: [] };
  const warm: typeof cold = { ours: [], base: [] };
  try {
    for (let plan = 0; plan < PLANS; plan += 1) {
      const stages = await stageFacts(world, plan);
      for (const facts of stages) {
        const bytes = decodeWire(facts.stage.transaction, 'base64');
        const { message, signatures, staticAccounts } = readTransaction(bytes);
        const slot = signatures.findIndex((signature) => signature !== null);
        const [signature, signer] = [signatures[slot], staticAccounts[slot]];
        if (!signature || signer === undefined) throw new Error('a stage without a co-signature');
        let start = performance.now();
        isSignedBy(signer, signature, message);
        createHash('sha256').update(message).digest('hex');
        const floor = performance.now() - start;
        start = performance.now();
        evaluate(facts, world.policy, NOTHING_USED);
        const decided = performance.now() - start;
        if (plan < WARM_UP_PLANS) {
          for (let round = 1; round < WARM_UP_ROUNDS; round += 1) evaluate(facts, world.policy, NOTHING_USED);
          continue;
        }
        const row = facts === stages[0] ? cold : warm;
        row.ours.push(decided);
        row.base.push(floor);
      }
    }
  } finally {
    await world.close();
  }
  const of = 'evaluate() over Ed25519 verify + SHA-256';
  return [
    ratio('static decision, large v0 stage', of, 2, warm.ours, warm.base),
    ratio('the same, first of a plan (cold)', of, Number.POSITIVE_INFINITY, cold.ours, cold.base),
  ];
}
