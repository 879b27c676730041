/**
 * What the exact bytes would do, by our own RPC. A simulation only ever denies: it must be there, succeed, take no
 * more than the bytes say, bring what they promise, and change no authority over anything of ours.
 */
import { type Amounts, assetsOf } from '../amounts.ts';
import { type Case, rentOf } from '../case.ts';
import type { Checklist } from '../checklist.ts';
import { type SimulatedEffects, simulatedEffects } from '../effects.ts';
import type { Bound } from '../profiles/profile.ts';

/** The effects found, or nothing where there was no simulation to look at. */
export function checkSimulation(
  c: Case,
  bound: Bound,
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

  const most = mostOut(c, bound, spend, effects);
  for (const asset of assetsOf(effects.out, most)) {
    const [out, allowed] = [effects.out.get(asset) ?? 0n, most.get(asset) ?? 0n];
    list.expect(out <= allowed, 'UNDECLARED_LOSS', 'simulated: no more leaves than the operation says', {
      observed: `${out} of ${asset}`,
      allowed: `${allowed}`,
    });
  }
  for (const [asset, least] of bound.leastIn) {
    // Fee and rent are paid from the same SOL that arrives.
    const spent = asset === 'SOL' ? (spend.get('SOL') ?? 0n) : 0n;
    const arrived = (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n);
    list.expect(arrived + spent >= least, 'UNDECLARED_LOSS', 'simulated: what was promised arrives', {
      observed: `${arrived} of ${asset}`,
      allowed: `${least - spent}`,
    });
  }
  return effects;
}

/** What may leave: by the bytes where all can be read, else by the request, with fee and the rent that shows. */
function mostOut(c: Case, bound: Bound, spend: Amounts, effects: SimulatedEffects): Amounts {
  if (c.opaque.length === 0) return spend;
  const most = new Map(bound.mostOut);
  const fee = c.own.has(c.feePayer) ? c.fee.total : 0n;
  most.set('SOL', (most.get('SOL') ?? 0n) + fee + rentOfNew(c, effects));
  return most;
}

/** Rent of the accounts that were made. What lies in them above their rent is a payment like any other (T14). */
function rentOfNew(c: Case, { created }: SimulatedEffects): bigint {
  return created.reduce((sum, { lamports, bytes }) => {
    const rent = rentOf(c.facts, bytes);
    return sum + (lamports < rent ? lamports : rent);
  }, 0n);
}

/** An empty snapshot proves nothing: the wallet and every writable account must be in it, before and after. */
function isWhole(c: Case): boolean {
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
