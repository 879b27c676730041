/**
 * Allowed unsupported instructions: those that a policy entry names by the first bytes of their data, in the operations of
 * that entry. Other instructions of such a program are refused (T75).
 */

import { instructionName, isUnsupported, type Reading } from '../../../programs/read.ts';
import type { Address } from '../../../transaction/types.ts';
import { isPublicNetwork } from '../../file/networks.ts';
import type { Policy, ProgramEntry, UnsupportedProgram } from '../../file/schema.ts';
import { STOCK_PROGRAMS } from '../checks/deniedPrograms.ts';
import type { DecisionInputs } from '../types.ts';

/** Stage kinds about lookup tables, in which no unsupported instruction is allowed. */
export const TABLE_STAGES: readonly string[] = [
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
];

/** Whether a policy entry allows unsupported instructions. */
export const allowsUnsupported = (entry: ProgramEntry): entry is UnsupportedProgram =>
  entry.binding === 'effects';

/** Returns the policy entries of an unsupported program; empty for a stock program or one without an entry. */
export function unsupportedEntries(policy: Policy, program: Address): readonly UnsupportedProgram[] {
  return STOCK_PROGRAMS.has(program)
    ? []
    : policy.programs.filter(allowsUnsupported).filter(({ address }) => address === program);
}

/** Returns the policy entry that allows an unsupported instruction here; `undefined` for a supported instruction or without an entry. */
export function admitting(
  reading: Reading,
  policy: Policy,
  { plan, stage }: Pick<DecisionInputs, 'plan' | 'stage'>,
): UnsupportedProgram | undefined {
  if (!isUnsupported(reading) || TABLE_STAGES.includes(stage.kind)) return undefined;
  const data = Buffer.from(reading.data);
  return unsupportedEntries(policy, reading.program).find(
    ({ operations, instructions }) =>
      operations.some((operation) => operation === plan.operation) &&
      instructions.some((each) => begins(data, each)),
  );
}

/** Whether a policy entry names an instruction, for any operation. */
export function isNamed({ program, data }: Reading, policy: Policy): boolean {
  const bytes = Buffer.from(data);
  return unsupportedEntries(policy, program).some(({ instructions }) =>
    instructions.some((each) => begins(bytes, each)),
  );
}

function begins(data: Buffer, discriminator: string): boolean {
  const bytes = Buffer.from(discriminator, 'hex');
  return data.subarray(0, bytes.length).equals(bytes);
}

/** Describes an unsupported instruction: index, program, and its name or the first 8 bytes of its data in hex. */
export function unsupportedWords({
  index,
  program,
  data,
}: Pick<Reading, 'index' | 'program' | 'data'>): string {
  const name = instructionName(program, data) ?? Buffer.from(data.subarray(0, 8)).toString('hex');
  return `#${index} ${program} ${name}`.trimEnd();
}

/**
 * Whether the chain is local and holds no real money: the embedded sandbox or an RPC on this machine, with a genesis hash
 * other than those of the public networks. Depends on the server's settings and the chain, never on a request or an answer.
 */
export const isLocalChain = ({ mode, network, localRpc }: DecisionInputs): boolean =>
  (mode === 'sandbox' || localRpc === true) && !isPublicNetwork(network);
