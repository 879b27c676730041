/** Payments to unnamed keys, and unusually high fees, ask on public networks (T152). */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { load } from './people.ts';
import { answered, plus, withArgs } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, rewritten, stage, WALLET } from './recorded/stages.ts';

const network = GENESIS['mainnet-beta'] ?? '';
const policy = load(policyTemplate('sandbox', { wallet: WALLET, network }));
const live = (
  inputs: DecisionInputs,
  serviceAddresses: DecisionInputs['serviceAddresses'],
): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  network,
  serviceAddresses,
  plan: { ...inputs.plan, mode: 'live', network },
  // The first purchase of a token asks by itself.
  held: true,
});

const swap = stage('swap of SOL');
const fee =
  decide(swap, policyFor('swap of SOL')).recipients.find(({ role }) => role === 'payment')?.address ?? '';
const profile = [{ label: 'treasury', address: fee }];

describe('a service fee', () => {
  it('asks if no treasury is known, and names the payee', () => {
    const decision = decide(live(swap, []), policy);
    expect(decision.effect).toBe('require_approval');
    expect(explain(decision)).toContain(fee);
  });

  it("asks nothing if it goes to the profile's treasury", () => {
    expect(decide(live(swap, profile), policy).effect).toBe('allow');
  });

  it.each([
    [0n, 'require_approval'],
    [1n, 'allow'],
  ])("of %i lamports to the profile's treasury: %s", (lamports, effect) => {
    const paid = answered(withArgs(swap, 'system.transfer', { lamports }, 1), { feeLamports: `${lamports}` });
    if (paid.simulation.status !== 'done') throw new Error('not simulated');
    const less = 5_000_000n - lamports;
    const after = paid.simulation.after.map((each) =>
      each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) + less}` } : each,
    );
    const simulation = { ...paid.simulation, after };
    const decision = decide(live({ ...paid, simulation }, profile), policy);
    expect(decision.effect).toBe(effect);
    // A transfer of zero does not explain the rent of its recipient's account.
    if (effect !== 'allow') expect(decision.reasonCodes).toContain('PAYEE_UNKNOWN');
  });
});

it('a tracking transfer to a stranger names the stranger', () => {
  const paid = encodeInstruction('system.transfer', {
    accounts: { from: WALLET, to: ATTACKER },
    args: { lamports: 5_000n },
  });
  const tracked = decide(live(plus(swap, paid), profile), policy);
  const trackingCheck = tracked.checks.find(({ id }) => id === 'unnamedTracking');
  expect(trackingCheck?.params?.payee).toBe(ATTACKER);
});

it('a network fee of many times the usual one asks', () => {
  const priced = (microLamports: bigint) =>
    decide(
      rewritten(stage('payment of SOL'), (list) => list, {
        budget: [
          encodeInstruction('computeBudget.setComputeUnitLimit', {
            accounts: {},
            args: { units: 1_000_000 },
          }),
          encodeInstruction('computeBudget.setComputeUnitPrice', { accounts: {}, args: { microLamports } }),
        ],
      }),
      policyFor('payment of SOL'),
    ).reasonCodes;
  expect(priced(1_900_000n)).toContain('NETWORK_FEE_HIGH');
  expect(priced(28_000n)).not.toContain('NETWORK_FEE_HIGH');
});
