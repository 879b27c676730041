/** Addresses of Bags fee share v2 and its launches. */
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAddress } from '../derived.ts';

export const FEE_SHARE_PROGRAM = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
/** Global config: the service's key and its share. */
export const PROGRAM_CONFIG = '8SrW8DjZcAPAWYSdSu468LKLQ7WDRaEUsswNvHCiAYs';
export const PLATFORM_VAULT = 'ERH2UUYzUULwKy7sLHxeEGcN4B2QjDoQS8Z8GMhuL8cE';

/** Returns the address of a launch's config, which lists its claimers. */
export const feeShareConfigAddress = (
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
  program: Address = FEE_SHARE_PROGRAM,
): Address => derivedAddress(program, [{ text: 'fee_share_config' }, baseMint, quoteMint]);

/** Returns the address of a launch's authority, which collects and pays its fees. */
export const feeShareAuthorityAddress = (
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
  program: Address = FEE_SHARE_PROGRAM,
): Address => derivedAddress(program, [{ text: 'fee_share_authority' }, baseMint, quoteMint]);

/** Returns the address of a partner's config, by wallet. */
export const partnerConfigAddress = (partner: Address, program: Address = FEE_SHARE_PROGRAM): Address =>
  derivedAddress(program, [{ text: 'partner_config' }, partner]);

/** Returns the address of the vault for fees that others claimed on behalf of a user. */
export const userFeeVaultAddress = (
  user: Address,
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
): Address => derivedAddress(FEE_SHARE_PROGRAM, [{ text: 'user_fee_vault' }, user, baseMint, quoteMint]);
