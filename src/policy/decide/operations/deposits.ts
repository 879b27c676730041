/**
 * Lamports that accounts of the programs that are read have to hold. How the fee share program grows its accounts is
 * inferred from their layout: a header, and so many bytes for each claimer.
 */
import type { PlanOperation } from '../../../plan/types.ts';
import { METADATA_BYTES } from '../../../programs/tokenMetadata/addresses.ts';
import { rentOf } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';
import { countOfClaimers } from './request.ts';

/** Bytes of a config and of its authority before the first claimer, and of one claimer in both. */
const [CONFIG_HEADER, AUTHORITY_HEADER, CLAIMER_BYTES] = [184, 104, 34 + 8];
/** A token account with what Token-2022 adds to it. */
export const TOKEN_ACCOUNT_BYTES = 182;
/** A curve's terms. */
export const CURVE_CONFIG_BYTES = 1_048;

/** What so many claimers cost beside what the accounts hold already. */
export const claimersDeposit = (inputs: DecisionInputs, count: number): bigint =>
  count <= 0 ? 0n : rentOf(inputs, CLAIMER_BYTES * count) - rentOf(inputs, 0);

/** A new config for so many claimers: who earns, what each is owed, and where fees arrive. */
export const configDeposit = (inputs: DecisionInputs, claimers: number): bigint =>
  rentOf(inputs, CONFIG_HEADER) +
  rentOf(inputs, AUTHORITY_HEADER) +
  rentOf(inputs, TOKEN_ACCOUNT_BYTES) +
  claimersDeposit(inputs, claimers);

/** Bytes of accounts a launch makes at most, one entry each: the token and its name, accounts of the wallet, the venue's. */
const TOKEN = [512, METADATA_BYTES, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES];
const POSITION = [408, 640, TOKEN_ACCOUNT_BYTES];
const [CURVE, POOL] = [
  [424, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES],
  [1_112, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES, ...POSITION, ...POSITION],
];

/** Most lamports a launch deposits in accounts, on a curve or in a pool of its own. */
export const launchDeposit = (inputs: DecisionInputs, venue: 'curve' | 'pool'): bigint =>
  [...TOKEN, ...(venue === 'curve' ? CURVE : POOL)].reduce((sum, bytes) => sum + rentOf(inputs, bytes), 0n);

/** Bytes of an account that is made; the most one may have where the program decides. */
export const madeBytes = (bytes: number | undefined): number => bytes ?? 1_112;

/** Number of claimers that fit in one transaction of any format. */
const CLAIMERS_A_STAGE = 8;

/** Transactions a run of this request may have, those of earlier builds included: tables, the work itself, what completes it. */
export function mostStages({
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

/** Most entries of a lookup table: the claimers of the request, and the other accounts of a transaction. */
export const mostEntries = ({ plan }: DecisionInputs): number =>
  Math.min(256, countOfClaimers(plan.request) + OTHER_ENTRIES);

/** Most lamports of a lookup table. */
export const tableDeposit = (inputs: DecisionInputs): bigint =>
  rentOf(inputs, TABLE_HEADER + TABLE_ENTRY * mostEntries(inputs));
