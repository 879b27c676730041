/** The supported programs. */
import { PROGRAM_NAMES } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { dammV2 } from './dammV2/index.ts';
import { dbc } from './dbc/index.ts';
import { feeShare } from './feeShare/index.ts';
import { userVault } from './feeShare/userVault.ts';
import { jupiter } from './routers/jupiter.ts';
import { titan } from './routers/titan.ts';
import { associatedToken } from './solana/associatedToken.ts';
import { computeBudget } from './solana/computeBudget.ts';
import { lookupTable } from './solana/lookupTable.ts';
import { memo } from './solana/memo.ts';
import { system } from './solana/system.ts';
import { token } from './token/index.ts';
import { token2022 } from './token2022/index.ts';
import { tokenMetadata } from './tokenMetadata/index.ts';

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
