import { describe, expect, test } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import {
  ASSOCIATED_TOKEN_PROGRAM,
  MEMO_PROGRAMS,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import type { AccountUse, ResolvedInstruction } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { anyInstruction, arbitraryInstruction, type GeneratedInstruction } from '../transaction/arbitrary.ts';
import { testAddress } from '../transaction/keys.ts';
import type { InstructionKind } from './stock.ts';
import { decodeInstruction, INSTRUCTION_KINDS, LAYOUTS } from './stock.ts';

const a = testAddress('a');
const b = testAddress('b');
const use = (address: string): AccountUse => ({ address, signer: false, writable: false });
const raw = (program: string, data: ArrayLike<number>, accounts: AccountUse[] = []): ResolvedInstruction => ({
  index: 0,
  program,
  accounts,
  data: Uint8Array.from(data),
});
const resolved = ({ encoded }: GeneratedInstruction, data = encoded.data): ResolvedInstruction => ({
  index: 3,
  program: encoded.programAddress,
  accounts: encoded.accounts,
  data,
});

/** Kinds whose last argument takes all remaining bytes, so that a trailing byte is another argument. */
const OPEN_ENDED = ['memo.memo', 'token.uiAmountToAmount', 'token.getAccountDataSize', 'token.reallocate'];

describe.each([...INSTRUCTION_KINDS])('%s', (kind: InstructionKind) => {
  const layout = LAYOUTS.find((each) => each.kind === kind);
  const required = layout?.roles.filter((role) => !role.optional).length ?? 0;

  test('decodes to what was built', () => {
    fc.assert(
      fc.property(arbitraryInstruction(kind), (made) => {
        const decoded = decodeInstruction(resolved(made));
        expect(decoded).toMatchObject({ kind, program: made.program, index: 3, args: made.args });
        if (decoded.kind === 'unknown') return;
        const addresses = Object.entries(decoded.accounts).map(([role, account]) => [role, account?.address]);
        expect(Object.fromEntries(addresses)).toEqual(made.accounts);
        expect(decoded.rest.map((account) => account.address)).toEqual(made.rest);
      }),
      { numRuns: 15 },
    );
  });

  test('is unknown with an account or a byte too few or too many', () => {
    fc.assert(
      fc.property(arbitraryInstruction(kind), (made) => {
        const whole = resolved(made);
        const kindOf = (change: Partial<ResolvedInstruction>) =>
          decodeInstruction({ ...whole, ...change }).kind;
        if (required > 0) expect(kindOf({ accounts: whole.accounts.slice(0, required - 1) })).toBe('unknown');
        if (layout?.rest === undefined) {
          const filled = [...whole.accounts];
          while (filled.length <= (layout?.roles.length ?? 0)) filled.push(use(a));
          expect(kindOf({ accounts: filled })).toBe('unknown');
        }
        if (OPEN_ENDED.includes(kind)) return;
        expect(kindOf({ data: Uint8Array.from([...whole.data, 0]) })).toBe('unknown');
        const short = kindOf({ data: whole.data.slice(0, -1) });
        // The Associated Token program treats empty data as `create`, its oldest form.
        expect(short).toBe(made.program === ASSOCIATED_TOKEN_PROGRAM ? 'associatedToken.create' : 'unknown');
      }),
      { numRuns: 15 },
    );
  });
});

test('decoding never throws, whatever the bytes and accounts', () => {
  const programs = [...new Set(LAYOUTS.flatMap((layout) => layout.programs)), STAKE_PROGRAM, a];
  const accounts = fc.array(fc.constantFrom(use(a), use(b)), { maxLength: 8 });
  fc.assert(
    fc.property(
      fc.constantFrom(...programs),
      fc.uint8Array({ maxLength: 60 }),
      accounts,
      (program, data, given) => {
        expect(decodeInstruction(raw(program, data, given)).program).toBe(program);
      },
    ),
    { numRuns: 2000, seed: 8 },
  );
  // Every byte of a real instruction, changed.
  fc.assert(
    fc.property(anyInstruction, fc.nat(), fc.nat(255), (made, at, byte) => {
      const data = made.encoded.data.slice();
      if (data.length > 0) data[at % data.length] = byte;
      decodeInstruction(resolved(made, data));
    }),
    { numRuns: 1000, seed: 9 },
  );
});

describe('unknown, with a reason', () => {
  test.each([
    ['Batch', TOKEN_PROGRAM, 255],
    ['Batch', TOKEN_2022_PROGRAM, 255],
    ['WithdrawExcessLamports', TOKEN_PROGRAM, 38],
    ['WithdrawExcessLamports', TOKEN_2022_PROGRAM, 38],
    ['UnwrapLamports', TOKEN_PROGRAM, 45],
    ['UnwrapLamports', TOKEN_2022_PROGRAM, 45],
    ['the confidential transfer extension', TOKEN_2022_PROGRAM, 27],
    ['an extension instruction', TOKEN_PROGRAM, 26],
  ])('%s of %s (T10, T30)', (_, program, discriminator) => {
    const accounts = [use(a), use(b), use(a)];
    for (const tail of [[], [0], [0, 0, 0, 0, 0, 0, 0, 0, 0]]) {
      expect(decodeInstruction(raw(program, [discriminator, ...tail], accounts))).toMatchObject({
        kind: 'unknown',
        reason: expect.stringMatching(/^(named|unknown discriminator)$/),
      });
    }
  });

  test('another program with equal instructions (T19)', () => {
    const { data, accounts } = encodeInstruction('token.transfer', {
      accounts: { source: a, destination: b, authority: a },
      args: { amount: 1n },
    });
    const lookalike = `${TOKEN_PROGRAM.slice(0, -2)}B9`;
    expect(decodeInstruction({ index: 0, program: lookalike, accounts, data }).kind).toBe('unknown');
    expect(decodeInstruction({ index: 0, program: TOKEN_PROGRAM, accounts, data }).kind).toBe(
      'token.transfer',
    );
  });

  test("the System program's newest instruction, which is not reviewed", () => {
    expect(
      decodeInstruction(raw(SYSTEM_PROGRAM, [255, 255, 0, 0, ...new Uint8Array(48)], [use(a), use(b)])).kind,
    ).toBe('unknown');
  });

  test('lengths beyond the data', () => {
    const seeded = [3, 0, 0, 0, ...new Uint8Array(32), ...Array(8).fill(255), 1, 2, 3];
    expect(decodeInstruction(raw(SYSTEM_PROGRAM, seeded, [use(a), use(b)]))).toMatchObject({
      kind: 'unknown',
      reason: 'system.createAccountWithSeed: the bytes end too early',
    });
  });

  test('text that is not UTF-8', () => {
    expect(decodeInstruction(raw(MEMO_PROGRAMS[0] ?? '', [0xff, 0xfe]))).toMatchObject({
      kind: 'unknown',
      reason: 'memo.memo: text is not UTF-8',
    });
  });
});

describe('legacy forms', () => {
  test('Associated Token create without data, and with the trailing rent sysvar', () => {
    const accounts = Array.from({ length: 7 }, (_, i) => use(testAddress(`${i}`)));
    const create = (count: number) =>
      decodeInstruction(raw(ASSOCIATED_TOKEN_PROGRAM, [], accounts.slice(0, count)));
    expect(create(6)).toMatchObject({ kind: 'associatedToken.create', accounts: { owner: accounts[2] } });
    expect(create(7)).toMatchObject({ kind: 'associatedToken.create', accounts: { rent: accounts[6] } });
    expect(create(5).kind).toBe('unknown');
  });

  test('an empty optional authority padded with zeroes only', () => {
    const setAuthority = (padding: number[]) =>
      decodeInstruction(raw(TOKEN_PROGRAM, [6, 0, 0, ...padding], [use(a), use(b)]));
    const none = { kind: 'token.setAuthority', args: { authorityType: 'mintTokens', newAuthority: null } };
    expect(setAuthority([])).toMatchObject(none);
    expect(setAuthority(Array(32).fill(0))).toMatchObject(none);
    expect(setAuthority([...Array(31).fill(0), 1]).kind).toBe('unknown');
    expect(setAuthority(Array(31).fill(0)).kind).toBe('unknown');
    expect(setAuthority(Array(33).fill(0)).kind).toBe('unknown');
  });
});

describe('building', () => {
  test('flags accounts by their role unless told otherwise', () => {
    const build = (authority: string | { address: string; signer: boolean }, rest: string[]) =>
      encodeInstruction('token.transfer', {
        accounts: { source: a, destination: b, authority },
        args: { amount: 1n },
        rest,
      }).accounts.map(({ signer, writable }) => `${signer ? 's' : '-'}${writable ? 'w' : '-'}`);
    expect(build(a, [])).toEqual(['-w', '-w', 's-']);
    expect(build({ address: a, signer: false }, [a, b])).toEqual(['-w', '-w', '--', 's-', 's-']);
  });

  test('refuses unknown values instead of omitting them', () => {
    const transfer = { accounts: { from: a, to: b }, args: { lamports: 1n } };
    expect(() => encodeInstruction('system.transfer', { ...transfer, program: TOKEN_PROGRAM })).toThrow(
      'wrong program',
    );
    const table = { table: a, authority: a };
    expect(() => encodeInstruction('lookupTable.freeze', { accounts: table, rest: [a] })).toThrow(
      'unexpected remaining accounts',
    );
    expect(() => encodeInstruction('system.transfer', { ...transfer, args: { lamports: -1n } })).toThrow(
      RangeError,
    );
    expect(() =>
      encodeInstruction('system.transfer', { ...transfer, args: { lamports: 2n ** 64n } }),
    ).toThrow(RangeError);
    const misspelt = { ...transfer, accounts: { from: a, to: b, payer: a } };
    expect(() => encodeInstruction('system.transfer', misspelt)).toThrow('unknown name "payer"');
    expect(() =>
      encodeInstruction('lookupTable.extend', {
        accounts: { table: a, authority: a, systemProgram: b },
        args: { addresses: [] },
      }),
    ).toThrow('an account before "systemProgram" is missing');
  });
});
