/** Accounts of Bags fee share v2 with its fee totals. No decision reads them. */
import {
  address,
  bytes,
  fixedList,
  lastItems,
  option,
  u8,
  u16,
  u64,
  u128,
} from '../../transaction/codecs.ts';
import { defineAccount } from '../account.ts';
import { accountDiscriminator } from '../anchor.ts';
import { FEE_SHARE_PROGRAM } from './addresses.ts';

const program = FEE_SHARE_PROGRAM;
const AUTHORITY_HEADER = 104;
const FEE_BYTES = 8;

/** Fee totals of a launch, and the claimable amount of each claimer. */
export const feeShareAuthority = defineAccount('feeShare.authority', {
  program,
  discriminator: accountDiscriminator('FeeShareAuthorityHeader'),
  length: (length) => length >= AUTHORITY_HEADER && (length - AUTHORITY_HEADER) % FEE_BYTES === 0,
  fields: {
    config: address,
    totalLifetimeAccumulatedFees: u128,
    totalUserClaimedFees: u128,
    totalPartnerClaimedFees: u128,
    bump: u8,
    padding: bytes(15),
    /** Lamports or base units of the quote mint. */
    fees: lastItems(u64),
  },
  inferred: ['claimable amounts follow the header, in the order of the config'],
});

export const partnerConfig = defineAccount('feeShare.partnerConfig', {
  program,
  discriminator: accountDiscriminator('PartnerConfig'),
  length: 128,
  fields: {
    totalClaimedFees: u128,
    totalAccumulatedFees: u64,
    totalLifetimeAccumulatedFees: u128,
    partner: address,
    feeCollectionMode: u8,
    feeCollectionPlatformBps: u16,
    padding1: bytes(2),
    bump: u8,
    bps: u16,
    padding0: fixedList(u64, 5),
  },
});

export const programConfig = defineAccount('feeShare.programConfig', {
  program,
  discriminator: accountDiscriminator('ProgramConfig'),
  // An absent pending admin takes 1 byte instead of 33, so stale bytes may follow the fields.
  length: 195,
  padded: true,
  fields: {
    admin: address,
    pendingAdmin: option(address),
    platformVault: address,
    platformBps: u16,
    totalClaimedFees: u128,
    totalAccumulatedFees: u64,
    totalLifetimeAccumulatedFees: u128,
    padding0: fixedList(u64, 5),
    padding1: bytes(7),
    bump: u8,
  },
});

export const userFeeVault = defineAccount('feeShare.userFeeVault', {
  program,
  discriminator: accountDiscriminator('UserFeeVault'),
  length: 105,
  fields: { user: address, baseMint: address, quoteMint: address, bump: u8 },
});
