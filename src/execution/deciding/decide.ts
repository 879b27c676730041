/**
 * Decides one stage from fresh inputs, the ledger, the current policy, and an owner's answer where one is required.
 */

import { type AnswerCheck, answerCheck } from '../../approval/answers.ts';
import { type ApprovalState, findApproval } from '../../approval/approvals.ts';
import { type DecidedStage, runPartsOf } from '../../approval/run.ts';
import { noteOf } from '../../ledger/notes.ts';
import type { DecisionInput, Ledger, Signed, StageView } from '../../ledger/types.ts';
import { judgedWith } from '../../plan/claimAll.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { quoteIdOf } from '../../plan/intent.ts';
import {
  configNote,
  heldNote,
  parseConfigNote,
  type RequestedConfig,
  type TokenNames,
  tokenNames,
  tokenNote,
} from '../../plan/notes.ts';
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

/** A decided stage: the exact candidate, the decision and its inputs, and the approval. */
export interface Decided {
  readonly stage: Stage;
  readonly policy: ActivePolicy;
  readonly input: DecisionInput;
  readonly decision: Decision;
  readonly approval: ApprovalState;
  /** Present where an approval is needed. */
  readonly run?: RunParts;
}

/** A decision before approvals are considered. */
type First = Omit<Decided, 'approval' | 'run'>;

/** The state a decision is based on: the policy, the wallets and the ledger's view of the stage. */
export interface InForce {
  readonly policy: ActivePolicy;
  readonly wallets: readonly Address[];
  readonly view: StageView;
}

/** Reads the policy, the wallets and the ledger's view for one decision. */
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

/** Decides a stage for its signature. Records nothing: the caller either reserves amounts or records the decision. */
export async function decideStage(
  deps: ExecutionDeps,
  plan: Plan,
  states: readonly StageState[],
  stageId: string,
  now: InForce,
): Promise<Decided> {
  const first = await decideAlone(deps, plan, states, stageId, 'sign', now);
  if (first.decision.effect !== 'require_approval') return { ...first, approval: NO_QUESTION };
  return withAnswer(deps, plan, first, await announced(deps, plan, states, first), stageId);
}

/**
 * Decides every unsigned stage, in the plan's order. The result is a preview: each stage is decided again for its
 * signature.
 */
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
        : { ...first, approval: NO_QUESTION },
    ),
  );
  // A question shows the decisions as recorded.
  const all = decided.map(decidedStage);
  return decided.map((each) =>
    each.run === undefined ? each : { ...each, run: runPartsOf(plan, each.policy.hash, all) },
  );
}

const NO_QUESTION: ApprovalState = { state: 'none', lapsed: false };
const isOpen = ({ status }: StageState): boolean => !isLanded(status) && !isInFlight(status);
const decidedStage = ({ stage, decision }: Pick<Decided, 'stage' | 'decision'>): DecidedStage => ({
  id: stage.id,
  decision,
});

/** Decides the stage again with the approval that covers the run. */
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
 * Returns the latest decisions of the plan's other open stages. Decides a stage now if its recorded decision is about
 * other bytes or another policy, or is a denial.
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
  const records = await deps.ledger.rows('decisions', { planId: plan.planId, limit: MAX_RECORDS });
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
  const requested = await requestedConfigOf(ledger, plan);
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
    ...(requested === undefined ? {} : { asked: requested }),
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
 * Returns transactions of this intent that are not current stages of the plan. `setups` are landed lookup-table
 * setups from an earlier run, or from before a rebuild and found on chain later: their addresses are in the tables
 * too. `earlier` are stages of earlier revisions that landed or may still land; together with the current stages they
 * are the total effect of the run.
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

/** The default answer check, without an owner key: no approval counts in live mode. */
export const withoutOwner = ({ mode, clock, ledger }: ExecutionDeps): AnswerCheck =>
  answerCheck({
    ...{ mode, ownerPublicKey: async () => undefined, now: () => clock.now() },
    approvals: (filter) => ledger.rows('approvals', filter),
  });

/** Returns the ledger's view that affects the decision, without approvals. */
function ledgerView(
  { used, exhausted, frozen, earlier, signed }: StageView,
  { planId }: Plan,
  states: readonly StageState[],
  stage: Stage,
): LedgerView {
  // A signature of this stage that landed or may land, by this plan or another plan of the same intent.
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

/** Returns the names under which this home registered the token of a launch. */
export async function registeredAs(
  ledger: Pick<Ledger, 'rows'>,
  { operation, principal, request }: Plan,
): Promise<TokenNames | undefined> {
  const { tokenMint } = request.fields;
  if (operation !== 'launch' || typeof tokenMint !== 'string') return undefined;
  return tokenNames(await noteOf(ledger, tokenNote(tokenMint, principal)));
}

/** Returns the fee share config this home requested before a launch of its token. */
async function requestedConfigOf(
  ledger: Pick<Ledger, 'rows'>,
  { operation, principal, request }: Plan,
): Promise<RequestedConfig | undefined> {
  const { tokenMint } = request.fields;
  if (operation !== 'launch' || typeof tokenMint !== 'string') return undefined;
  return parseConfigNote(await noteOf(ledger, configNote(tokenMint, principal)));
}

/** Returns whether a finalized swap or launch of this home bought or created the token for the plan's wallet. */
const isHeld = async (
  ledger: Pick<Ledger, 'rows'>,
  { network, wallet }: Plan,
  mint: unknown,
): Promise<boolean> => (await noteOf(ledger, heldNote(network, wallet, mint))) !== undefined;
