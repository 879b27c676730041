/**
 * A program that does nothing of its own: it calls the program its first account names, with the other accounts and
 * the data it was given. An instruction sent through it does what it always does, and no reader of the
 * transaction can tell: it stands for the programs a service would call that cannot be read.
 */

import type { EncodedInstruction } from '../../programs/instructions.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import type { Draft } from '../../sandbox/service/build/compile.ts';

/** The program's file. */
export const relayProgram = (): Uint8Array => compiledProgram('relay');

/** An instruction as the relay takes it. */
export const relayed =
  (relay: string) =>
  ({ programAddress, accounts: uses, data }: EncodedInstruction): EncodedInstruction => ({
    programAddress: relay,
    accounts: [{ address: programAddress, signer: false, writable: false }, ...uses],
    data,
  });

/** A draft of which every instruction but those to be read goes through the relay; with units enough for that. */
export const hidden = (
  draft: Draft,
  relay: string,
  isRead: (instruction: EncodedInstruction) => boolean = () => false,
): Draft => ({
  ...draft,
  instructions: draft.instructions.map((each) => (isRead(each) ? each : relayed(relay)(each))),
  budget: { ...draft.budget, computeUnits: 1_400_000 },
});
