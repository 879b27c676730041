/** The supported programs, each with a folder of its own. */
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { associatedToken } from './associatedToken/index.ts';
import { computeBudget } from './computeBudget/index.ts';
import { dammV2 } from './dammV2/index.ts';
import { dbc } from './dbc/index.ts';
import { feeShare } from './feeShare/index.ts';
import { jupiter } from './jupiter/index.ts';
import { lookupTable } from './lookupTable/index.ts';
import { memo } from './memo/index.ts';
import { system } from './system/index.ts';
import { titan } from './titan/index.ts';
import { token } from './token/index.ts';
import { token2022 } from './token2022/index.ts';
import { tokenMetadata } from './tokenMetadata/index.ts';
import { userVault } from './userVault/index.ts';

export const PROGRAMS = [
  system,
  computeBudget,
  token,
  token2022,
  associatedToken,
  memo,
  lookupTable,
  feeShare,
  dbc,
  dammV2,
  tokenMetadata,
  jupiter,
  titan,
  userVault,
] as const;

/** Returns the display name of a program, or `undefined` if it has none. */
export function programName(address: Address): string | undefined {
  return PROGRAM_NAMES[address] ?? PROGRAMS.find((each) => each.addresses.includes(address))?.name;
}
