/** Home over a sandbox in the encodings of the real programs, and chain views that misreport one account. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { effectOf } from '../../src/execution/readback/readback.ts';
import { snapshotOf } from '../../src/execution/status.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { AccountFact, Chain } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { Home } from './home.ts';
import { newToken } from './requests.ts';

type Fields = Readonly<Record<string, unknown>>;
/** Transforms an account in a view. */
export type Shown = (account: AccountFact) => AccountFact;

/** Starts a home whose sandbox builds with the real programs. */
export const realHome = (): Promise<Home> => Home.withoutMarket();

/** Closes a home, its sandbox and its files. */
export async function ended(home: Home): Promise<void> {
  await home.close();
  await home.sandbox.close();
  rmSync(dirname(home.file), { recursive: true, force: true });
}

type Lies = Readonly<Record<string, Shown>>;

const lying = (chain: Chain, lies: Lies): Chain => ({
  ...chain,
  accounts: async (addresses, commitment) => {
    const { slot, value } = await chain.accounts(addresses, commitment);
    return { slot, value: value.map((each) => lies[each.address]?.(each) ?? each) };
  },
});

/** Opens another process of the same home whose RPC misreports some accounts, with short retries. */
export const lyingAbout = (home: Home, lies: Lies): Home =>
  home.again({
    chain: (port) => lying(port, lies),
    deps: { timing: { askAgainMs: 1, askAgainMaxMs: 1, askAgainTimes: 2 } },
  });

/** Opens a home that allows every stage, for read-back tests. Its RPC may misreport some accounts. */
export const allowingAll = (home: Home, lies: Lies = {}): Home =>
  home.again({
    chain: (port) => lying(port, lies),
    deps: {
      policy: async () => {
        const policy = await home.deps.policy();
        return {
          ...policy,
          decide: (inputs, view) => ({
            decision: {
              ...policy.decide(inputs, view).decision,
              ...{ effect: 'allow', reasonCodes: [], class: 'allowed' },
            },
          }),
        };
      },
    },
  });

/** Returns the read-back of a landed plan in a home whose RPC misreports some accounts. */
export async function readBack(home: Home, plan: Plan, lies: Lies = {}, more: Partial<Chain> = {}) {
  const held = await home.ledger.planRows(plan.planId);
  if (held === undefined) throw new Error('a plan that is not stored');
  const { states } = snapshotOf({ ...held, plan, planNotes: [] });
  const chain = { ...lying(home.deps.chain, lies), ...more };
  return effectOf({ ...home.deps, chain }, plan, states);
}

/** Overwrites data of an existing account; an address is written as its 32 bytes. */
export const written =
  (offset: number, bytes: readonly number[] | string): Shown =>
  (account) => {
    if (!account.exists) return account;
    const data = Buffer.from(account.data, 'base64');
    data.set(typeof bytes === 'string' ? addressBytes(bytes) : bytes, offset);
    return { ...account, data: data.toString('base64') };
  };

export const ownedBy =
  (owner: string): Shown =>
  (account) => ({ ...account, owner });

export const closed: Shown = (account) => ({ ...account, exists: false, owner: '', data: '', lamports: '0' });

/** Creates a token and a config request for the wallet and the service's treasury. */
export async function realConfig(home: Home, flow: 'dbc' | 'damm_v2_direct', extra: Fields = {}) {
  const { mint, uri } = await newToken(home);
  const request: Fields = {
    ...{ baseMint: mint, payer: home.wallet, flow, admin: home.wallet },
    claimersArray: [home.wallet, home.sandbox.service.keys.treasury.address],
    basisPointsArray: [6000, 4000],
    ...extra,
  };
  return { mint, uri, request };
}

/** Lands a plan of this request. Returns the stored plan and its last view. */
export async function landed(home: Home, endpoint: Parameters<Home['build']>[0], request: Fields) {
  const { plan } = await home.build(endpoint, request);
  const planId = plan?.planId ?? '';
  const done = await home.submit(planId, 50);
  const stored = (await home.ledger.planRows(planId))?.plan;
  if (stored === undefined) throw new Error(`${endpoint} has no plan: ${plan?.decision.explain}`);
  return { plan: stored, done };
}

/** Returns a text field of an answer. */
export const answered = (answer: unknown, name: string): string => String(Object(answer)[name]);
