/**
 * A program that does nothing of its own: it calls the program its first account names, with the other accounts and
 * the data it was given. An instruction sent through it does what it always does, and no reader of the
 * transaction can tell: it stands for the programs a service would call that cannot be read.
 */

import { derivedAddress } from '../../../src/programs/derived.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { deploy } from '../../programs/deploy.ts';
import { compiledProgram } from '../../programs/standIns.ts';
import type { Draft } from '../../service/build/compile.ts';
import type { AttackTools } from './types.ts';

/** Puts a program under an address of the attacker's: the relay unless told. */
export const deploys =
  (
    at: (tools: AttackTools) => Address,
    code: (tools: AttackTools) => Uint8Array = () => compiledProgram('relay'),
  ) =>
  (tools: AttackTools): undefined => {
    deploy(tools.onchain.chain, at(tools), code(tools));
  };

/** The address the relay signs for. */
export const relaySigner = (relay: Address): Address => derivedAddress(relay, [{ text: 'relay' }]);

/** An instruction as the relay takes it. */
export const relayed =
  (relay: Address) =>
  ({ programAddress, accounts: uses, data }: EncodedInstruction): EncodedInstruction => ({
    programAddress: relay,
    accounts: [
      { address: programAddress, signer: false, writable: false },
      ...uses.map((use) => ({ ...use, signer: use.signer && use.address !== relaySigner(relay) })),
    ],
    data,
  });

/** A draft of which every instruction but those to be read goes through the relay; with units enough for that. */
export const hidden = (
  draft: Draft,
  relay: Address,
  isRead: (instruction: EncodedInstruction) => boolean = () => false,
): Draft => ({
  ...draft,
  instructions: draft.instructions.map((each) => (isRead(each) ? each : relayed(relay)(each))),
  budget: { ...draft.budget, computeUnits: 1_400_000 },
});
