/** The service's lookup tables, one per token, since a pool launch has more accounts than fit a v0 transaction. */
import type { Address, LookupTableContent } from '../../../src/transaction/types.ts';
import type { Keypair } from '../../keypair.ts';
import type { ServiceContext } from '../context.ts';
import type { Draft } from './compile.ts';
import { createTable, extendTable, planTable, type TablePlan } from './lookupTable.ts';
import { systemTransfer } from './tokens.ts';

/** Returns the accounts of a draft that may be loaded from a table: neither signers nor programs. */
export function tableEntriesOf({ instructions, feePayer }: Draft): Address[] {
  const accounts = instructions.flatMap((each) => each.accounts);
  const inline = new Set([
    feePayer,
    ...instructions.map(({ programAddress }) => programAddress),
    ...accounts.filter(({ signer }) => signer).map(({ address }) => address),
  ]);
  return [...new Set(accounts.map(({ address }) => address))].filter((address) => !inline.has(address));
}

/** Returns a token's table with these entries, usable in the confirmed view. */
export async function launchTable(
  service: ServiceContext,
  tokenMint: Address,
  entries: readonly Address[],
): Promise<LookupTableContent> {
  const { onchain, keys } = service;
  const authority = keys.tableAuthority;
  const { launchTables } = service.state;
  let table = launchTables.get(tokenMint);
  if (table === undefined) {
    const plan = freePlan(service);
    onchain.landBy(
      authority,
      [
        systemTransfer(keys.sponsor.address, authority.address, TABLE_LAMPORTS),
        createTable(authority.address, plan.recentSlot),
      ],
      keys.sponsor,
    );
    table = plan.table;
    launchTables.set(tokenMint, table);
  }
  fillTable(service, table, entries, keys.sponsor);
  if (!isWarm(service, table, entries)) await onchain.tablesWarm();
  return { table, addresses: onchain.lookupTable(table)?.addresses ?? [] };
}

/** Maximum entries of a table, and per extension. */
const [TABLE_ENTRIES, ENTRIES_PER_EXTENSION] = [256, 25];

/** Adds missing entries to a table of the service, up to its maximum. */
export function fillTable(
  { onchain, keys: { tableAuthority } }: ServiceContext,
  table: Address,
  entries: readonly Address[],
  ...signers: readonly Keypair[]
): void {
  const known = onchain.lookupTable(table)?.addresses ?? [];
  const missing = [...new Set(entries)].filter((address) => !known.includes(address));
  const fitting = missing.slice(0, TABLE_ENTRIES - known.length);
  for (let start = 0; start < fitting.length; start += ENTRIES_PER_EXTENSION) {
    const some = fitting.slice(start, start + ENTRIES_PER_EXTENSION);
    onchain.landBy(tableAuthority, [extendTable(table, tableAuthority.address, some)], ...signers);
  }
}

/** More than the deposit of a table of 40 entries. */
const TABLE_LAMPORTS = 20_000_000n;

/** Plans a table at a free address: the address follows from a slot, and the newest may be taken. */
function freePlan({ onchain, keys }: ServiceContext): TablePlan {
  for (let slot = onchain.chain.slotAt('confirmed'); ; slot -= 1) {
    const plan = planTable(keys.tableAuthority.address, slot, []);
    if (onchain.account(plan.table) === null) return plan;
  }
}

function isWarm({ onchain }: ServiceContext, table: Address, entries: readonly Address[]): boolean {
  const settled = onchain.lookupTable(table, 'confirmed');
  return (
    settled !== undefined &&
    entries.every((address) => settled.addresses.includes(address)) &&
    settled.lastExtendedSlot < BigInt(onchain.chain.slotAt('confirmed'))
  );
}
