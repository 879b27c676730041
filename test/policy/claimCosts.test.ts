/** The proceeds of a claim compared with its cost to the wallet (T182). */
import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes as decodeKey } from '../../src/transaction/base58.ts';
import { missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { ATTACKER, decide, stage, WALLET } from './recorded/stages.ts';

const holding = stage('holding claim');
const askChecks = ({ checks }: Decision) => checks.filter(({ code }) => code === 'CLAIM_COSTS_MORE');

/** The claim with changed simulated accounts, one at a time. */
function simulated(
  inputs: DecisionInputs,
  change: (is: AccountFact, was: AccountFact) => AccountFact,
): DecisionInputs {
  const { simulation } = inputs;
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const after = simulation.after.map((is, i) => change(is, simulation.before[i] ?? is));
  return { ...inputs, simulation: { ...simulation, after } };
}
/** Sets the wallet's net gain in lamports, after the fee and all deposits. */
const netting = (inputs: DecisionInputs, net: bigint): DecisionInputs => {
  const [was, is] = [sol(inputs, 'before'), sol(inputs, 'after')];
  return simulated(inputs, (account) =>
    account.address === WALLET
      ? { ...account, lamports: `${BigInt(account.lamports) + net - (is - was)}` }
      : account,
  );
};
/** Lamports in the wallet and its token accounts. */
function sol({ simulation }: DecisionInputs, side: 'before' | 'after'): bigint {
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const key = Buffer.from(decodeKey(WALLET)).toString('hex');
  return simulation[side]
    .filter(
      ({ address, data }) =>
        address === WALLET || Buffer.from(data, 'base64').subarray(32, 64).toString('hex') === key,
    )
    .reduce((sum, { lamports }) => sum + BigInt(lamports), 0n);
}

describe('a claim paid for by the wallet', () => {
  it('asks if it pays out no more than its network fee, with both numbers', () => {
    expect(decide(holding).effect).toBe('allow');
    expect(askChecks(decide(netting(holding, 1n)))).toEqual([]);
    for (const net of [0n, -1n, -4_000n]) {
      const decision = decide(netting(holding, net));
      expect(decision.effect).toBe('require_approval');
      expect(askChecks(decision)[0]?.observed).toMatch(/0\.\d+ SOL for 0\.\d+ SOL/);
    }
  });

  it("counts the deposit of another owner's account, not of its own", () => {
    const { simulation } = holding;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const mint = String(holding.plan.request.tokenMint);
    const opened = (owner: string): DecisionInputs => {
      const address = keyNamed('opened').address;
      const inputs = {
        ...holding,
        simulation: {
          ...simulation,
          before: [...simulation.before, missing(address)],
          after: [...simulation.after, tokenAccount(address, { mint, owner })],
        },
      };
      return netting(inputs, -1_000_000n);
    };
    expect(askChecks(decide(opened(ATTACKER)))[0]?.observed).toContain('0.00407856 SOL stays');
    expect(askChecks(decide(opened(WALLET)))[0]?.observed).toContain('0.00203928 SOL stays');
  });

  it('asks about a deposit beside a token other than SOL in live mode, and not in the sandbox', () => {
    const { simulation } = holding;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    // The fee and the deposit are not recovered.
    const fee = BigInt(decide(holding).feeLamports);
    const nothing = netting(holding, -(2_039_280n + fee));
    expect(askChecks(decide(nothing))).toEqual([]);
    const live: DecisionInputs = { ...nothing, mode: 'live' };
    expect(askChecks(decide(live))).toHaveLength(1);
  });

  it('does not ask if the service pays', () => {
    for (const name of ['position claim', 'vault claim', 'deployer claim'])
      expect(askChecks(decide(stage(name)))).toEqual([]);
  });
});
