/**
 * What stands under the address of a program that cannot be read: since when, and who could put something else there
 * (T34). Only the head of its data account is asked for; the code itself may be megabytes.
 */

import { STOCK_PROGRAMS } from '../../policy/decide/checks/deniedPrograms.ts';
import { isUnsupported, readInstruction } from '../../programs/read.ts';
import type { AccountFact, Chain, ProgramFact } from '../../rpc/types.ts';
import { resolveInstructions } from '../../transaction/accounts.ts';
import { addressFromBytes } from '../../transaction/base58.ts';
import { LOADER_V3_PROGRAM } from '../../transaction/programs.ts';
import type { AccountUse, Address, DecodedTransaction } from '../../transaction/types.ts';

/** Bytes of a program data account before the code: kind, slot, and the authority where there is one. */
const HEAD_BYTES = 45;
const [PROGRAM_KIND, PROGRAM_DATA_KIND] = [2, 3] as const;

/**
 * The programs a transaction calls; with an instruction that no reader supports every program among its accounts, since
 * that instruction may call it. Rejects with `ChainError`.
 */
export async function readPrograms(
  chain: Chain,
  transaction: DecodedTransaction,
  accounts: readonly AccountUse[] | undefined,
): Promise<readonly ProgramFact[]> {
  const { instructions, staticAccounts } = transaction;
  const called = new Set(instructions.map(({ programIndex }) => staticAccounts[programIndex] ?? ''));
  const resolved = accounts === undefined ? [] : resolveInstructions(transaction, [], accounts);
  const reached = resolved.some((each) => isUnsupported(readInstruction(each)))
    ? (accounts ?? []).map(({ address }) => address)
    : [];
  const named = [...new Set([...called, ...reached])].filter((address) => !STOCK_PROGRAMS.has(address));
  const found = await readDeployments(chain, named);
  return found
    .filter(({ address, isProgram }) => isProgram || called.has(address))
    .map(({ isProgram: _, ...fact }) => fact);
}

/** An address, whether the chain says that there is a program, and what is known of its deployment. */
export interface Deployment extends ProgramFact {
  readonly isProgram: boolean;
}

/** What stands under addresses, in their order. Rejects with `ChainError`. */
export async function readDeployments(chain: Chain, addresses: readonly Address[]): Promise<Deployment[]> {
  if (addresses.length === 0) return [];
  const { value } = await chain.accounts(addresses, 'confirmed', HEAD_BYTES);
  const named = value.map(dataAccountOf);
  const known = named.filter((address) => address !== undefined);
  const heads = known.length === 0 ? [] : (await chain.accounts(known, 'confirmed', HEAD_BYTES)).value;
  return value.map(({ address, exists, executable }, i) => {
    const head = heads.find((account) => account.address === named[i]);
    return { address, isProgram: exists && executable, ...(head === undefined ? {} : deploymentOf(head)) };
  });
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
