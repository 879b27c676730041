/** Bags fee share v1, the retired split of two wallets: known by name, never part of an operation. */
import { anchorNames } from '../anchor.ts';
import { defineProgram } from '../program.ts';
import { FEE_SHARE_V1_PROGRAM } from './addresses.ts';

export const feeShareV1 = defineProgram({
  name: 'Bags fee share v1',
  addresses: [FEE_SHARE_V1_PROGRAM],
  source: 'the public interface 0.0.1 in @bagsfm/bags-sdk 1.3.7',
  layouts: [],
  acts: {},
  named: anchorNames(
    'claim_a',
    'claim_b',
    'claim_damm_a',
    'claim_damm_b',
    'create_fee_vaults',
    'tweak_fee_vaults',
  ),
});
