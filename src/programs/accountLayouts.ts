/** Every supported account type, for the documentation and tests. Decisions use single layouts. */
import type { AccountLayout } from './account.ts';
import { pool, position } from './dammV2/accounts.ts';
import { poolConfig, virtualPool } from './dbc/accounts.ts';
import { feeShareConfig } from './feeShare/accounts.ts';
import { feeShareAuthority, partnerConfig, programConfig, userFeeVault } from './feeShare/feeAccounts.ts';
import { metadata } from './tokenMetadata/accounts.ts';

export const ACCOUNT_LAYOUTS: readonly AccountLayout[] = [
  feeShareConfig,
  feeShareAuthority,
  partnerConfig,
  programConfig,
  userFeeVault,
  poolConfig,
  virtualPool,
  pool,
  position,
  metadata,
];
