/**
 * Rehearses a plan before its first signature: executes its stages in order on a private copy of the chain. A rehearsal can
 * only deny or ask, never allow.
 */
import { DeadlineError, orAborted, systemClock, withDeadline } from '../clock.ts';
import type { Plan } from '../plan/types.ts';
import { programName } from '../programs/index.ts';
import { ChainError } from '../rpc/errors.ts';
import type { AccountFact, Chain, NoRehearsal, RehearsalFact, RehearsedStage } from '../rpc/types.ts';
import type { Address } from '../transaction/types.ts';
import { changesOf } from './changes.ts';
import { type ChainCopy, CopyReader, NoCopy, type ResolvedStage } from './copy.ts';
import type { AccountAfter, Job, PlayedStage, Player } from './player.ts';
import type { ProgramCache } from './programCache.ts';
import type { Turn } from './turn.ts';

/** Rehearses a plan. Never rejects: if no rehearsal is possible, the result contains the reason. */
export type Rehearse = (plan: Plan, own: readonly Address[]) => Promise<RehearsalFact>;

export interface RehearsalParts {
  readonly chain: Pick<Chain, 'accounts'>;
  readonly player: Player;
  readonly cache: ProgramCache;
  /** Lock for one rehearsal at a time per home. */
  readonly turn: Turn;
  /** Timeout of a rehearsal in milliseconds, including reads. */
  readonly ms?: number;
}

const REHEARSAL_MS = 10_000;

/** Creates a rehearsal function; starts no process. */
export function createRehearsal({ chain, player, cache, turn, ms = REHEARSAL_MS }: RehearsalParts): Rehearse {
  let features: { readonly epoch: bigint; readonly inactive: readonly Address[] } | undefined;
  const rehearse = async (plan: Plan, own: readonly Address[], signal: AbortSignal) => {
    const reader = new CopyReader(chain);
    const stages = plan.stages.filter(({ optional }) => !optional);
    const known = await player.features(signal).catch(() => undefined);
    if (known === undefined) throw new NoCopy(signal.aborted ? 'time' : 'runtime');
    const copy = await orAborted(reader.copy(stages, cache), signal);
    if (features?.epoch !== copy.epoch)
      features = { epoch: copy.epoch, inactive: await orAborted(reader.inactive(known), signal) };
    const job = { inactive: features.inactive, accounts: copy.accounts, stages: jobOf(copy.stages) };
    const played = await player.play(job, signal).catch((error: unknown) => {
      throw signal.aborted ? error : new NoCopy('broken');
    });
    return outcomeOf(plan, own, copy, played);
  };
  return async (plan, own) => {
    try {
      return await withDeadline({ clock: systemClock, ms }, (signal) =>
        turn(signal, () => rehearse(plan, own, signal)),
      );
    } catch (error) {
      return { status: 'impossible', reason: reasonOf(error) };
    }
  };
}

function reasonOf(error: unknown): NoRehearsal {
  if (error instanceof NoCopy) return error.reason;
  if (error instanceof DeadlineError) return 'time';
  return error instanceof ChainError ? 'rpc' : 'broken';
}

/** Each stage runs in a later slot than the previous one, after its `waitSlots`. */
const jobOf = (stages: readonly ResolvedStage[]): Job['stages'] =>
  stages.map(({ stage, transaction, accounts }) => ({
    bytes: transaction.bytes,
    slots: Math.max(1, stage.waitSlots),
    watch: accounts.filter(({ writable }) => writable).map(({ address }) => address),
  }));

function outcomeOf(
  plan: Plan,
  own: readonly Address[],
  { slot, stages, before, programs }: ChainCopy,
  played: readonly PlayedStage[],
): RehearsalFact {
  const ours = new Set([plan.wallet, ...own]);
  const now = new Map(before);
  const done: RehearsedStage[] = [];
  for (const [i, { stage, transaction }] of stages.entries()) {
    const result = played[i];
    if (result === undefined) throw new NoCopy('broken');
    if (result.error !== null) {
      const called = transaction.instructions.map(
        ({ programIndex }) => transaction.staticAccounts[programIndex],
      );
      const place = plan.stages.indexOf(stage) + 1;
      return { status: 'failed', slot, stageId: stage.id, place, ...errorOf(result, called) };
    }
    const was = result.after.map(({ address }) => now.get(address) ?? missing(address));
    const is = result.after.map(factOf);
    for (const account of is) now.set(account.address, account);
    done.push({ id: stage.id, units: result.units, ...changesOf(plan.wallet, ours, was, is) });
  }
  return { status: 'done', slot, stages: done, programs };
}

const NO_OWNER = '11111111111111111111111111111111';
const missing = (address: Address): AccountFact => ({
  ...{ address, exists: false, lamports: '0', owner: NO_OWNER, executable: false, data: '' },
});

function factOf(after: AccountAfter): AccountFact {
  if (!after.exists) return missing(after.address);
  const { address, lamports, owner, executable, data } = after;
  return {
    ...{ address, exists: true, lamports: `${lamports}`, owner, executable },
    data: Buffer.from(data).toString('base64'),
  };
}

/** Error format of the runtime, such as `InstructionError(2, Custom(6001))`. */
const INSTRUCTION_ERROR = /^InstructionError\((\d+), (\w+)(?:\((\d+)\))?/;
const FAILED_PROGRAM = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) failed/;
/** Error name that a program logs. */
const LOGGED_NAME = /Error Code: (\w{1,40})\. Error Number: (\d+)\./;

/** Returns the innermost failed program and its error; the logged error name is used only for known programs. */
function errorOf(
  { error, logs }: PlayedStage,
  called: readonly (Address | undefined)[],
): { readonly program?: Address; readonly error: string } {
  const [, index, kind, custom] = INSTRUCTION_ERROR.exec(error ?? '') ?? [];
  if (index === undefined || kind === undefined)
    return { error: /^\w{1,60}/.exec(error ?? '')?.[0] ?? 'unknown' };
  const logged = logs.map((line) => FAILED_PROGRAM.exec(line)?.[1]).find((each) => each !== undefined);
  const program = logged ?? called[Number(index)];
  const named = logs.map((line) => LOGGED_NAME.exec(line)).find((each) => each?.[2] === custom)?.[1];
  const isKnown = program !== undefined && programName(program) !== undefined;
  const name = custom === undefined ? kind : isKnown && named !== undefined ? named : `error ${custom}`;
  return { ...(program === undefined ? {} : { program }), error: name };
}
