/**
 * A program that does nothing of its own: it calls the program its first account names, with the other accounts and
 * the data it was given. An instruction sent through it does what it always does, and no reader of the
 * transaction can tell: it stands for the programs a service would call that cannot be read.
 */

import type { EncodedInstruction } from '../../programs/instructions.ts';
import type { Draft } from '../../sandbox/service/build/compile.ts';
import {
  add,
  addRegister,
  and,
  call,
  exit,
  jump,
  jumpIfEqual,
  jumpUnless,
  type Line,
  label,
  load,
  loadByte,
  move,
  multiply,
  program,
  set,
  store,
  storeByte,
} from './assembly.ts';

/** Most accounts an instruction may name. */
const ACCOUNTS = 32;
const INFO_BYTES = 56;
const META_BYTES = 16;
/** Places in the frame, below its end. */
const INFOS = -INFO_BYTES * ACCOUNTS;
const METAS = INFOS - META_BYTES * ACCOUNTS;
const INSTRUCTION = METAS - 40;
/** Bytes of an account in the input before its data, and those it may still grow by. */
const HEAD_BYTES = 88;
const ROOM_BYTES = 10_240;
const [INPUT, COUNT, INDEX, INFO, FRAME] = [6, 7, 8, 9, 10] as const;

/** Where the accounts stand in the input, written down as the runtime wants them for a call. */
const accounts: readonly Line[] = [
  move(INPUT, 1),
  load(COUNT, INPUT, 0),
  add(INPUT, 8),
  set(INDEX, 0),
  move(INFO, FRAME),
  add(INFO, INFOS),
  label('account'),
  jumpIfEqual(INDEX, COUNT, 'metas'),
  loadByte(2, INPUT, 0),
  jumpUnless(2, 0xff, 'again'),
  ...[1, 2, 3].flatMap((flag) => [loadByte(3, INPUT, flag), storeByte(INFO, 47 + flag, 3)]),
  ...[
    [0, 8], // address
    [8, 72], // lamports
    [24, HEAD_BYTES], // data
    [32, 40], // owner
  ].flatMap(([field = 0, at = 0]) => [move(3, INPUT), add(3, at), store(INFO, field, 3)]),
  load(4, INPUT, 80),
  store(INFO, 16, 4),
  move(3, INPUT),
  addRegister(3, 4),
  add(3, HEAD_BYTES + ROOM_BYTES + 7),
  and(3, -8),
  load(5, 3, 0),
  store(INFO, 40, 5),
  move(INPUT, 3),
  jump('next'),
  // An account that was named before.
  label('again'),
  move(3, 2),
  multiply(3, INFO_BYTES),
  addRegister(3, FRAME),
  add(3, INFOS),
  ...Array.from({ length: INFO_BYTES / 8 }, (_, i) => [load(5, 3, 8 * i), store(INFO, 8 * i, 5)]).flat(),
  label('next'),
  add(INPUT, 8),
  add(INFO, INFO_BYTES),
  add(INDEX, 1),
  jump('account'),
];

/** All accounts but the first, with the rights they were given here. */
const metas: readonly Line[] = [
  label('metas'),
  set(INDEX, 1),
  move(3, FRAME),
  add(3, INFOS + INFO_BYTES),
  move(4, FRAME),
  add(4, METAS),
  label('meta'),
  jumpIfEqual(INDEX, COUNT, 'call'),
  load(5, 3, 0),
  store(4, 0, 5),
  loadByte(5, 3, 49),
  storeByte(4, 8, 5),
  loadByte(5, 3, 48),
  storeByte(4, 9, 5),
  add(3, INFO_BYTES),
  add(4, META_BYTES),
  add(INDEX, 1),
  jump('meta'),
];

const relayCall: readonly Line[] = [
  label('call'),
  move(1, FRAME),
  add(1, INSTRUCTION),
  move(2, FRAME),
  add(2, INFOS),
  load(3, 2, 0),
  store(1, 0, 3),
  move(3, FRAME),
  add(3, METAS),
  store(1, 8, 3),
  move(3, COUNT),
  add(3, -1),
  store(1, 16, 3),
  move(3, INPUT),
  add(3, 8),
  store(1, 24, 3),
  load(3, INPUT, 0),
  store(1, 32, 3),
  move(3, COUNT),
  set(4, 0),
  set(5, 0),
  call('sol_invoke_signed_c'),
  exit,
];

/** The program's file. */
export const relayProgram = (): Uint8Array => program([...accounts, ...metas, ...relayCall]);

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
