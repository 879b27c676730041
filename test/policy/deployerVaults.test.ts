/** Deployer earnings in quotes other than SOL: no request names the token, so the vault of the arriving one counts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { earningsOwner } from '../../sandbox/programs/custody.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { short } from './realOperations.ts';
import { NOTHING_USED, World } from './world.ts';

let world: World;
let usdc: string;

const control = async (name: string, body: unknown): Promise<void> => {
  const response = await fetch(`${world.sandbox.rootUrl}/sandbox/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
};

/** A claim from a dollar vault of which the wallet is the deployer. */
const claim = async (): Promise<Plan> => {
  const vault = earningsOwner('deployer', world.wallet, usdc);
  await control('mint-quote', { mint: usdc, wallet: vault, amountRaw: '2500000' });
  return world.plan('deployerClaimTxs', { wallet: world.wallet });
};

/** The stage that claims the dollars; an earlier one claims SOL. */
const inputsOf = async (plan: Plan): Promise<DecisionInputs> => {
  const inputs = await world.inputs(plan, plan.stages.at(-1)?.id ?? '');
  expect(inputs.accounts.some(({ address }) => address === usdc)).toBe(true);
  return { ...inputs, siblings: inputs.siblings.map((each) => ({ ...each, status: 'finalized' })) };
};

beforeAll(async () => {
  world = await World.start('deployer vaults');
  usdc = world.quote('USDC');
});
afterAll(() => world.close());

describe("a claim of a deployer's USDC vault", () => {
  it('is allowed if the wallet has no USDC account yet, and pays it out', async () => {
    const plan = await claim();
    const decisions = await world.run(plan, undefined, world.listing);
    expect(decisions.map(short)).toEqual(plan.stages.map(() => 'allow; effects'));
    expect(decisions.at(-1)?.changes).toEqual([{ asset: usdc, out: '0', in: '2500000' }]);
  });

  it('is allowed if the account exists with a balance', async () => {
    const inputs = await inputsOf(await claim());
    expect(short(evaluate(inputs, world.listing, NOTHING_USED))).toBe('allow; effects');
  });

  it('is refused if the policy lists received tokens without USDC', async () => {
    const inputs = await inputsOf(await claim());
    const only = world.policyWith((file) => ({
      ...file,
      programs: world.listing.policy.programs,
      tokens: { extensions: { deny: [] }, mints: ['SOL'] },
    }));
    expect(short(evaluate(inputs, only, NOTHING_USED))).toContain('NO_RULE tokenListed');
  });

  it('T71 passes to an unsupported program no account of a token that is not paid out', async () => {
    const inputs = await inputsOf(await claim());
    if (inputs.simulation.status !== 'done') throw new Error(inputs.simulation.status);
    const { before, after } = inputs.simulation;
    // The same bytes, but SOL arrives and the wallet's dollars are only passed in.
    const keeps = after.map((account) => {
      const was = before.find(({ address }) => address === account.address) ?? account;
      return account.address === world.wallet
        ? { ...account, lamports: `${BigInt(was.lamports) + 1n}` }
        : was;
    });
    const changed: DecisionInputs = { ...inputs, simulation: { ...inputs.simulation, after: keeps } };
    expect(short(evaluate(changed, world.listing, NOTHING_USED))).toContain('AUTHORITY_CHANGE reach');
  });
});
