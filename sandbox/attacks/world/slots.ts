/**
 * How time passes where the attacks are played: by what lands and never by a clock, so that a row ends alike however
 * busy the machine is.
 */
import { LIMITS } from '../../../src/contract/constants.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../../src/transaction/programs.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import { decodeTransaction } from '../../chain/runtime/wire.ts';
import type { TransactionRecord } from '../../chain/types.ts';

/** Slots until a landing, and a lookup table extended in it, can be used in the confirmed view. */
const SLOTS_AFTER_LANDING = 2;
/** The lookup table program's number for switching a table off. */
const DEACTIVATE = 3;

/**
 * Lets slots pass after each landing: as many as confirm it, and after a lookup table is switched off as many as its
 * close waits for.
 */
export function passSlotsByLandings(chain: SandboxChain): void {
  chain.on('transaction', (landed) => {
    const slots = SLOTS_AFTER_LANDING + (switchesTableOff(landed) ? LIMITS.tableCloseSlots : 0);
    // The sender of the transaction gets its answer in the slot it landed in.
    setImmediate(() => chain.advanceSlots(slots));
  });
}

function switchesTableOff({ bytes }: TransactionRecord): boolean {
  const { instructions, staticAccounts } = decodeTransaction(bytes);
  return instructions.some(
    ({ programIndex, data }) =>
      staticAccounts[programIndex] === LOOKUP_TABLE_PROGRAM && data[0] === DEACTIVATE,
  );
}
