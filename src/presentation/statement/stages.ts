/** Builds the statement of stages outside a run: of one decision, or of transactions without a request. */
import { statementOf } from '../../statement/aggregate.ts';
import type { StageLines, Statement } from '../../statement/types.ts';

const SCOPE = {
  ...{ network: '', mode: '', wallet: '', policyHash: '', intentKey: '' },
  ...{ operation: '', endpoint: '', requestDigest: '' },
};

/** Returns the statement of stages. `later`: the operation, if not all of its stages are built. */
export const statementOfStages = (stages: readonly StageLines[], later?: string): Statement =>
  statementOf({
    ...{ scope: SCOPE, time: 0, draws: new Map(), spentPins: [], request: [] },
    ...(later === undefined ? {} : { later }),
    stages: stages.map((stage) => ({ ...stage, state: 'announced' })),
  });
