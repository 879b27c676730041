/** Slots of the attack table: landings advance them instead of a clock, so results do not depend on the machine's load. */
import { LIMITS } from '../../../src/contract/constants.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../../src/transaction/programs.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import { decodeTransaction } from '../../chain/runtime/wire.ts';
import type { TransactionRecord } from '../../chain/types.ts';

/** Slots until a landing, and a lookup table extended in it, can be used in the confirmed view. */
const SLOTS_AFTER_LANDING = 2;
/** The lookup table program's instruction number of a deactivation. */
const DEACTIVATE = 3;

/**
 * Advances slots after each landing: enough to confirm it, and after a table's deactivation enough to close it.
 */
export function advanceSlotsAfterLandings(chain: SandboxChain): void {
  chain.on('transaction', (landed) => {
    const slots = SLOTS_AFTER_LANDING + (deactivatesTable(landed) ? LIMITS.tableCloseSlots : 0);
    // The sender receives the answer in the slot of the landing.
    setImmediate(() => chain.advanceSlots(slots));
  });
}

function deactivatesTable({ bytes }: TransactionRecord): boolean {
  const { instructions, staticAccounts } = decodeTransaction(bytes);
  return instructions.some(
    ({ programIndex, data }) =>
      staticAccounts[programIndex] === LOOKUP_TABLE_PROGRAM && data[0] === DEACTIVATE,
  );
}
