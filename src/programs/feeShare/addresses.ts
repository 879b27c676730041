/** Addresses of Bags fee share v2, and those derived from a launch's mints. */
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { derivedAddress } from '../derived.ts';

export const FEE_SHARE_PROGRAM = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
/** Holds the service's key and its share; one for the whole program. */
export const PROGRAM_CONFIG = '8SrW8DjZcAPAWYSdSu468LKLQ7WDRaEUsswNvHCiAYs';
export const PLATFORM_VAULT = 'ERH2UUYzUULwKy7sLHxeEGcN4B2QjDoQS8Z8GMhuL8cE';

/** The config of a launch: who earns. */
export const feeShareConfigAddress = (
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
  program: Address = FEE_SHARE_PROGRAM,
): Address => derivedAddress(program, [{ text: 'fee_share_config' }, baseMint, quoteMint]);

/** Collects and pays out the fees of a launch. */
export const feeShareAuthorityAddress = (
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
  program: Address = FEE_SHARE_PROGRAM,
): Address => derivedAddress(program, [{ text: 'fee_share_authority' }, baseMint, quoteMint]);

/** What a partner earns of, by the partner's wallet. */
export const partnerConfigAddress = (partner: Address, program: Address = FEE_SHARE_PROGRAM): Address =>
  derivedAddress(program, [{ text: 'partner_config' }, partner]);

/** Where fees wait that were claimed for a user by others. */
export const userFeeVaultAddress = (
  user: Address,
  baseMint: Address,
  quoteMint: Address = WSOL_MINT,
): Address => derivedAddress(FEE_SHARE_PROGRAM, [{ text: 'user_fee_vault' }, user, baseMint, quoteMint]);
