/**
 * Policy that allows every stage in turn, in the order of the real one, and reserves the stage's cost. It ignores the
 * effects of the bytes.
 */
import type { ActivePolicy } from '../../src/execution/ports.ts';
import type { LimitSpec } from '../../src/ledger/types.ts';
import type { Decision, DecisionInputs, LedgerView, ReasonCode } from '../../src/policy/decide/types.ts';
import type { Line, Why } from '../../src/statement/types.ts';
import { withoutBigints } from '../../src/statement/view.ts';
import { messageSha256 as digestOf, readTransaction } from '../../src/transaction/read.ts';
import { messageWithoutBlockhash } from '../../src/transaction/signatures.ts';
import { decodeWire } from '../../src/transaction/wire.ts';
import { FEE, readAct } from './transactions.ts';

export const LIMIT: LimitSpec = {
  id: 'all',
  kind: 'asset',
  of: 'SOL',
  window: { rollingMs: 10 * 86_400_000 },
  max: 10n ** 15n,
};

/** Returns the maximum cost of a stage, as counted by the policy before the fee payer is known. */
export const mostOf = (lamports: number): bigint => BigInt(lamports) + FEE;

const HASH = 'the policy of the model';

/** Creates the policy; with `asksPerson`, every signature requires approval. */
export const modelPolicy = (requiresApproval: boolean): ActivePolicy => ({
  hash: HASH,
  limits: [LIMIT],
  approval: { ttlMs: 600_000, channels: [] },
  decide: (inputs, view) => {
    const decision = decide(inputs, view);
    if (!requiresApproval || decision.effect === 'deny' || view.approval !== undefined) return { decision };
    const askDecision = {
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_REQUIRED'],
      class: 'policy',
    } as const;
    return { decision: { ...decision, ...askDecision } };
  },
});

const pays = (atMost: bigint, to: 'market' | 'validators', why: Why): Line => ({
  ...{ id: 'pays', source: 'transaction', asset: 'SOL', atMost },
  ...{ to, owner: to, why, returns: 'never' },
});

function decide(inputs: DecisionInputs, view: LedgerView): Decision {
  const bytes = decodeWire(inputs.stage.transaction.text, 'base64');
  const { messageSha256 } = readTransaction(bytes);
  const amount = `${mostOf(readAct(bytes).lamports)}`;
  const refused = refusal(inputs, view, messageSha256);
  return {
    effect: refused === undefined ? 'allow' : 'deny',
    reasonCodes: refused === undefined ? [] : [refused.code],
    operation: inputs.plan.operation,
    class: refused?.kind ?? 'allowed',
    binding: 'exact',
    messageSha256,
    checks: [],
    changes: [{ asset: 'SOL', out: amount, in: '0' }],
    recipients: [],
    feeLamports: `${FEE}`,
    limits: [{ limitId: LIMIT.id, amount, max: `${LIMIT.max}`, usedBefore: view.used[LIMIT.id] ?? '0' }],
    // Each stage pays one party.
    statement: withoutBigints({
      lines: [pays(BigInt(amount) - FEE, 'market', 'trade'), pays(FEE, 'validators', 'networkFee')],
      made: {},
    }),
    expectedOutcome: { maxOut: [], maxDeposits: '0' },
    bytesDigest: digestOf(messageWithoutBlockhash(readTransaction(bytes))),
    policyId: 'model',
    policyHash: HASH,
    inputsDigest: '',
    staticOnly: false,
  };
}

function refusal(
  { stage, siblings, purpose, blockhashValid, quote, time }: DecisionInputs,
  { earlier }: LedgerView,
  messageSha256: string,
): { code: ReasonCode; kind: Decision['class'] } | undefined {
  const open = siblings.filter(
    (sibling) =>
      stage.dependsOn.includes(sibling.stage.id) && !['confirmed', 'finalized'].includes(sibling.status),
  );
  if (purpose === 'sign' && open.length > 0) return { code: 'STAGE_ORDER', kind: 'input' };
  if (earlier !== undefined && earlier.status !== 'expired') {
    const landed = ['confirmed', 'finalized', 'failed'].includes(earlier.status);
    return { code: landed || earlier.messageSha256 === messageSha256 ? 'REPLAY' : 'IN_DOUBT', kind: 'input' };
  }
  if (blockhashValid !== true) return { code: 'LIFETIME_MISMATCH', kind: 'availability' };
  if (quote !== undefined && quote.expiresAt <= time) {
    return { code: 'LIFETIME_MISMATCH', kind: 'availability' };
  }
  return undefined;
}
