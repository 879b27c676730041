/**
 * What a message costs to land: 5,000 lamports a signature, plus the priority fee. Used to answer before a run;
 * the fee of a landed transaction is measured instead.
 */
import {
  COMPUTE_BUDGET_PROGRAM,
  LOADER_PROGRAMS,
  PRECOMPILE_PROGRAMS,
  SYSTEM_PROGRAM,
  VOTE_PROGRAM,
} from '../../src/transaction/programs.ts';
import type { WireMessage } from './runtime/wire.ts';

const LAMPORTS_PER_SIGNATURE = 5_000n;
const MICRO = 1_000_000n;
const MAX_UNITS = 1_400_000n;
const DEFAULT_UNITS = 200_000n;
/** Programs that are part of the runtime itself get a smaller default. */
const DEFAULT_BUILTIN_UNITS = 3_000n;
const BUILTINS: readonly string[] = [
  SYSTEM_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  VOTE_PROGRAM,
  ...LOADER_PROGRAMS,
  ...PRECOMPILE_PROGRAMS,
];
const SET_UNIT_LIMIT = 2;
const SET_UNIT_PRICE = 3;

/** The fee of a message in lamports. */
export function feeOf(message: WireMessage): bigint {
  let signatures = BigInt(message.numSigners);
  for (const { program, data } of programCalls(message)) {
    if (PRECOMPILE_PROGRAMS.includes(program)) signatures += BigInt(data[0] ?? 0);
  }
  return signatures * LAMPORTS_PER_SIGNATURE + priorityFee(message);
}

function priorityFee(message: WireMessage): bigint {
  if (message.version === 1) return message.config.priorityFeeLamports ?? 0n;
  let price = 0n;
  let limit: bigint | undefined;
  let fallback = 0n;
  for (const { program, data } of programCalls(message)) {
    fallback += BUILTINS.includes(program) ? DEFAULT_BUILTIN_UNITS : DEFAULT_UNITS;
    if (program !== COMPUTE_BUDGET_PROGRAM) continue;
    const view = Buffer.from(data);
    if (data[0] === SET_UNIT_LIMIT && data.length === 5) limit = BigInt(view.readUInt32LE(1));
    if (data[0] === SET_UNIT_PRICE && data.length === 9) price = view.readBigUInt64LE(1);
  }
  const asked = limit ?? fallback;
  const units = asked < MAX_UNITS ? asked : MAX_UNITS;
  return (price * units + MICRO - 1n) / MICRO;
}

function programCalls(message: WireMessage): { program: string; data: Uint8Array }[] {
  return message.instructions.map((instruction) => ({
    program: message.staticAccounts[instruction.programIndex] ?? '',
    data: instruction.data,
  }));
}
