/** All scenarios for stand-ins and originals. */
import { curveScenarios } from './curve.ts';
import { feeShareScenarios } from './feeShare.ts';
import type { Scenario } from './play.ts';
import { poolScenarios } from './pool.ts';
import { refusedScenarios } from './refused.ts';
import { serviceScenarios } from './service.ts';

export const scenarios: readonly Scenario[] = [
  ...curveScenarios,
  ...poolScenarios,
  ...feeShareScenarios,
  ...refusedScenarios,
  ...serviceScenarios,
];
