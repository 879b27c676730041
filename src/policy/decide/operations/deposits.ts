/**
 * Lamports that accounts of the programs that are read have to hold. How the fee share program grows its accounts is
 * inferred from their layout: a header, and so many bytes for each earner.
 */
import { METADATA_BYTES } from '../../../programs/tokenMetadata/addresses.ts';
import type { Policy } from '../../file/schema.ts';
import { rentOf } from '../decisionContext.ts';
import type { Facts } from '../types.ts';

/** Bytes of a config and of its authority before the first earner, and of one earner in both. */
const [CONFIG_HEADER, AUTHORITY_HEADER, EARNER_BYTES] = [184, 104, 34 + 8];
/** A token account with what Token-2022 adds to it. */
export const TOKEN_ACCOUNT_BYTES = 182;
/** A curve's terms. */
export const CURVE_CONFIG_BYTES = 1_048;

/** What so many earners cost beside what the accounts hold already. */
export const earnersDeposit = (facts: Facts, count: number): bigint =>
  count <= 0 ? 0n : rentOf(facts, EARNER_BYTES * count) - rentOf(facts, 0);

/** A new config for so many earners: who earns, what each is owed, and where fees arrive. */
export const configDeposit = (facts: Facts, earners: number): bigint =>
  rentOf(facts, CONFIG_HEADER) +
  rentOf(facts, AUTHORITY_HEADER) +
  rentOf(facts, TOKEN_ACCOUNT_BYTES) +
  earnersDeposit(facts, earners);

/** Bytes of accounts a launch makes at most, one entry each: the token and its name, accounts of the wallet, the venue's. */
const TOKEN = [512, METADATA_BYTES, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES];
const POSITION = [408, 640, TOKEN_ACCOUNT_BYTES];
const [CURVE, POOL] = [
  [424, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES],
  [1_112, TOKEN_ACCOUNT_BYTES, TOKEN_ACCOUNT_BYTES, ...POSITION, ...POSITION],
];

/** Most lamports a launch deposits in accounts, on a curve or in a pool of its own. */
export const launchDeposit = (facts: Facts, venue: 'curve' | 'pool'): bigint =>
  [...TOKEN, ...(venue === 'curve' ? CURVE : POOL)].reduce((sum, bytes) => sum + rentOf(facts, bytes), 0n);

/** Bytes of an account that is made; the most one may have where the program decides. */
export const madeBytes = (bytes: number | undefined): number => bytes ?? 1_112;

/** Earners that one transaction can write at least, whatever its format. */
const EARNERS_A_STAGE = 8;

/** Stages a run may have that writes so many earners: tables, the writing itself, what completes it. */
export const stagesOf = (earners: number): number => 5 + Math.ceil(earners / EARNERS_A_STAGE);

/** Most network fees of a run of so many stages, in lamports. */
export const mostFees = ({ transaction }: Policy, stages: number): string =>
  `${BigInt(transaction.maxFeeLamports) * BigInt(stages)}`;

const [TABLE_HEADER, TABLE_ENTRY, OTHER_ENTRIES] = [56, 32, 64];

/** A lookup table that names so many earners and what else a run needs. */
export const tableDeposit = (facts: Facts, earners: number): bigint =>
  rentOf(facts, TABLE_HEADER + TABLE_ENTRY * Math.min(256, earners + OTHER_ENTRIES));
