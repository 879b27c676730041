/** Read-back of launches on the curve and in separate pools, from the accounts of the real programs by our own RPC. */

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { tokenNote } from '../../src/plan/notes.ts';
import type { Plan } from '../../src/plan/types.ts';
import {
  customizablePoolAddress,
  positionAddress,
  positionNftAccountAddress,
} from '../../src/programs/dammV2/addresses.ts';
import { dbcPoolAddress } from '../../src/programs/dbc/addresses.ts';
import { feeShareAuthorityAddress, feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { metadataAddress } from '../../src/programs/tokenMetadata/addresses.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home } from './home.ts';
import {
  allowingAll,
  closed,
  ended,
  landed,
  ownedBy,
  readBack,
  realConfig,
  realHome,
  type Shown,
  written,
} from './real.ts';
import { launchRequest } from './requests.ts';

let home: Home;
beforeAll(async () => {
  home = await realHome();
});
afterAll(() => ended(home));

const thief = testKey('thief').address;
/** Offsets of the public interfaces. */
const POOL_AT = { config: 72, creator: 104, mint: 136 };
const TERMS_AT = { quote: 8, feeClaimer: 40 };
const POSITION_AT = { unlocked: 152, vested: 168, locked: 184 };
const MINT_AT = { mintAuthority: 0, freezeAuthority: 46 };
const FINISHED_AT = 176;
/** Offset in a metadata account: type, update authority and mint, then padded name and symbol, then the link. */
const LINK_AT = 1 + 32 + 32 + (4 + 32) + (4 + 10) + 4;
const AMOUNT_AT = 64;
const OWNER_AT = 32;
/** A mint with an authority: its tag, then its key. */
const authority =
  (offset: number): Shown =>
  (account) =>
    written(offset + 4, thief)(written(offset, [1, 0, 0, 0])(account));

type Lies = () => Record<string, Shown>;

/** Landed launch, its read-back, and its token. */
interface Launched {
  readonly plan: Plan;
  readonly next: string;
  readonly mint: string;
  readonly config: string;
}

/** Returns a chain on which landed transactions bring no tokens. */
const chainWithoutPayout = (): Partial<Chain> => ({
  landed: async (signature) => {
    const transaction = await home.deps.chain.landed(signature);
    return transaction && { ...transaction, tokensAfter: transaction.tokensBefore };
  },
});

/** Checks common to all launches: the token, its link, its config and the first buy. */
function commonChecks(launched: () => Launched): void {
  it.each<[string, Lies, string]>([
    [
      'a mint authority',
      () => ({ [launched().mint]: authority(MINT_AT.mintAuthority) }),
      'mint authority of the token',
    ],
    [
      'a freeze authority',
      () => ({ [launched().mint]: authority(MINT_AT.freezeAuthority) }),
      'freeze authority of',
    ],
    [
      'another link',
      () => ({ [metadataAddress(launched().mint)]: written(LINK_AT + 10, [120]) }),
      'metadata link',
    ],
    ['an unfinished config', () => ({ [launched().config]: written(FINISHED_AT, [0]) }), 'not finalized'],
  ])('is incomplete, with the difference named, with %s', async (_, lies, message) => {
    expect(await readBack(home, launched().plan, lies())).toEqual({
      seen: false,
      problem: expect.stringContaining(message),
    });
  });

  it('is complete under the names registered here and not under another (T137)', async () => {
    const { plan, mint } = launched();
    const registered = (name: string) =>
      home.deps.ledger.setNote(tokenNote(mint, plan.principal), JSON.stringify({ name, symbol: 'TST' }));
    await registered('Another');
    const another = await readBack(home, plan, {});
    expect(another).toEqual({ seen: false, problem: expect.stringContaining('name of the token') });
    await registered('Test');
    expect(await readBack(home, plan, {})).toMatchObject({ seen: true });
  });

  it('is incomplete if the first buy brought nothing', async () => {
    expect(await readBack(home, launched().plan, {}, chainWithoutPayout())).toEqual({
      seen: false,
      problem: expect.stringContaining('no token arrived in the wallet'),
    });
  });

  it.each<[string, Lies, () => string]>([
    ['token', () => ({ [launched().mint]: closed }), () => `token at ${launched().mint}`],
    [
      'token of another program',
      () => ({ [launched().mint]: ownedBy(thief) }),
      () => `token at ${launched().mint}`,
    ],
    ['name', () => ({ [metadataAddress(launched().mint)]: closed }), () => 'name of the token'],
    ['config', () => ({ [launched().config]: closed }), () => `fee share config at ${launched().config}`],
    [
      'config of another program',
      () => ({ [launched().config]: ownedBy(TOKEN_PROGRAM) }),
      () => 'is not owned by',
    ],
  ])('is incomplete without its %s, with a next step', async (_, lies, message) => {
    const effect = await readBack(home, launched().plan, lies());
    expect(effect).toEqual({ seen: false, doubt: expect.stringContaining(message()) });
    expect(effect).toMatchObject({ doubt: expect.stringContaining('Submit the plan again to check again') });
  });
}

describe('a launch on the curve', () => {
  let launch: Launched;
  let configKey: string;
  let pool: string;
  beforeAll(async () => {
    const { mint, uri, request } = await realConfig(home, 'dbc');
    configKey = String((await landed(home, 'feeShareConfig', request)).plan.answer.venueConfigKey);
    const { plan, done } = await landed(home, 'curveLaunch', {
      ...{ ipfs: uri, tokenMint: mint, wallet: home.wallet, configKey },
      initialBuyLamports: 20_000_000,
    });
    expect(done).toMatchObject({ status: 'complete' });
    launch = { plan, next: done.next ?? '', mint, config: feeShareConfigAddress(mint) };
    pool = dbcPoolAddress(configKey, mint, WSOL_MINT);
  });
  commonChecks(() => launch);

  test('is complete once its read-back matches the request, and the plan shows the read-back', async () => {
    expect(launch.next).toContain(
      'Done. Read back from the chain: its fees go to the fee share of 2 claimers',
    );
    expect(launch.next).toContain(`the pool ${pool} on the curve was created by ${home.wallet}`);
    expect((await home.plans.get(launch.plan.planId)).next).toBe(launch.next);
  });

  it.each<[string, Lies, () => string]>([
    [
      'other terms',
      () => ({ [pool]: written(POOL_AT.config, thief) }),
      () => `terms of the pool (is ${thief}`,
    ],
    [
      'another creator',
      () => ({ [pool]: written(POOL_AT.creator, thief) }),
      () => `creator of the pool (is ${thief}`,
    ],
    [
      'another token',
      () => ({ [pool]: written(POOL_AT.mint, thief) }),
      () => `token of the pool (is ${thief}`,
    ],
    [
      'another claimer',
      () => ({ [configKey]: written(TERMS_AT.feeClaimer, thief) }),
      () => `fee claimer of the curve (is ${thief}`,
    ],
    [
      'another quote',
      () => ({ [configKey]: written(TERMS_AT.quote, thief) }),
      () => `quote of the curve (is ${thief}`,
    ],
  ])('is incomplete, with the difference named, when its pool has %s', async (_, lies, message) => {
    expect(await readBack(home, launch.plan, lies())).toEqual({
      seen: false,
      problem: expect.stringContaining(message()),
    });
  });

  it.each<[string, Lies, () => string]>([
    [
      'whose pool is closed',
      () => ({ [pool]: closed }),
      () => `pool at ${pool} (our RPC shows no account there)`,
    ],
    [
      'whose pool belongs to another program',
      () => ({ [pool]: ownedBy(TOKEN_PROGRAM) }),
      () => `pool at ${pool}`,
    ],
    [
      'whose terms belong to another program',
      () => ({ [configKey]: ownedBy(TOKEN_PROGRAM) }),
      () => `terms of the curve at ${configKey}`,
    ],
  ])('%s is incomplete, with a next step', async (_, lies, message) => {
    expect(await readBack(home, launch.plan, lies())).toEqual({
      seen: false,
      doubt: expect.stringContaining(message()),
    });
  });

  test('in another quote is complete, and names the program that holds the claimers', async () => {
    const quoteMint = [...home.sandbox.service.quotes.values()].find(({ symbol }) => symbol === 'USDC')?.mint;
    const all = allowingAll(home);
    try {
      const { mint, uri, request } = await realConfig(home, 'dbc', { quoteMint });
      const { answer } = (await landed(all, 'feeShareConfig', request)).plan;
      const config = String(answer.feeShareConfig);
      const { plan, done } = await landed(all, 'curveLaunchV2', {
        ...{ ipfs: uri, tokenMint: mint, wallet: home.wallet, quoteMint },
        ...{ configKey: answer.venueConfigKey, feeShareConfig: config },
      });
      expect(done).toMatchObject({
        status: 'complete',
        next: expect.stringContaining(`${config} belongs to the unsupported program`),
      });
      expect(done.next).toContain('its fees go to the fee share of 2 claimers');
      const stolen = { [String(answer.venueConfigKey)]: written(TERMS_AT.feeClaimer, thief) };
      expect(await readBack(home, plan, stolen)).toMatchObject({
        problem: expect.stringContaining(`fee claimer of the curve (is ${thief}`),
      });
      expect(await readBack(home, plan, { [config]: closed })).toMatchObject({
        ...{ seen: false, lasting: true },
        doubt: expect.stringContaining(config),
      });
    } finally {
      await all.close();
    }
  });
});

describe('a launch in a pool of its own', () => {
  let launch: Launched;
  let pool: string;
  let nft: string;
  /** Account of the fee share's position. */
  let held: string;
  beforeAll(async () => {
    const { mint, uri, request } = await realConfig(home, 'damm_v2_direct');
    const config = feeShareConfigAddress(mint);
    await landed(home, 'feeShareConfig', request);
    const { plan, done } = await landed(home, 'dammLaunchV2', {
      ...{ ipfs: uri, tokenMint: mint, wallet: home.wallet, quoteMint: WSOL_MINT },
      ...{ feeShareConfig: config, initialBuyQuoteRaw: '50000000' },
    });
    expect(done).toMatchObject({ status: 'complete' });
    launch = { plan, next: done.next ?? '', mint, config };
    pool = customizablePoolAddress(mint, WSOL_MINT);
    nft = home.sandbox.service.keys.position(mint, 'feeClaimer').address;
    held = associatedTokenAddress(feeShareAuthorityAddress(mint), nft, TOKEN_2022_PROGRAM);
  });
  commonChecks(() => launch);

  test('is complete once its read-back matches the request, and the plan shows the read-back', async () => {
    expect(launch.next).toContain(`the pool ${pool} is of this token`);
    expect(launch.next).toContain('the liquidity of its 2 positions is permanently locked');
    expect(launch.next).toMatch(/its fee share holds (49|50)% of that liquidity/);
  });

  it.each<[string, Lies, () => string]>([
    [
      'unlocked liquidity',
      () => ({ [positionAddress(nft)]: written(POSITION_AT.unlocked, [1]) }),
      () => `position ${positionAddress(nft)} (not all of it is permanently locked)`,
    ],
    [
      'temporarily locked liquidity',
      () => ({ [positionAddress(nft)]: written(POSITION_AT.vested, [1]) }),
      () => 'not all of it is permanently locked',
    ],
    [
      'a fee share with an empty position',
      () => ({ [positionAddress(nft)]: written(POSITION_AT.locked, Array(16).fill(0)) }),
      () => 'position of the fee share',
    ],
    [
      'a position of another holder',
      () => ({ [held]: written(OWNER_AT, thief) }),
      () => 'position of the fee share',
    ],
    [
      'a fee share without a position',
      () => ({ [held]: written(AMOUNT_AT, [0]) }),
      () => 'position of the fee share',
    ],
    ['a transferred position', () => ({ [held]: closed }), () => 'position of the fee share'],
    ['a holder of another program', () => ({ [held]: ownedBy(thief) }), () => 'position of the fee share'],
    [
      'a position of another program',
      () => ({ [positionAddress(nft)]: ownedBy(thief) }),
      () => 'position of the fee share',
    ],
  ])('is incomplete, with the difference named, with %s', async (_, lies, message) => {
    expect(await readBack(home, launch.plan, lies())).toEqual({
      seen: false,
      problem: expect.stringContaining(message()),
    });
  });

  it.each<[string, Lies]>([
    ['is closed', () => ({ [pool]: closed })],
    ['belongs to another program', () => ({ [pool]: ownedBy(TOKEN_PROGRAM) })],
    ['is of another token', () => ({ [pool]: written(168, thief) })],
  ])('is incomplete, with a next step, if its pool %s', async (_, lies) => {
    expect(await readBack(home, launch.plan, lies())).toEqual({
      seen: false,
      doubt: expect.stringContaining('pool of the token (0 pools in the landed transactions)'),
    });
  });

  test('counts a position at the address the program gave it when opened for the fee share', async () => {
    const opened = positionNftAccountAddress(nft);
    const { value } = await home.deps.chain.accounts([held], 'confirmed');
    const there: Shown = (account) => ({ ...account, ...value[0], address: account.address });
    expect(await readBack(home, launch.plan, { [opened]: there, [held]: closed })).toMatchObject({
      seen: true,
    });
  });
});

describe('a custody launch', () => {
  test('is complete by its token and pool, and reports the claimers as unverified', async () => {
    const all = allowingAll(home);
    try {
      const { plan, done } = await landed(all, 'dammLaunch', await launchRequest(home));
      expect(done).toMatchObject({ status: 'complete' });
      expect(done.next).toContain('an unsupported custody program and were not verified');
      const mint = String(plan.request.fields.tokenMint);
      const pool = String(Object(plan.answer.launch).pool);
      expect(await readBack(home, plan, { [mint]: authority(MINT_AT.mintAuthority) })).toEqual({
        seen: false,
        problem: expect.stringContaining('mint authority of the token'),
      });
      expect(await readBack(home, plan, { [pool]: closed })).toEqual({
        seen: false,
        doubt: expect.stringContaining('pool of the token'),
      });
      const nft = String(Object(plan.answer.launch).feeClaimerPositionNftMint);
      expect(
        await readBack(home, plan, { [positionAddress(nft)]: written(POSITION_AT.unlocked, [1]) }),
      ).toEqual({
        seen: false,
        problem: expect.stringContaining('not all of it is permanently locked'),
      });
    } finally {
      await all.close();
    }
  });
});
