/** Claims and claimers of configs in a quote other than SOL: an unsupported program pays or stores them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DBC_PROGRAM, QUOTE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { readTokenAccount } from '../../src/programs/token/accounts.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { keyNamed, load, NOTHING_USED } from './people.ts';
import { attacker, RealWorld, short } from './realOperations.ts';
import type { Fields } from './world.ts';

let real: RealWorld;
let claim: DecisionInputs;
let opened: AccountFact;
let share: string;
let base: string;
let usdc: string;
beforeAll(async () => {
  real = await RealWorld.start('claims elsewhere');
  const { world, wallet } = real;
  usdc = world.quote('USDC');
  const token = await world.token();
  base = token.mint;
  const fields = world.configRequest(base, [10_000], { flow: 'dbc', quoteMint: usdc });
  const config = await world.plan('feeShareConfig', fields);
  for (const { id } of config.stages) await world.land(config, id);
  const launch = await world.plan('curveLaunchV2', {
    ...{ tokenMint: base, ipfs: token.uri, wallet, quoteMint: usdc, initialBuyQuoteRaw: '50000000' },
    ...{ configKey: config.answer.venueConfigKey, feeShareConfig: config.answer.feeShareConfig },
  });
  for (const { id } of launch.stages) await world.land(launch, id);
  const claimRequest = { feeClaimer: wallet, tokenMint: base, quoteMint: usdc, source: { kind: 'holding' } };
  const plan = await world.plan('claimTxs', claimRequest);
  claim = await world.inputs(plan, plan.stages[0]?.id ?? '');
  const [made] = afterOf(claim).filter((each, i) => each.exists && !beforeOf(claim)[i]?.exists);
  if (made === undefined) throw new Error('nothing was opened');
  opened = made;
  share = readTokenAccount(Buffer.from(made.data, 'base64')).owner;
});
afterAll(() => real.close());

const done = ({ simulation }: DecisionInputs) => {
  if (simulation.status !== 'done') throw new Error(simulation.status);
  return simulation;
};
const beforeOf = (inputs: DecisionInputs) => done(inputs).before;
const afterOf = (inputs: DecisionInputs) => done(inputs).after;
const file = () => embeddedPolicy({ wallet: real.wallet, network: real.world.sandbox.genesisHash });
const asLive = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
});
/** The same policy on a public network, with the deployment slot of each program. */
const live = () =>
  load({
    ...file(),
    programs: (file().programs ?? []).map((entry) => {
      const { deployedSlot = 0 } = claim.programs?.find(({ address }) => address === entry.address) ?? {};
      return entry.binding === 'effects' ? { ...entry, deployedSlot } : entry;
    }),
  });
const decided = (inputs: DecisionInputs) => short(evaluate(inputs, load(file()), NOTHING_USED));

describe('a claim in a quote other than SOL', () => {
  it("opens an account of the fee share for the token itself, at the wallet's expense", () => {
    const state = readTokenAccount(Buffer.from(opened.data, 'base64'));
    expect(state.mint).toBe(base);
    expect(claim.accounts.find(({ address }) => address === share)?.owner).toBe(QUOTE_SHARE_PROGRAM);
    expect(opened.address).toBe(associatedTokenAddress(share, base, TOKEN_PROGRAM));
  });

  it('is allowed in the sandbox and asks with its cost in live mode', () => {
    expect(decided(claim)).toBe('allow; effects');
    const decision = evaluate(asLive(claim), live(), NOTHING_USED);
    expect(short(decision)).toMatch(
      /^require_approval; effects; CLAIM_COSTS_MORE .*; UNSUPPORTED_INSTRUCTION/,
    );
    expect(explain(decision)).toContain(
      'the wallet pays 0.00203928 SOL of non-refundable rent for an account of the fee share',
    );
    expect(explain(decision)).toContain(
      'the unsupported program can use the curve of the token, which the wallet created',
    );
    expect(decision.changes).toContainEqual({ asset: 'SOL', in: '0', out: `${2_039_280n + 5_400n}` });
  });

  const curve = () => {
    const found = claim.accounts.find(
      ({ owner, data }) =>
        owner === DBC_PROGRAM && Buffer.from(data, 'base64').indexOf(addressBytes(base)) >= 0,
    );
    if (found === undefined) throw new Error('there is no curve');
    return found;
  };
  const replacing = ({ data, ...rest }: AccountFact, key: string, by: string): AccountFact => {
    const bytes = Buffer.from(data, 'base64');
    bytes.set(addressBytes(by), bytes.indexOf(addressBytes(key)));
    return { ...rest, data: bytes.toString('base64') };
  };

  it('T71 is refused if it receives the curve of another token of the wallet', () => {
    const { address } = curve();
    const other = replacing(curve(), base, keyNamed('another token').address);
    const accounts = claim.accounts.map((each) => (each.address === address ? other : each));
    expect(decided({ ...claim, accounts })).toMatch(/^deny; effects; AUTHORITY_CHANGE unlistedOwner/);
  });

  it('T71 receives the curve as a claim of its own token only', () => {
    expect(decided({ ...claim, plan: { ...claim.plan, operation: 'vault_claim' } })).toContain(
      'AUTHORITY_CHANGE unlistedOwner',
    );
  });

  it('asks without naming the creator if another wallet created the curve', () => {
    const { address } = curve();
    const others = (each: AccountFact) =>
      each.address === address ? replacing(each, real.wallet, keyNamed('another creator').address) : each;
    const simulation = done(claim);
    const inputs: DecisionInputs = {
      ...asLive(claim),
      accounts: claim.accounts.map(others),
      simulation: {
        ...simulation,
        before: simulation.before.map(others),
        after: simulation.after.map(others),
      },
    };
    const decision = evaluate(inputs, live(), NOTHING_USED);
    expect(decision.effect).toBe('require_approval');
    expect(explain(decision)).toContain('of non-refundable rent for an account of the fee share');
    expect(explain(decision)).not.toContain('creator');
  });

  it('T71 is refused if the curve has another creator afterwards', () => {
    const { address } = curve();
    const simulation = done(claim);
    const after = simulation.after.map((each) =>
      each.address === address ? replacing(each, real.wallet, attacker.address) : each,
    );
    expect(decided({ ...claim, simulation: { ...simulation, after } })).toMatch(
      /^deny; effects; AUTHORITY_CHANGE/,
    );
  });
});

const firstOf = async (plan: Plan, change?: Partial<DecisionInputs>): Promise<DecisionInputs> => ({
  ...(await real.world.inputs(plan, plan.stages[0]?.id ?? '')),
  ...change,
});
describe('a launch on a curve whose fees another program shares', () => {
  const launched = async (buys: Fields): Promise<DecisionInputs> => {
    const token = await real.world.token();
    const fields = real.world.configRequest(token.mint, [6000, 4000], { flow: 'dbc', quoteMint: usdc });
    const plan = await real.world.plan('feeShareConfig', fields);
    for (const { id } of plan.stages) await real.world.land(plan, id);
    const launch = await real.world.plan('curveLaunchV2', {
      ...{ tokenMint: token.mint, ipfs: token.uri, wallet: real.wallet, quoteMint: usdc },
      ...{ configKey: plan.answer.venueConfigKey, feeShareConfig: plan.answer.feeShareConfig, ...buys },
    });
    return firstOf(launch);
  };

  it('may buy first in that quote: asks without a limit on the quote, is refused above a limit', async () => {
    const buy = 5_000_000n;
    const inputs = await launched({ initialBuyQuoteRaw: `${buy}` });
    const others = file().limits.filter((limit) => !('asset' in limit && limit.asset === 'any'));
    const decided = (max?: bigint) => {
      const limit = {
        id: 'dollars',
        asset: usdc,
        window: 'transaction' as const,
        max: `${max}`,
        why: 'a test',
      };
      const limits = max === undefined ? others : [...others, limit];
      return evaluate(inputs, load({ ...file(), limits }), NOTHING_USED).reasonCodes;
    };
    expect(decided()).toEqual(['APPROVAL_REQUIRED', 'LIMIT_MISSING']);
    expect(decided(buy)).toEqual([]);
    expect(decided(buy - 1n)).toEqual(['LIMIT_EXCEEDED']);
  });
});
