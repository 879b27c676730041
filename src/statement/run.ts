/** Builds a run from its signed stages in the ledger and its unsigned stages. */
import { addTo, only, payKey, withRoles } from './aggregate.ts';
import type { ApprovalScope, Line, Pin, Run, RunStage, StageLines } from './types.ts';
import { stageFrom } from './view.ts';

/** A reserved or signed stage, with the lines of its decision. */
export interface SignedStage {
  readonly stageId: string;
  /** `failed`: landed and failed on chain. */
  readonly state: 'landed' | 'inFlight' | 'failed';
  /** `Decision.statement` in the journal. */
  readonly statement: unknown;
  readonly pin?: Pin;
  /** Balance changes of the wallet by asset, without the network fee. */
  readonly moved?: ReadonlyMap<string, bigint>;
}

/** An unsigned stage, with the lines of its current decision. */
export interface OpenStage extends StageLines {
  readonly stageId: string;
  /** Digest of that decision. */
  readonly decisionDigest: string;
  readonly pin?: Pin;
}

/** The parts of a run outside the ledger. */
export interface RunParts {
  readonly scope: ApprovalScope;
  /** Unsigned stages in the order of the plan. */
  readonly open: readonly OpenStage[];
  /** The stage to be signed; absent in a preview. */
  readonly stageId?: string;
  /** Ids of stages after the completion of the plan, each of which is a run of its own. */
  readonly optional: readonly string[];
  readonly request: readonly Line[];
  readonly later?: string;
}

/** Returns the run, with signed stages first. `time` in milliseconds since the epoch. */
export function runOf(parts: RunParts, held: readonly SignedStage[], time: number): Run {
  const { scope, open, stageId, optional, request, later } = parts;
  const isOf = (stage: { readonly stageId: string }) =>
    stageId !== undefined && optional.includes(stageId)
      ? stage.stageId === stageId
      : !optional.includes(stage.stageId);
  const signed = held.filter(isOf);
  // Another worker may have signed a stage in the meantime.
  const isSigned = (stage: OpenStage) =>
    stage.stageId !== stageId && signed.some((each) => each.stageId === stage.stageId);
  const stages = [
    ...signed.map(signedStage),
    ...open
      .filter((stage) => isOf(stage) && !isSigned(stage))
      .map(
        ({ lines, made, pin, ...stage }): RunStage => ({
          ...{ lines, made, state: stage.stageId === stageId ? 'this' : 'announced' },
          ...(pin === undefined ? {} : { pin }),
        }),
      ),
  ];
  const given: Run = {
    ...{ scope, time, request, spentPins: spentBy(signed), draws: new Map() },
    ...(later === undefined ? {} : { later }),
    stages,
  };
  const draws = new Map<string, bigint>();
  for (const [i, { lines }] of withRoles(given).stages.slice(0, signed.length).entries())
    for (const line of only(lines, 'pays'))
      if (signed[i]?.state !== 'failed' || line.why === 'networkFee') addTo(draws, payKey(line), line.atMost);
  // A failed stage only paid its fee.
  const isAlive = (_: RunStage, i: number) => signed[i]?.state !== 'failed';
  return { ...given, draws, stages: stages.filter(isAlive) };
}

const spentBy = (signed: readonly SignedStage[]): string[] =>
  signed.flatMap(({ state, pin }) => (pin === undefined || state === 'failed' ? [] : [pin.digest]));

function signedStage({ statement, state, pin, moved }: SignedStage): RunStage {
  const stage = stageFrom(statement);
  return {
    ...stage,
    state: state === 'inFlight' ? 'inFlight' : 'landed',
    ...(pin === undefined ? {} : { pin }),
    ...(moved === undefined ? {} : { realised: grossOf(stage, moved) }),
  };
}

/** Returns the receipts of a landed stage: its balance changes plus its payments. */
function grossOf({ lines }: StageLines, moved: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const gross = new Map(moved);
  for (const line of only(lines, 'pays'))
    if (line.why !== 'networkFee') addTo(gross, line.asset, line.atMost);
  return gross;
}
