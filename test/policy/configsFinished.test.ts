/** Configs that appear finished or honest: another manager, and a curve that sells its supply almost for free (T63). */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { withFields } from './accountFacts.ts';
import { load } from './people.ts';
import { simulationOf, withRequest } from './recorded/edits.ts';
import { withRead } from './recorded/operands.ts';
import { ATTACKER, decide, rewritten, stage, WALLET } from './recorded/stages.ts';

const network = GENESIS['mainnet-beta'] ?? '';
const recorded = stage('curve config');
const [, friend = ''] = Object(recorded.plan.request.claimersArray) as string[];
const policy = load({
  ...policyTemplate('creator', { wallet: WALLET, network }),
  addressBook: [
    { label: 'friend', address: friend },
    { label: 'treasury', address: 'BKMX8SrZBFJuKKZpqN8CdkexEimsoWaW7y8nfjoqmLwA' },
  ],
});
const decided = (inputs: DecisionInputs): Decision =>
  decide({ ...inputs, mode: 'live', network, plan: { ...inputs.plan, mode: 'live', network } }, policy);
const askCodesOf = ({ checks }: Decision) =>
  checks.flatMap(({ ok, code }) => (ok || code === undefined ? [] : [code]));

const key = feeShareConfigAddress(String(recorded.plan.request.baseMint), WSOL_MINT);

/** A config on the chain with this manager and only its curve left to create; the simulation changes nothing else. */
function finishing(
  manager: string | null,
  claimers?: readonly { wallet: string; bps: number }[],
): DecisionInputs {
  const simulation = simulationOf(recorded);
  const curve = rewritten(recorded, (list) => list.slice(2));
  const made = ({ address }: AccountFact) => address === key;
  const left = simulation.after.find(made);
  if (left === undefined) throw new Error('no config');
  const there = withFields(feeShareConfig, left, (was) => ({ manager, claimers: claimers ?? was.claimers }));
  const stays = [key, WALLET];
  const after = simulation.after.map((each, i) => {
    const before = simulation.before[i];
    return each.exists && before?.exists === false && !stays.includes(each.address) && !isCurve(each)
      ? before
      : each;
  });
  const rent = BigInt(simulation.after.find(isCurve)?.lamports ?? '0') + 10_000n;
  const settled = (each: AccountFact, isBefore: boolean): AccountFact => {
    if (made(each)) return there;
    if (each.address !== WALLET) return each;
    return { ...each, lamports: `${isBefore ? 10_000_000_000n : 10_000_000_000n - rent}` };
  };
  return {
    ...curve,
    accounts: [...curve.accounts.filter((each) => !made(each)), there],
    simulation: {
      ...simulation,
      before: simulation.before.map((each) => settled(each, true)),
      after: after.map((each) => settled(each, false)),
    },
  };
}
const CURVE_BYTES = 1_048;
const isCurve = ({ data }: AccountFact): boolean => Buffer.byteLength(data, 'base64') === CURVE_BYTES;

describe('an existing config', () => {
  it('is continued if the wallet manages it, as requested', () => {
    expect(decided(finishing(WALLET)).effect).toBe('allow');
    expect(decided(withRequest(finishing(WALLET), { admin: WALLET })).effect).toBe('allow');
  });

  it.each([
    ['a stranger manages it', ATTACKER],
    ['no key manages it', null],
  ])('is refused if %s and the plan does not change that', (_, manager) => {
    for (const inputs of [finishing(manager), withRequest(finishing(manager), { admin: WALLET })]) {
      const decision = decided(inputs);
      expect(decision.effect).toBe('deny');
      expect(askCodesOf(decision)).toContain('REQUEST_MISMATCH');
    }
  });

  it('may have no manager if one claimer holds everything, and no unknown manager', () => {
    const claimers = [{ wallet: WALLET, bps: 10_000 }];
    const alone = (manager: string | null) =>
      decided(
        withRequest(finishing(manager, claimers), { claimersArray: [WALLET], basisPointsArray: [10_000] }),
      );
    expect(alone(null).effect).toBe('allow');
    expect(alone(ATTACKER).effect).toBe('deny');
  });
});

describe('a curve', () => {
  const [END, THRESHOLD] = [525_914_214_832_538_340n, 85_000_000_000n];
  /** Sells `units` up to 5 % above this price, and little more until the curve completes. */
  const sellingEarly = (start: bigint, units: bigint): DecisionInputs => {
    const dear = (start * 105n) / 100n;
    const flat = (units * start * dear) / (dear - start);
    const taken = (flat * (dear - start)) >> 128n;
    const steep = ((THRESHOLD - taken) << 128n) / (END - dear) + 1n;
    return withRead(recorded, 'dbc.createConfig', {
      args: {
        sqrtStartPrice: start,
        curve: [
          { sqrtPrice: dear, liquidity: flat },
          { sqrtPrice: END, liquidity: steep },
        ],
      },
    });
  };

  it('asks if most of its supply costs less than a tenth of its completion amount', () => {
    const decision = decided(sellingEarly(18_600_000_000_000_000n, 700_000_000_000_000n));
    expect(decision.effect).toBe('require_approval');
    expect(askCodesOf(decision)).toContain('TERM_DIFFERS');
  });

  it('asks nothing as recorded', () => {
    expect(decided(recorded).effect).toBe('allow');
  });
});
