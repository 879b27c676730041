import { describe, expect, it } from 'vitest';
import {
  BUNDLE_TYPES,
  bundleSchema,
  describeIssues,
  type EndpointName,
  endpoints,
  planSchema,
  TOKEN_PROGRAM,
} from '../../src/contract/index.ts';
import { MINT, QUOTE, WALLET, walletNamed } from './validRequests.ts';

const stage = {
  id: 'config-1',
  kind: 'config',
  dependsOn: [],
  format: 'v0',
  encoding: 'base64',
  transaction: 'AQ==',
  messageSha256: 'a'.repeat(64),
  requiredSigners: [WALLET],
  lifetime: { blockhash: walletNamed('blockhash'), lastValidBlockHeight: '1234' },
  budget: { anything: true },
};
const plan = {
  contractVersion: 1,
  operation: { kind: 'config', baseMint: MINT, flow: 'dbc' },
  asset: { mint: QUOTE, tokenProgram: TOKEN_PROGRAM, decimals: null },
  feeLimits: [{ asset: { mint: QUOTE, tokenProgram: TOKEN_PROGRAM }, basisPoints: 1, maximumFeeRaw: '2' }],
  transactions: [stage],
  readiness: { status: 'ready', more: 1 },
};
const configAnswer = {
  contractVersion: 1,
  needsCreation: true,
  feeShareConfig: walletNamed('config'),
  feeShareAuthority: walletNamed('authority'),
  asset: plan.asset,
  flow: 'dbc',
  venueConfigKey: null,
  plan,
};

const planProblems = (value: unknown) => {
  const result = planSchema.safeParse(value);
  return result.success ? '' : describeIssues(result.error.issues);
};
const withStage = (change: object) => ({ ...plan, transactions: [{ ...stage, ...change }] });
const answerProblems = (name: EndpointName, value: unknown) => {
  const result = endpoints[name].response.safeParse(value);
  return result.success ? '' : describeIssues(result.error.issues);
};

describe('staged plans', () => {
  it('C-PLAN-03 C-PLAN-14 are parsed exactly, with unknown extra fields ignored', () => {
    expect(planProblems(plan)).toBe('');
    expect(planProblems({ ...plan, added: 1, transactions: [{ ...stage, added: [] }] })).toBe('');
  });

  it.each([
    ['kind', { kind: 'approve' }],
    ['format', { format: 'legacy' }],
    ['encoding', { encoding: 'base58' }],
    ['messageSha256', { messageSha256: 'a'.repeat(63) }],
    ['requiredSigners', { requiredSigners: ['me'] }],
    ['lifetime', { lifetime: { blockhash: walletNamed('b'), lastValidBlockHeight: '1e9' } }],
    ['lifetime', { lifetime: { blockhash: walletNamed('b'), lastValidBlockHeight: '-1' } }],
    ['dependsOn', { dependsOn: undefined }],
  ])('F13 B67 C-PLAN-05 … 13 report an unknown or malformed %s in a stage by name', (field, change) => {
    expect(planProblems(withStage(change))).toContain(`transactions[0].${field}`);
  });

  it.each([2, '1', undefined, null])(
    'B68 C-PLAN-01 contract version %s is refused for signing but still shown',
    (version) => {
      expect(planProblems({ ...plan, contractVersion: version })).toContain('contractVersion');
      const answer = {
        ...configAnswer,
        contractVersion: version,
        plan: { ...plan, contractVersion: version },
      };
      expect(answerProblems('feeShareConfig', answer)).toBe('');
    },
  );

  it("accept any form of a fee limit's asset, since a plan is held to the limits of its request", () => {
    const [limit] = plan.feeLimits;
    for (const asset of [QUOTE, null, { address: QUOTE }])
      expect(planProblems({ ...plan, feeLimits: [{ ...limit, asset }] })).toBe('');
    expect(planProblems({ ...plan, feeLimits: [{ ...limit, basisPoints: '1' }] })).toContain('feeLimits');
  });

  it('F13 C-PLAN-04 report an unknown operation', () => {
    expect(planProblems({ ...plan, operation: { kind: 'drain', baseMint: MINT } })).toContain('operation');
  });

  it('F19 C-PLAN-15 keep an unknown readiness', () => {
    expect(planSchema.parse({ ...plan, readiness: { status: 'brand_new' } }).readiness.status).toBe(
      'brand_new',
    );
  });

  it('C-CONFIG-17 C-CONFIG-18 pass a config answer to the caller byte for byte', () => {
    expect(endpoints.feeShareConfig.response.parse(configAnswer).plan).toEqual(plan);
    expect(answerProblems('feeShareConfig', { ...configAnswer, needsCreation: false, plan: null })).toBe('');
  });
});

describe('custody bundles', () => {
  const launch = Object.fromEntries(
    [
      'tokenMint',
      'quoteMint',
      'pool',
      'treasuryPositionNftMint',
      'feeClaimerPositionNftMint',
      'feeClaimerWallet',
      'lookupTable',
      'positionCustody',
      'custodyAuthority',
    ].map((field) => [field, walletNamed(field)]),
  );
  const bundle = (types: readonly string[]) => ({
    transactions: types.map((type) => ({ type, transaction: 'AQ==' })),
    launch: {
      ...launch,
      quoteTokenProgram: TOKEN_PROGRAM,
      launchPriceQuotePerToken: 0.1,
      impliedLaunchFdvUsd: 1,
    },
  });
  const found = (types: readonly string[]) => {
    const result = bundleSchema.safeParse(bundle(types));
    return result.success ? '' : describeIssues(result.error.issues);
  };

  it('C-BUNDLE-02 C-BUNDLE-08 hold at most five transactions, each type once, and a LAUNCH', () => {
    expect(found(BUNDLE_TYPES)).toBe('');
    expect(found(['LUT_SETUP', 'LAUNCH', 'LUT_DEACTIVATE'])).toBe('');
    expect(found([...BUNDLE_TYPES, 'LAUNCH'])).toMatch(/more than 5 transactions/);
    expect(found(['LUT_SETUP', 'LAUNCH', 'LAUNCH'])).toMatch(/occurs twice/);
    expect(found(['LUT_SETUP'])).toMatch(/no LAUNCH/);
    expect(found(['LAUNCH', 'TRANSFER'])).toMatch(/transactions\[1\]\.type/);
  });
});

describe('tolerant answers', () => {
  it('F13 C-WIRE-07 C-FEED-01 keep unknown fields and unknown enum values', () => {
    const answer = [{ tokenMint: MINT, status: 'ORBITING', symbol: null, somethingNew: { a: 1 } }];
    expect(endpoints.launchFeed.response.parse(answer)).toEqual(answer);
  });

  it('F14 C-TRADE-05 name the path of a missing or mistyped field', () => {
    expect(answerProblems('launchFeed', [{ tokenMint: MINT }, { name: 'x' }])).toMatch(/^\[1\]\.tokenMint: /);
    expect(answerProblems('tradeSwap', { swapTransaction: 'AQ==' })).toContain('lastValidBlockHeight');
  });

  it('C-EVENT-04 accept both forms of a claim time', () => {
    const event = { wallet: WALLET, amount: '5' };
    for (const timestamp of ['2026-01-01T00:00:00Z', 1_767_225_600]) {
      expect(answerProblems('claimEvents', { events: [{ ...event, timestamp }] })).toBe('');
    }
  });

  it('cannot change a prototype', () => {
    const parsed = endpoints.claimablePositions.response.parse(
      JSON.parse('{"items":[],"__proto__":{"evil":1}}'),
    );
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(parsed).not.toHaveProperty('evil');
  });
});

describe('C-PLAN-02 transaction strings', () => {
  it('are declared for exactly the endpoints that build transactions', () => {
    for (const endpoint of Object.values(endpoints)) {
      expect('transactions' in endpoint).toBe(endpoint.effect === 'build');
    }
  });
});
