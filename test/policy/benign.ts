/**
 * False denials, counted: random legitimate requests of every kind, decided stage by stage under three templates
 * and compared with what each template declares about them.
 */

import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs, Effect } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { randomSource } from '../transaction/fuzz.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { load, NOTHING_USED, World } from './world.ts';

export interface BenignResult {
  /** Requests, stages by operation and format, and decisions by template and effect. */
  readonly counts: Record<string, number>;
  /** Decisions that are not what the template declares. */
  readonly examples: unknown[];
}

/** What a template says about a request, read from its rules and limits by a person: the strictest of its stages. */
const DECLARED = {
  // Everything the service offers, within wide limits.
  sandbox: (): Effect => 'allow',
  // Configs of one's own, claims and tables; launches and splits are asked about; only known wallets are paid.
  creator: ({ plan }: DecisionInputs): Effect => {
    const { request, operation, wallet } = plan;
    const isOwn = (name: string) => request[name] === undefined || request[name] === wallet;
    const buysTokens = request.quoteMint !== WSOL_MINT && buysAtAll(request);
    if (operation === 'swap' || buysTokens) return 'deny';
    if (operation !== 'config' && operation !== 'launch') {
      return operation === 'manager_update' ? 'require_approval' : 'allow';
    }
    if (!isOwn('partner') || !isOwn('feeClaimerWallet') || request.tipWallet !== undefined) return 'deny';
    // The sandbox's chain is no public network: claimers of unknown addresses may earn up to half.
    const [claimers, shares] = [Object(request.claimersArray), Object(request.basisPointsArray)];
    const own = Object.keys(claimers).reduce(
      (sum, i) => sum + (claimers[i] === wallet ? Number(shares[i]) : 0),
      0,
    );
    const asks = operation === 'launch' || managerOf(request, wallet) !== wallet || own < 5_000;
    return asks ? 'require_approval' : 'allow';
  },
  // Claims, and swaps of SOL (a first purchase too, since the money is not real); a sale of a token that no limit names is left to a person.
  trader: ({ plan, quote }: DecisionInputs): Effect => {
    if (plan.operation.endsWith('_claim')) return 'allow';
    if (plan.operation !== 'swap') return 'deny';
    return quote?.request.inputMint === WSOL_MINT ? 'allow' : 'require_approval';
  },
};

/** Whether a claim that the wallet pays for leaves its accounts with no more lamports than before. */
function bringsNoSol({ plan, simulation }: DecisionInputs): boolean {
  if (plan.operation !== 'holding_claim' || simulation.status !== 'done') return false;
  const held = (accounts: typeof simulation.after) =>
    accounts
      .filter((each) => each.address === plan.wallet || tokenAccountOf(each)?.owner === plan.wallet)
      .reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  return held(simulation.after) <= held(simulation.before);
}

const STRICTNESS: readonly Effect[] = ['allow', 'require_approval', 'deny'];
const TEMPLATES = ['sandbox', 'creator', 'trader'] as const;

function buysAtAll(request: DecisionInputs['plan']['request']): boolean {
  return ['initialBuyQuoteRaw', 'initialBuyQuoteAmount'].some((name) => Number(request[name] ?? 0) > 0);
}

/** Who will manage the config: who is named, who earns everything, or the payer. */
function managerOf(request: DecisionInputs['plan']['request'], wallet: string): unknown {
  const { admin, claimersArray, basisPointsArray } = request;
  if (admin !== undefined) return admin;
  const whole = Array.isArray(basisPointsArray) ? basisPointsArray.indexOf(10_000) : -1;
  return Array.isArray(claimersArray) && whole >= 0 ? claimersArray[whole] : wallet;
}

/** Asks `count` requests, the kinds in turn. The world is used up; close it afterwards. */
export async function countDenials(world: World, seed: number, count: number): Promise<BenignResult> {
  const random = randomSource(seed);
  const counts: Record<string, number> = {};
  const examples: unknown[] = [];
  const add = (key: string) => {
    counts[key] = (counts[key] ?? 0) + 1;
  };
  const input = { wallet: world.wallet, network: world.sandbox.genesisHash };
  const policies = TEMPLATES.map((name) => ({ name, policy: load(policyTemplate(name, input)) }));
  for (let i = 0; i < count; i++) {
    const kind = LEGITIMATE_KINDS[i % LEGITIMATE_KINDS.length] ?? '';
    const request = await legitimate(world, kind, random);
    add('requests');
    const strictest = new Map<string, Effect>();
    let declared: Record<(typeof TEMPLATES)[number], Effect> | undefined;
    await walk(world, request, (inputs) => {
      const { format } = inputs.stage.transaction.read();
      add(`stage ${inputs.plan.operation} ${format}`);
      declared = {
        sandbox: DECLARED.sandbox(),
        creator: DECLARED.creator(inputs),
        trader: DECLARED.trader(inputs),
      };
      // A claim that leaves the wallet with no more SOL than before is left to a person.
      if (bringsNoSol(inputs))
        declared = { sandbox: 'require_approval', creator: 'require_approval', trader: 'require_approval' };
      for (const { name, policy } of policies) {
        const decision = evaluate(inputs, policy, NOTHING_USED);
        const { effect, reasonCodes } = decision;
        add(`${name} ${effect}`);
        const before = strictest.get(name) ?? 'allow';
        strictest.set(name, STRICTNESS.indexOf(effect) > STRICTNESS.indexOf(before) ? effect : before);
        if (STRICTNESS.indexOf(effect) <= STRICTNESS.indexOf(declared[name])) continue;
        examples.push({
          seed,
          kind,
          stage: inputs.stage.id,
          template: name,
          effect,
          reasonCodes,
          explain: explain(decision),
          request,
        });
      }
    });
    for (const { name } of policies) {
      if (strictest.get(name) === declared?.[name]) continue;
      examples.push({
        seed,
        kind,
        template: name,
        declared: declared?.[name],
        effect: strictest.get(name),
        request,
      });
    }
  }
  return { counts, examples };
}

/** The same in worlds of its own: a fresh chain for every fifty requests. */
export async function countDenialsAfresh(seed: number, count: number): Promise<BenignResult> {
  const total: BenignResult = { counts: {}, examples: [] };
  for (let done = 0; done < count; done += 50) {
    const world = await World.start(`benign ${seed} ${done}`);
    try {
      const { counts, examples } = await countDenials(world, seed + done, Math.min(50, count - done));
      for (const [key, value] of Object.entries(counts)) total.counts[key] = (total.counts[key] ?? 0) + value;
      total.examples.push(...examples);
    } finally {
      await world.close();
    }
  }
  return total;
}
