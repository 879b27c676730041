/** The rules of every operation whose instructions are read, by operation. */
import type { Operation } from '../../../plan/types.ts';
import { holdingClaimRules, positionClaimRules, vaultClaimRules } from './claim.ts';
import { configRules } from './config.ts';
import { launchRules } from './launch/launch.ts';
import type { OperationRules } from './operation.ts';
import { splitRules } from './split.ts';
import { swapRules } from './swap.ts';

export const OPERATION_RULES: Readonly<Partial<Record<Operation, OperationRules>>> = {
  config: configRules,
  manager_update: splitRules,
  launch: launchRules,
  swap: swapRules,
  holding_claim: holdingClaimRules,
  position_claim: positionClaimRules,
  vault_claim: vaultClaimRules,
};
