/**
 * Compares a static decision with its unavoidable work: Ed25519 verification and one SHA-256 of the same message by the
 * same verifier. Static means without a simulation: the preview of a valid stage. The code is warm, as in
 * a running server, and the policy is loaded from its file. Two measurements:
 * - Stages of plans with a hundred claimers, each decided once. The first decision of a plan reads the bytes of all its
 *   stages, derives its addresses and compares a hundred new claimers with known addresses: it is cold, and reported
 *   separately. The others use the decoded accounts, as in a server.
 * - Every recorded kind of co-signed v0 stage, in turn, with new inputs each time. Its bytes are decoded beforehand.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealInputs } from '../src/policy/decide/decisionInputs.ts';
import { evaluate } from '../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../src/policy/file/file.ts';
import { policyFromFile } from '../src/runtime/policyFile.ts';
import { isSignedBy } from '../src/transaction/signatures.ts';
import { embeddedWith, STAGES, stage } from '../test/policy/recorded/stages.ts';
import { keyNamed, NOTHING_USED, World } from '../test/policy/world.ts';
import { type Ratio, ratio } from './measure.ts';

const PLANS = 160;
const CLAIMERS = 100;
const WARM_UP_PLANS = 120;
/** Number of decisions on each stage of a warm-up plan. */
const WARM_UP_ROUNDS = 8;
/** Numbers of decisions on each recorded kind: warm-up, then measured. */
const ROUNDS = 500;

/** Inputs of every continuing stage (`config-2` …) of one hundred-claimer config in v0, with one co-signature each. */
async function stageInputs(world: World, plan: number): Promise<DecisionInputs[]> {
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
  const inputs: DecisionInputs[] = [];
  await world.land(built, 'config-1');
  for (const stage of built.stages.filter(({ id }) => id !== 'config-1')) {
    inputs.push(await world.inputs(built, stage.id, { purpose: 'preview' }));
  }
  return inputs;
}

/** Returns the times of one decision and of its unavoidable work, in milliseconds. */
interface Measured {
  readonly ours: number;
  readonly base: number;
}

/**
 * Loads the policy from its file, which a server reads again for each decision. The reads happen beforehand,
 * so that file access is not measured; two alternate, so that the cost of a newly parsed policy would show.
 */
async function loadAlternating({ policy }: LoadedPolicy): Promise<() => LoadedPolicy> {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
  try {
    const path = join(folder, 'policy.json');
    writeFileSync(path, JSON.stringify(policy), { mode: 0o600 });
    const source = policyFromFile(path, async () => undefined);
    const looks = [await source.current(), await source.current()].flatMap((state) =>
      state.status === 'ok' ? [state] : [],
    );
    let count = 0;
    return () => {
      const look = looks[count % 2];
      count += 1;
      if (look === undefined) throw new Error('the policy file cannot be used');
      return look;
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measure(inputs: DecisionInputs, policyNow: () => LoadedPolicy): Measured {
  const policy = policyNow();
  const { message, signatures, staticAccounts } = inputs.stage.transaction.read();
  let start = performance.now();
  for (const [slot, signature] of signatures.entries()) {
    if (signature !== null) isSignedBy(staticAccounts[slot] ?? '', signature, message);
  }
  createHash('sha256').update(message).digest('hex');
  const base = performance.now() - start;
  start = performance.now();
  const { effect } = evaluate(inputs, policy, NOTHING_USED);
  const ours = performance.now() - start;
  if (effect !== 'allow') throw new Error(`${inputs.stage.id}: ${effect}`);
  return { ours, base };
}

function ratioOf(name: string, rows: readonly Measured[], budget: number, about = ''): Ratio {
  const [ours, base] = [rows.map((row) => row.ours), rows.map((row) => row.base)];
  return ratio(name, `evaluate() over Ed25519 verify + SHA-256${about}`, budget, ours, base);
}

export async function benchDecision(): Promise<Ratio[]> {
  return [...measureRecorded(await loadAlternating(embeddedWith())), ...(await measureHundredClaimers())];
}

/**
 * Returns every recorded kind of co-signed v0 stage that is allowed; the largest one with a single co-signature has
 * the budget.
 */
function measureRecorded(policyNow: () => LoadedPolicy): Ratio[] {
  const kinds = STAGES.flatMap((name) => {
    const inputs: DecisionInputs = { ...stage(name), purpose: 'preview', simulation: { status: 'not_yet' } };
    const read = inputs.stage.transaction.read();
    const cosignatures = read.signatures.filter((signature) => signature !== null).length;
    const isAllowed = evaluate(inputs, policyNow(), NOTHING_USED).effect === 'allow';
    return isAllowed && read.format === 'v0' && cosignatures > 0
      ? [{ name, inputs, cosignatures, size: read.bytes.length, rows: [] as Measured[] }]
      : [];
  });
  for (let round = 0; round < 2 * ROUNDS; round += 1) {
    for (const { inputs, rows } of kinds) {
      const measured = measure(sealInputs(fresh(inputs)), policyNow);
      if (round >= ROUNDS) rows.push(measured);
    }
  }
  const bySize = kinds.toSorted((a, b) => b.size - a.size);
  const largest = bySize.find(({ cosignatures }) => cosignatures === 1);
  if (largest === undefined) throw new Error('no recorded stage has one co-signature');
  const about = ({ name, size }: (typeof kinds)[number]) => `: ${name}, ${size} bytes`;
  const [costliest, ...others] = kinds
    .map((kind) => ratioOf('the same, costliest kind', kind.rows, Number.POSITIVE_INFINITY, about(kind)))
    .toSorted((a, b) => b.median - a.median);
  if (costliest === undefined || others.length < 10) throw new Error('recorded kinds are no longer allowed');
  return [ratioOf('static decision, one co-signature', largest.rows, 2, about(largest)), costliest];
}

/** Returns new inputs for the same stages. */
const fresh = ({
  stage,
  siblings,
  earlierSetups = [],
  earlierStages = [],
  ...rest
}: DecisionInputs): DecisionInputs => ({
  ...structuredClone(rest),
  ...{ stage, siblings, earlierSetups, earlierStages },
});

/** Returns the continuation stages of a config with a hundred claimers. */
async function measureHundredClaimers(): Promise<Ratio[]> {
  const world = await World.start('bench');
  const cold: Measured[] = [];
  const warm: Measured[] = [];
  try {
    const policyNow = await loadAlternating(world.policy);
    for (let plan = 0; plan < PLANS; plan += 1) {
      const stages = await stageInputs(world, plan);
      for (const inputs of stages) {
        const measured = measure(inputs, policyNow);
        if (plan >= WARM_UP_PLANS) (inputs === stages[0] ? cold : warm).push(measured);
        else for (let round = 1; round < WARM_UP_ROUNDS; round += 1) measure(inputs, policyNow);
      }
    }
  } finally {
    await world.close();
  }
  return [
    ratioOf('static decision, a hundred claimers', warm, 2),
    ratioOf('the same, first of a plan (cold)', cold, Number.POSITIVE_INFINITY),
  ];
}
