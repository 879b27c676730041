/** Read-back of configs and changed splits from the real program's accounts by our own RPC. */
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { endpoints } from '../../src/contract/index.ts';
import type { Plan } from '../../src/plan/types.ts';
import {
  FEE_SHARE_PROGRAM,
  feeShareConfigAddress,
  partnerConfigAddress,
} from '../../src/programs/feeShare/addresses.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home } from './home.ts';
import { codeOf } from './homes.ts';
import {
  allowingAll,
  closed,
  ended,
  landed,
  lyingAbout,
  ownedBy,
  readBack,
  realConfig,
  realHome,
  type Shown,
  written,
} from './real.ts';
import { configRequest } from './requests.ts';

let home: Home;
let plan: Plan;
let next: string;
let request: Readonly<Record<string, unknown>>;
/** Accounts of the config and of its curve's terms. */
let config: string;
let terms: string;
beforeAll(async () => {
  home = await realHome();
  const configRequested = await realConfig(home, 'dbc');
  request = configRequested.request;
  const { plan: stored, done } = await landed(home, 'feeShareConfig', request);
  expect(done).toMatchObject({ status: 'complete' });
  plan = stored;
  next = done.next ?? '';
  config = feeShareConfigAddress(configRequested.mint);
  terms = String(plan.answer.venueConfigKey);
});
afterAll(() => ended(home));

const thief = testKey('thief').address;
/** Offsets of the public interface; wallets start at 184, followed by their shares. */
const AT = { partner: 72, manager: 136, finished: 176, changing: 177, wallets: 184, shares: 184 + 2 * 32 };
const TERMS_AT = { quote: 8, feeClaimer: 40, firstSwapWithMinFee: 365 };
const BPS_1 = [1, 0];

/** Adds a claimer of one basis point. */
const oneMore: Shown = (account) => {
  const data = Buffer.from(account.data, 'base64');
  const more = Buffer.from(
    written(0, thief)({ ...account, data: Buffer.alloc(32).toString('base64') }).data,
    'base64',
  );
  const parts = [data.subarray(0, AT.shares), more, data.subarray(AT.shares), Buffer.from(BPS_1)];
  return { ...account, data: Buffer.concat(parts).toString('base64') };
};
const cut: Shown = (account) => ({
  ...account,
  data: Buffer.from(account.data, 'base64').subarray(0, 100).toString('base64'),
});

describe('a config of the real program', () => {
  test('is complete once its read-back matches the request, and the plan shows the read-back', async () => {
    expect(next).toContain('Done. Read back from the chain: 2 claimers with the requested shares');
    expect(next).toContain(`${home.wallet} may change them`);
    expect(next).toContain(`the terms of its curve are ${terms}`);
    expect((await home.plans.get(plan.planId)).next).toBe(next);
    expect(await readBack(home, plan)).toMatchObject({ seen: true });
  });

  const claimer = () => home.sandbox.service.keys.treasury.address;
  it.each<[string, () => Record<string, Shown>, () => string]>([
    [
      'another claimer',
      () => ({ [config]: written(AT.wallets + 32, thief) }),
      () => `claimer ${thief} (has 4000 basis points, was not requested)`,
    ],
    [
      'an extra claimer',
      () => ({ [config]: oneMore }),
      () => `claimer ${thief} (has 1 basis points, was not requested)`,
    ],
    [
      'a duplicate claimer',
      () => ({ [config]: written(AT.wallets + 32, home.wallet) }),
      () => `share of ${home.wallet} (asked for 6000 basis points, has 10000)`,
    ],
    [
      'another share',
      () => ({ [config]: written(AT.shares + 2, BPS_1) }),
      () => `share of ${claimer()} (asked for 4000 basis points, has 1)`,
    ],
    [
      'an unfinished change',
      () => ({ [config]: written(AT.changing, [1]) }),
      () => 'an update is in progress',
    ],
    ['an unfinished list', () => ({ [config]: written(AT.finished, [0]) }), () => 'not finalized'],
    ['another manager', () => ({ [config]: written(AT.manager, thief) }), () => `admin (is ${thief}`],
    [
      'no manager',
      () => ({ [config]: written(AT.manager, Array(32).fill(0)) }),
      () => 'admin (is no address',
    ],
    ['a partner', () => ({ [config]: written(AT.partner, thief) }), () => `partner (is ${thief}`],
    [
      'another claimer of its curve',
      () => ({ [terms]: written(TERMS_AT.feeClaimer, thief) }),
      () => `fee claimer of the curve (is ${thief}`,
    ],
    [
      'another quote of its curve',
      () => ({ [terms]: written(TERMS_AT.quote, thief) }),
      () => `quote of the curve (is ${thief}`,
    ],
    [
      'another fee of the first swap',
      () => ({ [terms]: written(TERMS_AT.firstSwapWithMinFee, [1]) }),
      () => 'firstSwapMinFee',
    ],
  ])('is incomplete, with the difference named, when its account says %s', async (_, shown, message) => {
    expect(await readBack(home, plan, shown())).toEqual({
      seen: false,
      problem: expect.stringContaining(message()),
    });
  });

  it.each<[string, () => Record<string, Shown>, () => string]>([
    [
      'belongs to another program',
      () => ({ [config]: ownedBy(TOKEN_PROGRAM) }),
      () => `not owned by ${FEE_SHARE_PROGRAM}`,
    ],
    ['is closed', () => ({ [config]: closed }), () => 'our RPC shows no account there'],
    ['is truncated', () => ({ [config]: cut }), () => '100 bytes are not the length'],
    [
      'has terms of its curve that belong to another program',
      () => ({ [terms]: ownedBy(TOKEN_PROGRAM) }),
      () => `terms of the curve at ${terms}`,
    ],
    [
      'has terms of its curve that are closed',
      () => ({ [terms]: closed }),
      () => `terms of the curve at ${terms}`,
    ],
  ])('is incomplete, with a next step, when it %s', async (_, shown, message) => {
    const effect = await readBack(home, plan, shown());
    expect(effect).toEqual({ seen: false, doubt: expect.stringContaining(message()) });
    expect(effect).toMatchObject({ doubt: expect.stringContaining('Submit the plan again to check again') });
  });

  test('is read at its derived address, whatever account the answer names', async () => {
    const lying = { ...plan, answer: { ...plan.answer, feeShareConfig: thief } };
    expect(await readBack(home, lying)).toMatchObject({ seen: true });
    expect(await readBack(home, lying, { [config]: closed })).toMatchObject({ seen: false });
  });

  test('is incomplete if the answer names curve terms that its stages did not create', async () => {
    const lying = { ...plan, answer: { ...plan.answer, venueConfigKey: thief } };
    expect(await readBack(home, lying)).toEqual({
      seen: false,
      problem: expect.stringContaining(`the service names ${thief}, but ${terms} was created`),
    });
  });

  test('stays unknown while an RPC shows another claimer, and is complete by an honest RPC without another signature', async () => {
    const { mint, request: asked } = await realConfig(home, 'damm_v2_direct');
    const lying = lyingAbout(home, { [feeShareConfigAddress(mint)]: written(AT.wallets, thief) });
    try {
      const { plan: stored, done } = await landed(lying, 'feeShareConfig', asked);
      expect(done).toMatchObject({ status: 'unknown', next: expect.stringContaining(`claimer ${thief}`) });
      expect(await codeOf(lying, stored.planId)).toBe('EFFECT_NOT_SEEN');
      await lying.plans.stop();
      const before = home.signatures;
      expect(await home.submit(stored.planId)).toMatchObject({ status: 'complete' });
      expect(home.signatures).toBe(before);
    } finally {
      await lying.close();
    }
  });

  test('with a partner is complete', async () => {
    const partner = home.sandbox.service.keys.sponsor.address;
    const { plan: stored, done } = await landed(home, 'feeShareConfig', await partnered(home, partner));
    expect(done).toMatchObject({ status: 'complete' });
    const { baseMint } = stored.request.fields;
    const shown = { [feeShareConfigAddress(String(baseMint))]: written(AT.partner, Array(32).fill(0)) };
    expect(await readBack(home, stored, shown)).toMatchObject({
      problem: expect.stringContaining(`partner (is no address, requested ${partner})`),
    });
  });

  test('of a hundred claimers is complete', async () => {
    const request = { ...(await configRequest(home, 100)), flow: 'damm_v2_direct' };
    const { done } = await landed(home, 'feeShareConfig', request);
    expect(done).toMatchObject({ status: 'complete', next: expect.stringContaining('100 claimers') });
  });

  describe('in another quote', () => {
    let all: Home;
    let stored: Plan;
    let request: Readonly<Record<string, unknown>>;
    let config: string;
    beforeAll(async () => {
      const quoteMint = [...home.sandbox.service.quotes.values()].find(
        ({ symbol }) => symbol === 'USDC',
      )?.mint;
      all = allowingAll(home);
      request = (await realConfig(home, 'damm_v2_direct', { quoteMint })).request;
      const { plan: landedPlan, done } = await landed(all, 'feeShareConfig', request);
      stored = landedPlan;
      config = String(stored.answer.feeShareConfig);
      expect(done).toMatchObject({
        status: 'complete',
        next: expect.stringMatching(new RegExp(`${config} belongs to the unsupported program .*2 claimers`)),
      });
    });
    afterAll(() => all.close());

    test('is compared with the request if its program uses the known layout', async () => {
      expect(await readBack(home, stored, { [config]: written(AT.wallets + 32, thief) })).toMatchObject({
        problem: expect.stringContaining(`claimer ${thief} (has 4000 basis points, was not requested)`),
      });
    });

    test('exists without the known layout: complete, with claimers reported as unverified', async () => {
      const foreign = { [config]: written(0, Array(8).fill(7)) };
      expect(await readBack(home, stored, foreign)).toMatchObject({
        seen: true,
        verified: expect.stringMatching(
          /belongs to the unsupported program .* its claimers were not verified/,
        ),
      });
      // A wallet account, or an account untouched by the plan, is not its config.
      for (const lies of [{ [config]: ownedBy('11111111111111111111111111111111') }, { [config]: closed }])
        expect(await readBack(home, stored, lies)).toMatchObject({ seen: false, lasting: true });
      const named = { ...stored, answer: { ...stored.answer, feeShareConfig: FEE_SHARE_PROGRAM } };
      expect(await readBack(home, named, foreign)).toMatchObject({ seen: false, lasting: true });
    });

    test('is not shown by our RPC: landed and unverified, with the account, until it is shown', async () => {
      const { mint, request: next } = await realConfig(home, 'damm_v2_direct', {
        quoteMint: request.quoteMint,
      });
      const message = await home.call('feeShareConfig', next);
      const other = String(Object(message).feeShareConfig);
      const blind = allowingAll(home, { [other]: closed });
      const { plan: unseen, done } = await landed(blind, 'feeShareConfig', next);
      await blind.close();
      expect(done).toMatchObject({ status: 'landed_unverified', next: expect.stringContaining(other) });
      expect(done.next).toContain(mint);
      expect(await all.submit(unseen.planId, 50)).toMatchObject({ status: 'complete' });
    });

    test('is found if it exists already', async () => {
      const { note } = await all.plans.open(
        'feeShareConfig',
        endpoints.feeShareConfig.request.parse({ ...request, basisPointsArray: [5000, 5000] }),
        endpoints.feeShareConfig.response.parse({ ...stored.answer, needsCreation: false, plan: null }),
      );
      expect(note).toContain(`share of ${home.wallet} (asked for 5000 basis points, has 6000)`);
    });

    test('changes its split, and the claimers are read back', async () => {
      const { plan: changed, done } = await landed(all, 'updateFeeShareConfig', {
        baseMint: request.baseMint,
        payer: home.wallet,
        claimersArray: [thief, home.wallet],
        basisPointsArray: [2500, 7500],
      });
      expect(done).toMatchObject({ status: 'complete', next: expect.stringContaining('2 claimers') });
      expect(await readBack(home, changed, { [config]: written(AT.shares, BPS_1) })).toMatchObject({
        problem: expect.stringContaining(`share of ${thief} (asked for 2500 basis points, has 1)`),
      });
    });
  });
});

async function partnered(of: Home, partner: string) {
  const { request: asked } = await realConfig(of, 'damm_v2_direct');
  return { ...asked, partner, partnerConfig: partnerConfigAddress(partner) };
}

describe('a changed split', () => {
  test('of the real program is complete once the account matches it, and not before', async () => {
    const { mint, request: asked } = await realConfig(home, 'damm_v2_direct');
    await landed(home, 'feeShareConfig', asked);
    const { plan: stored, done } = await landed(home, 'updateFeeShareConfig', {
      baseMint: mint,
      payer: home.wallet,
      claimersArray: [thief, home.wallet],
      basisPointsArray: [2500, 7500],
    });
    expect(done).toMatchObject({
      status: 'complete',
      next: 'Done. Read back from the chain: 2 claimers with the requested shares.',
    });
    const at = feeShareConfigAddress(mint);
    expect(await readBack(home, stored, { [at]: written(AT.shares, BPS_1) })).toEqual({
      seen: false,
      problem: expect.stringContaining(`share of ${thief} (asked for 2500 basis points, has 1)`),
    });
    for (const shown of [closed, ownedBy(TOKEN_PROGRAM)]) {
      expect(await readBack(home, stored, { [at]: shown })).toEqual({
        seen: false,
        doubt: expect.stringContaining(`fee share config at ${at}`),
      });
    }
  });
});

describe('an existing config', () => {
  const open = async (requested: object, answer: object = {}) => {
    const message = await home.call('feeShareConfig', request);
    const { note } = await home.plans.open(
      'feeShareConfig',
      endpoints.feeShareConfig.request.parse({ ...request, ...requested }),
      endpoints.feeShareConfig.response.parse({ ...Object(message), ...answer }),
    );
    return note ?? '';
  };
  const other = { basisPointsArray: [5000, 5000] };

  test('is compared with the request, field by field', async () => {
    const note = await open(other);
    expect(note).toContain(`plan ${plan.planId} of this home created it, and it does NOT match the request`);
    expect(note).toContain(`share of ${home.wallet} (asked for 5000 basis points, has 6000)`);
  });

  test('is verified on chain, and the read-back is shown', async () => {
    const elsewhere = {
      claimersArray: [home.sandbox.service.keys.treasury.address, home.wallet],
      basisPointsArray: [4000, 6000],
    };
    const note = await open(elsewhere);
    expect(note).toContain('Its split was verified on chain');
    expect(note).toContain(`the terms of its curve are ${terms}`);
  });

  test("is read at its derived address, and a mismatch with the service's address is reported", async () => {
    const note = await open(other, { feeShareConfig: thief });
    expect(note).toContain('NOT match the request');
    expect(note).toContain(`The service names another account (${thief})`);
  });

  test('is not verified by curve terms that cannot be read', async () => {
    const elsewhere = {
      claimersArray: [home.sandbox.service.keys.treasury.address, home.wallet],
      basisPointsArray: [4000, 6000],
    };
    const note = await open(elsewhere, { venueConfigKey: thief });
    expect(note).toContain(`Could not be read: terms of the curve at ${thief}`);
    expect(note).not.toContain('verified on chain: every');
  });
});
