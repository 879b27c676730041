/** The config account of Bags fee share v2. */
import { address, bytes, type Codec, fixedList, nonZeroAddress, u8, u64 } from '../../transaction/codecs.ts';
import { defineAccount } from '../account.ts';
import type { ClaimerShare } from '../acts.ts';
import { accountDiscriminator } from '../anchor.ts';
import { FEE_SHARE_PROGRAM } from './addresses.ts';

const program = FEE_SHARE_PROGRAM;
const CONFIG_HEADER = 184;
const CLAIMER_BYTES = 34;

/** Codec of the claimers at the end of the data: all wallets, then all shares. */
const claimers: Codec<readonly ClaimerShare[]> = {
  read: (r) => {
    const count = r.remaining / CLAIMER_BYTES;
    const list: ClaimerShare[] = [];
    for (const wallet of r.each(count, address.read)) list.push({ wallet, bps: r.u16() });
    return list;
  },
  write: (w, v) => {
    for (const { wallet } of v) w.address(wallet);
    for (const { bps } of v) w.u16(bps);
  },
};

/**
 * Fee share config of a launch. The header is from the public interface; the following list of claimers is from a type that
 * the interface marks as legacy.
 */
export const feeShareConfig = defineAccount('feeShare.config', {
  program,
  discriminator: accountDiscriminator('FeeShareConfigHeader'),
  length: (length) => length >= CONFIG_HEADER && (length - CONFIG_HEADER) % CLAIMER_BYTES === 0,
  fields: {
    baseMint: address,
    quoteMint: address,
    partner: nonZeroAddress,
    partnerConfig: nonZeroAddress,
    /** The key that may change the shares; `null`: none. */
    manager: nonZeroAddress,
    padding0: fixedList(u64, 1),
    isInitFinalized: u8,
    isUpdateLocked: u8,
    padding1: bytes(5),
    bump: u8,
    claimers,
  },
  inferred: ['claimers follow the header: all wallets, then all shares'],
});
