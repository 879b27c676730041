/**
 * What the exact bytes would do, by our own RPC. A simulation only ever denies: it must be there, succeed, take no
 * more than the bytes say, bring what they promise, and change no authority over anything of ours.
 */

import type { Rule } from '../../file/schema.ts';
import { type Amounts, assetsOf } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, mintOf, rentOf } from '../decisionContext.ts';
import type { Bound } from '../profiles/profile.ts';
import { FIRST_BUY, leastOfFirstBuy } from '../rules.ts';
import { type SimulatedEffects, simulatedEffects } from './effects.ts';

/** The effects found, or nothing where there was no simulation to look at. */
export function checkSimulation(
  c: DecisionContext,
  bound: Bound,
  rule: Rule | undefined,
  spend: Amounts,
  list: Checklist,
): SimulatedEffects | undefined {
  const { simulation, purpose } = c.facts;
  const { required } = c.policy.simulation;
  if (simulation.status === 'not_yet') {
    if (purpose === 'preview')
      list.pass('simulated', { observed: 'not yet: an earlier stage has not landed' });
    else list.fail('SIMULATION_UNAVAILABLE', 'simulated', { observed: 'an earlier stage has not landed' });
    return undefined;
  }
  if (simulation.status === 'unavailable') {
    list.expect(!required, 'SIMULATION_UNAVAILABLE', 'simulated', { observed: 'our RPC could not simulate' });
    return undefined;
  }
  if (!list.expect(simulation.error === null, 'SIMULATION_FAILED', 'simulation succeeds')) return undefined;
  if (!list.expect(isWhole(c), 'SIMULATION_UNAVAILABLE', 'every writable account was watched'))
    return undefined;

  const effects = simulatedEffects(c.own, simulation.before, simulation.after);
  for (const { code, what } of effects.authority) {
    list.fail(code, 'simulated: nothing is granted to others', { observed: what });
  }
  if (effects.authority.length === 0) list.pass('simulated: nothing is granted to others');

  // Two answers to one question: what the bytes explain, where they can be read, and what the request lets leave.
  if (c.opaque.length === 0) checkLoss('no more leaves than the bytes say', effects.out, spend, list);
  const most = mostOut(c, bound, effects);
  checkLoss('no more leaves than was asked for', effects.out, most, list);
  for (const [asset, least] of bound.leastIn) {
    // Fee and rent are paid from the same SOL that arrives: those that show, since the bytes are counted high.
    const spent = asset === 'SOL' ? (most.get('SOL') ?? 0n) : 0n;
    const arrived = (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n);
    list.expect(arrived + spent >= least, 'UNDECLARED_LOSS', 'simulated: what was promised arrives', {
      observed: `${arrived} of ${asset}`,
      allowed: `${least - spent}`,
    });
  }
  checkFirstBuy(c, bound, rule, effects, list);
  return effects;
}

function checkLoss(what: string, out: Amounts, most: Amounts, list: Checklist): void {
  for (const asset of assetsOf(out, most)) {
    const [leaves, allowed] = [out.get(asset) ?? 0n, most.get(asset) ?? 0n];
    list.expect(leaves <= allowed, 'UNDECLARED_LOSS', `simulated: ${what}`, {
      observed: `${leaves} of ${asset}`,
      allowed: `${allowed}`,
    });
  }
}

/** A first buy whose instructions cannot be read brings what the simulation shows, of the supply that it shows. */
function checkFirstBuy(
  { facts }: DecisionContext,
  { firstBuy }: Bound,
  rule: Rule | undefined,
  effects: SimulatedEffects,
  list: Checklist,
): void {
  if (firstBuy === undefined || firstBuy.read !== undefined || facts.simulation.status !== 'done') return;
  const mint = facts.simulation.after.find(({ address }) => address === firstBuy.mint);
  const supply = (mint && mintOf(mint)?.supply) ?? MAX_SUPPLY;
  const asked = rule?.operation === 'launch' ? leastOfFirstBuy(rule, firstBuy, supply) : 0n;
  const arrived = effects.in.get(firstBuy.mint) ?? 0n;
  list.expect(arrived > 0n && arrived >= asked, FIRST_BUY.code, FIRST_BUY.check, {
    observed: `${arrived}`,
    allowed: `${asked > 0n ? asked : 1n}`,
  });
}

/** Most base units a token can have: what is asked of one whose supply cannot be seen. */
const MAX_SUPPLY = 2n ** 64n - 1n;

/** What may leave by the request, with the fee and the rent that shows. */
function mostOut(c: DecisionContext, bound: Bound, effects: SimulatedEffects): Amounts {
  const most = new Map(bound.mostOut);
  const fee = c.own.has(c.feePayer) ? c.fee.total : 0n;
  const shown = rentOfGrowth(c, bound, effects);
  const asked = c.opaque.length === 0 ? bound.mostRent : undefined;
  const rent = asked !== undefined && asked < shown ? asked : shown;
  most.set('SOL', (most.get('SOL') ?? 0n) + fee + rent);
  return most;
}

/** Rent of what was made or became longer. What lies there above it is a payment like any other (T14). */
function rentOfGrowth(
  { facts, opaque }: DecisionContext,
  { deposits }: Bound,
  { funded }: SimulatedEffects,
): bigint {
  return funded.reduce((sum, { address, lamports, from, to }) => {
    const rent = rentOf(facts, to) - (from === undefined ? 0n : rentOf(facts, from));
    const deposit = (opaque.length === 0 && deposits?.get(address)) || 0n;
    const most = deposit > rent ? deposit : rent;
    return sum + (lamports < most ? lamports : most > 0n ? most : 0n);
  }, 0n);
}

/** An empty snapshot proves nothing: the wallet and every writable account must be in it, before and after. */
function isWhole(c: DecisionContext): boolean {
  const { simulation } = c.facts;
  if (simulation.status !== 'done') return false;
  const { before, after } = simulation;
  if (before.length !== after.length || before.some((account, i) => account.address !== after[i]?.address))
    return false;
  const watched = new Set(before.map((account) => account.address));
  return (
    watched.has(c.wallet) && c.loaded.every(({ address, writable }) => !writable || watched.has(address))
  );
}
