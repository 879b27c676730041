/** Program accounts: immutable or upgradeable code at an address. */

import { addressBytes, addressFromBytes } from '../../src/transaction/base58.ts';
import { programAddress } from '../../src/transaction/derive.ts';
import { LOADER_V2_PROGRAM, LOADER_V3_PROGRAM } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import type { SandboxChain } from '../chain/chain.ts';
import type { ChainAccount } from '../chain/types.ts';

/** Bytes before the code in the data account of an upgradeable program. */
const PROGRAM_DATA_HEADER = 45;
const PROGRAM_BYTES = 36;
/** Kinds of account of the upgradeable loader. */
const [PROGRAM, PROGRAM_DATA] = [2, 3] as const;

/** Deploys immutable code at an address. */
export function deploy(chain: SandboxChain, address: Address, code: Uint8Array): void {
  chain.setAccount(address, {
    lamports: chain.rent(code.length),
    owner: LOADER_V2_PROGRAM,
    executable: true,
    data: code,
  });
}

/** Deployment slot and upgrade authority of a program. */
export interface Deployment {
  readonly slot: number;
  readonly authority: Address;
}

/**
 * Returns the accounts of an upgradeable program in the order they must be written: the code first, since the loader looks it
 * up with the program.
 */
export function upgradeable(
  address: Address,
  code: Uint8Array,
  { slot, authority }: Deployment,
  rent: (bytes: number) => bigint,
): (readonly [Address, ChainAccount])[] {
  const dataAccount = programAddress([addressBytes(address)], LOADER_V3_PROGRAM).address;
  const data = new Uint8Array(PROGRAM_DATA_HEADER + code.length);
  const head = Buffer.from(data.buffer);
  head.writeUInt32LE(PROGRAM_DATA, 0);
  head.writeBigUInt64LE(BigInt(slot), 4);
  head.writeUInt8(1, 12);
  head.set(addressBytes(authority), 13);
  data.set(code, PROGRAM_DATA_HEADER);
  const program = Buffer.alloc(PROGRAM_BYTES);
  program.writeUInt32LE(PROGRAM, 0);
  program.set(addressBytes(dataAccount), 4);
  const account = (bytes: Uint8Array, executable: boolean): ChainAccount => ({
    lamports: rent(bytes.length),
    owner: LOADER_V3_PROGRAM,
    executable,
    data: bytes,
  });
  return [
    [dataAccount, account(data, false)],
    [address, account(new Uint8Array(program), true)],
  ];
}

/** Deploys upgradeable code at an address. */
export function deployUpgradeable(
  chain: SandboxChain,
  address: Address,
  code: Uint8Array,
  deployment: Deployment,
): void {
  for (const [account, content] of upgradeable(address, code, deployment, (bytes) => chain.rent(bytes)))
    chain.setAccount(account, content);
}

/** Returns the code account of an upgradeable program; `undefined` for any other account. */
export function dataAccountOf(account: ChainAccount): Address | undefined {
  const isProgram = account.owner === LOADER_V3_PROGRAM && account.data.length === PROGRAM_BYTES;
  return isProgram ? addressFromBytes(account.data.slice(4, 36)) : undefined;
}

/** Returns the code of a program of either loader; empty if there is none. */
export function codeOf(chain: SandboxChain, program: Address): Uint8Array {
  const account = chain.getAccount(program);
  if (account === null) return new Uint8Array();
  const dataAccount = dataAccountOf(account);
  if (dataAccount === undefined) return account.data;
  const data = chain.getAccount(dataAccount)?.data;
  return data?.slice(PROGRAM_DATA_HEADER) ?? new Uint8Array();
}
