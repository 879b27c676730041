/** The statement of stages that no run holds: of one decision, or of transactions nobody asked for. */
import { statementOf } from '../../statement/aggregate.ts';
import type { StageLines, Statement } from '../../statement/types.ts';

const SCOPE = {
  ...{ network: '', mode: '', wallet: '', policyHash: '', intentKey: '' },
  ...{ operation: '', endpoint: '', requestDigest: '' },
};

/** `later`: the operation whose stages are not all built. */
export const statementOfStages = (stages: readonly StageLines[], later?: string): Statement =>
  statementOf({
    ...{ scope: SCOPE, time: 0, draws: new Map(), spentPins: [], request: [] },
    ...(later === undefined ? {} : { later }),
    stages: stages.map((stage) => ({ ...stage, state: 'announced' })),
  });
