/** Approvals by a grant in live mode: only grants signed by the owner key count, within their bounds. */
import { describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { askPerson } from '../../src/approval/approvals.ts';
import { runPartsOf } from '../../src/approval/run.ts';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import { sha256Text } from '../../src/base/canonicalJson.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalFilter, ApprovalRow } from '../../src/ledger/types.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
import { grantsOf } from '../../src/presentation/grants.ts';
import { policyView } from '../../src/runtime/views.ts';
import { approvalFrom, approvalText } from '../../src/statement/aggregate.ts';
import type { Grant } from '../../src/statement/grant.ts';
import type { RunParts } from '../../src/statement/run.ts';
import type { Approval, Line } from '../../src/statement/types.ts';
import { handClock, sampleDecision, sampleInput, samplePlan, sampleStatement } from '../ledger/samples.ts';
import { temporaryHome, thrownBy } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';
import {
  NETWORK,
  QUESTION_TIME,
  STRANGER,
  samplePolicy,
  stage,
  TREASURY,
  TTL_MS,
  WALLET,
} from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const HASH = 'a'.repeat(64);
const DAY = 86_400_000;
const GRANT: Grant = {
  times: 2,
  asset: 'SOL',
  total: '10000',
  until: QUESTION_TIME + 30 * DAY,
  worseBps: 100,
};

/** A live home and a function that asks about a trade in it. */
async function home(passed?: () => number) {
  const path = temporaryHome();
  const ownerPublicKey = await withOwner(path);
  const clock = Object.assign(handClock(QUESTION_TIME), passed && { passed });
  const ledger = openLedger({ home: path, clock });
  const answering = createAnswering({ home: path, ledger, ownerPublicKey });
  const approvals = (filter: ApprovalFilter) => ledger.rows('approvals', filter);
  const holds = answerCheck({ mode: 'live', ownerPublicKey, now: clock.now, approvals });
  let count = 0;
  const notified: string[] = [];
  const ask = async (
    { out = '1000', arrives = '500', more = [] as Line[], hash = HASH, operation = 'swap' as const } = {},
    check = holds,
  ): Promise<ApprovalRow> => {
    count += 1;
    const plan = samplePlan({
      ...{
        planId: `plan-${count}`,
        mode: 'live',
        operation,
        wallet: WALLET,
        stages: [stage('swap', 'swap')],
      },
    });
    await ledger.storePlan(plan);
    const changes = [
      { asset: 'SOL', out, in: '0' },
      { asset: MINT, out: '0', in: arrives },
    ];
    const decision = sampleDecision({ statement: sampleStatement(changes, '5', more) });
    const row = await askAbout(plan, runPartsOf(plan, hash, [{ id: 'swap', decision }]), check);
    openPlans.set(row.id, { plan, decision });
    return row;
  };
  const openPlans = new Map<string, { plan: Plan; decision: Decision }>();
  const channel: ApprovalChannel = {
    name: 'page',
    available: async () => true,
    ask: async (id) => void notified.push(id),
  };
  const askAbout = (plan: Plan, run: RunParts, check = holds) =>
    askPerson(ledger, { plan, run, ttlMs: TTL_MS, channels: [channel], holds: check });
  const decisionFor = ({ id }: ApprovalRow, stageId?: string) => {
    const { plan, decision } = openPlans.get(id) ?? {};
    if (plan === undefined || decision === undefined) throw new Error('not asked here');
    return { plan, decision, run: runPartsOf(plan, HASH, [{ id: 'swap', decision }], stageId) };
  };
  /** Asks again about the plan of a question. */
  const again = (row: ApprovalRow) => askAbout(decisionFor(row).plan, decisionFor(row).run);
  /** Reserves the signature of an approval. */
  const reserveFor = async (row: ApprovalRow) => {
    const lease = await ledger.lease({ wallet: WALLET, holder: 'test' }, 1e12);
    if (lease === undefined) throw new Error('no lease');
    const { plan, decision, run } = decisionFor(row, 'swap');
    const input = sampleInput(plan, 'swap', decision);
    return ledger.reserve({ lease, decision: input, limits: [], uses: [], approval: { id: row.id, run } });
  };
  const approve = async (row: ApprovalRow, grant: Grant | undefined = GRANT) =>
    answering.approve({
      ...{ id: row.id, approvalDigest: row.approvalDigest, channel: 'command', passphrase: passphrase() },
      grant,
    });
  return {
    path,
    clock,
    ledger,
    answering,
    ownerPublicKey,
    holds,
    ask,
    approve,
    again,
    reserveFor,
    notified,
  };
}

describe('a plan similar to one covered by a grant', () => {
  it('is approved for weeks after the statement about the first plan has expired', async () => {
    const { ask, approve, holds, clock, ledger } = await home();
    const first = await approve(await ask());
    expect(first).toMatchObject({ state: 'approved', grant: GRANT, grantId: first.id });
    clock.at += 29 * DAY;
    const like = await ask();
    expect(like).toMatchObject({ state: 'approved', channel: 'grant', grantId: first.id });
    expect(like.expiresAt).toBe(clock.at + TTL_MS);
    expect(await holds(like)).toBe(true);
    expect(await grantsOf(ledger, { hash: HASH })).toMatchObject([
      { id: first.id, used: 1, times: 2, total: '10000' },
    ]);
    const shown = (hash: string) =>
      policyView({ status: 'ok', ...samplePolicy(), hash }, ledger, WALLET, NETWORK);
    expect(await shown(HASH)).toMatchObject({ grants: [{ id: first.id }] });
    expect(await shown('b'.repeat(64))).not.toHaveProperty('grants');
    // Grants of another policy or wallet are not listed.
    expect(await grantsOf(ledger, { hash: 'b'.repeat(64) })).toEqual([]);
    expect(await grantsOf(ledger, { hash: HASH, wallet: STRANGER })).toEqual([]);
    clock.at += DAY - 1;
    expect((await ask()).expiresAt).toBe(GRANT.until);
    clock.at += 1;
    expect(await ask()).toMatchObject({ state: 'pending' });
    expect(await holds(like)).toBe(false);
    expect(await grantsOf(ledger, { hash: HASH })).toEqual([]);
  });

  it('asks the owner nothing and records the decisions covered by the grant', async () => {
    const { ask, approve, notified } = await home();
    const first = await approve(await ask());
    const like = await ask();
    expect(like).toMatchObject({ channel: 'grant' });
    expect(notified).toEqual([first.id]);
    const digestsOf = ({ scopeText }: ApprovalRow) => approvalFrom(scopeText).decisionDigests;
    expect(digestsOf(like)).toEqual(digestsOf(first));
  });

  it('returns a grant use if nothing was signed', async () => {
    const { ask, approve, clock } = await home();
    await approve(await ask(), { ...GRANT, times: 1 });
    expect(await ask()).toMatchObject({ state: 'approved' });
    expect(await ask()).toMatchObject({ state: 'pending' });
    clock.at += TTL_MS;
    expect(await ask()).toMatchObject({ state: 'approved' });
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof home>>['ask']>[0]]>([
    ['a larger payment', { out: '1001' }],
    ['a worse price', { arrives: '494' }],
    ['a worse price of a smaller trade', { out: '500', arrives: '247' }],
    ['another recipient', { more: [paying('payment', TREASURY)] }],
    ['a tip', { more: [paying('tip', TREASURY)] }],
    ['a deposit', { more: [paying('deposit', WALLET)] }],
    [
      'an account for another',
      {
        more: [{ id: 'opens', source: 'transaction', account: MINT, owner: STRANGER, kind: 'token account' }],
      },
    ],
    [
      'a power of the issuer',
      { more: [{ id: 'issuer', source: 'chain', mint: MINT, power: 'freeze', holder: STRANGER }] },
    ],
    ['a finding', { more: [{ id: 'asks', source: 'transaction', code: 'PRICE_FAR' }] }],
    [
      'an unsupported instruction',
      {
        more: [
          { id: 'unsupported', source: 'transaction', program: STRANGER, instruction: null, reaches: [] },
        ],
      },
    ],
    ['a memo', { more: [{ id: 'memo', source: 'transaction', text: 'hello' }] }],
    ['a changed policy', { hash: 'b'.repeat(64) }],
  ])('asks about %s', async (_, different) => {
    const { ask, approve } = await home();
    await approve(await ask());
    expect(await ask(different)).toMatchObject({ state: 'pending' });
    expect(await ask({ out: '500', arrives: '248' })).toMatchObject({ state: 'approved', channel: 'grant' });
  });

  it('is not offered for plans that must be reviewed each time', async () => {
    const { ask, approve } = await home();
    const found = await ask({ more: [{ id: 'asks', source: 'transaction', code: 'PRICE_FAR' }] });
    expect(await thrownBy(() => approve(found))).toMatchObject({ code: 'NOT_GRANTABLE' });
    const other = await ask();
    expect(await thrownBy(() => approve(other, { ...GRANT, asset: MINT }))).toMatchObject({
      code: 'NOT_GRANTABLE',
    });
    expect(await approve(other)).toMatchObject({ state: 'approved' });
  });

  it('ends with a denial without a key, permanently', async () => {
    const { ask, approve, holds, answering, ledger } = await home();
    const first = await approve(await ask());
    const like = await ask();
    const { id, approvalDigest } = first;
    expect(await answering.deny({ id, approvalDigest, channel: 'page' })).toMatchObject({
      id,
      state: 'approved',
    });
    expect(await holds(like)).toBe(false);
    expect(await ask()).toMatchObject({ state: 'pending' });
    expect(await grantsOf(ledger, { hash: HASH })).toEqual([]);
    expect(await thrownBy(() => answering.deny({ id, approvalDigest, channel: 'page' }))).toMatchObject({
      code: 'APPROVAL_CONSUMED',
    });
  });
});

function paying(why: 'payment' | 'tip' | 'deposit' | 'serviceFee', to: string, atMost = 10n): Line {
  return {
    id: 'pays',
    source: 'transaction',
    asset: 'SOL',
    atMost,
    to,
    owner: to,
    why,
    returns: 'never',
  };
}

describe('the service fee of a trade', () => {
  const large = { ...GRANT, times: 9, total: '99000000000' };
  const withFee = (out: string, arrives: string, ...fees: Line[]) => ({ out, arrives, more: fees });
  const fee = (atMost: bigint) => paying('serviceFee', TREASURY, atMost);

  it('scales with the trade: the approved fee of a large trade is not accepted for a small one', async () => {
    const { ask, approve } = await home();
    await approve(await ask(withFee('100000000', '500000', fee(1_000_000n))), large);
    expect(await ask(withFee('1', '1', fee(1_000_000n)))).toMatchObject({ state: 'pending' });
    expect(await ask(withFee('50000000', '250000', fee(600_000n)))).toMatchObject({ state: 'pending' });
    expect(await ask(withFee('50000000', '250000', fee(500_000n)))).toMatchObject({ state: 'approved' });
    expect(await ask(withFee('100000000', '500000', fee(1_040_000n)))).toMatchObject({ state: 'approved' });
  });

  it('does not scale if it is a transfer that only attributes the trade', async () => {
    const { ask, approve } = await home();
    await approve(await ask(withFee('100000000', '500000', fee(5_000n))), large);
    expect(await ask(withFee('1000000', '5000', fee(5_000n)))).toMatchObject({ state: 'approved' });
    expect(await ask(withFee('1000000', '5000', fee(6_000n)))).toMatchObject({ state: 'pending' });
  });

  it('may be smaller in a token with a transfer fee', async () => {
    const { ask, approve } = await home();
    const taxed = (atMost: bigint, leastArrives: bigint): Line => ({
      ...{ id: 'pays', source: 'transaction', asset: MINT, atMost, to: TREASURY, owner: TREASURY },
      ...{ why: 'serviceFee', returns: 'never', leastArrives },
    });
    await approve(await ask(withFee('100000000', '500000', taxed(5_000n, 4_950n))), large);
    expect(await ask(withFee('50000000', '250000', taxed(2_500n, 2_475n)))).toMatchObject({
      state: 'approved',
    });
    expect(await ask(withFee('50000000', '250000', taxed(5_000n, 4_950n)))).toMatchObject({
      state: 'pending',
    });
  });
});

it('refuses a grant for a trade without a price and ignores proceeds beside a claim', async () => {
  const { ask, approve } = await home();
  const bare = await ask({ arrives: '0' });
  expect(await thrownBy(() => approve(bare))).toMatchObject({ code: 'NOT_GRANTABLE' });
  const brings = (atLeast: bigint): Line => ({
    ...{ id: 'receives', source: 'transaction', asset: MINT, atLeast },
    ...{ from: STRANGER, into: WALLET, enforcedBy: 'program' },
  });
  const fill = (atLeast: bigint) => ({ out: '0', arrives: '0', more: [brings(atLeast)] });
  const claims: Line = {
    ...{ id: 'claims', source: 'transaction', of: STRANGER, kind: 'fees' },
    payouts: [{ asset: MINT, owner: WALLET }],
  };
  await approve(await ask(fill(500n)));
  expect(await ask(fill(499n))).toMatchObject({ state: 'pending' });
  expect(await ask(fill(500n))).toMatchObject({ state: 'approved' });
  await approve(await ask({ ...fill(500n), more: [brings(500n), claims] }));
  expect(await ask({ ...fill(3n), more: [brings(3n), claims] })).toMatchObject({ state: 'approved' });
});

it('a later grant does not approve a denied plan or one with an open question', async () => {
  const { ask, approve, answering, again } = await home();
  const [denied, open, first] = [await ask(), await ask(), await ask()];
  await answering.deny({ id: denied.id, approvalDigest: denied.approvalDigest, channel: 'page' });
  await approve(first);
  expect(await again(denied)).toMatchObject({ state: 'pending' });
  expect(await again(open)).toMatchObject({ id: open.id, state: 'pending' });
  expect(await ask()).toMatchObject({ state: 'approved', channel: 'grant' });
});

it('a grant use stays used if the clock was set back before its signature', async () => {
  let passed = 0;
  const { ask, approve, ledger, clock, reserveFor } = await home(() => passed);
  await approve(await ask(), { ...GRANT, times: 1 });
  // An hour passes without a write, and the clock is set back by it.
  passed += 3_600_000;
  const like = await ask();
  expect(await reserveFor(like)).toMatchObject({ ok: true });
  clock.at += TTL_MS;
  expect(await ledger.rows('approvals', { id: like.id })).toMatchObject([{ state: 'expired' }]);
  expect(await ask()).toMatchObject({ state: 'pending' });
});

it("asks if the ledger holds a grant without the owner key's signature, or of another wallet", async () => {
  const { ask, ledger } = await home();
  const first = await ask();
  await ledger.answerApproval(first.id, { state: 'approved', channel: 'page', grant: GRANT });
  expect(await ask()).toMatchObject({ state: 'pending' });
  // The rows about a grant are the grant itself and the approvals by it.
  expect((await ledger.rows('approvals', { grantId: 'any' })).map(({ id }) => id)).toEqual([first.id]);
});

describe('direct writes to the ledger', () => {
  it("create no grant: bounds without the owner key's signature are ignored (T57, T188)", async () => {
    const { ask, approve, holds, ledger, ownerPublicKey, clock } = await home();
    const first = await approve(await ask(), { ...GRANT, times: 1 });
    const like = await ask();
    expect(await holds(like)).toBe(true);
    const heldBy = (row: ApprovalRow) =>
      answerCheck({ mode: 'live', ownerPublicKey, now: clock.now, approvals: async () => [row, like] });
    for (const grant of [
      { ...GRANT },
      { ...GRANT, times: 1, total: '10001' },
      { ...GRANT, times: 1, until: GRANT.until + 1 },
      { ...GRANT, times: 1, worseBps: 101 },
      undefined,
    ]) {
      const { grant: _signed, ...bare } = first;
      const forged: ApprovalRow = grant === undefined ? bare : { ...bare, grant };
      expect(await heldBy(forged)(like), JSON.stringify(grant)).toBe(false);
    }
    expect(await heldBy(first)(like)).toBe(true);
    // An approval without a grant, and one that another row attributes to a grant.
    const [plain] = [await approve(await ask({ out: '9' }), undefined)];
    expect(await holds({ ...like, grantId: plain?.id ?? '' })).toBe(false);
    expect(await holds({ ...like, grantId: 'approval-none' })).toBe(false);
    const { grantId: _none, ...without } = like;
    expect(await holds(without)).toBe(false);
    expect(await ledger.rows('approvals', { grantId: first.id })).toHaveLength(2);
  });

  it("cannot approve a dissimilar plan, or one beyond the grant's count and total (T57, T188)", async () => {
    const { ask, approve, ledger, clock, ownerPublicKey } = await home();
    const first = await approve(await ask());
    const like = await ask();
    const rows = await ledger.rows('approvals', { grantId: first.id });
    const check = (all: readonly ApprovalRow[]) =>
      answerCheck({ mode: 'live', ownerPublicKey, now: clock.now, approvals: async () => [...all] });
    expect(await check(rows)(like)).toBe(true);
    const other = (change: (approval: Approval) => Approval): ApprovalRow => {
      const scopeText = approvalText(change(approvalFrom(like.scopeText)));
      return { ...like, scopeText, approvalDigest: sha256Text(scopeText) };
    };
    const line = (change: (line: Line) => Line[]) => (approval: Approval) => ({
      ...approval,
      statement: { ...approval.statement, lines: approval.statement.lines.flatMap(change) },
    });
    const changes: readonly ((approval: Approval) => Approval)[] = [
      line((each) => (each.id === 'pays' ? [{ ...each, to: STRANGER, owner: STRANGER }] : [each])),
      line((each) => (each.id === 'pays' ? [{ ...each, atMost: each.atMost + 1n }] : [each])),
      line((each) => (each.id === 'receives' ? [{ ...each, atLeast: each.atLeast - 1n }] : [each])),
      line((each) => (each.id === 'receives' ? [] : [each])),
      line((each) => (each.id === 'receives' ? [each, paying('payment', STRANGER)] : [each])),
      (approval) => ({ ...approval, pins: [{ digest: 'd', programs: [] }] }),
      (approval) => ({ ...approval, scope: { ...approval.scope, wallet: STRANGER } }),
      (approval) => ({ ...approval, scope: { ...approval.scope, operation: 'send' } }),
      (approval) => ({ ...approval, scope: { ...approval.scope, policyHash: 'b'.repeat(64) } }),
      (approval) => ({ ...approval, scope: { ...approval.scope, principal: 'anna' } }),
      (approval) => ({ ...approval, scope: { ...approval.scope, expiresAt: GRANT.until + 1 } }),
    ];
    for (const [i, change] of changes.entries()) expect(await check(rows)(other(change)), `${i}`).toBe(false);
    expect(await check(rows)(other((same) => same))).toBe(true);
    const used = (id: string): ApprovalRow => ({ ...like, id });
    expect(await check([...rows, used('approval-x')])(like)).toBe(true);
    expect(await check([...rows, used('approval-x'), used('approval-y')])(like)).toBe(false);
    const large = { ...used('approval-x'), run: { firstSigned: 0, until: 0 }, state: 'expired' as const };
    expect(await check([...rows, large, { ...large, id: 'approval-y' }])(like)).toBe(false);
  });
});

it('a total below the allowed count takes precedence', async () => {
  const { ask, approve } = await home();
  // A trade of 1,000 and at most 20 lamports of network fees.
  await approve(await ask(), { ...GRANT, times: 9, total: '2040' });
  expect(await ask()).toMatchObject({ state: 'approved' });
  expect(await ask()).toMatchObject({ state: 'approved' });
  expect(await ask({ out: '500', arrives: '500' })).toMatchObject({ state: 'pending' });
});
