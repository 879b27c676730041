/** Supported programs of the operations: fee share, venues, routers, token metadata. */
import { DAMM_V2_PROGRAM } from '../../../programs/dammV2/addresses.ts';
import { DBC_PROGRAM } from '../../../programs/dbc/addresses.ts';
import { FEE_SHARE_PROGRAM } from '../../../programs/feeShare/addresses.ts';
import { userVault } from '../../../programs/feeShare/userVault.ts';
import { jupiter } from '../../../programs/routers/jupiter.ts';
import { titan } from '../../../programs/routers/titan.ts';
import { METADATA_PROGRAM } from '../../../programs/tokenMetadata/addresses.ts';
import type { Address } from '../../../transaction/types.ts';

/** Supported programs, which need no policy entry. */
export const VENUES: ReadonlySet<Address> = new Set([
  FEE_SHARE_PROGRAM,
  DBC_PROGRAM,
  DAMM_V2_PROGRAM,
  METADATA_PROGRAM,
  ...jupiter.addresses,
  ...titan.addresses,
  ...userVault.addresses,
]);
