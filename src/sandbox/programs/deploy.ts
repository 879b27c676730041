/** Programs of an attacker's own: anybody can deploy anything under an address nobody else uses. */

import { addressBytes, addressFromBytes } from '../../transaction/base58.ts';
import { programAddress } from '../../transaction/derive.ts';
import { LOADER_V2_PROGRAM, LOADER_V3_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { SandboxChain } from '../chain/chain.ts';
import type { ChainAccount } from '../chain/types.ts';

/** Bytes before the code in the data account of an upgradeable program. */
const PROGRAM_DATA_HEADER = 45;
const PROGRAM_BYTES = 36;
/** Kinds of account of the upgradeable loader. */
const [PROGRAM, PROGRAM_DATA] = [2, 3] as const;

/** Puts code under an address. */
export function deploy(chain: SandboxChain, address: Address, code: Uint8Array): void {
  chain.setAccount(address, {
    lamports: chain.rent(code.length),
    owner: LOADER_V2_PROGRAM,
    executable: true,
    data: code,
  });
}

/** Puts code under an address as its author would who may replace it later: in an account of its own, with a slot. */
export function deployUpgradeable(
  chain: SandboxChain,
  address: Address,
  code: Uint8Array,
  { slot, authority }: { readonly slot: number; readonly authority: Address },
): void {
  const dataAccount = programAddress([addressBytes(address)], LOADER_V3_PROGRAM).address;
  const head = Buffer.alloc(PROGRAM_DATA_HEADER);
  head.writeUInt32LE(PROGRAM_DATA, 0);
  head.writeBigUInt64LE(BigInt(slot), 4);
  head.writeUInt8(1, 12);
  head.set(addressBytes(authority), 13);
  const program = Buffer.alloc(PROGRAM_BYTES);
  program.writeUInt32LE(PROGRAM, 0);
  program.set(addressBytes(dataAccount), 4);
  // The loader looks for the code when it is given the program.
  for (const [account, data, executable] of [
    [dataAccount, Uint8Array.from([...head, ...code]), false],
    [address, Uint8Array.from(program), true],
  ] as const) {
    chain.setAccount(account, {
      lamports: chain.rent(data.length),
      owner: LOADER_V3_PROGRAM,
      executable,
      data,
    });
  }
}

/** Where an upgradeable program's code is; `undefined` for an account that is no such program. */
export function dataAccountOf(account: ChainAccount): Address | undefined {
  const isProgram = account.owner === LOADER_V3_PROGRAM && account.data.length === PROGRAM_BYTES;
  return isProgram ? addressFromBytes(account.data.slice(4, 36)) : undefined;
}

/** The code of a program, wherever its loader keeps it. Empty when there is none. */
export function codeOf(chain: SandboxChain, program: Address): Uint8Array {
  const account = chain.getAccount(program);
  if (account === null) return new Uint8Array();
  const dataAccount = dataAccountOf(account);
  if (dataAccount === undefined) return account.data;
  const data = chain.getAccount(dataAccount)?.data;
  return data?.slice(PROGRAM_DATA_HEADER) ?? new Uint8Array();
}
