/**
 * What stands under the address of a program that cannot be read: since when, and who could put something else there
 * (T34). Only the heads of it and of its data account are asked for; the code itself may be megabytes.
 */

import { STOCK_PROGRAMS } from '../../policy/decide/checks/deniedPrograms.ts';
import { derivedAddress } from '../../programs/derived.ts';
import { isUnsupported, readInstruction } from '../../programs/read.ts';
import type { AccountFact, Chain, ProgramFact } from '../../rpc/types.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { LOADER_V3_PROGRAM } from '../../transaction/programs.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';

/** Bytes of a program data account before the code: kind, slot, and the authority where there is one. */
const HEAD_BYTES = 45;
const [PROGRAM_KIND, PROGRAM_DATA_KIND] = [2, 3] as const;

/** The programs of a transaction, and those among its accounts that are read in full, as accounts without their code. */
export interface Programs {
  readonly facts: readonly ProgramFact[];
  readonly accounts: readonly AccountFact[];
}

/**
 * The programs a transaction calls; with an instruction that no reader supports every program among its accounts, since
 * that instruction may call it. `stock` are programs that are read in full and stand among its accounts. All in one call.
 * Rejects with `ChainError`.
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

/** An address, whether the chain says that there is a program, and what is known of its deployment. */
export interface Deployment extends ProgramFact {
  readonly isProgram: boolean;
}

/** What stands under addresses, in their order. Rejects with `ChainError`. */
export async function readDeployments(chain: Chain, addresses: readonly Address[]): Promise<Deployment[]> {
  const heads = await readHeads(chain, addresses);
  return addresses.map((address) => deploymentAt(address, heads));
}

/** The heads of addresses and of the accounts that would hold their code, by address. */
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

/** Where the loader keeps the code of a program. */
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

/** Where an upgradeable program's code is. */
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
