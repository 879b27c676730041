/** A home over a sandbox in the encodings of the real programs, and views of its chain that lie about one account. */
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
/** What a view shows of an account. */
export type Shown = (account: AccountFact) => AccountFact;

/** A home whose sandbox builds with the real programs. */
export const realHome = (): Promise<Home> => Home.withoutMarket();

/** Ends a home with its sandbox and its files. */
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

/** Another process of the same home whose RPC shows some accounts otherwise, and which gives up looking again soon. */
export const lyingAbout = (home: Home, lies: Lies): Home =>
  home.again({
    chain: (port) => lying(port, lies),
    deps: { timing: { askAgainMs: 1, askAgainMaxMs: 1, askAgainTimes: 2 } },
  });

/** Every stage is allowed: what is read back is tested with it, not what is allowed. Its RPC may lie about some accounts. */
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

/** What is read back of a landed plan by a home whose RPC shows some accounts otherwise. */
export async function readBack(home: Home, plan: Plan, lies: Lies = {}, more: Partial<Chain> = {}) {
  const held = await home.ledger.planRows(plan.planId);
  if (held === undefined) throw new Error('a plan that is not stored');
  const { states } = snapshotOf({ ...held, plan, planNotes: [] });
  const chain = { ...lying(home.deps.chain, lies), ...more };
  return effectOf({ ...home.deps, chain }, plan, states);
}

/** The account, while it is there, with bytes written over its data; an address is written as its 32 bytes. */
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

/** A token with a config request for the wallet and the service's treasury. */
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

/** Lands a plan of this request; the plan as it is stored, and what was shown of it at last. */
export async function landed(home: Home, endpoint: Parameters<Home['build']>[0], request: Fields) {
  const { plan } = await home.build(endpoint, request);
  const planId = plan?.planId ?? '';
  const done = await home.submit(planId, 50);
  const stored = (await home.ledger.planRows(planId))?.plan;
  if (stored === undefined) throw new Error(`${endpoint} has no plan: ${plan?.decision.explain}`);
  return { plan: stored, done };
}

/** A text field of an answer. */
export const answered = (answer: unknown, name: string): string => String(Object(answer)[name]);
