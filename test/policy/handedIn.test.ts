/** State kept between decisions: the index of a policy, own keys, and decoded stages. */
import { describe, expect, it } from 'vitest';
import { DecodedStage, sameAddresses } from '../../src/plan/decodedStage.ts';
import { OwnKeys } from '../../src/policy/decide/ownKeys.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { account } from './accountFacts.ts';
import { ATTACKER } from './guarded.ts';
import { keyNamed, unsupportedProgram } from './people.ts';
import { policyWith, STAGES, stage, WALLET } from './recorded/stages.ts';

const [friend, venue] = ['friend', 'venue'].map((name) => keyNamed(name).address) as [string, string];

describe('the index of a policy', () => {
  it('names wallets and the address book, and the last of several entries for a program', () => {
    const last = unsupportedProgram(venue, { atMost: 2 });
    const { index } = policyWith(({ programs }) => ({
      addressBook: [{ label: 'friend', address: friend }],
      programs: [...programs, unsupportedProgram(venue), last],
    }));
    expect(index.named.get(friend)).toEqual({ label: 'friend', own: false });
    expect(index.named.get(WALLET)).toMatchObject({ own: true });
    expect(index.named.get(ATTACKER)).toBeUndefined();
    expect(index.programs.get(venue)).toMatchObject({ atMost: 2 });
    expect(index.programs.get(TOKEN_PROGRAM)?.address).toBe(TOKEN_PROGRAM);
  });

  it('lists only programs whose reader is disabled', () => {
    const off = (reader?: 'off') =>
      policyWith(({ programs }) => ({
        programs: [...programs, unsupportedProgram(venue, reader === undefined ? {} : { reader })],
      })).index.switchedOff;
    expect([...off('off')]).toEqual([venue]);
    expect([...off()]).toEqual([]);
  });

  it('reuses the known addresses for the same additions and rebuilds them for others', () => {
    const { index } = policyWith();
    const known = index.known([WALLET]);
    expect(index.known([WALLET])).toBe(known);
    const others = index.known([WALLET, friend]);
    expect(others).not.toBe(known);
    const alike = `${friend.slice(0, 5)}${'A'.repeat(friend.length - 10)}${friend.slice(-5)}`;
    expect([known.takenFor(alike), others.takenFor(alike)]).toEqual([undefined, friend]);
  });
});

it('two tables are equal if every entry is', () => {
  const one = ['a', 'b'];
  expect([sameAddresses(one, one), sameAddresses(one, ['a', 'b']), sameAddresses([], [])]).toEqual([
    true,
    true,
    true,
  ]);
  expect([sameAddresses(one, ['a', 'c']), sameAddresses(one, ['a']), sameAddresses(['a'], one)]).toEqual([
    false,
    false,
    false,
  ]);
});

describe('a resolved stage', () => {
  const name = STAGES.find((each) => stage(each).stage.transaction.read().lookups.length > 0) ?? '';
  const { stage: found, tables } = stage(name);
  const given = (change: (addresses: readonly string[]) => readonly string[] = (each) => each) => ({
    tables: new Map(tables.map(({ table, addresses }) => [table, change([...addresses])])),
    off: new Set<string>(),
  });
  const fresh = () => new DecodedStage(found.transaction.text);

  it('is the same for equal tables, in the same objects or not', () => {
    const read = fresh();
    const [first, with1] = [given(), given()];
    const resolved = read.resolve(first);
    expect(read.resolve(first)).toBe(resolved);
    expect(read.resolve(with1)).toBe(resolved);
    expect(read.resolve(with1)).toBe(resolved);
    expect(read.resolve({ ...given(), off: new Set() })).toBe(resolved);
    const entries = resolved.loaded.filter(({ table }) => table !== undefined);
    expect(entries.length).toBeGreaterThan(0);
    for (const { table, address } of entries) expect(first.tables.get(table ?? '')).toContain(address);
  });

  it('is resolved again if a table has another address or is gone, or a reader is disabled', () => {
    const read = fresh();
    const resolved = read.resolve(given());
    const used = resolved.loaded.find(({ table }) => table !== undefined)?.address ?? '';
    const other = read.resolve(given((all) => all.map((each) => (each === used ? ATTACKER : each))));
    expect(other.loaded.map(({ address }) => address)).toContain(ATTACKER);
    expect(other.loaded.map(({ address }) => address)).not.toContain(used);
    expect(read.resolve(given()).loaded).toEqual(resolved.loaded);
    expect(() => read.resolve({ tables: new Map(), off: new Set() })).toThrow();
    const program = resolved.readings.find(({ status }) => status === 'read')?.program ?? '';
    const left = read.resolve({ ...given(), off: new Set([program]) });
    expect(left.readings.some((each) => each.program === program && each.status === 'read')).toBe(false);
    expect(read.resolve(given()).readings).toEqual(resolved.readings);
  });

  it('refuses text without exactly one decoding, each time', () => {
    const broken = new DecodedStage(`${found.transaction.text.slice(0, -8)}AAAA`);
    for (let i = 0; i < 2; i += 1) expect(() => broken.read()).toThrow();
    expect([broken.decoded, broken.tableEntries]).toEqual([undefined, []]);
    expect(fresh().decoded?.bytes).toEqual(found.transaction.read().bytes);
    expect(JSON.stringify(fresh())).toBe(JSON.stringify(found.transaction.text));
  });
});

describe('a stage whose acts depend on token accounts', () => {
  const name = STAGES.find((each) => each === 'payment of USDC') ?? '';
  const { stage: found, accounts, tables } = stage(name);
  const held = new Map(tables.map(({ table, addresses }) => [table, addresses]));
  const resolved = new DecodedStage(found.transaction.text).resolve({ tables: held, off: new Set() });
  const owners = (view: Parameters<typeof resolved.actsIn>[0]) =>
    resolved
      .actsIn(view)
      .flatMap(({ acts }) => acts.flatMap((act) => (act.act === 'transfer' ? [act.to.owner] : [])));

  it('completes them from a chain view and leaves them open without one', () => {
    const facts = new Map(accounts.map((fact) => [fact.address, fact]));
    expect(owners({ tokenAccount: () => undefined })).toEqual([undefined]);
    expect(owners({ tokenAccount: (address) => tokenAccountOf(facts.get(address)) })).toEqual([
      expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    ]);
  });
});

it('tables created by a setup stage differ from those it extends', () => {
  const setups = STAGES.filter((each) => stage(each).stage.kind === 'lookup_table_setup').map((each) =>
    stage(each).stage.transaction.tableEntries.map(({ makes, addresses }) => [
      makes === true,
      addresses.length > 0,
    ]),
  );
  expect(setups.flat()).toEqual(
    expect.arrayContaining([
      [true, false],
      [false, true],
    ]),
  );
  expect(setups.flat()).not.toContainEqual([true, true]);
  const setup = STAGES.find((each) => stage(each).stage.kind === 'lookup_table_setup') ?? '';
  const { transaction } = stage(setup).stage;
  expect(transaction.tableEntries).toBe(transaction.tableEntries);
});

describe('own keys', () => {
  const own = new OwnKeys([WALLET, friend]);
  const holding = (bytes: Uint8Array, owner: string) =>
    own.standIn(account(ATTACKER, { owner, data: Buffer.from(bytes).toString('base64') }));

  it.each([0, 1, 2, 3])('are found in data at any offset: after %s bytes', (before) => {
    const data = Buffer.concat([Buffer.alloc(before, 7), addressBytes(friend), Buffer.alloc(5, 9)]);
    expect(holding(data, venue)).toBe(true);
    expect(holding(data.subarray(0, before + 20), venue)).toBe(false);
  });

  it('count in full in accounts of Token-2022 only', () => {
    expect(holding(Buffer.from(`name ${WALLET}`), TOKEN_2022_PROGRAM)).toBe(true);
    expect(holding(Buffer.from(`name ${WALLET}`), TOKEN_PROGRAM)).toBe(false);
    expect(holding(Buffer.from('a description of nobody we know of, long enough'), TOKEN_2022_PROGRAM)).toBe(
      false,
    );
    expect(new OwnKeys().standIn(account(ATTACKER, { data: 'AAAA' }))).toBe(false);
  });
});
