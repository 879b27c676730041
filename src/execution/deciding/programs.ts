/**
 * Reads when an unsupported program was deployed and who can upgrade it (T34). Requests only the first bytes of the
 * program and of its data account, since the code may be megabytes.
 */

import { STOCK_PROGRAMS } from '../../policy/decide/checks/deniedPrograms.ts';
import { derivedAddress } from '../../programs/derived.ts';
import { isUnsupported, readInstruction } from '../../programs/read.ts';
import type { AccountFact, Chain, ProgramFact } from '../../rpc/types.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { LOADER_V3_PROGRAM } from '../../transaction/programs.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';

/** Length of the header of a program data account: kind, slot, and the optional authority. */
const HEAD_BYTES = 45;
const [PROGRAM_KIND, PROGRAM_DATA_KIND] = [2, 3] as const;

/** The programs of a transaction, and those among its accounts that are read in full, without their code. */
export interface Programs {
  readonly facts: readonly ProgramFact[];
  readonly accounts: readonly AccountFact[];
}

/**
 * Returns the programs a transaction calls. An unsupported instruction may call any program among its accounts, so
 * these are included. `stock` are programs among its accounts that are read in full. Uses one RPC call. Rejects with
 * `ChainError`.
 */
export async function readPrograms(
  chain: Chain,
  transaction: DecodedTransaction,
  accounts: readonly AccountUse[] | undefined,
  stock: readonly Address[] = [],
): Promise<Programs> {
  const { instructions, staticAccounts } = transaction;
  const called = new Set(instructions.map(({ programIndex }) => staticAccounts[programIndex] ?? ''));
  const resolved = accounts === undefined ? [] : resolveInstructions(transaction, [], accounts);
  const reached = resolved.some((each) => isUnsupported(readInstruction(each)))
    ? (accounts ?? []).map(({ address }) => address)
    : [];
  const named = [...new Set([...called, ...reached])].filter((address) => !STOCK_PROGRAMS.has(address));
  const heads = await readHeads(chain, [...named, ...stock]);
  return {
    facts: named
      .map((address) => deploymentAt(address, heads))
      .filter(({ address, isProgram }) => isProgram || called.has(address))
      .map(({ isProgram: _, ...fact }) => fact),
    accounts: stock.flatMap((address) => heads.get(address) ?? []),
  };
}

/** A program address, whether the chain has a program there, and its deployment. */
export interface Deployment extends ProgramFact {
  readonly isProgram: boolean;
}

/** Returns the deployments at the addresses, in order. Rejects with `ChainError`. */
export async function readDeployments(chain: Chain, addresses: readonly Address[]): Promise<Deployment[]> {
  const heads = await readHeads(chain, addresses);
  return addresses.map((address) => deploymentAt(address, heads));
}

/** Returns the first bytes of the addresses and of their program data accounts, by address. */
async function readHeads(
  chain: Chain,
  addresses: readonly Address[],
): Promise<ReadonlyMap<Address, AccountFact>> {
  if (addresses.length === 0) return new Map();
  const all = new Set([
    ...addresses,
    ...addresses.filter((address) => !STOCK_PROGRAMS.has(address)).map(codeAddress),
  ]);
  const { value } = await chain.accounts([...all], 'confirmed', HEAD_BYTES);
  return new Map(value.map((account) => [account.address, account]));
}

/** Returns the program data address the loader derives for a program. */
const codeAddress = (program: Address): Address => derivedAddress(LOADER_V3_PROGRAM, [program]);

function deploymentAt(address: Address, heads: ReadonlyMap<Address, AccountFact>): Deployment {
  const account = heads.get(address);
  const named = account && dataAccountOf(account);
  const head = named === undefined || named !== codeAddress(address) ? undefined : heads.get(named);
  return {
    address,
    isProgram: account?.exists === true && account.executable,
    ...(head === undefined ? {} : deploymentOf(head)),
  };
}

/** Returns the program data address an upgradeable program points to. */
function dataAccountOf({ exists, owner, data }: AccountFact): Address | undefined {
  const bytes = Buffer.from(data, 'base64');
  const isProgram = exists && owner === LOADER_V3_PROGRAM && bytes.length >= 36;
  return isProgram && bytes.readUInt32LE(0) === PROGRAM_KIND
    ? addressFromBytes(bytes.subarray(4, 36))
    : undefined;
}

function deploymentOf({ exists, owner, data }: AccountFact): Omit<ProgramFact, 'address'> {
  const bytes = Buffer.from(data, 'base64');
  const isHead = exists && owner === LOADER_V3_PROGRAM && bytes.length >= HEAD_BYTES;
  if (!isHead || bytes.readUInt32LE(0) !== PROGRAM_DATA_KIND) return {};
  const hasAuthority = bytes[12] === 1;
  return {
    deployedSlot: Number(bytes.readBigUInt64LE(4)),
    ...(hasAuthority ? { upgradeAuthority: addressFromBytes(bytes.subarray(13, 45)) } : {}),
  };
}
