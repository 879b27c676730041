/** Instructions decoded in full, as encoded by the public packages. */
import { isDeepStrictEqual } from 'node:util';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../src/programs/index.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { type Reading, readInstruction } from '../../src/programs/read.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { testAddress } from '../transaction/keys.ts';
import { CASES } from './publicCases.ts';
import { arbitraryInstruction, type Derived, type Idl } from './publicInterfaces.ts';

const LAYOUTS = PROGRAMS.flatMap((program: ProgramReader) => program.layouts);

const addressesOf = (reading: Reading) =>
  reading.status === 'read'
    ? Object.fromEntries(
        Object.entries(reading.instruction.accounts).map(([role, account]) => [role, account?.address]),
      )
    : {};

/** Re-encodes a decoded instruction, so that ignored parts would be lost. */
function rebuilt(reading: Reading): Pick<ResolvedInstruction, 'data'> & { accounts: readonly string[] } {
  if (reading.status !== 'read') throw new Error(`not read: ${reading.status}`);
  const { kind, args, rest } = reading.instruction;
  const layout = LAYOUTS.find((each: Layout) => each.kind === kind);
  if (layout === undefined) throw new Error(`no layout ${kind}`);
  const { data, accounts } = writeLayout(layout, {
    accounts: addressesOf(reading),
    args,
    rest: rest.map(({ address }) => address),
  });
  return { data, accounts: accounts.map(({ address }) => address) };
}

/** Returns every scalar among the arguments, by path; bytes count as one value. */
function leavesOf(reading: Reading): Readonly<Record<string, unknown>> {
  const leaves: Record<string, unknown> = {};
  const walk = (path: string, value: unknown): void => {
    if (value instanceof Uint8Array) leaves[path] = Buffer.from(value).toString('hex');
    else if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) walk(`${path}.${name}`, each);
    } else leaves[path] = value;
  };
  if (reading.status === 'read') walk('', reading.instruction.args);
  return leaves;
}

/** Returns the indexes of accounts that are fixed, derived, or token programs. */
function pinnedPlaces(idl: Idl, name: string, derive: Derived | undefined): readonly boolean[] {
  const some = new PublicKey(testAddress('some'));
  const inCode = Object.keys(derive?.(() => some) ?? {});
  const accounts = idl.instructions.find((each) => each.name === name)?.accounts ?? [];
  return accounts.map(
    (account) =>
      !('accounts' in account) &&
      (account.address !== undefined ||
        account.pda !== undefined ||
        inCode.includes(account.name) ||
        /program$|^event_authority$/.test(account.name)),
  );
}

const STRANGER = testAddress('stranger');

describe.each(CASES)('%s', (kind, idl, name, options) => {
  const arbitrary = arbitraryInstruction(idl, name, options);

  test('decodes field by field as the public package encoded it', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (make) => {
        const { instruction, args, accounts, rest } = await make();
        const reading = readInstruction(instruction);
        expect(reading).toMatchObject({ status: 'read', instruction: { kind } });
        if (reading.status !== 'read') return;
        expect(reading.instruction.args).toEqual(args);
        expect(addressesOf(reading)).toEqual(accounts);
        expect(reading.instruction.rest.map(({ address }) => address)).toEqual(rest);
      }),
      { numRuns: 25 },
    );
  });

  test('a changed byte changes the decoded value, or makes it unsupported', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.integer({ min: 1, max: 255 }), async (make, change) => {
        const { instruction } = await make();
        const before = leavesOf(readInstruction(instruction));
        for (let at = 0; at < instruction.data.length; at++) {
          const data = instruction.data.slice();
          data[at] = (data[at] ?? 0) ^ change;
          const reading = readInstruction({ ...instruction, data });
          if (reading.status !== 'read') continue;
          expect(at, 'the first eight bytes say which instruction it is').toBeGreaterThanOrEqual(8);
          expect(rebuilt(reading).data).toEqual(data);
          // Unless a length or tag was changed, the byte belongs to one value.
          const is = leavesOf(reading);
          if (!isDeepStrictEqual(Object.keys(is), Object.keys(before))) continue;
          expect(Object.keys(is).filter((path) => is[path] !== before[path])).toHaveLength(1);
        }
      }),
      { numRuns: 3 },
    );
  });

  test('an appended or removed byte makes it unsupported', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.uint8Array({ minLength: 1, maxLength: 9 }), async (make, tail) => {
        const { instruction } = await make();
        const status = (data: Uint8Array) => readInstruction({ ...instruction, data }).status;
        expect(status(Uint8Array.from([...instruction.data, ...tail]))).toBe('unsupported');
        for (let length = 0; length < instruction.data.length; length++) {
          expect(status(instruction.data.slice(0, length))).toBe('unsupported');
        }
      }),
      { numRuns: 3 },
    );
  });

  test('a replaced account changes that role, or makes it unsupported if it is fixed', async () => {
    const pinned = pinnedPlaces(idl, name, options?.derive);
    await fc.assert(
      fc.asyncProperty(arbitrary, async (make) => {
        const { instruction } = await make();
        const whole = readInstruction(instruction);
        const before = rebuilt(whole).accounts;
        const exchanged = (at: number, address: string) => {
          const accounts = instruction.accounts.map((use, index) =>
            index === at ? { ...use, address } : use,
          );
          return readInstruction({ ...instruction, accounts });
        };
        for (let at = 0; at < instruction.accounts.length; at++) {
          const reading = exchanged(at, STRANGER);
          if (pinned[at]) expect(reading.status, `another account ${at}`).toBe('unsupported');
          if (reading.status !== 'read') continue;
          expect(rebuilt(reading).accounts).toEqual(before.with(at, STRANGER));
          const [was, is] = [addressesOf(whole), addressesOf(reading)];
          const roles = Object.keys(is).filter((role) => was[role] !== is[role]);
          expect(roles.length).toBeLessThanOrEqual(1);
        }
      }),
      { numRuns: 5 },
    );
  });

  test('two swapped accounts swap those roles, or make it unsupported', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, fc.nat(), fc.nat(), async (make, one, other) => {
        const { instruction } = await make();
        const { accounts } = instruction;
        const [a, b] = [one % accounts.length, other % accounts.length];
        const [first, second] = [accounts[a], accounts[b]];
        if (first === undefined || second === undefined || first.address === second.address) return;
        const swapped = accounts
          .with(a, { ...first, address: second.address })
          .with(b, { ...second, address: first.address });
        const reading = readInstruction({ ...instruction, accounts: swapped });
        if (reading.status !== 'read') return;
        expect(rebuilt(reading).accounts).toEqual(swapped.map(({ address }) => address));
      }),
      { numRuns: 40 },
    );
  });

  test('an added, removed or omitted account, or a missing signature, makes it unsupported', async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (make) => {
        const { instruction } = await make();
        const { accounts } = instruction;
        const status = (given: ResolvedInstruction['accounts']) =>
          readInstruction({ ...instruction, accounts: given }).status;
        expect(status([...accounts, { address: STRANGER, signer: false, writable: true }])).toBe(
          'unsupported',
        );
        expect(status(accounts.slice(0, -1))).toBe('unsupported');
        for (let at = 0; at < accounts.length; at++) {
          expect(status(accounts.filter((_, index) => index !== at))).toBe('unsupported');
        }
        for (const [at, use] of accounts.entries()) {
          if (use.signer) expect(status(accounts.with(at, { ...use, signer: false }))).toBe('unsupported');
          if (use.writable)
            expect(status(accounts.with(at, { ...use, writable: false }))).toBe('unsupported');
        }
      }),
      { numRuns: 5 },
    );
  });
});

test('every fully decoded instruction of these programs is compared with a public package', () => {
  const compared = new Set(CASES.map(([kind]) => kind));
  const read = LAYOUTS.map(({ kind }: Layout) => kind).filter((kind) =>
    /^(feeShare|dbc|dammV2)\./.test(kind),
  );
  expect(read.filter((kind) => !compared.has(kind))).toEqual([]);
});
