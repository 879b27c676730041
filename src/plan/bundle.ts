/**
 * The custody launch bundle (C-bundle): up to five transactions known by type, whose order is the contract's,
 * not the answer's to choose.
 */
import type { WireEncoding } from '../transaction/wire.ts';
import { PlanError } from './errors.ts';
import { type Fields, list, object, oneOf } from './readAnswer.ts';
import { makeStage } from './stage.ts';
import type { Stage, StageKind } from './types.ts';

/** A table can be closed this many slots after its deactivation landed. */
export const CLOSE_AFTER_SLOTS = 513;

const TYPES = ['LUT_SETUP', 'CREATE_TOKEN', 'LAUNCH', 'LUT_DEACTIVATE', 'LUT_CLOSE'] as const;
type BundleType = (typeof TYPES)[number];

interface BundleRole {
  readonly id: string;
  readonly kind: StageKind;
  readonly after: readonly BundleType[];
  readonly refresh?: 'blockhash';
  readonly optional?: true;
  readonly waitSlots?: number;
}

/** What each type is, and which types must have landed before it (C-bundle rules 2, 4 and 5). */
const ROLES: Readonly<Record<BundleType, BundleRole>> = {
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
    waitSlots: CLOSE_AFTER_SLOTS,
  },
};

/**
 * The stages of a bundle. Refused as a whole: more than five, a type twice, an unknown type, types out of the
 * contract's order, no `LAUNCH`, a close without its deactivation (B70).
 */
export function readBundle(answer: Fields, encoding: WireEncoding): Stage[] {
  const given = list(answer.transactions, 'list of bundle transactions').map((item) =>
    object(item, 'bundle transaction'),
  );
  if (given.length > TYPES.length) throw new PlanError('The bundle has more than five transactions.');
  const types = given.map((item) => oneOf(item.type, TYPES, 'transaction type'));
  const positions = types.map((type) => TYPES.indexOf(type));
  if (new Set(types).size !== types.length) throw new PlanError('The bundle has the same type twice.');
  const swapped = positions.some((position, i) => i > 0 && rank(position) < rank(positions[i - 1] ?? 0));
  if (swapped) throw new PlanError('The bundle is not in the order of the contract.');
  if (!types.includes('LAUNCH')) throw new PlanError('The bundle has no LAUNCH.');
  if (types.includes('LUT_CLOSE') && !types.includes('LUT_DEACTIVATE')) {
    throw new PlanError('The bundle closes a table it does not deactivate.');
  }
  return given.map((item, i) => {
    const { after, ...role } = ROLES[types[i] ?? 'LAUNCH'];
    const dependsOn = after.filter((type) => types.includes(type)).map((type) => ROLES[type].id);
    return makeStage({ ...role, dependsOn, transaction: item.transaction, encoding, format: 'v0' });
  });
}

/** The first two types are independent of each other and may come in either order. */
const rank = (position: number): number => Math.max(position, 1);
