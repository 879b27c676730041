/** Reads what a question shows from the ledger: the row, its plan, and the decisions it was made from. */
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { Decision, Facts } from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import { readMint } from '../programs/token/accounts.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import type { ApprovalEnvelope } from './types.ts';
import { type ApprovalView, approvalView } from './view.ts';

/** How many decisions of a plan are looked through for the one a question was made from. */
const DECISIONS = 200;

/** One question as a person sees it; `undefined` when there is none by this id. */
export async function readApprovalView(
  ledger: Ledger,
  id: string,
  policy?: LoadedPolicy,
): Promise<ApprovalView | undefined> {
  const [row] = await ledger.approvals({ id });
  return row === undefined ? undefined : viewOf(ledger, row, policy);
}

/** Questions that wait for an answer, newest first. */
export async function pendingViews(ledger: Ledger, policy?: LoadedPolicy): Promise<ApprovalView[]> {
  const rows = await ledger.approvals({ state: 'pending' });
  const views = await Promise.all(rows.map((row) => viewOf(ledger, row, policy)));
  return views.filter((view) => view !== undefined);
}

/** A row whose plan is gone is not shown: a person could not see what the approval is about. */
async function viewOf(
  ledger: Ledger,
  row: ApprovalRow,
  policy: LoadedPolicy | undefined,
): Promise<ApprovalView | undefined> {
  const plan = await ledger.plan(row.planId);
  if (plan === undefined) return undefined;
  const records = await ledger.decisions({ planId: row.planId, limit: DECISIONS });
  const envelope: ApprovalEnvelope = JSON.parse(row.envelope);
  const decisions = new Map<string, Decision>();
  const decimals = new Map<Address, number>();
  for (const { id, stageId, decision } of records) {
    if (decisions.has(stageId)) continue;
    const asked = envelope.stages.find((stage) => stage.id === stageId);
    // The newest decision may already be about other bytes; the question is about the ones it names.
    if (asked !== undefined && asked.instructionsDigest !== decision.envelopeDigest) continue;
    decisions.set(stageId, decision);
    const facts = (await ledger.decisionFacts(id))?.facts;
    if (facts !== undefined) addDecimals(facts, decimals);
  }
  return approvalView({ row, plan, decisions, decimals, policy });
}

/** Decimals of the mints a decision looked at, as our own RPC showed them. */
function addDecimals(facts: Facts, decimals: Map<Address, number>): void {
  const simulated = facts.simulation.status === 'done' ? facts.simulation.after : [];
  for (const { address, exists, owner, data } of [...facts.accounts, ...simulated]) {
    if (!exists || (owner !== TOKEN_PROGRAM && owner !== TOKEN_2022_PROGRAM)) continue;
    try {
      decimals.set(address, readMint(Buffer.from(data, 'base64')).decimals);
    } catch {
      // A token account, or data of another form: it names no decimals.
    }
  }
}
