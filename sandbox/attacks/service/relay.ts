/**
 * A relay program: it calls the program of its first account with the other accounts and the given data. The relayed
 * instruction has its usual effect but is not decoded, as in an unsupported program.
 */

import { derivedAddress } from '../../../src/programs/derived.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { deploy } from '../../programs/deploy.ts';
import { compiledProgram } from '../../programs/standIns.ts';
import type { Draft } from '../../service/build/compile.ts';
import type { AttackTools } from './types.ts';

/** Returns an action that deploys a program of the attacker, by default the relay. */
export const deploys =
  (
    at: (tools: AttackTools) => Address,
    code: (tools: AttackTools) => Uint8Array = () => compiledProgram('relay'),
  ) =>
  (tools: AttackTools): undefined => {
    deploy(tools.onchain.chain, at(tools), code(tools));
  };

/** Returns the address that the relay signs for. */
export const relaySigner = (relay: Address): Address => derivedAddress(relay, [{ text: 'relay' }]);

/** Wraps an instruction for the relay. */
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

/** Sends all instructions of a draft through the relay, except those that `isRead` selects. */
export const hidden = (
  draft: Draft,
  relay: Address,
  isRead: (instruction: EncodedInstruction) => boolean = () => false,
): Draft => ({
  ...draft,
  instructions: draft.instructions.map((each) => (isRead(each) ? each : relayed(relay)(each))),
  budget: { ...draft.budget, computeUnits: 1_400_000 },
});
