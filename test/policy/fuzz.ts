/**
 * Changes accepted stages and decides again. Allowed changes are judged by the chain (`oracle.ts`) and by the inventory
 * of the wallet's assets and rights (`test/oracle/`), not by the policy.
 */

import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import { type Random, randomSource } from '../transaction/fuzz.ts';
import { harmsAgainst } from './inventories.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { MUTATIONS } from './mutations.ts';
import { compare, type HighestValues, read } from './oracle.ts';
import { NOTHING_USED, World } from './world.ts';

export interface PolicyFuzzResult {
  /** Mutations and decisions; allowed ones by mutation and reason of equivalence. */
  readonly counts: Record<string, number>;
  /** Allowed changes with a different effect, denied honest stages, crashes. */
  readonly examples: unknown[];
}

const PER_STAGE = 50;

/** Runs `count` mutations of stages of random legitimate requests on their own chain. */
export async function fuzzPolicy({
  seed,
  count,
}: {
  seed: number;
  count: number;
}): Promise<PolicyFuzzResult> {
  const random = randomSource(seed);
  const world = await World.start(`policy fuzz ${seed}`);
  const [policy, values] = [pricedPolicy(world), highestValues(world)];
  const found: PolicyFuzzResult = { counts: { mutations: 0 }, examples: [] };
  try {
    for (let i = seed; (found.counts.mutations ?? 0) < count; i++) {
      const request = await legitimate(world, LEGITIMATE_KINDS[i % LEGITIMATE_KINDS.length] ?? '', random);
      const drafts: Draft[] = [];
      const remember = (draft: Draft) => {
        drafts.push(draft);
        return draft;
      };
      await walk(
        world,
        request,
        async (honest, plan) => {
          const left = count - (found.counts.mutations ?? 0);
          if (left > 0)
            await fuzzStage(
              { world, honest, plan, drafts, random, policy, values },
              Math.min(left, PER_STAGE),
              found,
            );
        },
        remember,
      );
    }
  } finally {
    await world.close();
  }
  return found;
}

/** The sandbox's policy with a maximum value of 9,000 dollars for the supply of a launched token, in any quote. */
const pricedPolicy = (world: World): LoadedPolicy =>
  world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'launch' ? { ...rule, maxFirstBuyValue: highestValues(world) } : rule,
    ),
  }));

const highestValues = ({ sandbox }: World) =>
  [...sandbox.service.quotes.values()].map(({ mint, usd, decimals }) => ({
    quote: mint === WSOL_MINT ? 'SOL' : mint,
    max: `${BigInt(9_000 / usd) * 10n ** BigInt(decimals)}`,
  }));

interface StageUnderTest {
  readonly policy: LoadedPolicy;
  readonly values: HighestValues;
  readonly world: World;
  readonly honest: DecisionInputs;
  readonly plan: Plan;
  readonly drafts: readonly Draft[];
  readonly random: Random;
}

async function fuzzStage(test: StageUnderTest, count: number, { counts, examples }: PolicyFuzzResult) {
  const { world, honest, plan, drafts, random, policy } = test;
  const add = (key: string) => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const where = { operation: plan.operation, stage: honest.stage.id };
  if (evaluate(honest, policy, NOTHING_USED).effect === 'deny') examples.push({ ...where, what: 'honest' });
  const original = read(honest.stage);
  const lifetime = { blockhash: original.blockhash, lastValidBlockHeight: 0 };
  const draft = drafts.find((each) => compileDraft(each, lifetime).messageSha256 === original.messageSha256);
  if (draft === undefined) throw new Error(`no draft of ${honest.stage.id}`);
  add('stages');
  const names = Object.keys(MUTATIONS);
  for (let done = 0; done < count; ) {
    const name = names[random(names.length)] ?? '';
    const bytes = MUTATIONS[name]?.({ draft, lifetime, wallet: world.wallet, random });
    if (bytes === undefined) continue;
    const stage = redeclared(honest.stage, bytes);
    if (stage.transaction.text === honest.stage.transaction.text) continue;
    done++;
    add('mutations');
    try {
      const inputs = await world.inputs(plan, stage.id, { stage });
      const { effect, reasonCodes } = evaluate(inputs, policy, NOTHING_USED);
      add(effect);
      if (effect === 'deny') {
        add(`deny ${reasonCodes[0]}`);
        continue;
      }
      const label = judged(honest, inputs, compare(honest, inputs, test.values));
      add(`allowed, ${label.split(': ')[0]}`);
      if (label.startsWith('left open')) add(label);
      if (!label.startsWith('worse')) continue;
      examples.push({ ...where, mutation: name, what: label, transaction: stage.transaction.text });
    } catch (error) {
      add('crashes');
      examples.push({ ...where, mutation: name, what: String(error), transaction: stage.transaction.text });
    }
  }
}

/** Returns the result of the comparison, unless the inventory shows that the wallet is worse off. */
function judged(honest: DecisionInputs, changed: DecisionInputs, label: string): string {
  if (label.startsWith('worse')) return label;
  const isLess = /: (the price|how much a claim)/.test(label);
  const harms = harmsAgainst(honest, changed, isLess);
  return harms.length === 0 ? label : `worse: ${harms.join('; ')}`;
}

/** The stage with other bytes and matching false declarations. */
export function redeclared(stage: Stage, bytes: Uint8Array): Stage {
  const changed = { ...stage, transaction: DecodedStage.ofBytes(bytes) };
  try {
    const transaction = read(changed);
    const { messageSha256, requiredSigners: signers } = stage.declared;
    return {
      ...changed,
      format: transaction.format,
      declared: {
        ...stage.declared,
        ...(messageSha256 === undefined ? {} : { messageSha256: transaction.messageSha256 }),
        ...(signers === undefined ? {} : { requiredSigners: requiredSigners(transaction) }),
      },
    };
  } catch (error) {
    if (error instanceof TransactionError) return changed;
    throw error;
  }
}
