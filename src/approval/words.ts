/**
 * A person's words for what a plan is made of. Templates only: nothing here repeats text from outside, and amounts
 * are never rounded.
 */
import type { Operation, StageKind } from '../plan/types.ts';
import { decimal } from '../policy/review/words.ts';
import type { Address } from '../transaction/types.ts';

const OPERATIONS: Readonly<Record<Operation, string>> = {
  config: 'Set up who shares the fees',
  manager_update: 'Change who shares the fees',
  launch: 'Launch a token',
  holding_claim: 'Claim fees of a holding',
  position_claim: 'Claim fees of a position',
  vault_claim: 'Claim fees from a vault',
  deployer_claim: 'Claim deployer fees',
  swap: 'Swap tokens',
  lookup_table_setup: 'Set up an address table',
  lookup_table_deactivate: 'Retire an address table',
  lookup_table_close: 'Close an address table',
};

const STAGES: Readonly<Record<StageKind, string>> = {
  config: 'Write the fee shares on chain',
  claim: 'Collect the fees',
  manager_update: 'Change the fee shares on chain',
  launch: 'Launch',
  lookup_table_setup: 'Prepare an address table',
  create_token: 'Create the token',
  lookup_table_deactivate: 'Retire the address table',
  lookup_table_close: 'Close the address table, its rent comes back',
  swap: 'Swap',
};

const ROLES: Readonly<Record<string, string>> = {
  claimer: 'earns a share of the fees',
  admin: 'can change who earns',
  partner: 'earns as partner',
  feeClaimer: 'receives the fee position',
  tip: 'gets a tip',
  payment: 'is paid',
};

/** What the plan does, as a heading. */
export const operationWords = (operation: Operation): string => OPERATIONS[operation];

/** What one stage does. */
export const stageWords = (kind: StageKind): string => STAGES[kind];

/** What somebody named in the plan gets or may do. */
export const roleWords = (role: string): string => ROLES[role] ?? 'is named';

/** An address short enough for a line; the whole address is always shown beside it. */
export const shortAddress = (address: Address): string =>
  address.length <= 12 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;

const SOL_DECIMALS = 9;

/** The name of an asset: SOL (native and wrapped as one), or a token by its address. */
export const assetName = (asset: string): string =>
  asset === 'SOL' ? 'SOL' : `token ${shortAddress(asset)}`;

/**
 * An amount as a number and what it counts. A mint whose decimals are not known is counted in base units, and the
 * unit says so.
 */
export function amountParts(
  units: bigint,
  asset: string,
  decimals: ReadonlyMap<string, number>,
): { readonly number: string; readonly unit: string } {
  const known = asset === 'SOL' ? SOL_DECIMALS : decimals.get(asset);
  if (known !== undefined) return { number: decimal(units, known), unit: assetName(asset) };
  return { number: decimal(units), unit: `base units of ${assetName(asset)}` };
}

/** The same in one text: `0.5 SOL`. */
export function amountWords(units: bigint, asset: string, decimals: ReadonlyMap<string, number>): string {
  const { number, unit } = amountParts(units, asset, decimals);
  return `${number} ${unit}`;
}

/** A length of time in one unit, for "expires in …". Never negative. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
