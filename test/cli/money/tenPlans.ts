/**
 * Day of ten plans over a real sandbox: four land, three are denied, two expire, one fails on chain. Fills the ledger
 * for the history tests.
 */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect } from 'vitest';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { eventually } from '../../eventually.ts';
import { Home } from '../../execution/home.ts';
import { configRequest, launchRequest, swapRequest } from '../../execution/requests.ts';

const HOURS_MS = 3_600_000;
const MAX_SOL = '2000000000';

const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  id: 'ten-plans',
  limits: [
    ...file.limits.filter((limit) => !('asset' in limit) || limit.asset !== 'SOL'),
    { id: 'sol-tx', asset: 'SOL', window: 'transaction', max: MAX_SOL },
    { id: 'sol-day', asset: 'SOL', window: { rolling: '24h' }, max: '20000000000' },
  ],
  rules: file.rules.map((rule) =>
    rule.operation === 'launch' ? { ...rule, effect: 'require_approval' as const } : rule,
  ),
});

/** Base units by asset. */
export type Balances = Map<string, bigint>;

export interface Day {
  readonly home: Home;
  /** The home's folder. */
  readonly folder: string;
  /** Plan ids by outcome. */
  readonly plans: Readonly<Record<string, string>>;
  /** Wallet balances on chain. */
  readonly before: Balances;
  readonly after: Balances;
}

/** Plays the day; on return, three hours have passed. Clean up with `removeDay`. */
export async function tenPlans(): Promise<Day> {
  const plans: Record<string, string> = {};
  /** Fate of the next transactions. */
  let fate: 'lands' | 'is lost' | 'fails' = 'lands';
  let later = 0;
  const home = await Home.start({
    policy: asking,
    clock: (time) => ({ ...time, now: () => time.now() + later }),
    deps: { timing: { resendMs: 60 } },
    chain: (port) => ({
      ...port,
      send: async (bytes) => {
        if (fate === 'lands') return port.send(bytes);
        if (fate === 'fails') failing(bytes);
        return { outcome: 'unclear', reason: 'lost' };
      },
    }),
  });

  /** Returns on-chain balances in base units, by asset. */
  async function balances(): Promise<Balances> {
    const found: Balances = new Map([['SOL', home.sandbox.chain.getAccount(home.wallet)?.lamports ?? 0n]]);
    for (const { data } of (await home.deps.chain.tokenAccounts(home.wallet, 'confirmed')).value) {
      const { mint, amount } = readTokenAccount(Buffer.from(data, 'base64'));
      found.set(mint, (found.get(mint) ?? 0n) + amount);
    }
    return found;
  }

  /** Submits bytes while the wallet has insufficient funds, then restores the balance less the fee. */
  function failing(bytes: Uint8Array): void {
    const { chain } = home.sandbox;
    const account = chain.getAccount(home.wallet);
    if (account === null) throw new Error('no wallet');
    const poor = 10_000_000n;
    chain.setAccount(home.wallet, { ...account, lamports: poor });
    chain.submit(bytes);
    const left = chain.getAccount(home.wallet)?.lamports ?? 0n;
    chain.setAccount(home.wallet, { ...account, lamports: account.lamports - poor + left });
  }

  async function build(
    name: string,
    endpoint: Parameters<Home['build']>[0],
    fields: Record<string, unknown>,
  ) {
    const { plan } = await home.build(endpoint, fields);
    if (plan === null) throw new Error(`${endpoint} gave no plan`);
    plans[name] = plan.planId;
    return plan.planId;
  }

  const swap = async (name: string, amount?: string) =>
    build(name, 'tradeSwap', { ...(await swapRequest(home, amount)) });
  const launch = async (name: string) => build(name, 'dammLaunch', { ...(await launchRequest(home)) });

  async function answered(planId: string, state: 'approved' | 'denied') {
    await home.submit(planId);
    const [row] = await home.ledger.rows('approvals', { planId });
    await home.ledger.answerApproval(row?.id ?? '', { state, channel: 'page' });
    return home.submit(planId);
  }

  async function playDay(): Promise<void> {
    for (const claimers of [2, 3]) {
      const id = await build(`config ${claimers}`, 'feeShareConfig', {
        ...(await configRequest(home, claimers)),
      });
      expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    }
    expect(await home.submit(await swap('swapped'))).toMatchObject({ status: 'complete' });
    expect(await answered(await launch('launched'), 'approved')).toMatchObject({ status: 'complete' });

    expect(await home.submit(await swap('too much', '3000000000'))).toMatchObject({ status: 'denied' });
    expect(await home.submit(await swap('far too much', '9000000000'))).toMatchObject({ status: 'denied' });
    expect(await answered(await launch('said no'), 'denied')).toMatchObject({ status: 'denied_by_owner' });

    fate = 'fails';
    expect(await home.submit(await swap('failed', '110000000'))).toMatchObject({ status: 'failed' });

    fate = 'is lost';
    const lost = await swap('lost', '120000000');
    void home.submit(lost, 0).catch(() => undefined);
    await eventually(async () =>
      expect(await home.ledger.rows('journal', { planId: lost })).toMatchObject([{ state: 'sent' }]),
    );
    home.sandbox.advanceSlots(200);
    expect(await home.submit(lost)).toMatchObject({ status: 'expired' });
    fate = 'lands';

    await home.submit(await launch('unanswered'));
    home.sandbox.advanceSlots(600);
    await home.plans.idle();
  }

  await home.sandbox.service.ready();
  const before = await balances();
  await playDay();
  const after = await balances();
  later = 3 * HOURS_MS;
  // The ledger clock advances with the next write.
  await home.ledger.setNote('later', 'yes');
  return { home, folder: dirname(home.file), plans, before, after };
}

/** Closes the day's home and removes its files. */
export async function removeDay({ home, folder }: Day): Promise<void> {
  await home.close();
  await home.sandbox.close();
  rmSync(folder, { recursive: true, force: true });
}
