/** The profile of every operation. */
import type { Operation } from '../../../plan/types.ts';
import { deployer_claim, holding_claim, position_claim, vault_claim } from './claims.ts';
import { config } from './config/config.ts';
import { manager_update } from './config/managerUpdate.ts';
import { launch } from './launch.ts';
import { lookup_table_close, lookup_table_deactivate, lookup_table_setup } from './lookupTables.ts';
import type { Profile } from './profile.ts';
import { swap } from './swap.ts';

export const PROFILES: Readonly<Record<Operation, Profile>> = {
  config,
  manager_update,
  launch,
  holding_claim,
  position_claim,
  vault_claim,
  deployer_claim,
  swap,
  lookup_table_setup,
  lookup_table_deactivate,
  lookup_table_close,
};
