/**
 * Which instructions may stand in a transaction without being read: those an entry of the policy names, by the first
 * bytes of their data, in the operations it names. Everything else of such a program is refused (T75).
 */

import type { Instruction } from '../../../programs/instructions.ts';
import { instructionName } from '../../../programs/read.ts';
import type { Address } from '../../../transaction/types.ts';
import { isPublicNetwork } from '../../file/networks.ts';
import type { Policy, ProgramEntry, UnsupportedProgram } from '../../file/schema.ts';
import { STOCK_PROGRAMS } from '../checks/deniedPrograms.ts';
import type { DecisionInputs } from '../types.ts';

/** Kinds of stages that consist of lookup table instructions; no operation allows an unsupported instruction there. */
export const TABLE_STAGES: readonly string[] = [
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
];

/** Whether a policy entry allows unsupported instructions. */
export const isUnsupported = (entry: ProgramEntry): entry is UnsupportedProgram =>
  entry.binding === 'effects';

/** The entries of an unsupported program; none for one that is read or not in the policy. */
export function unsupportedEntries(policy: Policy, program: Address): readonly UnsupportedProgram[] {
  return STOCK_PROGRAMS.has(program)
    ? []
    : policy.programs.filter(isUnsupported).filter(({ address }) => address === program);
}

/** Returns the policy entry that allows an unsupported instruction here; `undefined` for a supported instruction or without an entry. */
export function admitting(
  instruction: Instruction,
  policy: Policy,
  { plan, stage }: Pick<DecisionInputs, 'plan' | 'stage'>,
): UnsupportedProgram | undefined {
  if (instruction.kind !== 'unknown' || TABLE_STAGES.includes(stage.kind)) return undefined;
  const data = Buffer.from(instruction.data);
  return unsupportedEntries(policy, instruction.program).find(
    ({ operations, instructions }) =>
      operations.some((operation) => operation === plan.operation) &&
      instructions.some((each) => begins(data, each)),
  );
}

type Unsupported = Extract<Instruction, { kind: 'unknown' }>;

/** Whether an entry names an instruction for any operation at all. */
export function isNamed({ program, data }: Unsupported, policy: Policy): boolean {
  const bytes = Buffer.from(data);
  return unsupportedEntries(policy, program).some(({ instructions }) =>
    instructions.some((each) => begins(bytes, each)),
  );
}

function begins(data: Buffer, discriminator: string): boolean {
  const bytes = Buffer.from(discriminator, 'hex');
  return data.subarray(0, bytes.length).equals(bytes);
}

/** How an unsupported instruction is named to a person: its place, its program, and its name or the bytes it begins with. */
export function unsupportedWords({
  index,
  program,
  data,
}: Pick<Unsupported, 'index' | 'program' | 'data'>): string {
  const name = instructionName(program, data) ?? Buffer.from(data.subarray(0, 8)).toString('hex');
  return `#${index} ${program} ${name}`.trimEnd();
}

/**
 * Whether no real money can be lost on this chain: the embedded sandbox, or a chain behind an RPC of this
 * machine, and by its own genesis hash none of the public networks. Told by the server's settings and the chain, never
 * by a request or an answer.
 */
export const isLocalChain = ({ mode, network, localRpc }: DecisionInputs): boolean =>
  (mode === 'sandbox' || localRpc === true) && !isPublicNetwork(network);
