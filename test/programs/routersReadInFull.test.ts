/** Swap routers without a public encoder, decoded from hand-written bytes. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../src/programs/index.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, type Reading, readInstruction } from '../../src/programs/read.ts';
import { leastOf } from '../../src/programs/routers/jupiter.ts';
import { NO_VIEW, type View } from '../../src/programs/view.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import type { RouterVector } from '../oracle/vectors/routerAccounts.ts';
import { ROUTER_VECTORS } from '../oracle/vectors/routers.ts';
import { testAddress } from '../transaction/keys.ts';

const resolved = ({ program, accounts, bytes }: RouterVector): ResolvedInstruction => ({
  index: 0,
  program,
  accounts: accounts.map(([address, use]) => ({
    address,
    signer: use.includes('s'),
    writable: use.includes('w'),
  })),
  data: Uint8Array.from(Buffer.from(bytes.join(''), 'hex')),
});

const LAYOUTS = PROGRAMS.flatMap((program: ProgramReader) => program.layouts);

/** Re-encodes a decoded instruction, so that ignored parts would be lost. */
function rebuilt(reading: Reading) {
  if (reading.status !== 'read') throw new Error('not read');
  const { kind, accounts, args, rest } = reading.instruction;
  const layout = LAYOUTS.find((each: Layout) => each.kind === kind);
  if (layout === undefined) throw new Error(`no layout ${kind}`);
  const addresses = Object.entries(accounts).map(([role, account]) => [role, account?.address]);
  const built = writeLayout(layout, {
    accounts: Object.fromEntries(addresses),
    args,
    rest: rest.map(({ address }) => address),
  });
  return { data: built.data, accounts: built.accounts.map(({ address }) => address) };
}

describe.each([...ROUTER_VECTORS])('$name', (vector) => {
  const instruction = resolved(vector);
  const { data, accounts } = instruction;

  test('is decoded with matching acts', () => {
    const reading = readInstruction(instruction);
    expect(reading).toMatchObject({ status: 'read' });
    const { source, destination, ...does } = vector.does;
    expect(actsOf(reading, NO_VIEW)).toEqual([
      {
        act: 'swap',
        venue: vector.name.startsWith('jupiter') ? 'Jupiter' : 'Titan',
        source: { account: source },
        destination: { account: destination },
        ...does,
      },
    ]);
    expect(rebuilt(reading)).toEqual({ data, accounts: accounts.map(({ address }) => address) });
  });

  const [from, to = data.length] = vector.steps;
  const isFirst = to < data.length;

  test('a changed byte changes its value only, or makes it unsupported', () => {
    const before = readInstruction(instruction);
    if (before.status !== 'read') throw new Error('not read');
    for (let at = 0; at < data.length; at++) {
      for (const flip of [0x01, 0x15, 0x80, 0xff]) {
        const other = data.slice();
        other[at] = (other[at] ?? 0) ^ flip;
        const reading = readInstruction({ ...instruction, data: other });
        if (reading.status !== 'read') {
          expect(at).toBeLessThan(isFirst ? to : from);
          continue;
        }
        expect(at).toBeGreaterThanOrEqual(8);
        expect(rebuilt(reading).data).toEqual(other);
        const is: Readonly<Record<string, unknown>> = reading.instruction.args;
        const was: Readonly<Record<string, unknown>> = before.instruction.args;
        const same = (one: unknown, two: unknown) =>
          one instanceof Uint8Array && two instanceof Uint8Array
            ? Buffer.compare(one, two) === 0
            : one === two;
        const changed = Object.keys(is).filter((name) => !same(is[name], was[name]));
        expect(changed).toHaveLength(1);
        expect(/^(routePlan|swaps)$/.test(changed[0] ?? '')).toBe(at >= from && at < to);
      }
    }
  });

  test('appended bytes change no amount: they are steps of the route, or make it unsupported if the amounts come last', () => {
    const longer = readInstruction({
      ...instruction,
      data: Uint8Array.from([...data, ...data.slice(8, 24)]),
    });
    if (isFirst) expect(longer.status).toBe('unsupported');
    else expect(actsOf(longer, NO_VIEW)).toEqual(actsOf(readInstruction(instruction), NO_VIEW));
    for (let length = 0; length < (isFirst ? data.length : from); length++) {
      expect(readInstruction({ ...instruction, data: data.slice(0, length) }).status).toBe('unsupported');
    }
  });

  test('a replaced account changes that role, or makes it unsupported', () => {
    const stranger = testAddress('stranger');
    for (const [at, use] of accounts.entries()) {
      const reading = readInstruction({
        ...instruction,
        accounts: accounts.with(at, { ...use, address: stranger }),
      });
      if (reading.status !== 'read') continue;
      const expected = accounts.map(({ address }) => address).with(at, stranger);
      expect(rebuilt(reading).accounts).toEqual(expected);
      if (use.signer) {
        const unsigned = accounts.with(at, { ...use, signer: false });
        expect(readInstruction({ ...instruction, accounts: unsigned }).status).toBe('unsupported');
      }
    }
    for (let count = 0; count < vector.fixedAccounts; count++) {
      const fewer = readInstruction({ ...instruction, accounts: accounts.slice(0, count) });
      expect(fewer.status).toBe('unsupported');
    }
  });
});

test('the minimum proceeds are the quote less its slippage, and never negative', () => {
  expect([0, 1, 50, 9_999, 10_000, 10_001, 65_535].map((bps) => leastOf(9_999n, bps))).toEqual([
    9_999n,
    9_998n,
    9_949n,
    0n,
    0n,
    0n,
    0n,
  ]);
});

test('a route sells the token of its source account, if the account is known', () => {
  const vector = ROUTER_VECTORS.find(({ name }) => name.startsWith('jupiter route:'));
  if (vector === undefined) throw new Error('no such vector');
  const [mint, owner] = [testAddress('a mint'), testAddress('an owner')];
  const view: View = {
    tokenAccount: (account) => (account === vector.does.source ? { mint, owner } : undefined),
  };
  expect(actsOf(readInstruction(resolved(vector)), view)).toMatchObject([
    { act: 'swap', input: mint, source: { account: vector.does.source, owner } },
  ]);
});

test('a step at an unknown venue makes a route with trailing amounts unsupported', () => {
  const vector = ROUTER_VECTORS.find(({ name }) => name.startsWith('jupiter route:'));
  if (vector === undefined) throw new Error('no such vector');
  const through = (venue: number, ...values: number[]) => {
    const { data, ...instruction } = resolved(vector);
    const at = 12;
    const bytes = [...data.slice(0, at), venue, ...values, ...data.slice(at + 1)];
    return readInstruction({ ...instruction, data: Uint8Array.from(bytes) });
  };
  expect(through(176).status).toBe('read');
  expect(through(177)).toMatchObject({ status: 'unsupported', kind: 'jupiter.route' });
  // Candidates: an empty list and no choice, then only a list, as in an earlier interface.
  expect(through(111, 0, 0, 0, 0, 0).status).toBe('unsupported');
  expect(through(111, 0, 0, 0, 0).status).toBe('unsupported');
  expect(through(146, 0, 0, 0, 0, 1, 1).status).toBe('unsupported');
});

test('routes with an input from a ledger account are known by name and not decoded', () => {
  for (const name of ['route_with_token_ledger', 'shared_accounts_route_with_token_ledger']) {
    const first = createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
    const data = Uint8Array.from([...first, ...new Uint8Array(40)]);
    const program = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
    expect(readInstruction({ index: 0, program, accounts: [], data })).toMatchObject({
      status: 'named',
      name,
    });
  }
});

/** Programs of venues with the authority of each, and the distance from the program to the paid account. */
const STEPS = [
  ['cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG', 'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC', 4],
  ['dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN', 'FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM', 5],
] as const;

describe.each(STEPS)('a step of a route at %s', (program, authority, place) => {
  const [vector] = ROUTER_VECTORS;
  if (vector === undefined) throw new Error('no vector');
  const own = vector.does.destination;
  const paidElsewhere = (paid: string, ...more: readonly string[]) => {
    const step = [program, authority, ...Array.from({ length: 7 }, (_, i) => testAddress(`account ${i}`))];
    step[place] = paid;
    const rest = [...step, ...more].map((address) => [address, 'w'] as const);
    const accounts = [...vector.accounts.slice(0, vector.fixedAccounts), ...rest];
    const [act] = actsOf(readInstruction(resolved({ ...vector, accounts })), NO_VIEW);
    if (act?.act !== 'swap') throw new Error('no swap');
    return act.paidElsewhere;
  };

  test('pays the account that the router names, or reports the other one', () => {
    const stranger = testAddress('stranger');
    expect(paidElsewhere(own)).toBeUndefined();
    expect(paidElsewhere(stranger)).toBe(own);
    expect(paidElsewhere(stranger, own)).toBe(stranger);
  });
});
