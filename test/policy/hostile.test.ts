/**
 * Every attack the sandbox's hostile mode knows, on every endpoint it applies to: the plan it serves is denied, for
 * the reason the attack's row names, and the same request answered honestly is allowed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, secondWallet, unreadProgramOf } from '../../src/attacks/service/index.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { PlanError } from '../../src/plan/errors.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { unreadProgram } from './people.ts';
import { type Fields, isObject, keyNamed, World } from './world.ts';

const BUILDING: readonly EndpointName[] = [
  'feeShareConfig',
  'updateFeeShareConfig',
  'dammLaunch',
  'dammLaunchV2',
  'curveLaunch',
  'curveLaunchV2',
  'claimTxs',
  'claimVault',
  'deployerClaimTxs',
  'tradeSwap',
];

const ALWAYS: readonly EndpointName[] = ['feeShareConfig', 'tradeSwap'];

let world: World;
beforeAll(async () => {
  world = await World.start('hostile');
});
afterAll(() => world.close());

/** What stands behind a request: everything it needs has landed honestly before the attack begins. */
const REQUESTS: Partial<Record<EndpointName, () => Promise<Fields>>> = {
  feeShareConfig: async () => {
    const { mint } = await world.token();
    const taxed = { mint: world.quote('TAXQ'), tokenProgram: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' };
    return world.configRequest(mint, [7000, 3000], {
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
      quoteMint: taxed.mint,
      quoteTokenProgram: taxed.tokenProgram,
      feeLimits: [{ asset: taxed, basisPoints: 100, maximumFeeRaw: '5000000' }],
    });
  },
  updateFeeShareConfig: async () => {
    const { mint } = await world.landedConfig();
    return {
      baseMint: mint,
      payer: world.wallet,
      claimersArray: [world.wallet, keyNamed('b').address],
      basisPointsArray: [9000, 1000],
    };
  },
  dammLaunch: async () => {
    const { mint, uri } = await world.token();
    return {
      tokenMint: mint,
      ipfs: uri,
      wallet: world.wallet,
      quoteMint: WSOL_MINT,
      initialBuyQuoteAmount: 100_000_000,
    };
  },
  dammLaunchV2: async () => {
    const { mint, uri, config } = await world.landedConfig();
    return {
      tokenMint: mint,
      wallet: world.wallet,
      feeShareConfig: config,
      quoteMint: WSOL_MINT,
      ipfs: uri,
      initialBuyQuoteRaw: '50000000',
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
    };
  },
  curveLaunch: async () => {
    const { mint, uri } = await world.token();
    const config = await world.plan('feeShareConfig', world.configRequest(mint, [10_000], { flow: 'dbc' }));
    await world.run(config);
    return {
      ipfs: uri,
      tokenMint: mint,
      wallet: world.wallet,
      initialBuyLamports: 0,
      configKey: String(config.answer.venueConfigKey),
    };
  },
  curveLaunchV2: async () => {
    const { mint, uri } = await world.token();
    const quoteMint = world.quote('USDC');
    const request = world.configRequest(mint, [10_000], { flow: 'dbc', quoteMint });
    const config = await world.plan('feeShareConfig', request);
    await world.run(config);
    return {
      ipfs: uri,
      tokenMint: mint,
      wallet: world.wallet,
      quoteMint,
      initialBuyQuoteRaw: '2000000',
      feeShareConfig: String(config.answer.feeShareConfig),
      configKey: String(config.answer.venueConfigKey),
      tipWallet: keyNamed('tip').address,
      tipLamports: 1_000_000,
    };
  },
  claimTxs: async () => {
    const { mint } = await traded();
    return { feeClaimer: world.wallet, tokenMint: mint, quoteMint: WSOL_MINT, source: { kind: 'position' } };
  },
  claimVault: async () => {
    await traded();
    return { kind: 'deployer', wallet: world.wallet, quoteMint: WSOL_MINT };
  },
  deployerClaimTxs: async () => {
    await traded();
    return { wallet: world.wallet };
  },
};

async function traded() {
  const token = await world.launched();
  const buy = await world.quoted({ inputMint: WSOL_MINT, outputMint: token.mint, amount: '500000000' });
  await world.run(await world.plan('tradeSwap', buy));
  return token;
}

const tip = () => ({ tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 });

/** Attacks that need another request than the usual one, by name or by name and endpoint. */
const SPECIAL: Readonly<Record<string, Fields>> = {
  // Only written into v1 messages.
  'priority-fee-v1': { transactionFormat: 'v1' },
  // Only there to be replaced where there is one.
  'partner-config-replaced': {
    partner: keyNamed('partner').address,
    partnerConfig: keyNamed('partner config').address,
  },
  // A quote that is reviewed for every type.
  'type-changed': { quoteMint: WSOL_MINT, quoteTokenProgram: null, feeLimits: null },
  // The bare transaction has no room for everything at once.
  'first-buy-inflated on curveLaunch': { initialBuyLamports: 20_000_000 },
  'second-recipient on curveLaunch': tip(),
  'tip-inflated on curveLaunch': tip(),
  'tip-redirected on curveLaunch': tip(),
};
/** What a service or its policy cannot be asked for, by attack and endpoint: there is nothing to change there. */
const NOT_THERE: readonly string[] = [
  // A bought token is minted on a curve, so no transfer can be redirected.
  'delivered-elsewhere on curveLaunch',
  // What it adds does not fit into the bytes that are left.
  'stake-away on dammLaunch',
  'stake-away on dammLaunchV2',
  'stake-away on curveLaunch',
  'stake-away on curveLaunchV2',
  'rent-drain on dammLaunch',
];
const HAS_FORMAT: readonly EndpointName[] = [
  'feeShareConfig',
  'updateFeeShareConfig',
  'dammLaunchV2',
  'curveLaunchV2',
];

function cases(): [string, string, EndpointName][] {
  return [...ATTACKS].flatMap(([name, attack], i) => {
    // A lying chain is seen by the second RPC: test/landing/gather.test.ts.
    if (attack.plays === 'chain') return [];
    // Attacks on anything are served in a config, a swap, and two of the other answers in turn.
    const some = BUILDING.filter((endpoint, k) => ALWAYS.includes(endpoint) || k % 5 === i % 5);
    const endpoints = (attack.endpoints ?? some).filter((endpoint) => BUILDING.includes(endpoint));
    return endpoints
      .filter((endpoint) => name !== 'priority-fee-v1' || HAS_FORMAT.includes(endpoint))
      .filter((endpoint) => !NOT_THERE.includes(`${name} on ${endpoint}`))
      .map((endpoint): [string, string, EndpointName] => [attack.row, name, endpoint]);
  });
}

/** A swap of each pool the sandbox starts with; token attacks need theirs to be among them. */
function tradeFor(name: string): Fields {
  const { launches } = world.sandbox.service.state;
  const tokens = [...launches.values()];
  const taxed = tokens.find(({ venue }) => venue?.quoteMint === world.quote('TAXQ'))?.tokenMint ?? '';
  if (name === 'transfer-fee-raised') {
    return { inputMint: taxed, outputMint: world.quote('TAXQ'), amount: '1000000' };
  }
  return { inputMint: WSOL_MINT, outputMint: tokens[0]?.tokenMint ?? '', amount: '100000000' };
}

/** Asks and decides until something is refused; what refused it. */
async function refusal(
  endpoint: EndpointName,
  fields: Fields,
  policy: LoadedPolicy,
  meanwhile: () => void,
): Promise<readonly string[]> {
  let plan: Plan;
  try {
    plan = await world.plan(endpoint, fields);
  } catch (error) {
    // Not even a plan: bytes that cannot be read are refused when the answer is.
    if (error instanceof PlanError) return [error.code];
    throw error;
  }
  meanwhile();
  for (const stage of plan.stages) {
    const decision = await world.decide(plan, stage.id, policy);
    if (decision.effect !== 'allow') {
      expect(decision.effect).toBe('deny');
      return decision.reasonCodes;
    }
    if (stage.id === 'lut_deactivate') break;
    await world.land(plan, stage.id);
  }
  return [];
}

describe('an attack of the service is refused for the reason its row names', () => {
  it.each(cases())('%s %s on %s', async (_row, name, endpoint) => {
    const { service } = world.sandbox;
    const attack = ATTACKS.get(name);
    await service.ready();
    const usual = endpoint === 'tradeSwap' ? tradeFor(name) : await REQUESTS[endpoint]?.();
    const policy = await policyAgainst(name);
    if (attack?.endpoints?.includes('tradeQuote')) service.hostile.use(name);
    const asked =
      endpoint === 'tradeSwap'
        ? await world.quoted(usual ?? {})
        : { ...usual, ...SPECIAL[name], ...SPECIAL[`${name} on ${endpoint}`] };
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));
    // A token turns bad between the quote and the signature; a service is bad from the start.
    if (attack?.plays !== 'token' || attack.draft !== undefined) service.hostile.use(name);
    try {
      const codes = await refusal(endpoint, given, policy, () => service.hostile.use(name));
      expect([attack?.code, 'PLAN_INVALID']).toContainEqual(
        codes.find((code) => code === attack?.code) ?? codes[0] ?? 'signed',
      );
    } finally {
      service.hostile.use(undefined);
    }
  });
});

/** What the policy names of the program that attacks by way of it may call unread. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  'other-unread-instruction': ['01'],
  'unread-nonce': ['05000000'],
  'unread-program-authority': ['04000000'],
};

/** The sandbox's policy; against a poisoned quote, with what its owner knows about prices. */
async function policyAgainst(name: string): Promise<LoadedPolicy> {
  const second = { label: 'second', address: secondWallet(world.sandbox.service).address };
  const trade = tradeFor(name);
  const price =
    name === 'quote-poisoned' ? await world.call('tradeQuote', { ...trade, taker: world.wallet }) : {};
  const fair = isObject(price) ? (BigInt(String(price.outAmount ?? 0)) * 9n) / 10n : 0n;
  const listed = (instructions: readonly string[]) =>
    unreadProgram(unreadProgramOf(world.sandbox.service.hostile.tools), { instructions: [...instructions] });
  return world.policyWith((file) => ({
    ...file,
    wallets: name === 'second-key' ? [...file.wallets, second] : file.wallets,
    programs: NAMED[name] === undefined ? file.programs : [...file.programs, listed(NAMED[name])],
    rules: file.rules.map((rule) => {
      if (rule.operation !== 'swap' || name !== 'quote-poisoned') return rule;
      const output = String(trade.outputMint);
      const floor = { input: 'SOL', output, perInput: String(trade.amount), minOutput: `${fair}` };
      return { ...rule, minRates: [floor] };
    }),
  }));
}

describe('rent that the wallet should pay for others', () => {
  it.each([
    ['T15', 'rent-drain'],
    ['T15', 'account-not-needed'],
    ['T9', 'table-of-the-wallet'],
  ])('is found in the bytes and in what they do (%s %s)', async (_row, name) => {
    const { service } = world.sandbox;
    await service.ready();
    const asked = await world.quoted(tradeFor(name));
    service.hostile.use(name);
    try {
      const { reasonCodes } = await world.decide(await world.plan('tradeSwap', asked), 'swap');
      expect(reasonCodes).toEqual(['UNEXPECTED_INSTRUCTION', 'UNDECLARED_LOSS']);
    } finally {
      service.hostile.use(undefined);
    }
  });
});
