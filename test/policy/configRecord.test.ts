/** What a config must say, worked out from the request alone, with the contract's defaults (docs/contract.md). */
import { describe, expect, it } from 'vitest';
import {
  configBytes,
  isFeeLimit,
  requestedConfig,
} from '../../src/policy/decide/profiles/config/configRecord.ts';
import { TOKEN_2022_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';

const wallet = keyNamed('wallet').address;
const other = keyNamed('other').address;
const partner = keyNamed('partner').address;
const partnerConfig = keyNamed('partner config').address;
const quote = keyNamed('quote').address;
const LIMIT = {
  asset: { mint: quote, tokenProgram: TOKEN_2022_PROGRAM },
  basisPoints: 100,
  maximumFeeRaw: '5000',
};
const base = {
  baseMint: keyNamed('mint').address,
  flow: 'dbc',
  claimersArray: [wallet, other],
  basisPointsArray: [6_000, 4_000],
};
const wanted = (more: Record<string, unknown> = {}) =>
  requestedConfig({ request: { ...base, ...more }, wallet });

describe('a request for a config (T63)', () => {
  it('has the contract’s defaults, which need not be written', () => {
    const { fields, record } = wanted();
    expect(record.quoteMint).toBe(WSOL_MINT);
    expect(fields.has('quoteMint')).toBe(false);
    expect(record.admin).toBe(wallet);
    expect(record).not.toHaveProperty('partner');
    expect(record).not.toHaveProperty('partnerConfig');
    expect(record).not.toHaveProperty('feeLimits');
    expect(wanted({ quoteMint: quote }).fields.get('quoteMint')).toBe(quote);
    expect(wanted({ basisPointsArray: undefined }).record.claimers).toHaveLength(2);
  });

  it('makes the wallet with all shares the manager', () => {
    const whole = { claimersArray: [other], basisPointsArray: [10_000] };
    expect(wanted(whole).record.admin).toBe(other);
    expect(wanted({ ...whole, admin: wallet }).record.admin).toBe(wallet);
  });

  it('names a partner and its config, and no config without a partner', () => {
    expect(wanted({ partner, partnerConfig }).record).toMatchObject({ partner, partnerConfig });
    expect(wanted({ partner }).record).not.toHaveProperty('partnerConfig');
    expect(wanted({ partnerConfig }).record).not.toHaveProperty('partnerConfig');
    expect(wanted({ partner }).recipients.map(({ role }) => role)).toEqual([
      'claimer',
      'claimer',
      'admin',
      'partner',
    ]);
  });

  it('keeps fee limits of the agreed shape, and no others', () => {
    const bad: unknown[] = [
      null,
      'limit',
      {},
      { ...LIMIT, asset: undefined },
      { ...LIMIT, asset: null },
      { ...LIMIT, asset: 'mint' },
      { ...LIMIT, asset: {} },
      { ...LIMIT, asset: { mint: 7 } },
      { ...LIMIT, basisPoints: '100' },
      { ...LIMIT, maximumFeeRaw: 5000 },
      { ...LIMIT, maximumFeeRaw: '' },
      { ...LIMIT, maximumFeeRaw: '5000 ' },
      { ...LIMIT, maximumFeeRaw: 'a5000' },
      { ...LIMIT, maximumFeeRaw: '1'.repeat(21) },
      { asset: LIMIT.asset, basisPoints: 100 },
      { asset: LIMIT.asset, maximumFeeRaw: '5000' },
      { basisPoints: 100, maximumFeeRaw: '5000' },
    ];
    expect(isFeeLimit(LIMIT)).toBe(true);
    for (const each of bad) expect([each, isFeeLimit(each)]).toEqual([each, false]);
    expect(wanted({ feeLimits: [...bad, LIMIT] }).record.feeLimits).toBe(JSON.stringify([LIMIT]));
    expect(wanted({ feeLimits: 'all' }).record).not.toHaveProperty('feeLimits');
  });

  it('is not another one for another wallet, nor for a request that may still change', () => {
    const request = Object.freeze({ ...base });
    expect(requestedConfig({ request, wallet }).record.deployer).toBe(wallet);
    expect(requestedConfig({ request, wallet: other }).record).toMatchObject({
      deployer: other,
      admin: other,
    });
    const open: Record<string, unknown> = { ...base };
    expect(requestedConfig({ request: open, wallet }).fields.get('flow')).toBe('dbc');
    open.flow = 'damm_v2_direct';
    expect(requestedConfig({ request: open, wallet }).fields.get('flow')).toBe('damm_v2_direct');
  });
});

it('a config account is as long as its fields', () => {
  const short = configBytes(new Map([['key', 'value']]));
  expect(configBytes(new Map([['key', 'values']]))).toBe(short + 1);
  expect(configBytes(new Map([['keys', 'välue']]))).toBe(short + 2);
  expect(
    configBytes(
      new Map([
        ['key', 'value'],
        ['k', ''],
      ]),
    ),
  ).toBe(short + 9);
});
