/**
 * One decision about one stage: inputs gathered now, what the ledger knows now, the policy as it is now, and an
 * answer of a person where one is needed.
 */

import { type AnswerCheck, answerCheck } from '../../approval/answers.ts';
import { type ApprovalState, findApproval } from '../../approval/approvals.ts';
import { type DecidedStage, runPartsOf } from '../../approval/run.ts';
import type { DecisionInput, Ledger, Signed, StageView } from '../../ledger/types.ts';
import { type AskedConfig, configAsked, configNote } from '../../plan/askedConfig.ts';
import { judgedWith } from '../../plan/claimAll.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { quoteIdOf } from '../../plan/intent.ts';
import { heldNote, type TokenNames, tokenNames, tokenNote } from '../../plan/tokenNames.ts';
import type { Plan, Stage } from '../../plan/types.ts';
import type { Decision, LedgerView } from '../../policy/decide/types.ts';
import type { RunParts } from '../../statement/run.ts';
import { messageSha256 } from '../../transaction/read.ts';
import { messageWithoutBlockhash } from '../../transaction/signatures.ts';
import type { Address } from '../../transaction/types.ts';
import type { ActivePolicy, ExecutionDeps } from '../ports.ts';
import { isInFlight, isLanded, type PlanSnapshot, type StageState } from '../status.ts';
import { freshStage } from './candidate.ts';
import { gatherGuarded } from './gather.ts';
import { storedQuote } from './quotes.ts';

/** A decided stage: the exact candidate, the decision with what it was made from, and the approval behind it. */
export interface Decided {
  readonly stage: Stage;
  readonly policy: ActivePolicy;
  readonly input: DecisionInput;
  readonly decision: Decision;
  readonly approval: ApprovalState;
  /** Present where an approval is needed. */
  readonly run?: RunParts;
}

/** A decision before it is known whether an approval covers it. */
type First = Omit<Decided, 'approval' | 'run'>;

/** What is in force when a stage is looked at: the policy, the wallets there are, and what the ledger knows. */
export interface InForce {
  readonly policy: ActivePolicy;
  readonly wallets: readonly Address[];
  readonly view: StageView;
}

/** Reads it. One decision is made on it, and nothing else. */
export async function inForce(
  { ledger, policy: current, wallets }: Pick<ExecutionDeps, 'ledger' | 'policy' | 'wallets'>,
  { planId, intentKey, wallet, network, request }: Plan,
  stageId: string,
): Promise<InForce> {
  const policy = await current();
  const { limits } = policy;
  const quoteId = quoteIdOf({ endpoint: request.endpoint, request: request.fields });
  return {
    policy,
    wallets: await wallets.addresses(),
    view: await ledger.view({ planId, intentKey, wallet, network, stageId, limits, quoteId }),
  };
}

/** Decides a stage for its signature. Records nothing: the caller knows whether a reservation or a plain record follows. */
export async function decideStage(
  deps: ExecutionDeps,
  plan: Plan,
  states: readonly StageState[],
  stageId: string,
  now: InForce,
): Promise<Decided> {
  const first = await decideAlone(deps, plan, states, stageId, 'sign', now);
  if (first.decision.effect !== 'require_approval') return { ...first, approval: UNASKED };
  return withAnswer(deps, plan, first, await announced(deps, plan, states, first), stageId);
}

/** Decides every stage that is not signed, in the plan's order. Advice: each is decided again for its signature. */
export async function decideOpenStages(
  deps: ExecutionDeps,
  { plan, states }: Pick<PlanSnapshot, 'plan' | 'states'>,
): Promise<Decided[]> {
  const firsts = await Promise.all(
    states.filter(isOpen).map(({ stage }) => decideAlone(deps, plan, states, stage.id, 'preview')),
  );
  const decided = await Promise.all(
    firsts.map((first): Promise<Decided> | Decided =>
      first.decision.effect === 'require_approval'
        ? withAnswer(deps, plan, first, firsts.map(decidedStage))
        : { ...first, approval: UNASKED },
    ),
  );
  // A question shows the decisions as they are recorded.
  const all = decided.map(decidedStage);
  return decided.map((each) =>
    each.run === undefined ? each : { ...each, run: runPartsOf(plan, each.policy.hash, all) },
  );
}

const UNASKED: ApprovalState = { state: 'none', lapsed: false };
const isOpen = ({ status }: StageState): boolean => !isLanded(status) && !isInFlight(status);
const decidedStage = ({ stage, decision }: Pick<Decided, 'stage' | 'decision'>): DecidedStage => ({
  id: stage.id,
  decision,
});

/** Decides once more with the approval that covers the run. */
async function withAnswer(
  deps: ExecutionDeps,
  plan: Plan,
  first: First,
  others: readonly DecidedStage[],
  stageId?: string,
): Promise<Decided> {
  const { policy, input, stage } = first;
  const runWith = (decided: First) =>
    runPartsOf(
      plan,
      policy.hash,
      plan.stages.flatMap(({ id }) =>
        id === stage.id ? decidedStage(decided) : (others.find((each) => each.id === id) ?? []),
      ),
      stageId,
    );
  const holds = deps.answerHolds ?? withoutOwner(deps);
  const approval = await findApproval(deps.ledger, plan.planId, runWith(first), holds);
  const view = withApproval(input.view, approval, first.decision.messageSha256);
  if (view === input.view) return { ...first, approval, run: runWith(first) };
  const { decision } = policy.decide(input.inputs, view);
  const decided = { ...first, input: { ...input, view, decision }, decision };
  return { ...decided, approval, run: runWith(decided) };
}

/**
 * The other open stages of a plan as they were decided last; decided now where that was about other bytes, by another
 * policy or a denial.
 */
async function announced(
  deps: ExecutionDeps,
  plan: Plan,
  states: readonly StageState[],
  { stage: { id: stageId }, policy: { hash: policyHash } }: First,
): Promise<DecidedStage[]> {
  const others = states.filter(
    (state) => state.stage.id !== stageId && !state.stage.optional && isOpen(state),
  );
  if (others.length === 0) return [];
  const records = await deps.ledger.decisions({ planId: plan.planId, limit: MAX_RECORDS });
  const found: DecidedStage[] = [];
  for (const { stage } of others) {
    const transaction = stage.transaction.decoded;
    const digest = transaction && messageSha256(messageWithoutBlockhash(transaction));
    const newest = records.find((record) => record.stageId === stage.id)?.decision;
    const isCurrent = newest?.policyHash === policyHash && newest.bytesDigest === digest;
    if (digest !== undefined && newest !== undefined && isCurrent)
      found.push({ id: stage.id, decision: newest });
    else {
      const now = await decideAlone(deps, plan, states, stage.id, 'preview');
      await deps.ledger.recordDecision(now.input);
      found.push(decidedStage(now));
    }
  }
  return found;
}

const MAX_RECORDS = 500;

async function decideAlone(
  deps: ExecutionDeps,
  plan: Plan,
  states: readonly StageState[],
  stageId: string,
  purpose: 'preview' | 'sign',
  now?: InForce,
): Promise<First> {
  const stored = states.find(({ stage }) => stage.id === stageId)?.stage;
  if (stored === undefined) throw new TypeError('a stage that is not of its plan');
  const { ledger, mode } = deps;
  const { policy, wallets, view: known } = now ?? (await inForce(deps, plan, stageId));
  const quote = await storedQuote(ledger, plan);
  // One claim of several is judged as a plan of its own, by its own request, with its own stages.
  const { has, ...judged } = judgedWith(plan, stored);
  const named = await registeredAs(ledger, plan);
  const asked = await askedBefore(ledger, plan);
  const held = quote !== undefined && (await isHeld(ledger, plan, quote.quote.outputMint));
  const { setups, earlier } = earlierBytes(known.signed, plan, states, has);
  const staged = await deps.gather({
    ...judged,
    stage: await freshStage(stored, deps.chain),
    siblings: states
      .filter((state) => has(state.stage.id))
      .map((state) => ({ stage: state.stage, status: state.status })),
    ...(setups.length === 0 ? {} : { earlierSetups: setups }),
    ...(earlier.length === 0 ? {} : { earlierStages: earlier }),
    purpose,
    mode,
    time: known.time,
    ourWallets: wallets,
    ...(quote === undefined ? {} : { quote }),
    ...(held ? { held } : {}),
    ...(named === undefined ? {} : { named }),
    ...(asked === undefined ? {} : { asked }),
  });
  const view = ledgerView(known, plan, states, stored);
  const first = policy.decide(staged, view);
  const inputs = first.guard === undefined ? staged : await gatherGuarded(deps, staged, first.guard);
  const { decision } = inputs === staged ? first : policy.decide(inputs, view);
  const { planId, intentKey, wallet } = plan;
  return {
    stage: inputs.stage,
    policy,
    decision,
    input: { planId, stageId, intentKey, wallet, purpose, decision, inputs, view },
  };
}

/**
 * Transactions of this intent that are no stage of the plan any more. `setups` filled lookup tables and landed, in an
 * earlier run, or were called dead before a rebuild and found later: a table holds what they put there as well.
 * `earlier` are stages of earlier revisions that landed or may still land: with the stages of now they are what the run
 * does altogether.
 */
function earlierBytes(
  signed: readonly Signed[],
  { planId }: Plan,
  states: readonly StageState[],
  isBeside: (stageId: string) => boolean,
): { readonly setups: DecodedStage[]; readonly earlier: DecodedStage[] } {
  const others = signed.filter(
    ({ row }) => isBeside(row.stageId) && !states.some((state) => state.row?.signature === row.signature),
  );
  const isSetup = ({ stage }: Signed) => stage?.kind === 'lookup_table_setup';
  const bytes = (which: (signed: Signed) => boolean) =>
    others.filter(which).map(({ row }) => new DecodedStage(row.transaction));
  return {
    setups: bytes((signed) => isSetup(signed) && isLanded(signed.row.state)),
    earlier: bytes(
      (signed) =>
        signed.row.planId === planId && signed.row.state !== 'expired' && signed.row.state !== 'failed',
    ),
  };
}

/** The default check of answers: there is no owner key, so in live mode no approval counts. */
export const withoutOwner = ({ mode, clock, ledger }: ExecutionDeps): AnswerCheck =>
  answerCheck({
    ...{ mode, ownerPublicKey: async () => undefined, now: () => clock.now() },
    approvals: (filter) => ledger.approvals(filter),
  });

/** What the ledger knows that bears on the decision, the approval apart. */
function ledgerView(
  { used, exhausted, frozen, earlier, signed }: StageView,
  { planId }: Plan,
  states: readonly StageState[],
  stage: Stage,
): LedgerView {
  // A signature of this stage that landed or may land, of this plan or of another one of the same intent.
  const own = states.find((state) => state.stage.id === stage.id);
  const isSigned =
    own !== undefined && (isInFlight(own.status) || isLanded(own.status) || own.status === 'failed');
  const before =
    isSigned && own.row !== undefined
      ? { messageSha256: own.row.messageSha256, status: own.status }
      : earlier;
  const enforced = signed.flatMap(({ row }) =>
    row.planId === planId && row.stageId === stage.id ? (row.guarded?.enforced ?? []) : [],
  );
  return {
    ...(enforced.length === 0 ? {} : { enforced: [...new Set(enforced)] }),
    used: Object.fromEntries(Object.entries(used).map(([id, amount]) => [id, `${amount}`])),
    ...(Object.keys(exhausted).length === 0 ? {} : { exhausted }),
    ...(before === undefined ? {} : { earlier: before }),
    ...(frozen === undefined ? {} : { frozen }),
  };
}

function withApproval(view: LedgerView, approval: ApprovalState, messageSha256: string): LedgerView {
  if (approval.state === 'approved') {
    const { id, run, expiresAt } = approval.row;
    return { ...view, approval: { id, messageSha256, expiresAt: run?.until ?? expiresAt } };
  }
  return approval.state === 'none' && approval.lapsed ? { ...view, approvalExpired: true } : view;
}

/** What the token of a launch was registered as, where this home did that. */
export async function registeredAs(
  ledger: Pick<Ledger, 'note'>,
  { operation, principal, request }: Plan,
): Promise<TokenNames | undefined> {
  const { tokenMint } = request.fields;
  if (operation !== 'launch' || typeof tokenMint !== 'string') return undefined;
  return tokenNames(await ledger.note(tokenNote(tokenMint, principal)));
}

/** The config that this home asked for before a launch of its token. */
async function askedBefore(
  ledger: Pick<Ledger, 'note'>,
  { operation, principal, request }: Plan,
): Promise<AskedConfig | undefined> {
  const { tokenMint } = request.fields;
  if (operation !== 'launch' || typeof tokenMint !== 'string') return undefined;
  return configAsked(await ledger.note(configNote(tokenMint, principal)));
}

/** Whether a swap or launch of this home that is final bought or made the token for the plan's wallet. */
const isHeld = async (
  ledger: Pick<Ledger, 'note'>,
  { network, wallet }: Plan,
  mint: unknown,
): Promise<boolean> => (await ledger.note(heldNote(network, wallet, mint))) !== undefined;
