/**
 * A second look at signatures that were called dead, before anything is signed in their place. The verdict came from
 * an RPC, and an RPC can forget: a signature it knows of by now has landed, and one whose accounts are there took
 * effect, whatever an RPC says about it (F26, F35, C-BUNDLE-10).
 */

import type { JournalRow, Signed } from '../../ledger/types.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { sameButBlockhash } from '../../plan/rebuild.ts';
import type { Plan, Stage, StageKind } from '../../plan/types.ts';
import { decodeInstruction } from '../../programs/instructions.ts';
import type { Chain, SimulationFact } from '../../rpc/types.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import { requiredSigners } from '../../transaction/signatures.ts';
import type { Address, DecodedTransaction } from '../../transaction/types.ts';
import type { ExecutionDeps } from '../ports.ts';
import { landedStatuses, recordLanding } from '../sending/landed.ts';
import { isLanded } from '../status.ts';

/** What came of signatures that were called dead. */
export interface Recheck {
  /** Rows that are on the chain, as they are written down now: what had been given back for them is taken again. */
  readonly landed: readonly JournalRow[];
  /** No RPC knows the signature, but the accounts that it creates exist. */
  readonly effect: boolean;
}

/**
 * Looks at the expired ones of an intent's signatures: those of one stage, or of any. Rejects with `ChainError` when an RPC
 * cannot be asked: nothing is absent then.
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

/** The newest row of each stage, where it is expired and the plan's stage of today is still the one that was signed. */
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

/** In a bundle a stage's name is its part in it; elsewhere the service may give an old name to something new. */
const isNamedByRole = ({ request }: Plan): boolean => request.endpoint === 'dammLaunch';

/** Whether what an expired signature makes is on the chain. */
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
    // What is there may be what another signature made: a later one of this stage, or one of its kind.
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

/** Accounts a transaction makes together: there once it landed, and not all of them before. */
type Made = readonly Address[];

/** Stages whose effect is an account. The effect of other stages is on balances, which other transactions change as well. */
const MAKERS: readonly StageKind[] = ['launch', 'create_token', 'config', 'lookup_table_setup'];

async function accountsThere(chains: readonly Chain[], addresses: readonly Address[]): Promise<Set<Address>> {
  const views = await Promise.all(chains.map((chain) => chain.accounts(addresses, 'confirmed')));
  return new Set(
    views.flatMap(({ value }) => value.filter(({ exists }) => exists).map(({ address }) => address)),
  );
}

/**
 * What a signed transaction makes: all that its simulation made, where there was one. Else any of: lookup tables,
 * accounts that signed for their own creation, and what the answer names for a kind of stage. What was there already
 * when it was decided is no sign of it.
 */
async function madeBy(
  { ledger }: ExecutionDeps,
  plan: Plan,
  row: JournalRow,
  kind: StageKind | undefined,
): Promise<Made[]> {
  const inputs = (await ledger.decisions({ id: row.decisionId, inputs: true }))[0]?.made?.inputs;
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

/** Accounts that were not there before a simulation and were after it. */
function createdIn(simulation: SimulationFact): Address[] {
  if (simulation.status !== 'done' || simulation.error !== null) return [];
  const before = new Set(simulation.before.filter(({ exists }) => exists).map(({ address }) => address));
  return simulation.after
    .filter(({ exists, address }) => exists && !before.has(address))
    .map(({ address }) => address);
}

/** Lookup tables the transaction creates. One that reads tables itself makes none. */
function tablesMade(transaction: DecodedTransaction): Address[] {
  if (transaction.lookups.length > 0) return [];
  return resolveInstructions(transaction, []).flatMap((each) => {
    const instruction = decodeInstruction(each);
    return instruction.kind === 'lookupTable.create' ? [instruction.accounts.table.address] : [];
  });
}

/**
 * Accounts of the answer that a stage of this kind makes; the endpoints of before name the config `configKey`. A
 * launch's treasury position is not among them: CREATE_TOKEN makes it.
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
