/**
 * Rent deposits in accounts of supported programs. The sizes of fee share accounts are inferred from their layout: a header
 * plus a constant per claimer.
 */
import type { PlanOperation } from '../../../plan/types.ts';
import { METADATA_BYTES } from '../../../programs/tokenMetadata/addresses.ts';
import { rentOf } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';
import { countOfClaimers } from './request.ts';

/** Sizes in bytes: header of a config, header of its authority, and one claimer in both. */
const [CONFIG_HEADER, AUTHORITY_HEADER, CLAIMER_BYTES] = [184, 104, 34 + 8];
/** Size of a token account with Token-2022 extensions, in bytes. */
export const TOKEN_ACCOUNT_BYTES = 182;
/** Size of a curve config account, in bytes. */
export const CURVE_CONFIG_BYTES = 1_048;

/** Returns the additional rent for a number of claimers, in lamports. */
export const claimersDeposit = (inputs: DecisionInputs, count: number): bigint =>
  count <= 0 ? 0n : rentOf(inputs, CLAIMER_BYTES * count) - rentOf(inputs, 0);

/** Returns the rent of a new config, its authority and its fee account, in lamports. */
export const configDeposit = (inputs: DecisionInputs, claimers: number): bigint =>
  rentOf(inputs, CONFIG_HEADER) +
  rentOf(inputs, AUTHORITY_HEADER) +
  rentOf(inputs, TOKEN_ACCOUNT_BYTES) +
  claimersDeposit(inputs, claimers);

/** Maximum sizes of the accounts that a launch creates, in bytes: token, metadata, wallet accounts and those of the venue. */
const TOKEN = [512, METADATA_BYTES, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES];
const POSITION = [408, 640, TOKEN_ACCOUNT_BYTES];
const [CURVE, POOL] = [
  [424, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES],
  [1_112, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES, ...POSITION, ...POSITION],
];

/** Returns the maximum rent of a launch in lamports, on a curve or in its own pool. */
export const launchDeposit = (inputs: DecisionInputs, venue: 'curve' | 'pool'): bigint =>
  [...TOKEN, ...(venue === 'curve' ? CURVE : POOL)].reduce((sum, bytes) => sum + rentOf(inputs, bytes), 0n);

/** Returns the size of a new account in bytes; the maximum if the program decides it. */
export const madeBytes = (bytes: number | undefined): number => bytes ?? 1_112;

/** Claimers that fit in one transaction of any format. */
const CLAIMERS_A_STAGE = 8;

/** Returns the maximum number of transactions in a run, over all builds. */
export function maxStages({
  operation,
  request,
}: {
  readonly operation: PlanOperation;
  readonly request: DecisionInputs['plan']['request'];
}): number {
  if (operation === 'config' || operation === 'manager_update')
    return 5 + Math.ceil(countOfClaimers(request) / CLAIMERS_A_STAGE);
  if (operation === 'launch') return 6;
  return operation === 'swap' || operation === 'send' ? 1 : 4;
}

const [TABLE_HEADER, TABLE_ENTRY, OTHER_ENTRIES] = [56, 32, 64];

/** Returns the maximum number of lookup table entries: the request's claimers and the other accounts of a transaction. */
export const maxEntries = ({ plan }: DecisionInputs): number =>
  Math.min(256, countOfClaimers(plan.request) + OTHER_ENTRIES);

/** Returns the maximum rent of a lookup table, in lamports. */
export const tableDeposit = (inputs: DecisionInputs): bigint =>
  rentOf(inputs, TABLE_HEADER + TABLE_ENTRY * maxEntries(inputs));
