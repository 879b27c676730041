/** What an operation file says: what a request leads to, and how the acts of a stage are compared with that. */
import type { TransactionFormat } from '../../../transaction/types.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { Bound } from '../profiles/profile.ts';
import type { Facts } from '../types.ts';
import type { Expectation } from './expectation.ts';

export interface OperationRules {
  /** What the request leads to, from the request, this home's memory and the chain; nothing of the answer. */
  readonly expected: (c: DecisionContext) => Expectation;
  /** Compares the acts of the stage, with those of the whole run, with the expectation. */
  readonly bind: (c: DecisionContext, list: Checklist) => Bound;
  /** `sponsor`: another key that has signed already. */
  readonly feePayer: 'wallet' | 'sponsor';
  /** Formats that were asked for. */
  readonly formats: (facts: Facts) => readonly TransactionFormat[];
}
