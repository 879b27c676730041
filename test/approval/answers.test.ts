import { describe, expect, it } from 'vitest';
import { AnswerError, createAnswering } from '../../src/answering/answering.ts';
import { answerCheck, approvalPayload } from '../../src/approval/answers.ts';
import type { ApprovalRow, Ledger } from '../../src/ledger/types.ts';
import { openOwnerKey } from '../../src/secrets/keys/ownerKey.ts';
import { type OwnerKey, signOwnerStatement } from '../../src/secrets/keys/ownerStatement.ts';
import { temporaryHome, thrownBy } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';
import { approvalDecision, askAbout, homeWithQuestion, launchPlan, TTL_MS } from './samples.ts';

async function liveHome() {
  const home = temporaryHome();
  const ownerPublicKey = await withOwner(home);
  const questionHome = await homeWithQuestion(home, 'live');
  const answering = createAnswering({ home, ledger: questionHome.ledger, ownerPublicKey });
  const holds = answerCheck({ mode: 'live', ownerPublicKey, now: questionHome.clock.now });
  const answer = {
    id: questionHome.row.id,
    approvalDigest: questionHome.row.approvalDigest,
    channel: 'command' as const,
  };
  return { ...questionHome, home, ownerPublicKey, answering, holds, answer };
}

const stored = async (ledger: Ledger, id: string): Promise<ApprovalRow> => {
  const [row] = await ledger.rows('approvals', { id });
  if (row === undefined) throw new Error('no row');
  return row;
};

const code = async (work: () => unknown) => {
  const error = await thrownBy(work);
  return error instanceof Error && 'code' in error ? error.code : error;
};

describe('an approval in live mode', () => {
  it('counts once the owner key has signed the exact question', async () => {
    const { answering, answer, ledger, holds } = await liveHome();
    const row = await answering.approve({ ...answer, passphrase: passphrase() });
    expect(row).toMatchObject({ state: 'approved', channel: 'command' });
    expect(await holds(await stored(ledger, row.id))).toBe(true);
  });

  it('is refused without the passphrase, with a wrong passphrase, or without an owner key', async () => {
    const { answering, answer, ledger } = await liveHome();
    expect(await code(() => answering.approve(answer))).toBe('OWNER_KEY_NEEDED');
    expect(await code(() => answering.approve({ ...answer, passphrase: passphrase('another one') }))).toBe(
      'WRONG_PASSPHRASE',
    );
    expect((await stored(ledger, answer.id)).state).toBe('pending');
    const bare = temporaryHome();
    const without = await homeWithQuestion(bare, 'live');
    const none = createAnswering({
      home: bare,
      ledger: without.ledger,
      ownerPublicKey: async () => undefined,
    });
    const { id, approvalDigest } = without.row;
    const approvalAnswer = {
      id,
      approvalDigest: approvalDigest,
      channel: 'page',
      passphrase: passphrase(),
    } as const;
    expect(await thrownBy(() => none.approve(approvalAnswer))).toMatchObject({
      code: 'OWNER_KEY_NEEDED',
      hint: 'A person makes one with `countersign owner create`.',
    });
  });

  it('is refused for an owner key that the wallet did not certify', async () => {
    const { answer, ledger, home } = await liveHome();
    const elsewhere = await withOwner(temporaryHome());
    const answering = createAnswering({ home, ledger, ownerPublicKey: elsewhere });
    expect(await code(() => answering.approve({ ...answer, passphrase: passphrase() }))).toBe(
      'OWNER_KEY_MISMATCH',
    );
    expect((await stored(ledger, answer.id)).state).toBe('pending');
  });

  it('applies to the displayed question only: refuses another id, a second answer and a late answer', async () => {
    const { answering, answer, clock } = await liveHome();
    const other = { ...answer, approvalDigest: '0'.repeat(64), passphrase: passphrase() };
    expect(await code(() => answering.approve(other))).toBe('APPROVAL_MISMATCH');
    expect(await code(() => answering.approve({ ...other, id: 'approval-none' }))).toBe('NOT_FOUND');
    await answering.deny(answer);
    expect(await code(() => answering.approve({ ...answer, passphrase: passphrase() }))).toBe(
      'APPROVAL_CONSUMED',
    );
    const late = await liveHome();
    late.clock.at += TTL_MS;
    expect(await code(() => late.answering.approve({ ...late.answer, passphrase: passphrase() }))).toBe(
      'APPROVAL_EXPIRED',
    );
    expect(clock.at).toBeLessThan(late.clock.at);
  });

  it('allows a denial without a key', async () => {
    const { answering, answer } = await liveHome();
    expect((await answering.deny(answer)).state).toBe('denied');
  });
});

describe('a stored row with status "approved"', () => {
  /** The owner's signed statement over a row, signed outside the answer handler. */
  async function statementFor(home: string, row: ApprovalRow, now: number): Promise<string> {
    const ownerKey: OwnerKey = await openOwnerKey({ home, passphrase: passphrase() });
    const payload = approvalPayload(row);
    return JSON.stringify(signOwnerStatement({ ownerKey, kind: 'approval', payload, now, ttlMs: TTL_MS }));
  }

  it('is ignored in live mode without a valid statement', async () => {
    const { row, holds } = await liveHome();
    for (const statement of [undefined, '', 'yes', '{}', '[]', 'null']) {
      const forged: ApprovalRow = {
        ...row,
        state: 'approved',
        channel: 'command',
        ...(statement === undefined ? {} : { statement }),
      };
      expect(await holds(forged)).toBe(false);
    }
  });

  it('counts only with a statement about the same question', async () => {
    const { home, row, holds, clock } = await liveHome();
    const statement = await statementFor(home, row, clock.at);
    const approval: ApprovalRow = { ...row, state: 'approved', channel: 'command', statement };
    expect(await holds(approval)).toBe(true);
    const changes: Partial<ApprovalRow>[] = [
      { id: 'approval-other' },
      { planId: 'plan-other' },
      { intentKey: '0'.repeat(64) },
      { wallet: row.network },
      { network: row.wallet },
      { approvalDigest: '0'.repeat(64) },
      { policyHash: '0'.repeat(64) },
      { stages: [...row.stages, 'LUT_CLOSE'] },
      { expiresAt: row.expiresAt + 1 },
      { state: 'pending' },
      { state: 'denied' },
      { channel: 'elicitation' },
    ];
    for (const change of changes) expect(await holds({ ...approval, ...change })).toBe(false);
  });

  it('is ignored with a statement by another key, of another kind, or expired', async () => {
    const { home, row, holds, clock } = await liveHome();
    const elsewhere = temporaryHome();
    await withOwner(elsewhere);
    const foreign = await statementFor(elsewhere, row, clock.at);
    expect(await holds({ ...row, state: 'approved', channel: 'page', statement: foreign })).toBe(false);
    const ownerKey = await openOwnerKey({ home, passphrase: passphrase() });
    const payload = approvalPayload(row);
    const other = signOwnerStatement({ ownerKey, kind: 'policy', payload, now: clock.at, ttlMs: TTL_MS });
    expect(
      await holds({ ...row, state: 'approved', channel: 'page', statement: JSON.stringify(other) }),
    ).toBe(false);
    const statement = await statementFor(home, row, clock.at);
    clock.at += TTL_MS;
    expect(await holds({ ...row, state: 'approved', channel: 'page', statement })).toBe(false);
  });

  it('does not cover the next question about the same plan', async () => {
    const { ledger, policy, plan, answering, answer, holds } = await liveHome();
    const first = await answering.approve({ ...answer, passphrase: passphrase() });
    const decision = approvalDecision(policy, { changes: [{ asset: 'SOL', out: '521495001', in: '0' }] });
    const second = await askAbout(ledger, policy, plan, [{ id: 'LAUNCH', decision }]);
    expect(second.id).not.toBe(first.id);
    const replayed = await ledger.answerApproval(second.id, {
      state: 'approved',
      channel: 'command',
      ...(first.statement === undefined ? {} : { statement: first.statement }),
    });
    expect(await holds(replayed)).toBe(false);
  });

  it('counts through elicitation only in the process that received the answer', async () => {
    const { row, ownerPublicKey, clock } = await liveHome();
    const approval: ApprovalRow = { ...row, state: 'approved', channel: 'elicitation' };
    const parts = { mode: 'live', ownerPublicKey, now: clock.now } as const;
    expect(await answerCheck({ ...parts, elicited: (known) => known.id === row.id })(approval)).toBe(true);
    expect(await answerCheck({ ...parts, elicited: () => false })(approval)).toBe(false);
    expect(await answerCheck(parts)(approval)).toBe(false);
  });

  it('needs no owner key in the sandbox', async () => {
    const home = temporaryHome();
    const { ledger, row, clock } = await homeWithQuestion(home);
    const ownerPublicKey = async () => undefined;
    const answering = createAnswering({ home, ledger, ownerPublicKey });
    const { id, approvalDigest } = row;
    const approval = await answering.approve({ id, approvalDigest, channel: 'page' });
    expect(await answerCheck({ mode: 'sandbox', ownerPublicKey, now: clock.now })(approval)).toBe(true);
    expect(await answerCheck({ mode: 'live', ownerPublicKey, now: clock.now })(approval)).toBe(false);
  });

  it('needs the owner key if its plan is unknown', async () => {
    const home = temporaryHome();
    const { ledger, row } = await homeWithQuestion(home);
    const orphan = await ledger.askApproval({
      ...row,
      id: 'approval-orphan',
      planId: 'plan-gone',
      approvalDigest: '1'.repeat(64),
    });
    const answering = createAnswering({ home, ledger, ownerPublicKey: async () => undefined });
    const { id, approvalDigest } = orphan;
    expect(await thrownBy(() => answering.approve({ id, approvalDigest, channel: 'page' }))).toBeInstanceOf(
      AnswerError,
    );
  });
});

describe('the plan of a question', () => {
  it('decides whether the owner key is needed, regardless of what the caller states', async () => {
    const home = temporaryHome();
    const { ledger, policy, row } = await homeWithQuestion(home);
    const live = await askAbout(ledger, policy, launchPlan('live', { intentKey: '2'.repeat(64) }), [
      { id: 'LAUNCH', decision: approvalDecision(policy, {}) },
    ]);
    const answering = createAnswering({ home, ledger, ownerPublicKey: async () => undefined });
    const approve = ({ id, approvalDigest }: ApprovalRow) =>
      answering.approve({ id, approvalDigest, channel: 'page' });
    expect(await approve(row)).toMatchObject({ state: 'approved' });
    await expect(approve(live)).rejects.toThrow();
    expect(await ledger.rows('approvals', { id: live.id })).toMatchObject([{ state: 'pending' }]);
  });
});
