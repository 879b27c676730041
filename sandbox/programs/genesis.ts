/** Genesis accounts of a sandbox: the programs behind the service, and the fee share's global config. */
import { DEPLOYER_SHARE_BPS } from '../../src/contract/constants.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import type { ChainOptions } from '../chain/chain.ts';
import type { ChainAccount } from '../chain/types.ts';
import type { ServiceKeys } from '../service/serviceKeys.ts';
import {
  derivedAddress,
  FEE_SHARE_PLATFORM_VAULT,
  FEE_SHARE_PROGRAM,
  FEE_SHARE_PROGRAM_CONFIG,
  QUOTE_SHARE_PROGRAM,
} from './addresses.ts';
import { upgradeable } from './deploy.ts';
import { standInPrograms } from './standIns.ts';
import { Bytes } from './writing.ts';

/** Bytes of the program config and of a token account. */
const [PROGRAM_CONFIG_BYTES, TOKEN_ACCOUNT_BYTES] = [195, 165];
/** Offset of the deployers' share in the stand-in. */
const DEPLOYER_BPS_AT = 164;
/** Offsets of the state and the native reserve in a token account. */
const [STATE_AT, NATIVE_AT, INITIALIZED] = [108, 109, 1];

/**
 * Returns the genesis accounts: the stand-ins, replaced or extended by `programs`. All programs are upgradeable like the
 * originals.
 */
export const programGenesis =
  (
    keys: Pick<ServiceKeys, 'feeShareAuthority' | 'programAuthority'>,
    programs: ReadonlyMap<Address, Uint8Array> = new Map(),
  ): NonNullable<ChainOptions['genesis']> =>
  (rent, slot) => {
    const deployment = { slot, authority: keys.programAuthority.address };
    const code = new Map([...standInPrograms(programs), ...programs]);
    return [
      ...[...code].flatMap(([address, bytes]) => upgradeable(address, bytes, deployment, rent)),
      ...feeShareAccounts(keys.feeShareAuthority.address, rent),
    ];
  };

/** The global configs of both fee share programs with their admin, and the empty account of the platform. */
function feeShareAccounts(
  admin: Address,
  rent: (bytes: number) => bigint,
): (readonly [Address, ChainAccount])[] {
  const config = (
    address: Address,
    owner: Address,
    vault: Address,
    deployerBps: number,
  ): readonly [Address, ChainAccount] => {
    const data = new Uint8Array(PROGRAM_CONFIG_BYTES);
    data.set(new Bytes('c4d25ae790958c3f').address(admin).u8(0).address(vault).done());
    data.set(new Bytes().u16(deployerBps).done(), DEPLOYER_BPS_AT);
    return [address, { lamports: rent(data.length), owner, executable: false, data }];
  };
  const held = new Uint8Array(TOKEN_ACCOUNT_BYTES);
  held.set(new Bytes().address(WSOL_MINT).address(FEE_SHARE_PROGRAM_CONFIG).done());
  held[STATE_AT] = INITIALIZED;
  const lamports = rent(held.length);
  held.set(new Bytes().u32(1).u64(lamports).done(), NATIVE_AT);
  return [
    config(FEE_SHARE_PROGRAM_CONFIG, FEE_SHARE_PROGRAM, FEE_SHARE_PLATFORM_VAULT, DEPLOYER_SHARE_BPS),
    [FEE_SHARE_PLATFORM_VAULT, { lamports, owner: TOKEN_PROGRAM, executable: false, data: held }],
    // In other quotes, platform and deployers have no share.
    config(
      derivedAddress(QUOTE_SHARE_PROGRAM, ['program_config']),
      QUOTE_SHARE_PROGRAM,
      FEE_SHARE_PLATFORM_VAULT,
      0,
    ),
  ];
}
