import { describe, expect, it } from 'vitest';
import {
  CONFIG_TYPE_IDS,
  CONFIG_TYPES,
  DEFAULT_CONFIG_TYPE,
  effectiveFeeShareConfig,
  feeShareConfigNotes,
  LOCKED_85_CONFIG_TYPE,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  WRAPPED_SOL,
} from '../../src/contract/index.ts';
import {
  feeShareConfigRequest,
  fullFeeShareConfigRequest,
  problems,
  QUOTE,
  WALLET,
  walletNamed,
} from './validRequests.ts';

const config = (change: Record<string, unknown>) =>
  problems('feeShareConfig', { ...feeShareConfigRequest, ...change });
const claimers = (count: number) => Array.from({ length: count }, (_, i) => walletNamed(`claimer ${i}`));
const split = (claimersArray: unknown, basisPointsArray: unknown) =>
  config({ claimersArray, basisPointsArray });

describe('C-CONFIG-03 claimers', () => {
  it('B11 refuses 0 and 101 claimers, and accepts 100', () => {
    expect(split([], [])).toContain('claimersArray: name at least one claimer');
    expect(
      split(
        claimers(101),
        claimers(101).map(() => 99),
      ),
    ).toContain('claimersArray: at most 100 claimers');
    expect(
      split(
        claimers(100),
        claimers(100).map(() => 100),
      ),
    ).toEqual([]);
  });

  it('B12 refuses a claimer listed twice', () => {
    expect(split([WALLET, QUOTE, WALLET], [5000, 2500, 2500])).toEqual([
      'claimersArray.2: repeats claimer 0: list each claimer once and add its basis points together',
    ]);
  });

  it('B13 refuses claimers and shares of different lengths', () => {
    expect(split([WALLET, QUOTE], [10_000])).toEqual([
      'basisPointsArray: has 1 entries for 2 claimers: give one per claimer, in the same order',
    ]);
  });
});

describe('C-CONFIG-04 C-CONFIG-05 basis points', () => {
  it.each([9_999, 10_001])('B14 refuses a total of %d', (total) => {
    expect(split([WALLET, QUOTE], [5000, total - 5000])).toEqual([
      `basisPointsArray: adds up to ${total}: the shares must total exactly 10000`,
    ]);
  });

  it.each([-1, 10_001, 0.5, '100', 1e4 + 0.1, null])('B15 refuses %s as a share', (points) => {
    expect(split([WALLET, QUOTE], [points, 5000])).toContain(
      'basisPointsArray.0: must be a whole number from 0 to 10000',
    );
  });

  it('B16 accepts one claimer with the whole beside zeros, and warns about the zeros', () => {
    const request = { ...feeShareConfigRequest, basisPointsArray: [10_000, 0] };
    expect(problems('feeShareConfig', request)).toEqual([]);
    expect(feeShareConfigNotes(request).join('\n')).toContain(
      `Claimer ${request.claimersArray[1]} has 0 basis points`,
    );
  });

  it('B17 refuses fractions that would round to the total', () => {
    expect(split([WALLET, QUOTE, walletNamed('c')], [3333.3333, 3333.3333, 3333.3334])).not.toEqual([]);
  });
});

describe('flow, quote and type', () => {
  it.each(['DBC', 'damm_v2', '', null])('B18 C-CONFIG-02 refuses the flow %s', (flow) => {
    expect(config({ flow })).toEqual([expect.stringMatching(/^flow: must be "dbc"/)]);
  });

  it('B19 C-CONFIG-06 C-WIRE-08 treats a quote mint of null, none, and wrapped SOL alike', () => {
    const meanings = [{}, { quoteMint: null }, { quoteMint: WRAPPED_SOL }].map((change) => {
      expect(config(change)).toEqual([]);
      return effectiveFeeShareConfig({ ...feeShareConfigRequest, ...change });
    });
    expect(new Set(meanings.map((meaning) => JSON.stringify(meaning))).size).toBe(1);
    expect(meanings[0]).toMatchObject({ quoteMint: WRAPPED_SOL, serviceConfigType: DEFAULT_CONFIG_TYPE });
  });

  it('B20 C-CONFIG-15 refuses the 85%-locked type for a quote other than wrapped SOL', () => {
    const serviceConfigType = LOCKED_85_CONFIG_TYPE;
    expect(config({ serviceConfigType, quoteMint: QUOTE })).toEqual([
      expect.stringMatching(/^serviceConfigType: the 85%-locked type is unavailable/),
    ]);
    expect(config({ serviceConfigType, quoteMint: WRAPPED_SOL })).toEqual([]);
    expect(config({ serviceConfigType })).toEqual([]);
  });

  it('B22 C-CONFIG-07 refuses a token program other than the two', () => {
    expect(config({ quoteTokenProgram: WALLET })[0]).toMatch(/^quoteTokenProgram: must be the Token program/);
    for (const quoteTokenProgram of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM, null]) {
      expect(config({ quoteTokenProgram })).toEqual([]);
    }
  });

  it.each(['00000000-0000-0000-0000-000000000000', 'Default', DEFAULT_CONFIG_TYPE.toUpperCase()])(
    'B24 refuses %s as a config type',
    (serviceConfigType) => {
      expect(config({ serviceConfigType })).toEqual([
        expect.stringMatching(/^serviceConfigType: must be .*2% Flat, 85% Locked/),
      ]);
    },
  );

  it('C-CONFIG-20 … 26 supports seven config types, each described under its own id', () => {
    expect(CONFIG_TYPE_IDS).toHaveLength(7);
    for (const id of CONFIG_TYPE_IDS) {
      expect(CONFIG_TYPES[id].id).toBe(id);
      expect(config({ serviceConfigType: id })).toEqual([]);
    }
  });
});

describe('partner, admin and tip', () => {
  it('B23 C-CONFIG-08 refuses a partner without its config, and notes a config without partner', () => {
    expect(config({ partner: QUOTE })).toEqual([expect.stringMatching(/^partnerConfig: is required/)]);
    const request = { ...feeShareConfigRequest, partnerConfig: QUOTE };
    expect(problems('feeShareConfig', request)).toEqual([]);
    expect(feeShareConfigNotes(request)).toContain(
      'partnerConfig is given without partner: it has no effect.',
    );
  });

  it('B33 accepts an admin who is not a claimer', () => {
    const request = { ...feeShareConfigRequest, admin: QUOTE };
    expect(problems('feeShareConfig', request)).toEqual([]);
  });

  it('C-CONFIG-09 defaults the admin to the claimer of everything', () => {
    const whole = { ...feeShareConfigRequest, basisPointsArray: [0, 10_000] };
    expect(effectiveFeeShareConfig(whole).admin).toBe(whole.claimersArray[1]);
    expect(effectiveFeeShareConfig(feeShareConfigRequest).admin).toBeUndefined();
  });

  it.each([-1, 1.5, 2 ** 53, '5'])('B25 refuses a tip of %s', (tipLamports) => {
    expect(config({ tipWallet: QUOTE, tipLamports })).toEqual([
      'tipLamports: must be a whole number from 0 to 9007199254740991',
    ]);
  });

  it('B25 C-FIELD-11 accepts a tip without a receiver, as the contract does', () => {
    for (const tip of [{ tipLamports: 5 }, { tipLamports: null, tipWallet: null }, { tipWallet: QUOTE }])
      expect(config(tip)).toEqual([]);
  });
});

describe('format, fee limits and tables', () => {
  it.each(['legacy', 'V0', ''])('B27 C-FIELD-12 refuses the format %s', (transactionFormat) => {
    expect(config({ transactionFormat })).toEqual(['transactionFormat: must be "v0" or "v1"']);
  });

  const limit = { asset: { mint: QUOTE, tokenProgram: TOKEN_PROGRAM }, basisPoints: 0, maximumFeeRaw: '0' };

  it('B28 C-FIELD-09 refuses a fifth fee limit', () => {
    expect(config({ feeLimits: Array(4).fill(limit) })).toEqual([]);
    expect(config({ feeLimits: Array(5).fill(limit) })).toEqual(['feeLimits: at most 4 fee limits']);
  });

  it.each(['01', '-1', '1e3', (2n ** 64n).toString(), '', ' 1', '1.0', '+1', '1'.repeat(1000)])(
    'B29 refuses the raw amount "%s"',
    (maximumFeeRaw) => {
      expect(config({ feeLimits: [{ ...limit, maximumFeeRaw }] })).toEqual([
        expect.stringMatching(
          /^feeLimits\.0\.maximumFeeRaw: must be a whole number of base units as decimal text/,
        ),
      ]);
    },
  );

  it('B29 C-FIELD-04 accepts the largest u64', () => {
    expect(config({ feeLimits: [{ ...limit, maximumFeeRaw: (2n ** 64n - 1n).toString() }] })).toEqual([]);
  });

  it('B30 refuses a rate above 10000', () => {
    expect(config({ feeLimits: [{ ...limit, basisPoints: 10_001 }] })).toEqual([
      'feeLimits.0.basisPoints: must be a whole number from 0 to 10000',
    ]);
  });

  it.each([
    ['a bare mint', QUOTE],
    ['no token program', { mint: QUOTE }],
    ['an extra field', { mint: QUOTE, tokenProgram: TOKEN_PROGRAM, decimals: 6 }],
  ])('B31 refuses an asset reference with %s', (_, asset) => {
    expect(config({ feeLimits: [{ ...limit, asset }] })).toHaveLength(1);
  });

  it('B32 C-FIELD-10 refuses nine lookup tables and the same one twice', () => {
    expect(config({ additionalLookupTables: claimers(9) })).toEqual([
      'additionalLookupTables: at most 8 lookup tables',
    ]);
    expect(config({ additionalLookupTables: [QUOTE, QUOTE] })).toEqual([
      'additionalLookupTables.1: repeats entry 0: name each lookup table once',
    ]);
    expect(config({ additionalLookupTables: claimers(8) })).toEqual([]);
  });

  it('C-CONFIG-01 C-CONFIG-10 C-CONFIG-11 accepts a request that uses every field, and null for every optional one', () => {
    expect(problems('feeShareConfig', fullFeeShareConfigRequest)).toEqual([]);
    const optional = Object.keys(fullFeeShareConfigRequest).filter(
      (key) => !Object.hasOwn(feeShareConfigRequest, key),
    );
    expect(optional).toHaveLength(12);
    expect(config(Object.fromEntries(optional.map((key) => [key, null])))).toEqual([]);
  });
});

describe('C-UPDATE-01 updating a config', () => {
  it('applies the same rules to the new split', () => {
    const update = {
      baseMint: QUOTE,
      payer: WALLET,
      claimersArray: [WALLET, WALLET],
      basisPointsArray: [1, 2],
    };
    expect(problems('updateFeeShareConfig', update)).toEqual([
      expect.stringMatching(/^claimersArray\.1: repeats/),
      expect.stringMatching(/^basisPointsArray: adds up to 3/),
    ]);
  });
});
