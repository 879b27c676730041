/**
 * Transactions signed by the wallet alone carry guards: honest plans land, two plans of one wallet both complete,
 * hostile bytes fail on chain.
 */
import { expect, it } from 'vitest';
import { ATTACKS, type Attack } from '../../sandbox/attacks/service/index.ts';
import { land, signed } from '../../sandbox/attacks/world/landing.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import { readProgramFolder } from '../../sandbox/programs/folder.ts';
import { openVenues } from '../../sandbox/service/records/venues.ts';
import { attempt } from '../../src/base/attempt.ts';
import { boundsOf } from '../../src/guards/bounds.ts';
import { guardsFor } from '../../src/guards/guards.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { withActs } from '../../src/programs/read.ts';
import { readTokenAccount, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { appendInstructions } from '../../src/transaction/append.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, TOKEN_PROGRAMS, WSOL_MINT } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { withBlockhash } from '../../src/transaction/signatures.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { testKey } from '../transaction/keys.ts';
import type { Home, HomeOptions } from './home.ts';
import { useHomes } from './homes.ts';
import { swapRequest } from './requests.ts';

const { start } = useHomes();
const friend = testKey('friend').address;

/** Folder of the original programs, for `npm run reality` and this test; not part of the project. */
const PROGRAMS = process.env.PROGRAMS;

const guarded = (options?: HomeOptions) =>
  start({
    ...options,
    ...(PROGRAMS === undefined ? {} : { sandbox: { programs: readProgramFolder(PROGRAMS) } }),
    policy: (file) => ({
      ...file,
      addressBook: [{ label: 'friend', address: friend }],
      limits: file.limits.map((limit) => ('count' in limit ? { ...limit, max: 1_000 } : limit)),
      rules: [
        ...file.rules.filter(({ operation }) => operation !== 'send'),
        { id: 'pay', operation: 'send', effect: 'allow', why: 'a test' },
      ],
    }),
  });

const pay = (home: Home, amountRaw: string) =>
  home.plans.build('send', { wallet: home.wallet, to: friend, amountRaw });

async function rowsOf(home: Home, planId = '') {
  const rows = await home.ledger.rows('journal', { planId });
  const plan = (await home.ledger.planRows(planId))?.plan;
  return { rows, staged: plan?.stages[0]?.transaction.read() };
}

it('swaps and payments land with guards of at most 110 bytes and 600 compute units, with both hashes in the journal', async () => {
  const home = await guarded();
  const swap = await home.build('tradeSwap', await swapRequest(home));
  const [preview] = await home.ledger.rows('decisions', { planId: swap.plan?.planId ?? '', limit: 1 });
  const looked = (await home.ledger.rows('decisions', { id: preview?.id ?? '', inputs: true }))[0]?.made;
  const longer = looked?.inputs.stage.transaction.read();
  const shorter = looked?.inputs.siblings[0]?.stage.transaction.read();
  if (longer === undefined || shorter === undefined) throw new Error('the swap was not looked at');
  const [more, fewer] = [longer, withBlockhash(shorter, longer.blockhash)].map(({ bytes }) =>
    home.sandbox.chain.simulate(bytes),
  );
  expect([more?.err, fewer?.err]).toEqual([null, null]);
  expect((more?.unitsConsumed ?? 0) - (fewer?.unitsConsumed ?? 0)).toBeLessThanOrEqual(600);
  const payment = await pay(home, '5000000');
  for (const { plan } of [swap, payment]) {
    expect((await home.submit(plan?.planId ?? '')).status).toBe('complete');
    const { rows, staged } = await rowsOf(home, plan?.planId);
    const [row] = rows;
    const landed = readTransaction(Buffer.from(row?.transaction ?? '', 'base64'));
    expect(rows.length).toBe(1);
    expect(row?.guarded).toMatchObject({
      from: staged?.instructions.length,
      stagedSha256: staged?.messageSha256,
      enforced: expect.arrayContaining(['SOL']),
    });
    expect(landed.messageSha256).toBe(row?.messageSha256);
    expect(landed.bytes.length - (staged?.bytes.length ?? 0)).toBeLessThanOrEqual(110);
    const [decision] = await home.ledger.rows('decisions', { planId: plan?.planId ?? '', limit: 1 });
    const seen = (await home.ledger.rows('decisions', { id: row?.decisionId ?? '', inputs: true }))[0]?.made;
    expect(seen?.inputs.guards?.count).toBe(landed.instructions.length - (staged?.instructions.length ?? 0));
    expect(decision?.decision.effect).toBe('allow');
  }
});

/** Builds, in turn, purchases and sales of several tokens and payments of SOL and of a token. Returns the plan id. */
async function honestPlan(home: Home, turn: number): Promise<string> {
  await home.sandbox.service.ready();
  const tokens = openVenues(home.sandbox.service).flatMap(({ baseMint, quoteMint }) =>
    quoteMint === WSOL_MINT ? [baseMint] : [],
  );
  const token = tokens[(turn >> 2) % tokens.length] ?? '';
  const account = associatedTokenAddress(
    home.wallet,
    token,
    home.sandbox.chain.getAccount(token)?.owner ?? TOKEN_PROGRAM,
  );
  const held = readTokenAccount(home.sandbox.chain.getAccount(account)?.data ?? new Uint8Array(165)).amount;
  const swap = async (inputMint: string, outputMint: string, amount: bigint) => {
    const request = { inputMint, outputMint, amount: `${amount}`, taker: home.wallet };
    const quote = await home.call('tradeQuote', request);
    const requestId = String(Reflect.get(Object(quote), 'requestId'));
    await home.plans.rememberQuote(requestId, request, quote);
    return home.build('tradeSwap', { requestId, userPublicKey: home.wallet });
  };
  const part = held / BigInt(3 + (turn % 5));
  const built = [
    () => swap(WSOL_MINT, token, BigInt(2_000_000 + turn * 1_001)),
    () => swap(token, WSOL_MINT, part),
    () => pay(home, `${2_000_000 + turn * 77}`),
    () =>
      home.plans.build('send', { wallet: home.wallet, to: friend, tokenMint: token, amountRaw: `${part}` }),
  ][turn % 4];
  return (await built?.())?.plan?.planId ?? '';
}

/** Anyone may send lamports to a token account. */
function sendLamports({ sandbox, wallet }: Home, lamports: bigint) {
  for (const program of TOKEN_PROGRAMS)
    for (const [address, { data }] of sandbox.chain.programAccounts(program))
      if (attempt(() => readTokenAccount(data))?.owner === wallet)
        sandbox.service.hostile.tools.fund(address, lamports);
}

it('honest swaps and payments land, 99 of 100 with guards, while anyone sends lamports to token accounts', async () => {
  const home = await guarded();
  const ended = { complete: 0, guarded: 0, of: EXHAUSTIVE ? 120 : 12 };
  for (let turn = 0; turn < ended.of; turn++) {
    const planId = await honestPlan(home, turn);
    if ((await home.submit(planId)).status === 'complete') ended.complete += 1;
    const { rows } = await rowsOf(home, planId);
    if (rows.every((row) => row.guarded !== undefined)) ended.guarded += 1;
    if (turn % 3 === 1) sendLamports(home, 1_000n);
    home.sandbox.advanceSlots(4);
  }
  expect(ended.complete).toBe(ended.of);
  expect(ended.guarded).toBeGreaterThanOrEqual(Math.ceil(ended.of * 0.99));
});

it('two concurrent plans of one wallet both land with guards, each signed once', async () => {
  const home = await guarded();
  const ended = { complete: 0, landed: 0, of: EXHAUSTIVE ? 100 : 3 };
  let paid = 0n;
  for (let race = 0; race < ended.of; race++) {
    const turn = 4 * race;
    await home.submit(await honestPlan(home, turn));
    home.sandbox.advanceSlots(4);
    const turns = race % 2 === 0 ? [turn + 1, turn + 2] : [turn + 3, turn + 2];
    const plans: string[] = [];
    for (const each of turns) plans.push(await honestPlan(home, each));
    paid += 2_000_000n + BigInt(turn + 2) * 77n;
    const both = await Promise.all(plans.map((planId) => home.submit(planId, 120)));
    if (both.every(({ status }) => status === 'complete')) ended.complete += 1;
    const rows = await Promise.all(plans.map((planId) => rowsOf(home, planId)));
    const isOnce = rows.every(({ rows: [row, ...more] }) => row?.guarded !== undefined && more.length === 0);
    if (isOnce) ended.landed += 1;
  }
  expect(ended).toEqual({ complete: ended.of, landed: ended.of, of: ended.of });
  expect(home.sandbox.chain.getAccount(friend)?.lamports).toBe(paid);
});

/** Returns a wallet's holdings by asset, and the rights of other keys over them. */
function holdingsOf(chain: SandboxChain, wallet: string) {
  const held = new Map<string, bigint>([['SOL', chain.getAccount(wallet)?.lamports ?? 0n]]);
  const rights: string[] = [`owner ${chain.getAccount(wallet)?.owner}`];
  for (const program of TOKEN_PROGRAMS)
    for (const [address, { data, lamports }] of chain.programAccounts(program)) {
      if (data.length < 165) continue;
      const state = attempt(() => readTokenAccount(data));
      if (state?.owner !== wallet) continue;
      const asset = state.mint === WSOL_MINT ? 'SOL' : state.mint;
      held.set('SOL', (held.get('SOL') ?? 0n) + lamports);
      if (asset !== 'SOL') held.set(asset, (held.get(asset) ?? 0n) + state.amount);
      if (state.delegate !== undefined || state.closeAuthority !== undefined) rights.push(address);
    }
  return { held, rights: rights.sort() };
}

it('hostile swaps of the attack table land no harm with guards when signed anyway (T199)', async () => {
  const home = await guarded();
  const { chain, service } = home.sandbox;
  const { wallet } = home;
  const request = await swapRequest(home);
  const { plan } = await home.build('tradeSwap', request);
  const [decision] = await home.ledger.rows('decisions', { planId: plan?.planId ?? '', limit: 1 });
  const seen = (await home.ledger.rows('decisions', { id: decision?.id ?? '', inputs: true }))[0]?.made;
  if (seen === undefined || decision === undefined) throw new Error('the swap is not decided');
  const { lines } = stageFrom(decision.decision.statement);
  const { tables, accounts: known } = seen.inputs;
  const { blockhash } = seen.inputs.stage.transaction.read();
  const bound = new Map<string, bigint>();
  for (const line of lines) {
    if (line.id === 'pays') bound.set(line.asset, (bound.get(line.asset) ?? 0n) - line.atMost);
    if (line.id === 'receives') bound.set(line.asset, (bound.get(line.asset) ?? 0n) + line.atLeast);
  }

  /** Returns whether bytes land and leave the wallet with less than promised or with other rights. */
  const harms = (bytes: Uint8Array, { meanwhile }: Attack): boolean =>
    chain.runTrial(() => {
      const before = holdingsOf(chain, wallet);
      meanwhile?.(chain, wallet, service.hostile.tools);
      const { err } = land(chain, signed(bytes, [service.keys.wallet]));
      const after = holdingsOf(chain, wallet);
      const isShort = [...new Set([...before.held.keys(), ...bound.keys()])].some(
        (asset) => (after.held.get(asset) ?? 0n) < (before.held.get(asset) ?? 0n) + (bound.get(asset) ?? 0n),
      );
      const gained = after.rights.filter((each) => !before.rights.includes(each));
      return err === null && (isShort || gained.length > 0);
    });
  /** Adds guards for the promised outcome of the honest bytes. */
  const guard = async (transaction: DecodedTransaction) => {
    const { loaded, readings } = DecodedStage.ofBytes(transaction.bytes).resolve({
      tables: new Map(tables.map(({ table, addresses }) => [table, addresses])),
      off: new Set(),
    });
    const wanted = [...new Set([...known, ...loaded].map(({ address }) => address))];
    const { value } = await home.deps.chain.accounts(wanted, 'processed');
    const view = new Map(value.map((account) => [account.address, account]));
    const acts = withActs(readings, { tokenAccount: (each) => tokenAccountOf(view.get(each)) });
    const of = {
      wallet,
      loaded,
      lines,
      rent: (bytes: number) => chain.rent(bytes),
      views: [view],
      isAgreed: true,
      acts: acts.flatMap((each) => each.acts),
    };
    return appendInstructions(transaction, loaded, guardsFor(boundsOf(of), wallet));
  };

  const [landed, held, unfit, notPlayed]: string[][] = [[], [], [], []];
  for (const [name, attack] of ATTACKS) {
    if ((attack.draft ?? attack.answer ?? attack.request) === undefined) continue;
    if (!(attack.endpoints ?? ['tradeSwap']).includes('tradeSwap')) continue;
    service.hostile.use(name);
    try {
      service.hostile.begin();
      const answer = await home.call('tradeSwap', request);
      const text = String(Reflect.get(Object(answer), 'swapTransaction'));
      const staged = withBlockhash(readTransaction(Buffer.from(text, 'base64')), blockhash);
      if (!harms(staged.bytes, attack)) continue;
      const longer = await guard(staged);
      if (longer === undefined) unfit?.push(name);
      else if (harms(longer.bytes, attack)) landed?.push(name);
      else held?.push(name);
    } catch (error) {
      notPlayed?.push(`${name}: ${String(error).slice(0, 90)}`);
    } finally {
      service.hostile.use(undefined);
    }
  }
  expect({ landed, unfit }).toEqual({ landed: [], unfit: [] });
  expect(held?.length).toBeGreaterThanOrEqual(42);
  expect(held).toEqual(
    expect.arrayContaining(['delegate-gone-again', 'owner-back-again', 'owner-behind-delegate']),
  );
  expect(held).toEqual(expect.arrayContaining(['account-closed-meanwhile', 'withdraw-excess-lamports']));
  // Attacks that need another signature, and those rejected by any chain.
  expect(notPlayed?.length).toBeLessThanOrEqual(9);
});
