/**
 * Rechecks signatures considered expired before anything is signed in their place. The verdict came from an RPC,
 * which can lose history: a signature it reports now has landed, and one whose accounts exist took effect, whatever
 * the RPC says about it (F26, F35, C-BUNDLE-10).
 */

import type { JournalRow, Signed } from '../../ledger/types.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { sameButBlockhash } from '../../plan/rebuild.ts';
import type { Plan, Stage, StageKind } from '../../plan/types.ts';
import { readInstruction } from '../../programs/read.ts';
import type { Chain, SimulationFact } from '../../rpc/types.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import { requiredSigners } from '../../transaction/signatures.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { landedStatuses, recordLanding } from '../sending/landed.ts';
import { isLanded } from '../status.ts';

/** Result of rechecking expired signatures. */
export interface Recheck {
  /** Journal rows that are on chain after all, as recorded now; their released amounts are reserved again. */
  readonly landed: readonly JournalRow[];
  /** No RPC knows the signature, but the accounts it creates exist. */
  readonly effect: boolean;
}

/**
 * Rechecks the expired signatures of an intent, of one stage or all. Rejects with `ChainError` when an RPC is
 * unavailable: absence cannot be concluded then.
 */
export async function recheckExpired(
  deps: ExecutionDeps,
  plan: Plan,
  signed: readonly Signed[],
  stage?: Stage,
): Promise<Recheck> {
  if (signed.every(({ row }) => row.state !== 'expired')) return { landed: [], effect: false };
  const rows = expiredRows(plan, signed, stage);
  const found = rows.length === 0 ? [] : await landedStatuses(deps, rows);
  const landed: JournalRow[] = [];
  for (const [i, row] of rows.entries()) {
    const shown = found[i];
    if (shown !== undefined) landed.push(await recordLanding(deps.ledger, row, shown));
  }
  return { landed, effect: landed.length === 0 && (await effectAlreadyOnChain(deps, plan, signed, stage)) };
}

/** Returns the newest row of each stage that is expired and whose signed stage is unchanged in the current plan. */
function expiredRows(plan: Plan, signed: readonly Signed[], only?: Stage): JournalRow[] {
  return plan.stages.flatMap((stage) => {
    if (only !== undefined && stage.id !== only.id) return [];
    const newest = signed.findLast(({ row }) => row.planId === plan.planId && row.stageId === stage.id);
    if (newest?.row.state !== 'expired') return [];
    const { row, stage: then } = newest;
    const isSame =
      row.revision === plan.revision ||
      isNamedByRole(plan) ||
      (then !== undefined && sameButBlockhash(then, stage));
    return isSame ? [row] : [];
  });
}

/** Returns whether a stage's id is its role in a bundle; elsewhere the service may reuse an id for another stage. */
const isNamedByRole = ({ request }: Plan): boolean => request.endpoint === 'dammLaunch';

/** Returns whether the accounts an expired signature creates are on chain. */
async function effectAlreadyOnChain(
  deps: ExecutionDeps,
  plan: Plan,
  signed: readonly Signed[],
  stage: Stage | undefined,
): Promise<boolean> {
  const { chain, secondChain } = deps;
  const landed = signed.filter(({ row }) => isLanded(row.state));
  const made: Made[] = [];
  for (const [i, { row, plan: of, stage: then }] of signed.entries()) {
    if (row.state !== 'expired' || row.network !== plan.network) continue;
    // The accounts may have been created by another signature: a later one of this stage or of the same kind.
    const later = signed.slice(i + 1).filter((other) => landed.includes(other));
    if (later.some((other) => other.row.stageId === row.stageId)) continue;
    if (of === undefined || then === undefined || !MAKERS.includes(then.kind)) continue;
    if (stage !== undefined && then.kind !== stage.kind) continue;
    const shared = landed.some((other) => other.stage?.kind === then.kind);
    made.push(...(await madeBy(deps, of, row, shared ? undefined : then.kind)));
  }
  if (made.length === 0) return false;
  const there = await accountsThere(
    [chain, ...(secondChain === undefined ? [] : [secondChain])],
    made.flat(),
  );
  return made.some((together) => together.every((address) => there.has(address)));
}

/** Accounts a transaction creates together: all exist after it landed, and not all before. */
type Made = readonly Address[];

/** Stages that create accounts. Other stages change balances, which other transactions change too. */
const MAKERS: readonly StageKind[] = ['launch', 'create_token', 'config', 'lookup_table_setup'];

async function accountsThere(chains: readonly Chain[], addresses: readonly Address[]): Promise<Set<Address>> {
  const views = await Promise.all(chains.map((chain) => chain.accounts(addresses, 'confirmed')));
  return new Set(
    views.flatMap(({ value }) => value.filter(({ exists }) => exists).map(({ address }) => address)),
  );
}

/**
 * Returns the accounts a signed transaction creates: those its simulation created, if there was one; otherwise lookup
 * tables, accounts that signed for their own creation, and accounts named by the answer for a stage kind. Accounts
 * that existed at the decision are left out.
 */
async function madeBy(
  { ledger }: ExecutionDeps,
  plan: Plan,
  row: JournalRow,
  kind: StageKind | undefined,
): Promise<Made[]> {
  const inputs = (await ledger.rows('decisions', { id: row.decisionId, inputs: true }))[0]?.made?.inputs;
  const created = inputs === undefined ? [] : createdIn(inputs.simulation);
  if (created.length > 0) return [created];
  const accounts = inputs?.accounts ?? [];
  const wasThere = (address: Address, exists: boolean) =>
    accounts.some((account) => account.address === address && account.exists === exists);
  const transaction = new DecodedStage(row.transaction).read();
  const signers = requiredSigners(transaction).filter((address) => wasThere(address, false));
  return [...signers, ...tablesMade(transaction), ...namedFor(plan, kind)]
    .filter((address) => !wasThere(address, true))
    .map((address) => [address]);
}

/** Returns accounts that a simulation created. */
function createdIn(simulation: SimulationFact): Address[] {
  if (simulation.status !== 'done' || simulation.error !== null) return [];
  const before = new Set(simulation.before.filter(({ exists }) => exists).map(({ address }) => address));
  return simulation.after
    .filter(({ exists, address }) => exists && !before.has(address))
    .map(({ address }) => address);
}

/** Returns the lookup tables the transaction creates. A transaction that itself uses tables creates none. */
function tablesMade(transaction: DecodedTransaction): Address[] {
  if (transaction.lookups.length > 0) return [];
  return resolveInstructions(transaction, []).flatMap((each) => {
    const { instruction } = readInstruction(each);
    return instruction?.kind === 'lookupTable.create' ? [instruction.accounts.table.address] : [];
  });
}

/**
 * Returns the accounts of the answer that a stage of this kind creates; older endpoints name the config `configKey`.
 * A launch's treasury position is excluded: CREATE_TOKEN creates it.
 */
function namedFor({ answer }: Plan, kind: StageKind | undefined): Address[] {
  const launch: Readonly<Record<string, unknown>> = Object(answer.launch);
  const named =
    kind === 'launch'
      ? [launch.pool, launch.feeClaimerPositionNftMint, launch.positionCustody]
      : kind === 'config'
        ? [answer.feeShareConfig ?? answer.configKey]
        : [];
  return named.filter((address) => typeof address === 'string');
}
