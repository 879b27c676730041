/** Guarded plans concurrent with other signatures of their wallet: waiting order, and the meaning of a failed guard. */
import { expect, it } from 'vitest';
import { ata, systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { openVenues } from '../../sandbox/service/records/venues.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { eventually } from '../eventually.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { securityDenials } from '../ledger/samples.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home, HomeOptions } from './home.ts';
import { FAST, LOST, useHomes } from './homes.ts';
import { buy, swapRequest } from './requests.ts';

const { start, beside, restart } = useHomes();
const friend = testKey('friend').address;

const policy: HomeOptions['policy'] = (file) => ({
  ...file,
  addressBook: [{ label: 'friend', address: friend }],
  rules: [
    ...file.rules.filter(({ operation }) => operation !== 'send'),
    { id: 'pay', operation: 'send', effect: 'allow', why: 'a test' },
  ],
});

async function pay(home: Home, amountRaw: string, more: { to?: string; tokenMint?: string } = {}) {
  const { plan } = await home.plans.build('send', { wallet: home.wallet, to: friend, amountRaw, ...more });
  return plan?.planId ?? '';
}

const held = ({ sandbox, wallet }: Home, of = wallet) => sandbox.chain.getAccount(of)?.lamports ?? 0n;
const statesOf = async (home: Home, planId: string) =>
  (await home.ledger.rows('journal', { planId })).map(({ state }) => state);

/** Returns the network fees paid by the wallet, in lamports. */
const feesOf = ({ sandbox, wallet }: Home): bigint =>
  sandbox.chain
    .transactionsFor(wallet)
    .reduce((sum, { fee, staticAccounts }) => sum + (staticAccounts[0] === wallet ? fee : 0n), 0n);

it('six concurrent payments and a swap end without a failed signature, each signed once', async () => {
  for (let race = 0; race < (EXHAUSTIVE ? 20 : 1); race++) {
    const home = await start({ policy });
    const before = held(home);
    const { plan: swap } = await home.build('tradeSwap', await swapRequest(home, '2000000'));
    const plans = [swap?.planId ?? ''];
    for (let i = 1; i <= 6; i++) plans.push(await pay(home, `${i}000000`));
    const ended = await Promise.all(plans.map((planId) => home.submit(planId, 120)));
    expect(ended.map(({ status }) => status)).toEqual(plans.map(() => 'complete'));
    const rows = await Promise.all(plans.map((planId) => home.ledger.rows('journal', { planId })));
    expect(
      rows.map((all) =>
        all.map(({ state, guarded }) => [/^(confirmed|finalized)$/.test(state), guarded !== undefined]),
      ),
    ).toEqual(plans.map(() => [[true, true]]));
    expect(held(home, friend)).toBe(21_000_000n);
    expect(before - held(home)).toBeGreaterThanOrEqual(23_000_000n + feesOf(home));
  }
});

it('payments of two servers over one ledger end without a failed signature', async () => {
  const one = await start({ policy });
  const two = beside(one, { policy });
  const plans: [Home, string][] = [];
  for (let i = 0; i < 2; i++)
    for (const home of [one, two])
      plans.push([home, await pay(home, `${i === 0 ? 2 : 3}00000${home === one ? 0 : 1}`)]);
  const submit = ([home, planId]: [Home, string]) =>
    eventually(async () => {
      const { status } = await home.submit(planId, 60);
      expect(status).toBe('complete');
    });
  await Promise.all(plans.map(submit));
  for (const [home, planId] of plans) expect(await statesOf(home, planId)).toHaveLength(1);
  expect(held(one, friend)).toBe(10_000_002n);
});

it('a payment waits for a signature in flight of a killed server, and its bounds hold', async () => {
  const lost = { ...FAST, policy, chain: (chain: Chain): Chain => ({ ...chain, send: async () => LOST }) };
  const first = await start(lost);
  const left = await pay(first, '5000000');
  await first.submit(left, 0);
  await eventually(async () => expect(await statesOf(first, left)).toEqual(['sent']));
  const second = await restart(first, { ...FAST, policy });
  const next = await pay(second, '6000000');
  expect((await second.submit(next, 120)).status).toBe('complete');
  const [before, after] = [
    await second.ledger.rows('journal', { planId: left }),
    await second.ledger.rows('journal', { planId: next }),
  ];
  expect(after.map(({ state }) => state)).not.toContain('failed');
  expect(before[0]?.slot).toBeLessThan(after[0]?.slot ?? 0);
  expect(held(second, friend)).toBe(11_000_000n);
});

it('a payment waits no longer for a signature than it can land', async () => {
  const bytes = new Set<string>();
  const home = await start({
    ...FAST,
    policy,
    chain: (chain) => ({
      ...chain,
      // The test's first transaction never reaches the chain.
      send: async (each) => {
        bytes.add(Buffer.from(each).toString('base64'));
        return [...bytes][0] === Buffer.from(each).toString('base64') ? LOST : chain.send(each);
      },
    }),
  });
  const [lost, other] = [await pay(home, '5000000'), await pay(home, '6000000')];
  const ended = await Promise.all([lost, other].map((planId) => home.submit(planId, 300)));
  expect(ended.map(({ status }) => status)).toEqual(['complete', 'complete']);
  expect(held(home, friend)).toBe(11_000_000n);
});

/** Starts a home in which something lands immediately before each of the first sends. */
async function overtaken(change: (home: Home) => void, times = 1) {
  const seen = new Set<string>();
  const home: Home = await start({
    policy,
    chain: (chain) => ({
      ...chain,
      send: async (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        if (seen.size < times && !seen.has(text) && isHomeReady) {
          change(home);
          // A node that has confirmed the earlier transaction would reject this one.
          home.sandbox.chain.submit(bytes);
        }
        if (isHomeReady) seen.add(text);
        return chain.send(bytes);
      },
    }),
  });
  let isHomeReady = false;
  return { home, begin: () => (isHomeReady = true) };
}

/** Pays 7,000 lamports from the wallet with another program of its owner. */
const moves = ({ sandbox, wallet }: Home): EncodedInstruction =>
  systemTransfer(wallet, sandbox.service.keys.sponsor.address, 7_000n);

const lands = ({ sandbox }: Home, instructions: readonly EncodedInstruction[]) => {
  const { wallet, sponsor } = sandbox.service.keys;
  sandbox.service.onchain.landBy(sponsor, instructions, wallet);
};

it('is signed again only once the failure of the first signature is final', async () => {
  const { home, begin } = await overtaken((of) => lands(of, [moves(of)]));
  begin();
  const planId = await pay(home, '5000000');
  expect((await home.submit(planId, 60)).status).toBe('complete');
  const [failed, again] = await home.ledger.rows('journal', { planId });
  expect([failed?.state, again?.state === 'failed']).toEqual(['failed', false]);
  // The second signature is based on a view in which the first one is final.
  const inputs = (await home.ledger.rows('decisions', { id: again?.decisionId ?? '', inputs: true }))[0]
    ?.made;
  expect((inputs?.inputs.slot ?? 0) - (failed?.slot ?? 0)).toBeGreaterThanOrEqual(FINAL_AFTER_SLOTS);
  expect(await home.ledger.rows('decisions', { planId, limit: 50 })).not.toContainEqual(
    expect.objectContaining({ decision: expect.objectContaining({ class: 'security' }) }),
  );
});

it('asks if its guards enforce less than those of the previous signature', async () => {
  let token = '';
  const { home, begin } = await overtaken((of) => {
    const account = ata(of.wallet, { mint: token, tokenProgram: TOKEN_PROGRAM });
    const accounts = { source: account, delegate: friend, owner: of.wallet };
    const approve = encodeInstruction('token.approve', {
      ...{ program: TOKEN_PROGRAM, accounts, args: { amount: 1n } },
    });
    lands(of, [moves(of), approve]);
  });
  token = await classicToken(home);
  begin();
  const planId = await pay(home, '1000', { tokenMint: token });
  const ended = await home.submit(planId, 60);
  expect([ended.status, ended.decision?.reasonCodes]).toEqual([
    'approval_required',
    expect.arrayContaining(['NOT_ENFORCED']),
  ]);
  expect(await statesOf(home, planId)).toEqual(['failed']);
});

it('is not signed again if the wallet did not change: the broken promise is a security denial', async () => {
  const { home, begin, options } = await broken();
  const other = beside(home, options);
  begin();
  const planId = await pay(other, '5000000');
  for (const _ of ['once', 'and again']) {
    expect((await other.submit(planId, 60)).status).toBe('failed');
    await other.plans.idle();
    expect(await statesOf(other, planId)).toEqual(['failed']);
    expect(await securityDenials(other.ledger)).toBe(1);
  }
});

/** Starts a home whose transaction fails by its guards although the wallet is unchanged. */
async function broken() {
  const { home, begin } = await overtaken((of) => lands(of, [moves(of)]));
  const chain: Chain = {
    ...home.deps.chain,
    landed: async (signature) => {
      const landed = await home.deps.chain.landed(signature);
      return landed && { ...landed, lamportsBefore: landed.lamportsBefore.map((each) => each + 1_000_000n) };
    },
  };
  return { home, begin, options: { policy, chain: () => chain } };
}

it.each([
  ['another principal leaves it to the one that signed', 'bela', 0],
  ['the home judges it in the name of the one that signed', undefined, 1],
])('T127 if another process finds its failure, %s', async (_, principal, first) => {
  const { home, begin, options } = await broken();
  const as = (name: string | undefined) => ({
    ...options,
    ...(name === undefined ? {} : { principal: name }),
  });
  const anna = beside(home, as('anna'));
  begin();
  const planId = await pay(anna, '5000000');
  // Anna's server ends while her transaction is on its way.
  void anna.submit(planId, 0).catch(() => undefined);
  await eventually(async () => expect((await statesOf(anna, planId)).length).toBe(1));
  const other = await restart(anna, as(principal));
  await other.submit(await pay(other, '6000000'), 60);
  await other.plans.idle();
  expect(await statesOf(anna, planId)).toEqual(['failed']);
  expect(await securityDenials(home.ledger)).toBe(first);
  const again = await restart(other, as('anna'));
  expect((await again.submit(planId, 60)).status).toBe('failed');
  await again.plans.idle();
  const denied = await home.ledger.rows('decisions', { planId, effect: 'deny', limit: 50 });
  expect(denied.map((each) => each.principal)).toEqual(['anna']);
  expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
});

it('is denied for security once, wherever the ledger ends the process that judges its failure', async () => {
  for (const call of ['recordDecision', 'journalMove'] as const) {
    const { home, begin, options } = await broken();
    let [isJudging, hasEnded] = [false, false];
    const ends = new Proxy(home.ledger, {
      get: (ledger, name) => {
        const own: unknown = Reflect.get(ledger, name);
        if (typeof own !== 'function') return own;
        return async (...args: unknown[]) => {
          const isLast =
            call !== 'journalMove' || String(Object(args[2]).detail ?? '').includes('InstructionError');
          isJudging ||= name === 'rows' && args[0] === 'decisions' && Object(args[1]).inputs === true;
          const isEnd = isJudging && name === call && isLast;
          hasEnded ||= isEnd;
          if (isEnd) throw new Error('the process ends');
          return own.apply(ledger, args);
        };
      },
    });
    const first = beside(home, { ...options, deps: { ledger: ends } });
    begin();
    const planId = await pay(first, '5000000');
    await first.submit(planId, 2);
    await eventually(async () => expect(hasEnded).toBe(true));
    const second = await restart(first, options);
    expect((await second.submit(planId, 60)).status).toBe('failed');
    await second.plans.idle();
    expect([call, await securityDenials(second.ledger)]).toEqual([call, 1]);
    expect(await second.ledger.rows('journal', { open: true })).toEqual([]);
  }
});

it('is signed again if lamports above rent in a token account were withdrawn meanwhile', async () => {
  let account = '';
  const { home, begin } = await overtaken((of) => {
    const read = (address: string, signer = false) => ({ address, signer, writable: true });
    const accounts = [read(account), read(friend), read(of.wallet, true)];
    lands(of, [{ programAddress: TOKEN_PROGRAM, accounts, data: Uint8Array.of(38) }]);
  });
  const tokenMint = await classicToken(home);
  account = ata(home.wallet, { mint: tokenMint, tokenProgram: TOKEN_PROGRAM });
  home.sandbox.service.hostile.tools.fund(account, 6_000_000n);
  home.sandbox.advanceSlots(4);
  begin();
  const planId = await pay(home, '1000', { tokenMint });
  expect((await home.submit(planId, 60)).status).toBe('complete');
  expect((await statesOf(home, planId)).map((state) => state === 'failed')).toEqual([true, false]);
});

it('does not fail because of a lagging second RPC, and states the figures it relies on', async () => {
  for (const lags of [2, Number.POSITIVE_INFINITY]) {
    let looks = 0;
    const home: Home = await start({ policy });
    const stale = held(home) + 1_000_000n;
    const secondChain: Chain = {
      ...home.deps.chain,
      accounts: async (...args) => {
        const seen = await home.deps.chain.accounts(...args);
        looks += 1;
        if (looks > lags) return seen;
        const value = seen.value.map((each) =>
          each.address === home.wallet ? { ...each, lamports: `${stale}` } : each,
        );
        return { slot: seen.slot - 1_000, value };
      },
    };
    const other = beside(home, { policy, deps: { secondChain } });
    const planId = await pay(other, '5000000');
    expect((await other.submit(planId, 60)).status).toBe('complete');
    const [row] = await other.ledger.rows('journal', { planId });
    const seen = (await other.ledger.rows('decisions', { id: row?.decisionId ?? '', inputs: true }))[0]?.made;
    expect(seen?.inputs.guards?.second === undefined).toBe(lags > 2);
    expect(await statesOf(other, planId)).toHaveLength(1);
  }
});

/** Slots until a sandbox transaction is final. */
const FINAL_AFTER_SLOTS = 32;

/** Buys a token of the classic program. */
async function classicToken(home: Home): Promise<string> {
  await home.sandbox.service.ready();
  const [venue] = openVenues(home.sandbox.service).filter(
    ({ baseMint, quoteMint }) =>
      quoteMint === WSOL_MINT && home.sandbox.chain.getAccount(baseMint)?.owner === TOKEN_PROGRAM,
  );
  await buy(home, venue?.baseMint ?? '', '5000000');
  return venue?.baseMint ?? '';
}
