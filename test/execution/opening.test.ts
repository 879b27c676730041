/** Opening a plan for an intent already fulfilled, by this home or by another. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EndpointRequest } from '../../src/contract/index.ts';
import { endpoints } from '../../src/contract/index.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';
import { landedConfig } from './requests.ts';

let home: Home;
beforeEach(async () => {
  home = await Home.withoutMarket();
});
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});

describe('a config that this home landed, requested in another way', () => {
  it('is not attributed to others, and the differences are named', async () => {
    const landed = await landedConfig(home);
    const request = { ...landed.request, basisPointsArray: [6000, 4000] };
    const answer = await home.call('feeShareConfig', landed.request);
    const [plan] = await home.ledger.rows('plans', { limit: 1 });
    const { note } = await home.plans.open(
      'feeShareConfig',
      endpoints.feeShareConfig.request.parse(request),
      endpoints.feeShareConfig.response.parse(answer),
    );
    expect(note).toContain(`plan ${plan?.planId} of this home created it, and it does NOT match the request`);
    expect(note).not.toContain('did not land');
  });
});

describe('a config that this home did not land', () => {
  let other: Home;
  let request: EndpointRequest<'feeShareConfig'>;
  let answer: Readonly<Record<string, unknown>>;
  beforeEach(async () => {
    const landed = await landedConfig(home);
    request = endpoints.feeShareConfig.request.parse(landed.request);
    answer = Object(await home.call('feeShareConfig', landed.request));
    other = Home.over(home.place, join(mkdtempSync(join(tmpdir(), 'other-')), 'ledger.db'));
  });
  afterEach(() => other.close());
  const open = (requested: object, answered: object = {}) =>
    other.plans.open(
      'feeShareConfig',
      endpoints.feeShareConfig.request.parse({ ...request, ...requested }),
      endpoints.feeShareConfig.response.parse({ ...answer, ...answered }),
    );

  it('is compared with the request and verified', async () => {
    expect(await open({})).toEqual({
      plan: null,
      note: `The config exists on chain, but was not created by this home. Its split was verified on chain: every claimer, share and admin matches the request. Read back: 2 claimers with the requested shares; ${home.wallet} may change them.`,
    });
  });

  it('is compared with the request, and differences are named', async () => {
    const thief = testKey('thief').address;
    const [first = '', second = ''] = request.claimersArray;
    const { note } = await open({
      claimersArray: [first, thief],
      basisPointsArray: [6000, 4000],
      admin: thief,
    });
    expect(note).toContain('NOT match the request');
    expect(note).toContain(`share of ${first} (asked for 6000 basis points, has 5000)`);
    expect(note).toContain(`claimer ${thief} (requested with 4000 basis points, is missing)`);
    expect(note).toContain(`claimer ${second} (has 5000 basis points, was not requested)`);
    expect(note).toContain(`admin (is ${home.wallet}, requested ${thief})`);
  });

  it.each([
    ['no config', () => home.wallet, () => home.wallet],
    ['not there', () => testKey('nowhere').address, () => testKey('nowhere').address],
    ['no address', () => 'nowhere', () => 'none'],
  ])(
    'is read at its derived address, and a service that names an account that is %s is detected',
    async (_, named, notice) => {
      const { note } = await open({}, { feeShareConfig: named() });
      expect(note).toContain('Its split was verified on chain');
      expect(note).toContain(`The service names another account (${notice()}) for it.`);
    },
  );

  it('is not verified while our RPC does not show it, whatever the service states', async () => {
    const unknown = { baseMint: testKey('a token without a config').address };
    const named = { feeShareConfig: testKey('nowhere').address };
    expect((await open(unknown, named)).note).toContain('does not show it: its split was not verified');
    expect((await open(unknown, { feeShareConfig: 'nowhere' })).note).toContain(
      'names no account for it: its split was not verified',
    );
  });
});
