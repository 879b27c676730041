/** The rules of every operation whose instructions are read, by operation. */
import type { Operation } from '../../../plan/types.ts';
import { isAddress } from '../../../transaction/base58.ts';
import type { Facts } from '../types.ts';
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

/** Operations that are about one token. */
const ABOUT_A_TOKEN: readonly Operation[] = ['config', 'manager_update', 'launch'];
const NAMED = ['baseMint', 'tokenMint', 'quoteMint', 'configKey'] as const;

/** Whether what a request names as an address is one, so that others can be derived from it. */
export function namesAddresses({ plan: { operation, request, wallet } }: Pick<Facts, 'plan'>): boolean {
  const base = request.baseMint ?? request.tokenMint;
  if (ABOUT_A_TOKEN.includes(operation) && base === undefined) return false;
  const given = [wallet, ...NAMED.flatMap((name) => request[name] ?? [])];
  return given.every((value) => typeof value === 'string' && isAddress(value));
}
