/** Programs of an attacker's own: anybody can deploy anything under an address nobody else uses. */
import { addressFromBytes } from '../../transaction/base58.ts';
import { LOADER_V2_PROGRAM, LOADER_V3_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { SandboxChain } from '../chain/chain.ts';

/** Bytes before the code in the data account of an upgradeable program. */
const PROGRAM_DATA_HEADER = 45;

/** Puts code under an address. */
export function deploy(chain: SandboxChain, address: Address, code: Uint8Array): void {
  chain.setAccount(address, {
    lamports: chain.rent(code.length),
    owner: LOADER_V2_PROGRAM,
    executable: true,
    data: code,
  });
}

/** The code of a program, wherever its loader keeps it. Empty when there is none. */
export function codeOf(chain: SandboxChain, program: Address): Uint8Array {
  const account = chain.getAccount(program);
  if (account === null) return new Uint8Array();
  if (account.owner !== LOADER_V3_PROGRAM) return account.data;
  const data = chain.getAccount(addressFromBytes(account.data.slice(4, 36)))?.data;
  return data?.slice(PROGRAM_DATA_HEADER) ?? new Uint8Array();
}
