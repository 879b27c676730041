/** A run as it stands: what the ledger holds of its signed stages, and the stages that are built and not signed. */
import { addTo, only, payKey, withRoles } from './aggregate.ts';
import type { ApprovalScope, Line, Pin, Run, RunStage, StageLines } from './types.ts';
import { stageFrom } from './view.ts';

/** A stage that was reserved or signed, with the lines of the decision that allowed it. */
export interface SignedStage {
  readonly stageId: string;
  /** `failed`: landed, and failed on chain. */
  readonly state: 'landed' | 'inFlight' | 'failed';
  /** `Decision.statement`, as journaled. */
  readonly statement: unknown;
  readonly pin?: Pin;
  /** By asset: what the transaction changed in the wallet's balances, its network fee apart. */
  readonly moved?: ReadonlyMap<string, bigint>;
}

/** A stage that is built and not signed, with its lines as decided now. */
export interface OpenStage extends StageLines {
  readonly stageId: string;
  /** Digest of the decision that the lines come from. */
  readonly decisionDigest: string;
  readonly pin?: Pin;
}

/** Everything of a run that the ledger does not hold. */
export interface RunParts {
  readonly scope: ApprovalScope;
  /** In the order of the plan. */
  readonly open: readonly OpenStage[];
  /** The stage that is about to be signed; absent in a preview of all of them. */
  readonly stageId?: string;
  /** Stages that follow once the plan is complete: they are judged by themselves. */
  readonly optional: readonly string[];
  readonly request: readonly Line[];
  readonly later?: string;
}

/** The run with its signed stages first. `time` in milliseconds since the epoch. */
export function runOf(parts: RunParts, held: readonly SignedStage[], time: number): Run {
  const { scope, open, stageId, optional, request, later } = parts;
  const isOf = (stage: { readonly stageId: string }) =>
    stageId !== undefined && optional.includes(stageId)
      ? stage.stageId === stageId
      : !optional.includes(stage.stageId);
  const signed = held.filter(isOf);
  // Another worker may have signed a stage since it was announced.
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
  // A stage that failed did nothing but pay its fee.
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

/** What a landed stage brought: the change of the balances and what it paid itself. */
function grossOf({ lines }: StageLines, moved: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const gross = new Map(moved);
  for (const line of only(lines, 'pays'))
    if (line.why !== 'networkFee') addTo(gross, line.asset, line.atMost);
  return gross;
}
