/** Programs that no policy can allow, and programs of which every instruction is supported. */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  CONFIG_PROGRAM,
  FEATURE_PROGRAM,
  LOADER_PROGRAMS,
  LOOKUP_TABLE_PROGRAM,
  MEMO_PROGRAMS,
  PRECOMPILE_PROGRAMS,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  VOTE_PROGRAM,
  ZK_PROOF_PROGRAM,
} from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';

/** Denied regardless of the policy file (T6, T7, T30, T49). */
export const DENIED_PROGRAMS: ReadonlySet<Address> = new Set([
  STAKE_PROGRAM,
  VOTE_PROGRAM,
  CONFIG_PROGRAM,
  FEATURE_PROGRAM,
  ZK_PROOF_PROGRAM,
  ...LOADER_PROGRAMS,
  ...PRECOMPILE_PROGRAMS,
]);

/** Fully supported programs; an unknown instruction of theirs is denied (T10). */
export const STOCK_PROGRAMS: ReadonlySet<Address> = new Set([
  SYSTEM_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  ...TOKEN_PROGRAMS,
  ...MEMO_PROGRAMS,
]);
