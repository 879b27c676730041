import { describe, expect, it } from 'vitest';
import { CONFIG_TYPE_IDS, DEFAULT_CONFIG_TYPE, WRAPPED_SOL } from '../../src/contract/index.ts';
import {
  type ConfigRecord,
  claimerField,
  claimerIndex,
  configFields,
  type Field,
  feeLimitsText,
  parseClaimer,
  readConfig,
} from '../../src/contract/stockPrograms.ts';
import { addressFromBytes } from '../../src/transaction/base58.ts';
import fc from '../fc.ts';

const address = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => addressFromBytes(bytes));
const record: fc.Arbitrary<ConfigRecord> = fc
  .record({
    baseMint: address,
    flow: fc.constantFrom('dbc', 'damm_v2_direct'),
    quoteMint: fc.oneof(fc.constant(WRAPPED_SOL), address),
    admin: address,
    deployer: address,
    configType: fc.constantFrom(...CONFIG_TYPE_IDS),
    firstSwapMinFee: fc.boolean(),
    partner: fc.option(address, { nil: undefined }),
    claimers: fc.array(fc.record({ address, basisPoints: fc.integer({ min: 0, max: 10_000 }) }), {
      minLength: 1,
      maxLength: 100,
    }),
  })
  .map(({ partner, ...rest }) => ({
    ...rest,
    ...(partner === undefined ? {} : { partner, partnerConfig: partner }),
  }));

describe('a config in metadata fields', () => {
  it('reads back as what was written, in whatever order the fields landed', () => {
    fc.assert(
      fc.property(record, fc.infiniteStream(fc.nat()), (written, order) => {
        const fields = configFields(written).map((field) => ({ field, at: order.next().value ?? 0 }));
        const shuffled = fields.toSorted((a, b) => a.at - b.at).map(({ field }) => field);
        expect(readConfig(shuffled)).toEqual({ complete: true, record: written });
      }),
    );
  });

  it('is incomplete while any claimer is missing, and says which', () => {
    fc.assert(
      fc.property(record, fc.nat(), (written, pick) => {
        const index = pick % written.claimers.length;
        const fields = configFields(written).filter(([key]) => key !== `claimer.${index}`);
        const reading = readConfig(fields);
        expect(reading.complete).toBe(false);
        expect(reading).toMatchObject({ missing: [`claimer.${index}`] });
      }),
    );
  });

  it('is a problem with a claimer too many, an unknown field, or a share in another form', () => {
    const written: ConfigRecord = {
      baseMint: WRAPPED_SOL,
      flow: 'dbc',
      quoteMint: WRAPPED_SOL,
      admin: WRAPPED_SOL,
      deployer: WRAPPED_SOL,
      configType: DEFAULT_CONFIG_TYPE,
      firstSwapMinFee: false,
      claimers: [{ address: WRAPPED_SOL, basisPoints: 10_000 }],
    };
    const strays: Field[] = [
      claimerField(1, { address: WRAPPED_SOL, basisPoints: 1 }),
      ['owner', WRAPPED_SOL],
      ['claimer.0', `${WRAPPED_SOL}:010000`],
      ['claimer.0', `${WRAPPED_SOL}:10001`],
      ['claimer.00', `${WRAPPED_SOL}:1`],
    ];
    for (const stray of strays) {
      expect(readConfig([...configFields(written), stray])).toHaveProperty('problem');
    }
  });

  it('knows a claimer field only in its one written form', () => {
    expect(claimerIndex('claimer.99')).toBe(99);
    for (const key of ['claimer.100', 'claimer.01', 'claimer.-1', 'claimer.', 'Claimer.1']) {
      expect(claimerIndex(key)).toBeNull();
    }
    expect(parseClaimer(`${WRAPPED_SOL}:0`)).toEqual({ address: WRAPPED_SOL, basisPoints: 0 });
    for (const value of [WRAPPED_SOL, `${WRAPPED_SOL}:`, `${WRAPPED_SOL}:1.5`, `${WRAPPED_SOL}:1 `, ':1']) {
      expect(parseClaimer(value)).toBeNull();
    }
  });

  it('has one text for fee limits, whatever order their keys came in', () => {
    const asset = { tokenProgram: 'program', mint: 'mint' };
    const limit = { maximumFeeRaw: '5', basisPoints: 1, asset };
    expect(feeLimitsText([limit])).toBe(
      '[{"asset":{"mint":"mint","tokenProgram":"program"},"basisPoints":1,"maximumFeeRaw":"5"}]',
    );
  });
});
