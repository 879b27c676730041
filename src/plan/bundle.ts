/**
 * The custody launch bundle (C-BUNDLE): up to five transactions, each with a type, in the order of the contract.
 */

import { LIMITS } from '../contract/constants.ts';
import { BUNDLE_TYPES, bundleSchema, type WireBundleType } from '../contract/plan.ts';
import type { WireEncoding } from '../transaction/wire.ts';
import { PlanError } from './readAnswer.ts';
import { parsed } from './servicePlan.ts';
import { makeStage } from './stage.ts';
import type { Stage, StageKind } from './types.ts';

interface BundleRole {
  readonly id: string;
  readonly kind: StageKind;
  readonly after: readonly WireBundleType[];
  readonly refresh?: 'blockhash';
  readonly optional?: true;
  readonly waitSlots?: number;
}

/** Stage of each type, with the types that must land before it (C-BUNDLE-06, C-BUNDLE-07, C-BUNDLE-09). */
const ROLES: Readonly<Record<WireBundleType, BundleRole>> = {
  LUT_SETUP: { id: 'lut_setup', kind: 'lookup_table_setup', after: [] },
  CREATE_TOKEN: { id: 'create_token', kind: 'create_token', after: [] },
  LAUNCH: { id: 'launch', kind: 'launch', after: ['LUT_SETUP', 'CREATE_TOKEN'] },
  LUT_DEACTIVATE: {
    id: 'lut_deactivate',
    kind: 'lookup_table_deactivate',
    after: ['LAUNCH'],
    refresh: 'blockhash',
  },
  LUT_CLOSE: {
    id: 'lut_close',
    kind: 'lookup_table_close',
    after: ['LUT_DEACTIVATE'],
    refresh: 'blockhash',
    optional: true,
    waitSlots: LIMITS.tableCloseSlots,
  },
};

/**
 * Returns the stages of a bundle. Throws `PlanError` for more than five transactions, duplicate or unknown types, a wrong
 * order, a missing `LAUNCH`, or a close without deactivation (B70).
 */
export function readBundle(answer: unknown, encoding: WireEncoding): Stage[] {
  const { transactions } = parsed(bundleSchema, answer);
  const types = transactions.map(({ type }) => type);
  const swapped = types.some((type, i) => rank(type) < rank(types[i - 1] ?? 'LUT_SETUP'));
  if (swapped) throw new PlanError('The bundle is not in the order of the contract.');
  if (types.includes('LUT_CLOSE') && !types.includes('LUT_DEACTIVATE')) {
    throw new PlanError('The bundle closes a lookup table without deactivating it.');
  }
  return transactions.map(({ type, transaction }) => {
    const { after, ...role } = ROLES[type];
    const dependsOn = after.filter((other) => types.includes(other)).map((other) => ROLES[other].id);
    return makeStage({ ...role, dependsOn, transaction, encoding, format: 'v0' });
  });
}

/** Returns the position of a type; the first two types are independent and share one. */
const rank = (type: WireBundleType): number => Math.max(BUNDLE_TYPES.indexOf(type), 1);
