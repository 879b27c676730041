/** From checks to the decision: its fields, the first reason, and the coverage of an approval. */

import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import { inputsDigest } from '../../src/policy/decide/decisionInputs.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { byPrecedence, classOf, decisionClass } from '../../src/policy/decide/reasons.ts';
import {
  ASK_CODES,
  type Check,
  type LedgerView,
  REASON_CODES,
  type ReasonCode,
} from '../../src/policy/decide/types.ts';
import type { CheckId } from '../../src/policy/decide/words/names.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain, explained } from '../../src/presentation/decisions/explain.ts';
import { approvalOfStage, coverage, withLines } from './approving.ts';
import { decide, expectDenied, inputs, under, usual } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { plus } from './recorded/edits.ts';
import { policyWith, stage, withVenue } from './recorded/stages.ts';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
});

describe('a decision contains only its findings', () => {
  it('without a policy is a denial and nothing else', () => {
    expect(evaluate(inputs, undefined, NOTHING_USED)).toEqual({
      effect: 'deny',
      reasonCodes: ['POLICY_MISSING'],
      operation: inputs.plan.operation,
      class: 'policy',
      binding: 'exact',
      messageSha256: decide().messageSha256,
      checks: [
        { id: 'notFrozen', ok: true },
        { id: 'policyExists', ok: false, code: 'POLICY_MISSING' },
      ],
      changes: [],
      recipients: [],
      feeLamports: '0',
      limits: [],
      policyId: '',
      policyHash: '',
      inputsDigest: inputsDigest(inputs),
      staticOnly: false,
    });
  });

  it('about undecodable bytes has the hash of the received bytes', () => {
    const unreadable = (transaction: string) =>
      decide({ stage: { ...inputs.stage, transaction: new DecodedStage(transaction), declared: {} } });
    const decision = unreadable('AAAA');
    expect(decision).toEqual({
      effect: 'deny',
      reasonCodes: ['NONCANONICAL_BYTES'],
      operation: inputs.plan.operation,
      class: 'security',
      binding: 'exact',
      messageSha256: sha256('AAAA'),
      checks: expect.any(Array),
      changes: [],
      recipients: [],
      feeLamports: '0',
      limits: [],
      policyId: usual.policy.id,
      policyHash: usual.hash,
      inputsDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      staticOnly: false,
    });
    expect(unreadable('no base64!').messageSha256).toBe(sha256('no base64!'));
    expect(decision.checks.map(({ id, ok }) => [id, ok])).toEqual([
      ['notFrozen', true],
      ['policyNetwork', true],
      ['planNetwork', true],
      ['canonicalBytes', false],
    ]);
  });

  it('with every check passed names the rule and no reason', () => {
    const decision = decide();
    expect(decision).not.toHaveProperty('remedy');
    expect(explain(decision)).toBe('Rule fee-plans allows this config and every check passed.');
    expect(decision.feeLamports).toMatch(/^[1-9][0-9]*$/);
    const waiting = decide({ purpose: 'preview', simulation: { status: 'not_yet' } });
    expect(explain(waiting)).toBe(
      'Rule fee-plans allows this config and every check passed; its effects are simulated once the stages before it have landed.',
    );
    expect(waiting.staticOnly).toBe(true);
  });

  it('ends at unknown tables or an unknown fee', () => {
    const without = { ...stage('custody launch'), tables: [] };
    const decision = evaluate(without, usual, NOTHING_USED);
    expect(decision.reasonCodes).toEqual(['LOOKUP_TABLE_UNRESOLVED']);
    expect(decision).toMatchObject({ changes: [], recipients: [], limits: [], feeLamports: '0' });
    const price = {
      programAddress: 'ComputeBudget111111111111111111111111111111',
      accounts: [],
      data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
    };
    const twice = evaluate(plus(inputs, price, price), usual, NOTHING_USED);
    expect(twice.effect).toBe('deny');
    expect(twice.checks.find(({ id }) => id === 'feeKnown')?.ok).toBe(false);
    expect(twice).toMatchObject({ changes: [], recipients: [], limits: [], feeLamports: '0' });
  });
});

describe('an approval', () => {
  const askDecision = under(asking);
  const view = (
    more: Partial<NonNullable<LedgerView['approval']>> = {},
    rest: Partial<LedgerView> = {},
  ): LedgerView => ({
    used: {},
    approval: { id: 'a1', messageSha256: askDecision.messageSha256, expiresAt: inputs.time + 1, ...more },
    ...rest,
  });

  it('is requested in text and is one check once given', () => {
    expect(explained(askDecision)).toEqual({
      explain: 'A person must approve this config first.',
      remedy: 'A person can approve it with `countersign approve` or on the local page.',
    });
    expect(askDecision.checks.at(-1)).toEqual({ id: 'approved', ok: false, code: 'APPROVAL_REQUIRED' });
    const approved = under(asking, view());
    expect(explain(approved)).toBe('The owner approved this config and every check passed.');
    expect(approved.checks.at(-1)).toEqual({ id: 'approved', ok: true, observed: 'a1' });
  });

  it('does not cover other bytes, and may have expired for these', () => {
    expect(under(asking, view({ messageSha256: '00' })).reasonCodes).toEqual(['APPROVAL_REQUIRED']);
    expect(under(asking, view({ expiresAt: inputs.time })).reasonCodes).toEqual([
      'APPROVAL_EXPIRED',
      'APPROVAL_REQUIRED',
    ]);
    expect(under(asking, { used: {}, approvalExpired: true }).reasonCodes).toEqual([
      'APPROVAL_EXPIRED',
      'APPROVAL_REQUIRED',
    ]);
  });

  it('covers at most the displayed amounts, per asset and to the unit', () => {
    const usdc = stage('swap of USDC');
    const policy = policyWith(asking);
    const approval = approvalOfStage(usdc, policy);
    expect(coverage(approval, usdc, policy)).toEqual({ covered: true });
    // The request bounds the network fee of the run above that of one stage.
    const paid = approval.statement.lines.filter((line) => line.id === 'pays' && line.why !== 'networkFee');
    expect(paid.length).toBeGreaterThan(1);
    for (const one of paid) {
      const with_ = (change: (most: bigint) => bigint | undefined) =>
        withLines(approval, (line) => {
          const most = line.id === 'pays' && line === one ? change(line.atMost) : undefined;
          return line !== one || line.id !== 'pays' || most === undefined
            ? line === one
              ? undefined
              : line
            : { ...line, atMost: most };
        });
      expect(
        coverage(
          with_(() => undefined),
          usdc,
          policy,
        ),
      ).toMatchObject({ covered: false, line: 'pays' });
      const slack = one.id === 'pays' && one.why === 'serviceFee' ? one.atMost / 20n : 0n;
      expect(
        coverage(
          with_((most) => most - slack - 1n),
          usdc,
          policy,
        ).covered,
      ).toBe(false);
    }
  });

  it('is not requested for a denied stage, decoded or not', () => {
    const unsupported = stage('config with an unsupported program');
    const no = policyWith((file) => ({
      ...withVenue(file),
      rules: [{ id: 'no', operation: 'config', effect: 'deny', why: 'no' }],
    }));
    expect(evaluate(unsupported, no, NOTHING_USED)).toMatchObject({ reasonCodes: ['NO_RULE'] });
  });
});

describe('reasons', () => {
  const failed = (code: ReasonCode, id: CheckId = 'secondRpc', more: Partial<Check> = {}): Check => ({
    id,
    ok: false,
    code,
    ...more,
  });

  it('are ranked: every code has its rank and class', () => {
    const sorted = byPrecedence(REASON_CODES.toReversed().map((code) => failed(code))).map(
      ({ code }) => code,
    );
    expect(sorted).toEqual([
      'FROZEN',
      'POLICY_MISSING',
      'POLICY_INVALID',
      'POLICY_CHANGED',
      'NONCANONICAL_BYTES',
      'FORMAT_MISMATCH',
      'COSIGNATURE_INVALID',
      'HASH_MISMATCH',
      'DURABLE_NONCE',
      'FEE_PAYER_MISMATCH',
      'SIGNERS_MISMATCH',
      'LIFETIME_MISMATCH',
      'FEE_OVER',
      'LOOKUP_TABLE_UNRESOLVED',
      'AUTHORITY_CHANGE',
      'DELEGATE_GRANTED',
      'PROGRAM_NOT_ALLOWED',
      'INSTRUCTION_MISFIT',
      'INSTRUCTION_UNKNOWN',
      'RECIPIENT_LOOKALIKE',
      'UNDECLARED_LOSS',
      'UNEXPECTED_INSTRUCTION',
      'REQUEST_MISMATCH',
      'TOKEN_EXTENSION_DENIED',
      'NO_RULE',
      'RECIPIENT_NOT_ALLOWED',
      'REPLAY',
      'IN_DOUBT',
      'STAGE_ORDER',
      'LIMIT_EXCEEDED',
      'RATE_LIMITED',
      'SIGNER_UNAVAILABLE',
      'REHEARSAL_FAILED',
      'RPC_DISAGREE',
      'SIMULATION_FAILED',
      'SIMULATION_UNAVAILABLE',
      'PERSON_DENIED',
      'APPROVAL_EXPIRED',
      'APPROVAL_REQUIRED',
      ...ASK_CODES,
    ]);
    const kinds = (kind: string) => REASON_CODES.filter((code) => classOf(code) === kind);
    expect(kinds('input')).toEqual(['REPLAY', 'IN_DOUBT', 'STAGE_ORDER']);
    expect(kinds('availability')).toEqual([
      'SIGNER_UNAVAILABLE',
      'REHEARSAL_FAILED',
      'RPC_DISAGREE',
      'SIMULATION_FAILED',
      'SIMULATION_UNAVAILABLE',
    ]);
    expect(kinds('security')).toHaveLength(19);
    expect(kinds('policy')).toHaveLength(12 + ASK_CODES.length);
  });

  it('about the transaction precede those about the simulation', () => {
    const list = [
      failed('AUTHORITY_CHANGE', 'nothingGranted', { simulated: true }),
      failed('REQUEST_MISMATCH'),
      failed('UNDECLARED_LOSS', 'leavesByBytes', { simulated: true }),
      failed('NONCANONICAL_BYTES'),
    ];
    expect(byPrecedence(list).map(({ code }) => code)).toEqual([
      'NONCANONICAL_BYTES',
      'REQUEST_MISMATCH',
      'AUTHORITY_CHANGE',
      'UNDECLARED_LOSS',
    ]);
    // A missing simulation is not a finding of a simulation.
    const none = [failed('SIMULATION_UNAVAILABLE', 'simulation'), failed('SIGNER_UNAVAILABLE')];
    expect(byPrecedence(none).map(({ code }) => code)).toEqual([
      'SIGNER_UNAVAILABLE',
      'SIMULATION_UNAVAILABLE',
    ]);
    expect(
      byPrecedence([failed('NO_RULE', 'ruleCovers'), failed('NO_RULE', 'withinHours')]).map(({ id }) => id),
    ).toEqual(['ruleCovers', 'withinHours']);
    const { code: _none, ...bare } = failed('NO_RULE', 'notFrozen');
    expect(byPrecedence([failed('POLICY_MISSING'), bare])[0]?.id).toBe('notFrozen');
  });

  it('make a decision a security denial if one of them is', () => {
    expect(decisionClass([])).toBe('allowed');
    expect(decisionClass([failed('NO_RULE'), failed('UNDECLARED_LOSS')])).toBe('security');
    expect(decisionClass([failed('NO_RULE'), failed('REPLAY')])).toBe('policy');
    expect(decisionClass([failed('LIFETIME_MISMATCH', 'blockhashAlive', { class: 'availability' })])).toBe(
      'availability',
    );
    const { code: _none, ...bare } = failed('NO_RULE');
    expect(decisionClass([bare])).toBe('security');
  });
});

it('include a durable nonce, in the transaction and as a hard denial', () => {
  const { checks } = evaluate(
    plus(inputs, {
      programAddress: '11111111111111111111111111111111',
      accounts: [{ address: keyNamed('nonce').address, signer: false, writable: true }],
      data: Uint8Array.of(4, 0, 0, 0),
    }),
    usual,
    NOTHING_USED,
  );
  expect(checks.find(({ id }) => id === 'noDurableNonce')).toEqual({
    id: 'noDurableNonce',
    ok: false,
    code: 'DURABLE_NONCE',
  });
});

it('name a stage of another operation by its kind', () => {
  const decision = decide({ stage: { ...inputs.stage, kind: 'swap' } });
  expectDenied(decision, 'REQUEST_MISMATCH');
  expect(decision.checks).toContainEqual({
    id: 'stageBelongs',
    ok: false,
    code: 'REQUEST_MISMATCH',
    observed: 'swap',
  });
});
