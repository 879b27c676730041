/** Lookup tables of a wallet: creation, extension in stages, deactivation, closing. */

import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { programAddress } from '../../../src/transaction/derive.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { budgetFor, type Draft } from './compile.ts';
import { pack, type StageDraft } from './plan.ts';

/** A planned table; its address follows from authority and slot. */
export interface TablePlan {
  readonly table: Address;
  readonly recentSlot: bigint;
  readonly addresses: readonly Address[];
}

/**
 * Plans a table of `authority` for the entries, from a view at slot `viewSlot`. The recent slot of a table must have ended.
 */
export function planTable(authority: Address, viewSlot: number, addresses: readonly Address[]): TablePlan {
  const recentSlot = viewSlot - 1;
  return {
    table: tableAddress(authority, BigInt(recentSlot)).address,
    recentSlot: BigInt(recentSlot),
    addresses,
  };
}

function tableAddress(authority: Address, recentSlot: bigint) {
  const slot = new Uint8Array(8);
  new DataView(slot.buffer).setBigUint64(0, recentSlot, true);
  return programAddress([addressBytes(authority), slot], LOOKUP_TABLE_PROGRAM);
}

export function createTable(authority: Address, recentSlot: bigint): EncodedInstruction {
  const { address, bump } = tableAddress(authority, recentSlot);
  return encodeInstruction('lookupTable.create', {
    accounts: { table: address, authority, payer: authority, systemProgram: SYSTEM_PROGRAM },
    args: { recentSlot, bump },
  });
}

export function extendTable(
  table: Address,
  authority: Address,
  addresses: readonly Address[],
): EncodedInstruction {
  return encodeInstruction('lookupTable.extend', {
    accounts: { table, authority, payer: authority, systemProgram: SYSTEM_PROGRAM },
    args: { addresses },
  });
}

export function deactivateTable(table: Address, authority: Address): EncodedInstruction {
  return encodeInstruction('lookupTable.deactivate', { accounts: { table, authority } });
}

export function closeTable(table: Address, authority: Address): EncodedInstruction {
  return encodeInstruction('lookupTable.close', { accounts: { table, authority, recipient: authority } });
}

/** A v0 draft of which the wallet is the only signer. */
export function walletDraft(wallet: Address, instructions: readonly EncodedInstruction[]): Draft {
  return {
    format: 'v0',
    feePayer: wallet,
    instructions,
    budget: budgetFor(instructions.length),
    signers: [],
  };
}

/** Returns the stages that extend a table from its first `present` entries to all; `undefined`: create it first. */
export function tableStages(plan: TablePlan, wallet: Address, present: number | undefined): StageDraft[] {
  const missing = plan.addresses.slice(present ?? 0);
  const extend = (addresses: readonly Address[]) => extendTable(plan.table, wallet, addresses);
  const later = (addresses: readonly Address[]) => walletDraft(wallet, [extend(addresses)]);
  const create = createTable(wallet, plan.recentSlot);
  const first = (addresses: readonly Address[]) => walletDraft(wallet, [create, extend(addresses)]);
  const packed = pack(missing, present === undefined ? first : later, later);
  return packed.map(({ draft }, index) => ({
    id: `lookup-${index + 1}`,
    kind: 'lookup_table_setup' as const,
    dependsOn: index === 0 ? [] : [`lookup-${index}`],
    draft,
  }));
}
