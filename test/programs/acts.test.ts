/** Every account and argument of an instruction changes its acts, except those listed as irrelevant. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../src/programs/index.ts';
import type { Layout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, type Reading, readInstruction } from '../../src/programs/read.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import fc from '../fc.ts';
import { arbitraryInstruction } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';
import { CASES } from './publicCases.ts';
import { arbitraryInstruction as arbitraryPublic } from './publicInterfaces.ts';
import { INSTRUCTION_KINDS } from './stock.ts';

const STRANGER = testAddress('stranger');
const LAYOUTS = PROGRAMS.flatMap((program: ProgramReader) => program.layouts);

/**
 * Accounts and arguments without effect on the acts: proofs of holding, sysvars, programs, and numbers that only check
 * others. All others must show.
 */
const SILENT: Readonly<Record<string, readonly string[]>> = {
  // The index and the user must match; the user is the payee.
  'feeShare.claimUser': ['claimerIndex'],
  'dammV2.addLiquidity': ['positionNftAccount'],
  'dammV2.permanentLockPosition': ['positionNftAccount'],
  'dammV2.claimPositionFee': ['positionNftAccount', 'pool'],
  'feeShare.claimDammV2': ['positionNftAccount', 'pool', 'partner'],
  'feeShare.claimDbc': ['config', 'partner'],
  'dbc.swap': ['config'],
  'dbc.swap2': ['config'],
  'dbc.claimTradingFee': ['config'],
  'dammV2.initializePoolWithDynamicConfig': ['poolCreatorAuthority'],
  // Accounts with a seed: the address follows from base and seed.
  'system.createAccountWithSeed': ['base', 'seed', 'space'],
  'system.createAccount': ['space'],
  'system.assignWithSeed': ['base', 'seed'],
  'system.allocateWithSeed': ['base', 'seed', 'space'],
  'system.transferWithSeed': ['seed', 'fromOwner'],
  'lookupTable.create': ['recentSlot', 'bump'],
  'token.initializeMultisig': ['required'],
  'token.initializeMultisig2': ['required'],
  'associatedToken.recoverNested': ['ownerAssociatedToken', 'ownerMint'],
  'transferFee.withdrawWithheldFromAccounts': ['sources'],
  'tokenMetadata.initialize': ['metadata', 'mintAuthority'],
  'tokenMetadata.removeKey': ['idempotent'],
};
const CHECKS =
  /^(decimals|recentBlockhashes|rent|instructionsSysvar|program|\w+Program|\w*[eE]ventAuthority)$/;
/** Returns whether a kind changes neither value nor rights, whatever it names. */
const hasNoActs = (acts: readonly { readonly act: string }[]): boolean =>
  acts.every(({ act }) => act === 'nothing');

/** Values of absent parts that do not accept just any value. */
const ABSENT: Readonly<Record<string, unknown>> = {
  tokenSupply: { preMigrationTokenSupply: 1n, postMigrationTokenSupply: 1n },
};

function changed(value: unknown, argument = ''): unknown {
  if (typeof value === 'bigint') return value ^ 1n;
  if (typeof value === 'number') return value ^ 1;
  if (typeof value === 'boolean') return !value;
  if (value === 'exactIn') return 'exactOut';
  if (value === 'partialFill' || value === 'exactOut') return 'exactIn';
  if (typeof value === 'string') return value === STRANGER ? testAddress('another') : STRANGER;
  if (value === null) return ABSENT[argument] ?? STRANGER;
  if (value instanceof Uint8Array) return Uint8Array.from([...value, 1]);
  if (Array.isArray(value)) return value.length === 0 ? [STRANGER] : [changed(value[0]), ...value.slice(1)];
  const [[name, first] = ['', undefined]] = Object.entries(Object(value));
  return { ...Object(value), [name]: changed(first) };
}

function expectEveryFieldInActs(reading: Reading): void {
  if (reading.status !== 'read') throw new Error(`not read: ${JSON.stringify(reading.status)}`);
  const { instruction, reader } = reading;
  const { kind, accounts, args, rest } = instruction;
  const layout = LAYOUTS.find((each: Layout) => each.kind === kind);
  const acts = actsOf(reading, NO_VIEW);
  expect(acts.length).toBeGreaterThan(0);
  if (hasNoActs(acts)) return;
  const silent = (name: string) => CHECKS.test(name) || SILENT[kind]?.includes(name);
  const shows = (change: object, label: string): void => {
    const others = reader.acts({ ...instruction, ...change }, NO_VIEW);
    expect(isDeepStrictEqual(others, acts), `${kind} says nothing of ${label}`).toBe(false);
  };
  const given: Readonly<Record<string, { address: string } | undefined>> = accounts;
  for (const role of layout?.roles ?? []) {
    const account = given[role.name];
    // An account with only one possible address adds no information.
    if (account === undefined || role.must !== undefined || silent(role.name)) continue;
    shows({ accounts: { ...accounts, [role.name]: { ...account, address: STRANGER } } }, role.name);
  }
  for (const [name, value] of Object.entries(args)) {
    if (Array.isArray(value) && value.length === 0) continue;
    if (!silent(name)) shows({ args: { ...args, [name]: changed(value, name) } }, name);
  }
  if (/^feeShare\.|^memo\./.test(kind) && rest.length > 0) {
    shows({ rest: rest.with(0, { address: STRANGER, signer: false, writable: false }) }, 'the first claimer');
  }
}

describe('every party, amount and right of an instruction appears in its acts', () => {
  test.each([...INSTRUCTION_KINDS])('%s', (kind) => {
    fc.assert(
      fc.property(arbitraryInstruction(kind), ({ encoded }) => {
        expectEveryFieldInActs(readInstruction({ index: 0, program: encoded.programAddress, ...encoded }));
      }),
      { numRuns: 20 },
    );
  });

  test.each(CASES)('%s', async (_, idl, name, options) => {
    await fc.assert(
      fc.asyncProperty(arbitraryPublic(idl, name, options), async (make) => {
        expectEveryFieldInActs(readInstruction((await make()).instruction));
      }),
      { numRuns: 5 },
    );
  });
});
