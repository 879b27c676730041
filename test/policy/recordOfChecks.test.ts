/** Recorded values of each check of the bytes, the plan's order and the limits: observed and allowed. */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { Decision, DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { ATTACKER, decide as decideAny, policyWith, rewritten, stage, WALLET } from './recorded/stages.ts';

const read = inputs.stage.transaction.read();
const of = ({ checks }: Decision, name: string) => checks.find(({ id }) => id === name);
const declared = (more: DecisionInputs['stage']['declared']): Partial<DecisionInputs> => ({
  stage: { ...inputs.stage, declared: { ...inputs.stage.declared, ...more } },
});

describe('the record of transaction bytes', () => {
  it('keeps their length, or the reason why they do not have exactly one decoding', () => {
    expect(of(decide(), 'canonicalBytes')).toEqual({
      id: 'canonicalBytes',
      ok: true,
      observed: `${read.bytes.length} bytes`,
    });
    const broken = decide({ stage: { ...inputs.stage, transaction: new DecodedStage('AAAA') } });
    expectDenied(broken, 'NONCANONICAL_BYTES');
    expect(explain(broken)).toMatch(/^The transaction bytes are not in the canonical encoding \(.+\)\.$/);
  });

  it('keeps both hashes if the declared one differs', () => {
    const other = 'ab'.repeat(32);
    expect(explain(decide(declared({ messageSha256: other })))).toBe(
      `The message hash stated by the service is not the hash of the transaction (${read.messageSha256}; allowed: ${other}).`,
    );
  });

  it('keeps the signers, and the declared ones if they differ', () => {
    const name = 'declaredSigners';
    const signers = read.staticAccounts.slice(0, read.numRequiredSignatures);
    expect(of(decide(), name)).toEqual({ id: name, ok: true, observed: signers.join(', ') });
    const others = [WALLET, ATTACKER];
    expect(explain(decide(declared({ requiredSigners: others })))).toBe(
      `The signers are not the ones the service declares (${signers.join(', ')}; allowed: ${others.join(', ')}).`,
    );
  });

  it('counts valid signatures', () => {
    const name = 'signaturesValid';
    // A config has a signature of the service; a payment has only the wallet's slot.
    expect(of(decide(), name)?.observed).toBe('1 valid');
    expect(of(decideAny(stage('payment of SOL')), name)?.observed).toBe('0 valid');
  });

  it('keeps both blockhashes, and a declared height if displayable', () => {
    const other = keyNamed('another blockhash').address;
    const wrong = of(decide(declared({ blockhash: other })), 'declaredBlockhash');
    expect(wrong).toMatchObject({ ok: false, observed: read.blockhash, allowed: other });
    const height = of(decide(declared({ lastValidBlockHeight: '12 or so' })), 'declaredHeight');
    expect(height).toMatchObject({ ok: false, observed: 'a text of 8 characters' });
  });

  it('gives the reason for an unknown fee', () => {
    const twice = [1, 2].map((units) =>
      encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units } }),
    );
    const decision = decide(rewritten(inputs, (list) => list, { budget: twice }));
    expect(of(decision, 'feeKnown')).toMatchObject({
      ok: false,
      observed: expect.stringMatching(/\w+ \w+/),
    });
  });
});

describe('the record of stage order', () => {
  const name = 'stagesLanded';
  const second = stage('config of many, second');
  const [first, mine] = second.siblings;
  if (first === undefined || mine === undefined) throw new Error('two stages');
  const beside = (...statuses: readonly (typeof first.status)[]) => ({
    ...second,
    stage: { ...second.stage, dependsOn: statuses.map((_, i) => `config-${i}`) },
    siblings: [
      mine,
      ...statuses.map((status, i) => ({ stage: { ...first.stage, id: `config-${i}` }, status })),
    ],
  });

  it('keeps the number of stages that have not landed, and nothing if all have', () => {
    expect(of(decideAny(beside('finalized', 'confirmed')), name)).toEqual({ id: name, ok: true });
    const open = decideAny(beside('sent', 'confirmed', 'ready'));
    expect(of(open, name)).toMatchObject({
      ok: false,
      code: 'STAGE_ORDER',
      observed: '2 earlier stages have not landed',
    });
  });

  it('keeps the previously signed message', () => {
    const earlier = { messageSha256: 'cd'.repeat(32), status: 'sent' } as const;
    const name = 'stageUnsigned';
    expect(of(decide(), name)).toEqual({ id: name, ok: true });
    const view: LedgerView = { ...NOTHING_USED, earlier };
    expect(of(decide({}, view), name)).toMatchObject({
      ok: false,
      code: 'IN_DOUBT',
      observed: earlier.messageSha256,
    });
  });

  it('keeps both networks if the policy or the plan is for another', () => {
    const network = keyNamed('another network').address;
    const elsewhere = under((file) => ({ ...file, network }));
    expect(explain(elsewhere)).toBe(
      `The policy is for another network than the one in use (${inputs.network}; allowed: ${network}).`,
    );
    const planned = decide({ plan: { ...inputs.plan, network: 'another' } });
    expect(of(planned, 'planNetwork')).toMatchObject({
      ok: false,
      observed: 'another',
      allowed: inputs.network,
    });
  });
});

describe('the record of the limits', () => {
  const payment = stage('payment of USDC');
  const limited = (limits: ReturnType<typeof policyWith>['policy']['limits']) =>
    decideAny(
      payment,
      policyWith(() => ({ addressBook: [{ label: 'friend', address: keyNamed('friend').address }], limits })),
    );

  it('refuses a paid token without a limit: only a sale asks the owner', () => {
    const sol = { id: 'sol', asset: 'SOL', window: 'transaction', max: '1000000000' } as const;
    const any = { id: 'tokens', asset: 'any', window: 'transaction', max: '1000000000000' } as const;
    expectDenied(limited([sol]), 'LIMIT_EXCEEDED');
    expect(limited([sol, any]).reasonCodes).toEqual(['APPROVAL_REQUIRED']);
  });

  it('keeps counts as numbers', () => {
    const view = { used: { often: '3' } };
    const often = policyWith((file) => ({
      ...file,
      limits: [...file.limits, { id: 'often', count: 'any', window: { rolling: '1h' }, max: 3 }],
    }));
    expect(decide({}, view, often).checks.find(({ params }) => params?.limitId === 'often')).toMatchObject({
      ok: false,
      code: 'RATE_LIMITED',
      observed: '3 used and 1 more',
      allowed: '3',
    });
  });
});
