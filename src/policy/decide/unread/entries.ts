/**
 * Which instructions may stand in a transaction without being read: those an entry of the policy names, by the first
 * bytes of their data, in the operations it names. Everything else of such a program is refused (T75).
 */

import type { Instruction } from '../../../programs/instructions.ts';
import { instructionName } from '../../../programs/read.ts';
import type { Address } from '../../../transaction/types.ts';
import { isPublicNetwork } from '../../file/networks.ts';
import type { Policy, ProgramEntry, UnreadProgram } from '../../file/schema.ts';
import { STOCK_PROGRAMS } from '../checks/deniedPrograms.ts';
import type { DecisionInputs } from '../types.ts';

/** Stages that are made of lookup table instructions alone: nothing unread belongs there, in no operation. */
export const TABLE_STAGES: readonly string[] = [
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
];

/** Whether an entry lets instructions stand unread. */
export const isUnread = (entry: ProgramEntry): entry is UnreadProgram => entry.binding === 'effects';

/** The entries of a program that is not read; none for one that is read or not in the policy. */
export function unreadEntries(policy: Policy, program: Address): readonly UnreadProgram[] {
  return STOCK_PROGRAMS.has(program)
    ? []
    : policy.programs.filter(isUnread).filter(({ address }) => address === program);
}

/** The entry that lets an instruction stand here unread; `undefined` when none does, or when it can be read. */
export function admitting(
  instruction: Instruction,
  policy: Policy,
  { plan, stage }: Pick<DecisionInputs, 'plan' | 'stage'>,
): UnreadProgram | undefined {
  if (instruction.kind !== 'unknown' || TABLE_STAGES.includes(stage.kind)) return undefined;
  const data = Buffer.from(instruction.data);
  return unreadEntries(policy, instruction.program).find(
    ({ operations, instructions }) =>
      operations.some((operation) => operation === plan.operation) &&
      instructions.some((each) => begins(data, each)),
  );
}

type Unread = Extract<Instruction, { kind: 'unknown' }>;

/** Whether an entry names an instruction for any operation at all. */
export function isNamed({ program, data }: Unread, policy: Policy): boolean {
  const bytes = Buffer.from(data);
  return unreadEntries(policy, program).some(({ instructions }) =>
    instructions.some((each) => begins(bytes, each)),
  );
}

function begins(data: Buffer, discriminator: string): boolean {
  const bytes = Buffer.from(discriminator, 'hex');
  return data.subarray(0, bytes.length).equals(bytes);
}

/** How an unread instruction is named to a person: its place, its program, and its name or the bytes it begins with. */
export function unreadWords({ index, program, data }: Pick<Unread, 'index' | 'program' | 'data'>): string {
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
