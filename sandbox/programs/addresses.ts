/** Addresses of the programs behind the service and of their global accounts. */
import { derivedAddress as derive } from '../../src/programs/derived.ts';
import type { Address } from '../../src/transaction/types.ts';

export { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
export { DBC_POOL_AUTHORITY, DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
export {
  FEE_SHARE_PROGRAM,
  PLATFORM_VAULT as FEE_SHARE_PLATFORM_VAULT,
  PROGRAM_CONFIG as FEE_SHARE_PROGRAM_CONFIG,
} from '../../src/programs/feeShare/addresses.ts';
export { JUPITER_PROGRAM as ROUTER_PROGRAM } from '../../src/programs/routers/jupiter.ts';
export { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';

/**
 * Programs of the sandbox in place of unpublished ones: configs in a quote other than wrapped SOL, custody of positions, and
 * vaults of partners and deployers.
 */
export const QUOTE_SHARE_PROGRAM = 'SandboxQuoteFeeShare11111111111111111111111';
export const CUSTODY_PROGRAM = 'SandboxPositionCustody111111111111111111111';
export const EARNINGS_PROGRAM = 'SandboxEarnings1111111111111111111111111111';

/** Derives an address of a program from words and addresses. */
export const derivedAddress = (
  program: Address,
  words: readonly string[],
  ...addresses: readonly Address[]
): Address => derive(program, [...words.map((text) => ({ text })), ...addresses]);

/** Returns the event authority of an Anchor program, the account before the program itself. */
export const eventAuthority = (program: Address): Address => derivedAddress(program, ['__event_authority']);
