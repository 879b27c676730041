/** Every instruction of the public interfaces is known: supported, or by name. */
import * as metaplex from '@metaplex-foundation/mpl-token-metadata';
import { describe, expect, test } from 'vitest';
import { publicName } from '../../src/programs/anchor.ts';
import { PROGRAMS, programName } from '../../src/programs/index.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, readInstruction } from '../../src/programs/read.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { DAMM_V2, DBC, FEE_SHARE, type Idl, OLDER_DAMM_V2, OLDER_DBC } from './publicInterfaces.ts';

/** Returns the name of an instruction with this discriminator. */
function nameOf(program: string, discriminator: ArrayLike<number>): string | undefined {
  const data = Uint8Array.from([...Array.from(discriminator), ...new Uint8Array(64)]);
  const reading = readInstruction({ index: 0, program, accounts: [], data });
  if (reading.status === 'named') return reading.name;
  if (reading.status === 'read') return publicName(reading.instruction.kind.split('.')[1] ?? '');
  return reading.kind === undefined ? undefined : publicName(reading.kind.split('.')[1] ?? '');
}

const INTERFACES: readonly [string, Idl, number][] = [
  ['fee share v2', FEE_SHARE, 25],
  ['DBC', DBC, 34],
  ['DBC, older', OLDER_DBC, 24],
  ['DAMM v2', DAMM_V2, 39],
  ['DAMM v2, older', OLDER_DAMM_V2, 26],
];

describe.each(INTERFACES)('%s', (_, idl, count) => {
  test('has a public name for every instruction', () => {
    expect(idl.instructions).toHaveLength(count);
    expect(idl.instructions.map(({ discriminator }) => nameOf(idl.address, discriminator))).toEqual(
      idl.instructions.map(({ name }) => name),
    );
  });
});

test.each([
  ['fee share v2', [FEE_SHARE]],
  ['DBC', [DBC, OLDER_DBC]],
  ['DAMM v2', [DAMM_V2, OLDER_DAMM_V2]],
])('%s: every known name occurs in a public interface', (_, interfaces) => {
  const reader: ProgramReader | undefined = PROGRAMS.find(({ addresses }) =>
    addresses.some((each) => each === interfaces[0]?.address),
  );
  const ours = [
    ...(reader?.layouts ?? []).map(({ kind }) => publicName(kind.split('.')[1] ?? '')),
    ...(reader?.named ?? []).map(({ name }) => name),
  ];
  const published = new Set(interfaces.flatMap((idl) => idl.instructions.map(({ name }) => name)));
  expect(ours.toSorted()).toEqual([...published].toSorted());
});

test('those programs have more than eighty instructions', () => {
  const readers = PROGRAMS.filter(({ name }) => /^(Bags|Meteora)/.test(name));
  const known = readers.map((reader: ProgramReader) => reader.layouts.length + reader.named.length);
  expect(known.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(80);
});

test('every instruction the Metaplex client builds is known by name', () => {
  const serializers = Object.keys(metaplex).filter((name) => name.endsWith('InstructionDataSerializer'));
  const names = serializers.map((name) => name.slice('get'.length, -'InstructionDataSerializer'.length));
  const reader: ProgramReader | undefined = PROGRAMS.find(({ name }) => name === 'Metaplex Token Metadata');
  const ours = [
    ...(reader?.layouts ?? []).map(({ kind }) => kind.split('.')[1] ?? ''),
    ...(reader?.named ?? []).map(({ name }) => name),
  ].map((name) => name.toLowerCase());
  expect(ours.toSorted()).toEqual(names.map((name) => name.toLowerCase()).toSorted());
});

test('discriminators of Metaplex instructions equal those its client writes', () => {
  const reader: ProgramReader | undefined = PROGRAMS.find(({ name }) => name === 'Metaplex Token Metadata');
  const clients: Readonly<Record<string, unknown>> = { ...metaplex };
  let compared = 0;
  for (const { name, discriminator } of reader?.named ?? []) {
    const get = clients[`get${name}InstructionDataSerializer`];
    let written: Uint8Array;
    try {
      written = typeof get === 'function' ? get().serialize({ amount: 1n }) : new Uint8Array();
    } catch {
      continue; // needs arguments of its own; its name is compared above
    }
    expect([...written.subarray(0, discriminator.length)], name).toEqual([...discriminator]);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(60);
});

test('an instruction known by name is reported with that name and its accounts only', () => {
  const account = { address: METADATA_PROGRAM, signer: false, writable: false };
  const data = Uint8Array.from(
    DBC.instructions.find(({ name }) => name === 'transfer_pool_creator')?.discriminator ?? [],
  );
  const reading = readInstruction({ index: 2, program: DBC.address, accounts: [account], data });
  expect(actsOf(reading, NO_VIEW)).toEqual([
    {
      act: 'named',
      program: DBC.address,
      instruction: 'transfer_pool_creator',
      accounts: [METADATA_PROGRAM],
    },
  ]);
  expect(programName(DBC.address)).toBe('Meteora DBC');
});

test('unpublished discriminators, and a program without a reader, are unsupported with a reason', () => {
  const data = new Uint8Array(8);
  expect(readInstruction({ index: 0, program: DBC.address, accounts: [], data })).toMatchObject({
    status: 'unsupported',
    reason: 'unknown discriminator',
  });
  const program = 'Stake11111111111111111111111111111111111111';
  expect(readInstruction({ index: 0, program, accounts: [], data })).toMatchObject({
    status: 'unsupported',
    reason: 'unsupported program',
  });
});

test.each([
  ['Batch', TOKEN_PROGRAM, 255],
  ['Batch', TOKEN_2022_PROGRAM, 255],
  ['UnwrapLamports', TOKEN_2022_PROGRAM, 45],
  ['WithdrawExcessLamports', TOKEN_PROGRAM, 38],
  ['ConfidentialTransferExtension', TOKEN_2022_PROGRAM, 27],
])('%s of a token program is known by name and not decoded (T10, T30)', (name, program, first) => {
  const data = Uint8Array.of(first, 0, 0);
  expect(readInstruction({ index: 0, program, accounts: [], data })).toMatchObject({ status: 'named', name });
});
