/** Signatures reported as expired by our RPC: some had landed, some had not. */
import { afterEach, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/index.ts';
import { readSnapshot } from '../../src/execution/status.ts';
import { LOOKUP_TABLE_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { requiredSigners } from '../../src/transaction/signatures.ts';
import { eventually } from '../eventually.ts';
import { usedIn } from '../ledger/samples.ts';
import { type Forgetful, forgetful } from './forgetful.ts';
import { Home, type HomeOptions } from './home.ts';
import { configRequest, landedConfig, launchRequest, swapRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const LONG = 400;

/** Starts a home whose RPC forgets some transactions; `asked` counts the rebuild requests to the service. */
async function start(rpc: Forgetful, options: HomeOptions = {}) {
  const requests: string[] = [];
  home = await Home.withoutMarket({
    ...options,
    chain: rpc.wrap,
    deps: {
      timing: { resendMs: 60, doubtMs: 20_000, askAgainMs: 50 },
      service: {
        call: async (endpoint, fields) => {
          requests.push(endpoint);
          return home.call(endpoint, fields);
        },
      },
    },
  });
  return requests;
}

/** Submits, waits until a transaction landed and was forgotten, and lets its blockhash expire. */
async function forgottenAfter(rpc: Forgetful, id: string) {
  void home.submit(id, 0).catch(() => undefined);
  await eventually(() => expect(rpc.forgotten.size).toBeGreaterThan(0));
  home.sandbox.advanceSlots(LONG);
  return home.submit(id, 50);
}

const markOf = async (planId: string) => (await readSnapshot(home.ledger, planId))?.planNote;
const codeOf = async (planId: string) => (await markOf(planId))?.code;
const landings = (signatures: Iterable<string>) =>
  [...signatures].map((signature) => home.sandbox.chain.status(signature)?.err);

/** True for LAUNCH, the only stage of a bundle that loads accounts from a table. */
const isLaunch = (bytes: Uint8Array): boolean => readTransaction(bytes).lookups.length > 0;
const createsToken = (bytes: Uint8Array, mint: string): boolean =>
  requiredSigners(readTransaction(bytes)).includes(mint);
const isTableSetup = (bytes: Uint8Array): boolean =>
  readTransaction(bytes).staticAccounts.includes(LOOKUP_TABLE_PROGRAM);
const day = (of: string, kind: 'asset' | 'count') =>
  ({ id: 'day', kind, of, window: { rollingMs: 86_400_000 }, max: 1n }) as const;

describe('a LAUNCH with unknown status and expired blockhash', () => {
  it('F26 is not rebuilt or signed again while its pool is on chain; once confirmed it counts, and the plan continues', async () => {
    const rpc = forgetful(isLaunch);
    const requests = await start(rpc);
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    expect(await forgottenAfter(rpc, id)).toMatchObject({ status: 'unknown' });
    expect(await codeOf(id)).toBe('IN_DOUBT');
    expect((await markOf(id))?.note).toContain('block explorer');
    expect(rpc.sends.size).toBe(1);
    expect(requests).toEqual([]);
    expect(landings(rpc.forgotten)).toEqual([null]);
    const used = () => usedIn(home.ledger, [day('launch', 'count')], home.wallet, home.sandbox.genesisHash);

    // A second submit checks again and signs nothing.
    const signatures = home.signatures;
    expect(await home.submit(id, 50)).toMatchObject({
      status: 'unknown',
      attempts: { signed: 1, since: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) },
    });
    expect(home.signatures).toBe(signatures);

    rpc.remember();
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
    const rows = (await home.ledger.rows('journal', { planId: id })).filter(
      ({ stageId }) => stageId === 'launch',
    );
    expect(rows.map(({ signature }) => signature)).toEqual([...rpc.forgotten]);
    home.sandbox.advanceSlots(600);
    await home.plans.idle();
    expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
    expect(await used()).toEqual({ day: 1n });
  });

  it('F26 is rebuilt and signed again once it is proven dead and its pool proven absent', async () => {
    let drop = true;
    const sends: Uint8Array[] = [];
    home = await Home.withoutMarket({
      chain: (port) => ({
        ...port,
        send: async (bytes) => {
          if (!isLaunch(bytes) || !drop) return port.send(bytes);
          sends.push(bytes);
          return { outcome: 'unclear', reason: 'lost' };
        },
      }),
      deps: { timing: { resendMs: 60 } },
    });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    void home.submit(id, 0);
    await eventually(() => expect(sends.length).toBeGreaterThan(0));
    drop = false;
    home.sandbox.advanceSlots(LONG);
    expect(await home.submit(id, 50)).toMatchObject({ planId: id, status: 'complete' });
    const rows = (await home.ledger.rows('journal', { planId: id })).filter(
      ({ stageId }) => stageId === 'launch',
    );
    expect(rows.slice(0, -1).every(({ state }) => state === 'expired')).toBe(true);
    expect(rows.at(-1)?.state).toMatch(/confirmed|finalized/);
  });
});

describe('startup', () => {
  it('C-BUNDLE-10 looks up signatures left open by an earlier process, also of a complete plan', async () => {
    const lost = forgetful(() => false);
    await start(lost);
    const done = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(done.plan?.planId ?? '');
    const open = await home.build('feeShareConfig', await configRequest(home, 2));
    const id = open.plan?.planId ?? '';
    // Another process signs, sends, and dies before it learns the result.
    const dying = home.again({
      chain: (port) => ({ ...port, send: (bytes) => port.send(bytes).then(() => new Promise(() => {})) }),
      deps: { holder: 'dying', timing: { leaseMs: 300 } },
    });
    void dying.submit(id, 0).catch(() => undefined);
    await eventually(async () =>
      expect((await home.ledger.rows('journal', { planId: id }))[0]?.state).toBe('sent'),
    );
    await dying.close();

    const next = home.again({ deps: { timing: { leaseMs: 600 } } });
    expect(await next.submit(done.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    await next.plans.idle();
    expect((await next.ledger.rows('journal', { planId: id }))[0]?.state).toBe('finalized');
    expect(await next.ledger.rows('journal', { open: true })).toEqual([]);
    expect(next.signatures).toBe(0);
    await next.close();
  });
});

describe('a signature reported dead that landed after all', () => {
  it.each<[string, EndpointName, (bytes: Uint8Array, mint: string) => boolean]>([
    ['a launch onto a curve', 'curveLaunch', () => true],
    ['a token', 'dammLaunchV2', createsToken],
    ['a launch with a fee share config', 'dammLaunchV2', (bytes, mint) => !createsToken(bytes, mint)],
    ['a lookup table', 'dammLaunch', isTableSetup],
    ['a config', 'feeShareConfig', () => true],
  ])('is not signed a second time: %s', async (_, endpoint, matches) => {
    let forgets = false;
    let mint = '';
    const rpc = forgetful((bytes) => forgets && matches(bytes, mint));
    const requests = await start(rpc);
    const request = await requestOf(endpoint);
    mint = String(request.tokenMint);
    forgets = true;
    const { plan } = await home.build(endpoint, request);
    const id = plan?.planId ?? '';
    const before = home.signatures;
    expect(await forgottenAfter(rpc, id)).toMatchObject({ status: 'unknown' });
    expect(await codeOf(id)).toBe('IN_DOUBT');
    expect(rpc.sends.size).toBe(1);
    expect(requests).not.toContain(endpoint);
    rpc.remember();
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
    const stages = (await home.ledger.rows('journal', { planId: id })).map(({ stageId }) => stageId);
    expect(stages).toEqual([...new Set(stages)]);
    expect(home.signatures).toBe(before + stages.length);
    expect(landings(rpc.forgotten)).toEqual([null]);
  });

  async function requestOf(endpoint: EndpointName): Promise<Readonly<Record<string, unknown>>> {
    if (endpoint === 'feeShareConfig') return configRequest(home, 1);
    if (endpoint === 'dammLaunch') return launchRequest(home);
    const flow = endpoint === 'curveLaunch' ? 'dbc' : 'damm_v2_direct';
    const { mint, uri, config, configKey } = await landedConfig(home, { flow });
    const common = { ipfs: uri, tokenMint: mint, wallet: home.wallet };
    return endpoint === 'curveLaunch'
      ? { ...common, initialBuyLamports: 0, configKey }
      : { ...common, feeShareConfig: config, quoteMint: WSOL_MINT };
  }

  it('is found when the same swap is requested again, which builds nothing', async () => {
    const rpc = forgetful(() => true);
    await start(rpc);
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const id = plan?.planId ?? '';
    expect(await forgottenAfter(rpc, id)).toMatchObject({ status: 'expired' });
    rpc.remember();
    const again = await home.build('tradeSwap', await swapRequest(home));
    expect(again.plan?.planId).toBe(id);
    expect(again.note).toMatch(/has landed/);
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });

  it('is found when the failed swap is submitted again', async () => {
    const rpc = forgetful(() => true);
    await start(rpc);
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const id = plan?.planId ?? '';
    expect(await forgottenAfter(rpc, id)).toMatchObject({ status: 'expired' });
    expect(await home.submit(id)).toMatchObject({ status: 'expired' });
    rpc.remember();
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBe(1);
  });
});
