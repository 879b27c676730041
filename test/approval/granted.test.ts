/** Approvals by a grant where real money is at stake: only what the owner key signed counts, within its bounds. */
import { describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { askPerson } from '../../src/approval/approvals.ts';
import { runPartsOf } from '../../src/approval/run.ts';
import { sha256Text } from '../../src/base/canonicalJson.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { grantsOf } from '../../src/presentation/grants.ts';
import { approvalFrom, approvalText } from '../../src/statement/aggregate.ts';
import type { Grant } from '../../src/statement/grant.ts';
import type { Approval, Line } from '../../src/statement/types.ts';
import { handClock, sampleDecision, samplePlan, sampleStatement } from '../ledger/samples.ts';
import { temporaryHome, thrownBy } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';
import { ASKED_AT, STRANGER, stage, TREASURY, TTL_MS, WALLET } from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const HASH = 'a'.repeat(64);
const DAY = 86_400_000;
const GRANT: Grant = { times: 2, asset: 'SOL', total: '10000', until: ASKED_AT + 30 * DAY, worseBps: 100 };

/** A live home, and a way to ask about a trade of it. */
async function home() {
  const path = temporaryHome();
  const ownerPublicKey = await withOwner(path);
  const clock = handClock(ASKED_AT);
  const ledger = openLedger({ home: path, clock });
  const answering = createAnswering({ home: path, ledger, ownerPublicKey });
  const approvals: typeof ledger.approvals = (filter) => ledger.approvals(filter);
  const holds = answerCheck({ mode: 'live', ownerPublicKey, now: clock.now, approvals });
  let count = 0;
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
    const run = runPartsOf(plan, hash, [{ id: 'swap', decision }]);
    return askPerson(ledger, { plan, run, ttlMs: TTL_MS, channels: [], holds: check });
  };
  const yes = async (row: ApprovalRow, grant: Grant | undefined = GRANT) =>
    answering.approve({
      ...{ id: row.id, envelopeDigest: row.envelopeDigest, channel: 'command', passphrase: passphrase() },
      grant,
    });
  return { path, clock, ledger, answering, ownerPublicKey, holds, ask, yes };
}

describe('the like of a plan that the owner approved with its like', () => {
  it('counts for weeks after the statement about the first plan has run out', async () => {
    const { ask, yes, holds, clock, ledger } = await home();
    const first = await yes(await ask());
    expect(first).toMatchObject({ state: 'approved', grant: GRANT, likes: first.id });
    clock.at += 29 * DAY;
    const like = await ask();
    expect(like).toMatchObject({ state: 'approved', channel: 'grant', likes: first.id });
    expect(like.expiresAt).toBe(clock.at + TTL_MS);
    expect(await holds(like)).toBe(true);
    expect(await grantsOf(ledger)).toMatchObject([
      { id: first.id, used: 1, times: 2, holds: true, total: '10000' },
    ]);
    clock.at += DAY - 1;
    expect((await ask()).expiresAt).toBe(GRANT.until);
    clock.at += 1;
    expect(await ask()).toMatchObject({ state: 'pending' });
    expect(await holds(like)).toBe(false);
    expect(await grantsOf(ledger)).toEqual([]);
    expect(await grantsOf(ledger, true)).toMatchObject([{ holds: false }]);
  });

  it('gives back a use that nothing was signed under', async () => {
    const { ask, yes, clock } = await home();
    await yes(await ask(), { ...GRANT, times: 1 });
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
    const { ask, yes } = await home();
    await yes(await ask());
    expect(await ask(different)).toMatchObject({ state: 'pending' });
    expect(await ask({ out: '500', arrives: '248' })).toMatchObject({ state: 'approved', channel: 'grant' });
  });

  it('is not offered for what has to be looked at each time', async () => {
    const { ask, yes } = await home();
    const found = await ask({ more: [{ id: 'asks', source: 'transaction', code: 'PRICE_FAR' }] });
    expect(await thrownBy(() => yes(found))).toMatchObject({ code: 'NOT_GRANTABLE' });
    const other = await ask();
    expect(await thrownBy(() => yes(other, { ...GRANT, asset: MINT }))).toMatchObject({
      code: 'NOT_GRANTABLE',
    });
    expect(await yes(other)).toMatchObject({ state: 'approved' });
  });

  it('ends with a no that needs no key, and stays ended', async () => {
    const { ask, yes, holds, answering, ledger } = await home();
    const first = await yes(await ask());
    const like = await ask();
    const { id, envelopeDigest } = first;
    expect(await answering.deny({ id, envelopeDigest, channel: 'page' })).toMatchObject({
      id,
      state: 'approved',
    });
    expect(await holds(like)).toBe(false);
    expect(await ask()).toMatchObject({ state: 'pending' });
    expect(await grantsOf(ledger)).toEqual([]);
    expect(await thrownBy(() => answering.deny({ id, envelopeDigest, channel: 'page' }))).toMatchObject({
      code: 'APPROVAL_CONSUMED',
    });
  });
});

function paying(why: 'payment' | 'tip' | 'deposit', to: string): Line {
  return {
    id: 'pays',
    source: 'transaction',
    asset: 'SOL',
    atMost: 10n,
    to,
    owner: to,
    why,
    returns: 'never',
  };
}

describe('code that writes the ledger', () => {
  it('grants nothing: bounds that the owner key did not sign do not count (T57)', async () => {
    const { ask, yes, holds, ledger, ownerPublicKey, clock } = await home();
    const first = await yes(await ask(), { ...GRANT, times: 1 });
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
    // A yes without a grant, and one that another row claims to be by.
    const [plain] = [await yes(await ask({ out: '9' }), undefined)];
    expect(await holds({ ...like, likes: plain?.id ?? '' })).toBe(false);
    expect(await holds({ ...like, likes: 'approval-none' })).toBe(false);
    const { likes: _none, ...without } = like;
    expect(await holds(without)).toBe(false);
    expect(await ledger.approvals({ likes: first.id })).toHaveLength(2);
  });

  it('approves nothing by a grant that is unlike it, or beyond its number and total (T57)', async () => {
    const { ask, yes, ledger, clock, ownerPublicKey } = await home();
    const first = await yes(await ask());
    const like = await ask();
    const rows = await ledger.approvals({ likes: first.id });
    const check = (all: readonly ApprovalRow[]) =>
      answerCheck({ mode: 'live', ownerPublicKey, now: clock.now, approvals: async () => [...all] });
    expect(await check(rows)(like)).toBe(true);
    const other = (change: (approval: Approval) => Approval): ApprovalRow => {
      const envelope = approvalText(change(approvalFrom(like.envelope)));
      return { ...like, envelope, envelopeDigest: sha256Text(envelope) };
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

it('a total below what the number allows is what counts', async () => {
  const { ask, yes } = await home();
  // A trade of 1,000 and at most 20 lamports of network fees.
  await yes(await ask(), { ...GRANT, times: 9, total: '2040' });
  expect(await ask()).toMatchObject({ state: 'approved' });
  expect(await ask()).toMatchObject({ state: 'approved' });
  expect(await ask({ out: '500', arrives: '500' })).toMatchObject({ state: 'pending' });
});
