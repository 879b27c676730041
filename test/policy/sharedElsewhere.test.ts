/**
 * Claimers stored by an unsupported program: a config in a quote other than SOL. The claiming key must belong to it;
 * the shares are left to the owner.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DBC_PROGRAM } from '../../sandbox/programs/addresses.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import { replacedAt } from './oneThingWrong.ts';
import { load, NOTHING_USED } from './people.ts';
import { attacker, type Change, edited, RealWorld, short } from './realOperations.ts';
import type { Fields } from './world.ts';

let real: RealWorld;
let usdc: string;
beforeAll(async () => {
  real = await RealWorld.start('shared elsewhere');
  usdc = real.world.quote('USDC');
}, 120_000);
afterAll(() => real.close());

const file = () => embeddedPolicy({ wallet: real.wallet, network: real.world.sandbox.genesisHash });
const played = () => load(file());
/** The same policy without the permission to risk play money on unsupported programs. */
const asking = () =>
  load({
    ...file(),
    rules: file().rules.map((rule) => ('unsupported' in rule ? { ...rule, unsupported: undefined } : rule)),
  });
const verdict = (inputs: DecisionInputs, policy = played()) => short(evaluate(inputs, policy, NOTHING_USED));
const firstOf = async (plan: Plan, change?: Partial<DecisionInputs>): Promise<DecisionInputs> => ({
  ...(await real.world.inputs(plan, plan.stages[0]?.id ?? '')),
  ...change,
});
/** Replaces the fee claimer, the second account of the instruction that writes a curve's terms. */
const earnedBy = (address: string): Change =>
  edited(DBC_PROGRAM, 0, (each) => ({ ...each, accounts: replacedAt(each.accounts, 1, address) }));

describe('a config in a quote other than SOL', () => {
  const config = async (): Promise<Fields> =>
    real.world.configRequest((await real.world.token()).mint, [6000, 4000], { flow: 'dbc', quoteMint: usdc });

  it('is allowed in the sandbox if the policy says so, and asks everywhere else', async () => {
    const plan = await real.world.plan('feeShareConfig', await config());
    const inputs = await firstOf(plan);
    expect(verdict(inputs)).toBe('allow; effects');
    expect(verdict(inputs, asking())).toMatch(
      /^require_approval; effects; UNSUPPORTED_INSTRUCTION .*claimers are unknown/,
    );
  });

  it.each([
    ['a key of another wallet', () => attacker.address],
    ['the requesting wallet', () => real.wallet],
  ])('T94 is refused if %s earns from the curve instead of the fee share', async (_, key) => {
    const plan = await real.world.plan('feeShareConfig', await config(), earnedBy(key()));
    expect(verdict(await firstOf(plan))).toMatch(/^deny;.*REQUEST_MISMATCH matchesRequest curveClaimer/);
  });

  it("T94 is refused if an unsupported instruction merely receives the fee claimer's key", async () => {
    const named: Change = (draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) =>
        each.programAddress.startsWith('SandboxQuote')
          ? {
              ...each,
              accounts: [...each.accounts, { address: attacker.address, signer: false, writable: false }],
            }
          : each,
      ),
    });
    const plan = await real.world.plan('feeShareConfig', await config(), (draft, stage) =>
      earnedBy(attacker.address)(named(draft, stage), stage),
    );
    expect(verdict(await firstOf(plan))).toMatch(/^deny;.*curveClaimer/);
  });
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

  it('is fully decoded and still asks: its transaction does not state the claimers', async () => {
    const inputs = await launched({});
    expect(verdict(inputs)).toBe('allow; exact');
    expect(verdict(inputs, asking())).toMatch(
      /^require_approval; exact; UNSUPPORTED_INSTRUCTION [^;]*: the claimers are unknown: an unsupported program writes them/,
    );
  });

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
