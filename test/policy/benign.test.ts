/** Legitimate requests and honest inventories. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { partnerConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { worse } from '../oracle/judge.ts';
import { randomSource } from '../transaction/fuzz.ts';
import { inventoriesOf } from './inventories.ts';
import { LEGITIMATE_KINDS, legitimate, walk } from './legitimate.ts';
import { type Fields, keyNamed, load, World } from './world.ts';

let world: World;
/** Runs a plan under the policy of the embedded sandbox, which never asks. */
const run = (plan: Plan, stages?: readonly string[]) => world.run(plan, stages, embedded);
let embedded: LoadedPolicy;
beforeAll(async () => {
  world = await World.start('benign');
  embedded = load(embeddedPolicy({ wallet: world.wallet, network: world.sandbox.genesisHash }));
});
afterAll(() => world.close());

/** Expects only allows without failed checks, exact except for stages that call an unsupported program. */
function allAllowed(decisions: readonly Decision[], unsupported = 0) {
  expect(decisions.filter(({ binding }) => binding === 'effects')).toHaveLength(unsupported);
  for (const decision of decisions) {
    expect(decision.checks.filter((check) => !check.ok)).toEqual([]);
    expect(decision).toMatchObject({ effect: 'allow', reasonCodes: [], class: 'allowed' });
  }
}

describe('a fee share config is allowed, stage by stage', () => {
  it('with one claimer, in v0', async () => {
    const { mint } = await world.token();
    const plan = await world.plan('feeShareConfig', world.configRequest(mint, [10_000]));
    allAllowed(await run(plan));
  });

  it('with every optional field, in v1', async () => {
    const { mint } = await world.token();
    const plan = await world.plan(
      'feeShareConfig',
      world.configRequest(mint, [5000, 3000, 2000], {
        transactionFormat: 'v1',
        admin: keyNamed('admin').address,
        partner: keyNamed('partner').address,
        partnerConfig: partnerConfigAddress(keyNamed('partner').address),
        serviceConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
        enableFirstSwapWithMinFee: true,
        tipWallet: keyNamed('tip').address,
        tipLamports: 1_000_000,
        quoteMint: WSOL_MINT,
        feeLimits: [],
      }),
    );
    allAllowed(await run(plan));
  });

  it('with a taxed quote mint and fee limits', async () => {
    const { mint } = await world.token();
    const taxed = world.quote('TAXQ');
    const tokenProgram = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
    const plan = await world.plan(
      'feeShareConfig',
      world.configRequest(mint, [10_000], {
        quoteMint: taxed,
        quoteTokenProgram: tokenProgram,
        feeLimits: [{ asset: { mint: taxed, tokenProgram }, basisPoints: 100, maximumFeeRaw: '5000000' }],
      }),
    );
    allAllowed(await run(plan), 1);
  });

  it('with 100 claimers in v0, through the lookup table the plan made', async () => {
    const { mint } = await world.token();
    const request = world.configRequest(
      mint,
      Array.from({ length: 100 }, () => 100),
    );
    const setup = await world.plan('feeShareConfig', request);
    expect(setup.readiness?.status).toBe('setup_required');
    allAllowed(await run(setup));
    const plan = await world.plan('feeShareConfig', request);
    expect(plan.stages.every((stage) => stage.kind === 'config')).toBe(true);
    allAllowed(await run(plan));
  });

  it('for a change of its claimers', async () => {
    const { mint } = await world.landedConfig();
    const claimers = [keyNamed('new one').address, world.wallet];
    const plan = await world.plan('updateFeeShareConfig', {
      baseMint: mint,
      payer: world.wallet,
      claimersArray: claimers,
      basisPointsArray: [4000, 6000],
    });
    allAllowed(await run(plan));
  });
});

describe('a launch is allowed, stage by stage', () => {
  it('as a custody bundle with an initial buy, a partner and a fee claimer', async () => {
    const { mint, uri } = await world.token();
    const plan = await world.plan('dammLaunch', {
      tokenMint: mint,
      ipfs: uri,
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
      feeClaimerWallet: keyNamed('fee claimer').address,
      initialBuyQuoteAmount: 100_000_000,
      partner: keyNamed('partner').address,
    });
    const stages = plan.stages.map((stage) => stage.id).filter((id) => id !== 'lut_close');
    allAllowed(await run(plan, stages), 1);
    world.sandbox.advanceSlots(514);
    allAllowed(await run(plan, ['lut_close']));
  });

  it('as a direct pool with a fee share config, an initial buy and a tip', async () => {
    const { mint, uri, config } = await world.landedConfig();
    const plan = await world.plan('dammLaunchV2', {
      tokenMint: mint,
      wallet: world.wallet,
      feeShareConfig: config,
      quoteMint: WSOL_MINT,
      ipfs: uri,
      initialBuyQuoteRaw: '50000000',
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
    });
    allAllowed(await run(plan));
  });

  it('as a bare bonding-curve transaction with an initial buy', async () => {
    const { mint, uri } = await world.token();
    const config = await world.plan('feeShareConfig', world.configRequest(mint, [10_000], { flow: 'dbc' }));
    await run(config);
    const plan = await world.plan('curveLaunch', {
      ipfs: uri,
      tokenMint: mint,
      wallet: world.wallet,
      initialBuyLamports: 20_000_000,
      configKey: String(config.answer.venueConfigKey),
    });
    allAllowed(await run(plan));
  });
});

describe('a curve launch in a custom quote is allowed, stage by stage', () => {
  it.each(['USDC', 'TAXQ'])('quoted in %s, with an initial buy', async (symbol) => {
    await world.sandbox.service.ready();
    const quoteMint = world.quote(symbol);
    const { mint, uri } = await world.token();
    const config = await world.plan(
      'feeShareConfig',
      world.configRequest(mint, [10_000], { flow: 'dbc', quoteMint }),
    );
    allAllowed(await run(config), 1);
    const plan = await world.plan('curveLaunchV2', {
      ipfs: uri,
      tokenMint: mint,
      wallet: world.wallet,
      quoteMint,
      initialBuyQuoteRaw: '1000000',
      feeShareConfig: String(config.answer.feeShareConfig),
      configKey: String(config.answer.venueConfigKey),
    });
    allAllowed(await run(plan));
  });
});

describe('a swap is allowed', () => {
  it('buying with SOL and selling for SOL', async () => {
    const { mint } = await world.launched();
    const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: mint, amount: '100000000' });
    allAllowed(await run(await world.plan('tradeSwap', buy)));
    const sell = await world.quoted({ inputMint: mint, outputMint: WSOL_MINT, amount: '1000000' });
    allAllowed(await run(await world.plan('tradeSwap', sell)));
  });

  it.each(['USDC', 'TAXQ'])('in both directions in a pool quoted in %s', async (symbol) => {
    await world.sandbox.service.ready();
    const quoteMint = world.quote(symbol);
    const { launches } = world.sandbox.service.state;
    const token = [...launches.values()].find(({ venue }) => venue?.quoteMint === quoteMint)?.tokenMint;
    const buy = await world.quoted({ inputMint: quoteMint, outputMint: token, amount: '5000000' });
    allAllowed(await run(await world.plan('tradeSwap', buy)));
    // The issuer can mint more of the quote token, but the owner listed it.
    const file = embeddedPolicy({ wallet: world.wallet, network: world.sandbox.genesisHash });
    const listed = load({ ...file, tokens: { ...file.tokens, mints: [String(token), quoteMint] } });
    const sell = await world.quoted({ inputMint: token, outputMint: quoteMint, amount: '1000000' });
    allAllowed(await world.run(await world.plan('tradeSwap', sell), undefined, listed));
  });

  it('with a custom slippage', async () => {
    const outputMint = [...world.sandbox.service.state.launches.keys()][0];
    const exact = { slippageMode: 'manual', slippageBps: 50 };
    const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint, amount: '1000000', ...exact });
    allAllowed(await run(await world.plan('tradeSwap', buy)));
  });
});

describe('claims are allowed', () => {
  async function traded(extra = {}) {
    const token = await world.launched(extra);
    const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: token.mint, amount: '500000000' });
    await run(await world.plan('tradeSwap', buy));
    return token;
  }

  it('of a position, and of a deployer share in several transactions', async () => {
    const { mint } = await traded();
    const position = await world.plan('claimTxs', {
      feeClaimer: world.wallet,
      tokenMint: mint,
      quoteMint: WSOL_MINT,
      source: { kind: 'position' },
    });
    expect(position.operation).toBe('position_claim');
    allAllowed(await run(position));
    const deployer = await world.plan('deployerClaimTxs', { wallet: world.wallet });
    allAllowed(await run(deployer), deployer.stages.length);
  });

  it('of a vault, paid for by the service', async () => {
    await traded();
    const plan = await world.plan('claimVault', {
      kind: 'deployer',
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
    });
    const decisions = await run(plan);
    allAllowed(decisions, 1);
    expect(decisions[0]?.changes).toEqual([{ asset: 'SOL', out: '0', in: expect.stringMatching(/^[1-9]/) }]);
  });

  it('of a holding, paid for by the wallet', async () => {
    const { mint, uri } = await world.token();
    const config = await world.plan('feeShareConfig', world.configRequest(mint, [10_000], { flow: 'dbc' }));
    await run(config);
    const configKey = String(config.answer.venueConfigKey);
    const launch = { ipfs: uri, tokenMint: mint, wallet: world.wallet, initialBuyLamports: 0, configKey };
    await run(await world.plan('curveLaunch', launch));
    const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: mint, amount: '500000000' });
    await run(await world.plan('tradeSwap', buy));
    const plan = await world.plan('claimTxs', {
      feeClaimer: world.wallet,
      tokenMint: mint,
      quoteMint: WSOL_MINT,
      source: { kind: 'holding' },
    });
    expect(plan.operation).toBe('holding_claim');
    allAllowed(await run(plan));
  });
});

const SEEDS = [1, 2];
/** Rent, fees and deposits of the largest config. */
const COSTS = 200_000_000n;
const AMOUNTS = [
  'initialBuyQuoteAmount',
  'initialBuyQuoteRaw',
  'initialBuyLamports',
  'tipLamports',
  'amount',
];

/** Returns the harms explained neither by the request's fields nor by the kind of its stage. */
function unexplained(inputs: DecisionInputs): string[] {
  const { request } = inputs.plan;
  const fullRequest = { ...request, ...inputs.quote?.request };
  const amounts = AMOUNTS.flatMap((name) => (name in fullRequest ? [BigInt(String(fullRequest[name]))] : []));
  const most = amounts.reduce((sum, amount) => sum + amount, COSTS);
  const named = JSON.stringify(fullRequest);
  const [before, after] = inventoriesOf(inputs);
  const service = world.sandbox.service.keys.feeShareAuthority.address;
  const isStated = (harm: string): boolean => {
    const [, line = '', less = ''] = /^(\w+): (\d+) less than allowed$/.exec(harm) ?? [];
    if (less !== '') return (line === 'SOL' || named.includes(line)) && BigInt(less) <= most;
    const [, stranger, right] =
      /^stranger: (\w+) is (claimer|manager|partner|deployer|\w+ authority)/.exec(harm) ?? [];
    // The service is the authority of a config and writes the requested values into it.
    if (right?.endsWith('authority')) return stranger === service;
    if (stranger !== undefined) return named.includes(stranger);
    const [, config] = /^shares of (\w+): /.exec(harm) ?? [];
    if (config !== undefined)
      return after.amounts.get(`shares of ${config}`) === shareOf(request, inputs.plan.wallet);
    // The output of a trade is delegated to the wallet beforehand and used up by the trade.
    if (inputs.plan.operation === 'swap') return / as delegate: |^lost: delegate of /.test(harm);
    // Plans about the wallet's own table fill, deactivate and close it.
    return (
      /^lookup_table/.test(inputs.stage.kind) &&
      /^(lost: table authority|changed: (entries|in use)) of /.test(harm)
    );
  };
  return worse(before, after).filter((harm) => !isStated(harm));
}

/** The wallet's requested basis points. */
function shareOf({ claimersArray, basisPointsArray }: Fields, wallet: string): bigint | undefined {
  if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
  return BigInt(String(basisPointsArray[claimersArray.indexOf(wallet)]));
}

it.each(LEGITIMATE_KINDS)(
  'an honest request leaves the wallet with the requested amounts: %s',
  async (kind) => {
    const found: string[] = [];
    for (const seed of SEEDS) {
      const request = await legitimate(world, kind, randomSource(seed));
      await walk(world, request, (inputs) => {
        if (inputs.simulation.status === 'done')
          found.push(...unexplained(inputs).map((harm) => `${inputs.stage.id}: ${harm}`));
      });
    }
    expect(found).toEqual([]);
  },
);
