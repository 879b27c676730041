/**
 * Checks the simulation by our own RPC. It must succeed, take no more than the instructions allow, bring at least what they
 * guarantee, and change no authority over our accounts. A simulation can only deny.
 */

import { amountOfAsset, decimal, SOL_DECIMALS } from '../../../base/format.ts';
import { mintOf } from '../../../programs/token/accounts.ts';
import type { Rule } from '../../file/schema.ts';
import { type Amounts, assetsOf } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, formatAmount, mintAt, rentOf } from '../decisionContext.ts';
import type { Matched } from '../operations/operation.ts';
import { leastOfFirstBuy } from '../rules.ts';
import { failsBySecondRpc } from '../statement/guards.ts';
import type { CheckId } from '../words/names.ts';
import { type SimulatedEffects, simulatedEffects } from './effects.ts';

/** Checks the simulation and returns its effects, or `undefined` if there is no complete simulation. */
export function checkSimulation(
  c: DecisionContext,
  matched: Matched,
  rule: Rule | undefined,
  spend: Amounts,
  list: Checklist,
): SimulatedEffects | undefined {
  const { simulation, purpose } = c.inputs;
  const { required } = c.policy.simulation;
  if (simulation.status === 'not_yet') {
    if (purpose === 'preview')
      list.pass('simulation', { observed: 'not yet: an earlier stage has not landed' });
    else list.fail('SIMULATION_UNAVAILABLE', 'simulation', { observed: 'an earlier stage has not landed' });
    return undefined;
  }
  if (simulation.status === 'unavailable') {
    list.expect(!required, 'SIMULATION_UNAVAILABLE', 'simulation', {
      observed: 'our RPC could not simulate',
    });
    return undefined;
  }
  if (simulation.error !== null) {
    if (failsBySecondRpc(c.inputs, simulation.error)) {
      list.fail('RPC_DISAGREE', 'secondBalances');
      return undefined;
    }
    const lacks = lackOfSol(c, spend);
    const why = lacks === undefined ? {} : { observed: lacks };
    list.fail('SIMULATION_FAILED', 'simulationSucceeds', why);
    return undefined;
  }
  list.pass('simulationSucceeds');
  if (!list.expect(isWhole(c), 'SIMULATION_UNAVAILABLE', 'accountsWatched')) return undefined;

  const effects = simulatedEffects(
    c.own,
    simulation.before,
    simulation.after,
    c.opaque.length === 0 ? undefined : { rent: (bytes) => rentOf(c.inputs, bytes) },
  );
  for (const { code, what } of effects.authority) {
    list.fail(code, 'nothingGranted', { simulated: true, observed: what });
  }
  if (effects.authority.length === 0) list.pass('nothingGranted', { simulated: true });

  // The allowed loss is computed twice: from the request and, if all instructions are supported, from these.
  if (c.opaque.length === 0) checkLoss(c, 'leavesByBytes', effects.out, spend, list);
  const deposits = depositsOf(c, matched, effects);
  const most = maxOut(c, matched, deposits);
  checkLoss(c, 'leavesAsAsked', effects.out, most, list);
  for (const [asset, least] of matched.minIn) {
    const besides =
      asset === 'SOL' ? besidesProceeds(c, matched, spend, deposits) : suppliedTo(matched, asset, spend);
    const arrived = (effects.in.get(asset) ?? 0n) - (effects.out.get(asset) ?? 0n);
    list.expect(arrived + besides >= least, 'UNDECLARED_LOSS', 'promisedArrives', {
      simulated: true,
      observed: formatAmount(c, arrived, asset),
      allowed: formatAmount(c, least - besides, asset),
    });
  }
  checkFirstBuy(c, matched, rule, effects, list);
  return effects;
}

/** Describes a SOL balance below the transaction's spend, the usual cause of a failed simulation; else `undefined`. */
function lackOfSol({ wallet, accounts }: DecisionContext, spend: Amounts): string | undefined {
  const [needs, has] = [spend.get('SOL') ?? 0n, BigInt(accounts.get(wallet)?.lamports ?? '0')];
  return has >= needs
    ? undefined
    : `the wallet ${wallet} has ${decimal(has, SOL_DECIMALS)} SOL, and this takes up to ${decimal(needs, SOL_DECIMALS)} SOL`;
}

function checkLoss(c: DecisionContext, id: CheckId, out: Amounts, most: Amounts, list: Checklist): void {
  for (const asset of assetsOf(out, most)) {
    const [leaves, allowed] = [out.get(asset) ?? 0n, most.get(asset) ?? 0n];
    list.expect(leaves <= allowed, 'UNDECLARED_LOSS', id, {
      simulated: true,
      observed: formatAmount(c, leaves, asset),
      allowed: formatAmount(c, allowed, asset),
    });
  }
}

/** Checks a first buy by unsupported instructions against the simulated output and supply. */
function checkFirstBuy(
  c: DecisionContext,
  { firstBuy }: Matched,
  rule: Rule | undefined,
  effects: SimulatedEffects,
  list: Checklist,
): void {
  const { simulation } = c.inputs;
  if (firstBuy === undefined || firstBuy.read !== undefined || simulation.status !== 'done') return;
  const after = simulation.after.find(({ address }) => address === firstBuy.mint);
  // A mint that the transaction does not write to keeps its supply on chain.
  const mint = after === undefined ? mintAt(c, firstBuy.mint) : mintOf(after);
  const supply = mint?.supply ?? MAX_SUPPLY;
  const words = (units: bigint) => amountOfAsset(units, firstBuy.mint, mint?.decimals);
  const required = rule?.operation === 'launch' ? leastOfFirstBuy(rule, firstBuy, supply) : 0n;
  const arrived = effects.in.get(firstBuy.mint) ?? 0n;
  list.expect(arrived > 0n && arrived >= required, 'LIMIT_EXCEEDED', 'firstBuyShare', {
    observed: words(arrived),
    allowed: words(required > 0n ? required : 1n),
  });
}

/** Maximum supply of a token in base units, assumed if its mint is unknown. */
const MAX_SUPPLY = 2n ** 64n - 1n;

/** Returns the maximum amounts that may leave according to the request, with the fee and the given deposits. */
export function maxOut(c: DecisionContext, matched: Matched, deposits: bigint): Amounts {
  const most = new Map(matched.maxOut);
  most.set('SOL', (most.get('SOL') ?? 0n) + feeOf(c) + deposits);
  return most;
}

const feeOf = (c: DecisionContext): bigint => (c.own.has(c.feePayer) ? c.fee.total : 0n);

/** Returns the base units of a launched token that go into its pool from the account that later receives the bought tokens. */
const suppliedTo = ({ made }: Matched, asset: string, spend: Amounts): bigint =>
  asset === made ? (spend.get(asset) ?? 0n) : 0n;

/**
 * Returns the lamports that may be deducted from SOL proceeds: fee, tip, tracking and deposits, capped by the static
 * spend. Deposits made by unsupported programs do not count.
 */
function besidesProceeds(c: DecisionContext, matched: Matched, spend: Amounts, deposits: bigint): bigint {
  const requested = (matched.maxOut.get('SOL') ?? 0n) + feeOf(c) + (c.opaque.length === 0 ? deposits : 0n);
  const shown = spend.get('SOL') ?? 0n;
  return requested < shown ? requested : shown;
}

/**
 * Returns the lamports deposited as rent in accounts of others: new accounts and those the operation names, up to
 * `maxRent`. Any other gain of others counts as a payment (T14, T66).
 */
function depositsOf(
  c: DecisionContext,
  { deposits, maxRent }: Matched,
  { funded }: SimulatedEffects,
): bigint {
  const isRead = c.opaque.length === 0;
  const shown = funded.reduce((sum, { address, lamports, from, to }) => {
    const named = deposits?.get(address);
    // Beside unsupported instructions only new accounts count as deposits.
    if (!isRead && named === undefined && (from !== undefined || to === 0)) return sum;
    const rent = rentOf(c.inputs, to) - (from === undefined ? 0n : rentOf(c.inputs, from));
    const deposit = (isRead && named) || 0n;
    const most = deposit > rent ? deposit : rent;
    return sum + (lamports < most ? lamports : most > 0n ? most : 0n);
  }, 0n);
  const bound = maxRent ?? (isRead ? shown : 0n);
  return shown < bound ? shown : bound;
}

/** Whether both snapshots contain the wallet and every writable account. */
function isWhole(c: DecisionContext): boolean {
  const { simulation } = c.inputs;
  if (simulation.status !== 'done') return false;
  const { before, after } = simulation;
  if (before.length !== after.length || before.some((account, i) => account.address !== after[i]?.address))
    return false;
  const watched = new Set(before.map((account) => account.address));
  return (
    watched.has(c.wallet) && c.loaded.every(({ address, writable }) => !writable || watched.has(address))
  );
}
