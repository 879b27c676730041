/** The parts of a run that are not in the ledger: its scope, and the lines of open stages and of the request. */
import { jsonDigest } from '../base/canonicalJson.ts';
import { SETUP_REQUIRED } from '../contract/plan.ts';
import { requestDigest } from '../plan/intent.ts';
import type { Plan } from '../plan/types.ts';
import { maxStages } from '../policy/decide/operations/deposits.ts';
import type { ExpectedOutcome } from '../policy/decide/operations/expectedOutcome.ts';
import type { Decision } from '../policy/decide/types.ts';
import { FEE_SHARE_PROGRAM, feeShareConfigAddress } from '../programs/feeShare/addresses.ts';
import type { OpenStage, RunParts } from '../statement/run.ts';
import type { Line, Pays } from '../statement/types.ts';
import { assetOf, stageFrom } from '../statement/view.ts';

/** A stage and its decision. */
export interface DecidedStage {
  readonly id: string;
  readonly decision: Decision;
}

/** Returns the parts of a run besides its signed stages. `stageId`: the stage about to be signed. */
export function runPartsOf(
  plan: Plan,
  policyHash: string,
  decided: readonly DecidedStage[],
  stageId?: string,
): RunParts {
  const { network, mode, wallet, principal, intentKey, operation, request } = plan;
  const open = decided.flatMap(({ id, decision }): OpenStage[] => {
    const { statement, pin } = decision;
    if (statement === undefined) return [];
    const decisionDigest = jsonDigest(decision);
    return [{ stageId: id, decisionDigest, ...stageFrom(statement), ...(pin === undefined ? {} : { pin }) }];
  });
  const isSetUp = plan.readiness?.status !== SETUP_REQUIRED;
  const optional = plan.stages.filter((stage) => stage.optional).map(({ id }) => id);
  // A denied stage has no lines yet, so the lines do not cover the run.
  const isDenied = decided.some(
    ({ id, decision }) => decision.statement === undefined && !optional.includes(id),
  );
  const later = isSetUp && !isDenied ? undefined : operation;
  const expectedOutcome = decided.find(({ decision }) => decision.expectedOutcome !== undefined)?.decision
    .expectedOutcome;
  const scope = {
    ...{ network, mode, wallet, policyHash, intentKey, operation, endpoint: request.endpoint },
    ...(principal === undefined ? {} : { principal }),
    requestDigest: requestDigest(request.fields),
  };
  return {
    ...{ scope, open, optional },
    request: requestLines(plan, expectedOutcome, open, !isSetUp),
    ...(stageId === undefined ? {} : { stageId }),
    ...(later === undefined ? {} : { later }),
  };
}

const pays = (line: Omit<Pays, 'id' | 'asset' | 'returns'>): Line => ({
  ...{ id: 'pays', source: 'request', asset: 'SOL', returns: 'never' },
  ...line,
});

/** Returns the bounds the request sets for the whole run, and the expected results of missing stages. */
function requestLines(
  { operation, request }: Plan,
  expectedOutcome: ExpectedOutcome | undefined,
  open: readonly OpenStage[],
  isMissing: boolean,
): Line[] {
  const stages = maxStages({ operation, request: request.fields });
  return [
    pays({ ...FEE, atMost: mostFees(open, isMissing ? stages : 0) }),
    ...open.flatMap(({ lines }) => lines.flatMap(withSlack)),
    ...(isMissing && expectedOutcome !== undefined ? missingLines(expectedOutcome, open) : []),
    ...(isMissing ? curveLines(request.fields) : []),
  ];
}

const FEE = { to: 'validators', owner: 'validators', why: 'networkFee' } as const;

/**
 * Returns the maximum lamports of network fees: rebuilds may pay four times the current fees. `stages`: the maximum
 * number of stages if some are not built yet; each of them may pay twice the highest current fee.
 */
function mostFees(open: readonly OpenStage[], stages: number): bigint {
  const fees = open.flatMap(({ lines }) =>
    lines.flatMap((line) => (line.id === 'pays' && line.why === 'networkFee' ? line.atMost : [])),
  );
  const built = 4n * fees.reduce((sum, fee) => sum + fee, 0n);
  const whole = 2n * BigInt(stages) * fees.reduce((most, fee) => (fee > most ? fee : most), 0n);
  return whole > built ? whole : built;
}

/** Raises a service fee's maximum by 5%, since a better quote may increase the fee. */
const withSlack = (line: Line): readonly Line[] =>
  line.id === 'pays' && line.why === 'serviceFee'
    ? [{ ...line, source: 'request', atMost: line.atMost + line.atMost / 20n }]
    : [];

/** Returns the shares a config must have in the end, and the maximum cost of its account. */
function missingLines(
  { baseMint: from, quoteMint, claimers, manager, partner, maxDeposits }: ExpectedOutcome,
  open: readonly OpenStage[],
): Line[] {
  if (from === undefined || quoteMint === undefined || claimers === undefined) return [];
  const asset = assetOf(quoteMint);
  const deposited = open
    .flatMap(({ lines }) => lines)
    .reduce((sum, line) => (line.id === 'pays' && line.why === 'deposit' ? sum + line.atMost : sum), 0n);
  const left = BigInt(maxDeposits) - deposited;
  return [
    pays({
      ...{ atMost: left > 0n ? left : 0n, to: feeShareConfigAddress(from, quoteMint) },
      ...{ owner: FEE_SHARE_PROGRAM, why: 'deposit' },
    }),
    ...claimers.map(
      ({ wallet: party, bps: shareBps }): Line => ({
        ...{ id: 'earns', source: 'request', party, shareBps, from, of: 'fees', asset },
      }),
    ),
    ...(partner === undefined
      ? []
      : [{ id: 'earns', source: 'request', party: partner, shareBps: null, from, of: 'partner' } as const]),
    ...(manager === undefined || manager === null
      ? []
      : [
          {
            id: 'controls',
            source: 'request',
            right: 'fee shares',
            of: from,
            party: manager,
            asset,
          } as const,
        ]),
    { id: 'final', source: 'request', what: 'shares', of: from },
  ];
}

/** A config for a curve opens it in a stage of its own; its terms are known once that stage is built. */
const curveLines = ({ flow }: Readonly<Record<string, unknown>>): readonly Line[] =>
  flow === 'dbc' ? [{ id: 'later', source: 'request', what: 'curve' }] : [];
