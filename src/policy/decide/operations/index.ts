/** The rules of every operation whose instructions are read, by operation. */
import type { Operation } from '../../../plan/types.ts';
import { isAddress } from '../../../transaction/base58.ts';
import type { Facts } from '../types.ts';
import { holdingClaimRules, positionClaimRules, vaultClaimRules } from './claim.ts';
import { configRules } from './config.ts';
import { launchRules } from './launch/launch.ts';
import type { OperationRules } from './operation.ts';
import { isRetired, retiredConfigRules } from './sharing/retiredConfig.ts';
import { splitRules } from './split.ts';
import { swapRules } from './swap.ts';

const configsOf = (facts: Facts): OperationRules => (isRetired(facts) ? retiredConfigRules : configRules);
/** Configs, those of the retired endpoints among them. */
const configs: OperationRules = {
  expected: (c) => configsOf(c.facts).expected(c),
  bind: (c, list) => configsOf(c.facts).bind(c, list),
  feePayer: 'wallet',
  formats: (facts) => configsOf(facts).formats(facts),
};

export const OPERATION_RULES: Readonly<Partial<Record<Operation, OperationRules>>> = {
  config: configs,
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
export function namesAddresses({
  plan: { operation, endpoint, request, wallet },
}: Pick<Facts, 'plan'>): boolean {
  const base = request.baseMint ?? request.tokenMint;
  const isAboutOne = ABOUT_A_TOKEN.includes(operation) && endpoint !== 'createLaunchConfig';
  if (isAboutOne && base === undefined) return false;
  const given = [wallet, ...NAMED.flatMap((name) => request[name] ?? [])];
  return given.every((value) => typeof value === 'string' && isAddress(value));
}
