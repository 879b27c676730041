/**
 * False denials: random legitimate requests of every kind, decided stage by stage under three templates and compared
 * with the declared outcome of each template.
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
  /** Decisions that differ from the template's declaration. */
  readonly examples: unknown[];
}

/** The declared outcome of a template for a request, from its rules and limits: the strictest of its stages. */
const DECLARED = {
  // Every operation of the service, within wide limits.
  sandbox: (): Effect => 'allow',
  // Own configs, claims and tables are allowed; launches and splits ask; payments go to known wallets only.
  creator: ({ plan }: DecisionInputs): Effect => {
    const { request, operation, wallet } = plan;
    const isOwn = (name: string) => request[name] === undefined || request[name] === wallet;
    const isTokenPurchase = request.quoteMint !== WSOL_MINT && hasFirstBuy(request);
    if (operation === 'swap' || isTokenPurchase) return 'deny';
    if (operation !== 'config' && operation !== 'launch') {
      return operation === 'manager_update' ? 'require_approval' : 'allow';
    }
    if (!isOwn('partner') || !isOwn('feeClaimerWallet') || request.tipWallet !== undefined) return 'deny';
    // On the sandbox's private chain, unknown claimers may have up to half of the shares.
    const [claimers, shares] = [Object(request.claimersArray), Object(request.basisPointsArray)];
    const own = Object.keys(claimers).reduce(
      (sum, i) => sum + (claimers[i] === wallet ? Number(shares[i]) : 0),
      0,
    );
    const needsApproval = operation === 'launch' || managerOf(request, wallet) !== wallet || own < 5_000;
    return needsApproval ? 'require_approval' : 'allow';
  },
  // Allows claims and swaps of SOL, first purchases included; a sale of a token without a limit asks.
  trader: ({ plan, quote }: DecisionInputs): Effect => {
    if (plan.operation.endsWith('_claim')) return 'allow';
    if (plan.operation !== 'swap') return 'deny';
    return quote?.request.inputMint === WSOL_MINT ? 'allow' : 'require_approval';
  },
};

/** Returns whether a claim paid by the wallet leaves it with no more lamports than before. */
function paysNoSol({ plan, simulation }: DecisionInputs): boolean {
  if (plan.operation !== 'holding_claim' || simulation.status !== 'done') return false;
  const held = (accounts: typeof simulation.after) =>
    accounts
      .filter((each) => each.address === plan.wallet || tokenAccountOf(each)?.owner === plan.wallet)
      .reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
  return held(simulation.after) <= held(simulation.before);
}

const STRICTNESS: readonly Effect[] = ['allow', 'require_approval', 'deny'];
const TEMPLATES = ['sandbox', 'creator', 'trader'] as const;

function hasFirstBuy(request: DecisionInputs['plan']['request']): boolean {
  return ['initialBuyQuoteRaw', 'initialBuyQuoteAmount'].some((name) => Number(request[name] ?? 0) > 0);
}

/** Returns the manager of the config: the named one, the only claimer, or the payer. */
function managerOf(request: DecisionInputs['plan']['request'], wallet: string): unknown {
  const { admin, claimersArray, basisPointsArray } = request;
  if (admin !== undefined) return admin;
  const whole = Array.isArray(basisPointsArray) ? basisPointsArray.indexOf(10_000) : -1;
  return Array.isArray(claimersArray) && whole >= 0 ? claimersArray[whole] : wallet;
}

/** Decides `count` requests, cycling through the kinds. Uses up the world; close it afterwards. */
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
      // A claim that leaves the wallet with no more SOL than before asks.
      if (paysNoSol(inputs))
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

/** Counts the same on a fresh chain for every fifty requests. */
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
