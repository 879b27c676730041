/** What an approval covers (T40): what may differ in a rebuilt stage, and what may not. */
import { describe, expect, it } from 'vitest';
import { envelopeDigest, expectationDigest } from '../../src/policy/decide/envelope.ts';
import { sealFacts } from '../../src/policy/decide/factsDigest.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { encodeTransaction, readTransaction } from '../../src/transaction/read.ts';
import type { DecodedTransaction } from '../../src/transaction/types.ts';
import { keyNamed } from './people.ts';
import { asked, instructionOf, plus, withArgs, withRaw } from './recorded/edits.ts';
import { ATTACKER, decide, policyWith, rewritten, stage } from './recorded/stages.ts';

const digest = (facts: Facts, policy = 'hash') => envelopeDigest(facts, policy);
const plain = stage('plain config');
const same = (facts: Facts) => rewritten(facts, (list) => list);
const other = keyNamed('something else').address;

/** The digest of a stage with a part of its message written otherwise, and everything else as it was. */
function written(facts: Facts, change: (was: DecodedTransaction) => Partial<DecodedTransaction>): string {
  const was = readTransaction(Buffer.from(facts.stage.transaction, 'base64'));
  const bytes = encodeTransaction({ ...was, ...change(was) });
  const transaction = Buffer.from(bytes).toString('base64');
  return digest({ ...facts, stage: { ...facts.stage, transaction } });
}

describe('an envelope', () => {
  const first = digest(plain);

  it('is of this network, wallet, policy, intent and stage', () => {
    const plan = (change: Partial<Facts['plan']>) => digest({ ...plain, plan: { ...plain.plan, ...change } });
    for (const changed of [
      plan({ network: other }),
      plan({ wallet: other }),
      plan({ intentKey: 'another' }),
      plan({ operation: 'launch' }),
      plan({ endpoint: 'another' }),
      digest(plain, 'another policy'),
      digest(asked(plain, { note: 'x' })),
      digest({ ...plain, stage: { ...plain.stage, kind: 'launch' } }),
    ]) {
      expect(changed).toMatch(/^[0-9a-f]{64}$/);
      expect(changed).not.toBe(first);
    }
    for (const unchanged of [
      plan({ planId: 'another', mode: 'live', answer: {} }),
      digest({ ...plain, time: 5, accounts: [], purpose: 'preview' }),
      digest({ ...plain, stage: { ...plain.stage, id: 'another' } }),
    ]) {
      expect(unchanged).toBe(first);
    }
  });

  it('names no quote by its id: a fresh quote of the same trade is the same intent', () => {
    const swap = stage('swap of SOL');
    expect(digest(asked(swap, { requestId: 'another' }))).toBe(digest(swap));
    expect(digest(asked(swap, { userPublicKey: other }))).not.toBe(digest(swap));
  });

  it('is the same for sealed facts, which cannot change', () => {
    const sealed = sealFacts(structuredClone(plain));
    expect([digest(sealed), digest(sealed)]).toEqual([first, first]);
  });

  it('covers every account, operand and order of the instructions, not the blockhash', () => {
    const mine = digest(same(plain));
    expect(digest(rewritten(plain, (list) => list, { blockhash: other }))).toBe(mine);
    const shares = withRaw(plain, FEE_SHARE_PROGRAM, 0, (each) => ({
      ...each,
      data: each.data.toReversed(),
    }));
    expect(digest(shares)).not.toBe(mine);
    const earner = withRaw(plain, FEE_SHARE_PROGRAM, 0, ({ accounts, ...each }) => ({
      ...each,
      accounts: accounts.map((use, i) => (i === accounts.length - 1 ? { ...use, address: ATTACKER } : use)),
    }));
    expect(digest(earner)).not.toBe(mine);
    expect(digest(rewritten(plain, (list) => list.toReversed()))).not.toBe(mine);
    expect(digest(rewritten(plain, (list) => list, { feePayer: ATTACKER }))).not.toBe(mine);
    const shout = (signer: boolean, writable: boolean) =>
      digest(
        plus(plain, {
          programAddress: other,
          accounts: [{ address: ATTACKER, signer, writable }],
          data: Uint8Array.of(1),
        }),
      );
    expect(
      new Set([shout(false, false), shout(false, true), shout(true, false), shout(true, true), mine]).size,
    ).toBe(5);
  });

  it('covers the format and the fees of a v1 message', () => {
    const v1 = stage('config v1');
    const config = { computeUnitLimit: 400_000, priorityFeeLamports: 500n };
    const fees = [
      config,
      { ...config, priorityFeeLamports: 501n },
      { ...config, computeUnitLimit: 400_001 },
      { ...config, loadedAccountsDataSizeLimit: 5 },
      { ...config, heapSize: 65_536 },
    ].map((each) => digest(rewritten(v1, (list) => list, { config: each })));
    expect(new Set(fees).size).toBe(5);
    const asV0 = rewritten(plain, (list) => list, { format: 'legacy' });
    expect(digest(asV0)).not.toBe(digest(same(plain)));
  });

  it('covers the code of programs that are not read: another slot, program or number of them is another', () => {
    const { programs: _called, ...bare } = plain;
    const programs = (...list: NonNullable<Facts['programs']>) => digest({ ...bare, programs: list });
    const seen = [
      digest(bare),
      programs({ address: other, deployedSlot: 7 }),
      programs({ address: other, deployedSlot: 8 }),
      programs({ address: other }),
      programs({ address: ATTACKER, deployedSlot: 7 }),
      programs({ address: other, deployedSlot: 7 }, { address: ATTACKER, deployedSlot: 7 }),
    ];
    expect(new Set(seen).size).toBe(seen.length);
    expect(programs()).toBe(digest(bare));
    // Who may replace the code is said elsewhere.
    expect(programs({ address: other, deployedSlot: 7, upgradeAuthority: other })).toBe(seen[1]);
  });

  it('covers each number of the header by itself', () => {
    const bytes = Buffer.from(plain.stage.transaction, 'base64');
    const header = 1 + 64 * (bytes[0] ?? 0) + (plain.stage.format === 'v0' ? 1 : 0);
    const changed = (at: number, by: number) => {
      const one = Buffer.from(bytes);
      one[header + at] = (one[header + at] ?? 0) + by;
      return digest({ ...plain, stage: { ...plain.stage, transaction: one.toString('base64') } });
    };
    const seen = [first, changed(1, 1), changed(2, 1), changed(2, -1)];
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('covers which accounts an instruction is handed, and in which order', () => {
    const [longest] = readTransaction(Buffer.from(plain.stage.transaction, 'base64'))
      .instructions.map(({ accountIndexes }, i) => ({ i, count: new Set(accountIndexes).size }))
      .sort((a, b) => b.count - a.count);
    const indexes = (change: (of: readonly number[]) => readonly number[]) =>
      written(plain, ({ instructions }) => ({
        instructions: instructions.map((each, i) =>
          i === longest?.i ? { ...each, accountIndexes: change(each.accountIndexes) } : each,
        ),
      }));
    expect(indexes((all) => all)).toBe(first);
    expect(indexes((all) => all.toReversed())).not.toBe(first);
    expect(indexes((all) => all.slice(1))).not.toBe(first);
    expect(indexes((all) => [...all, 0])).not.toBe(first);
    const programs = written(plain, ({ instructions }) => ({
      instructions: instructions.map((each) => ({
        ...each,
        programIndex: Math.max(...instructions.map(({ programIndex }) => programIndex)),
      })),
    }));
    expect(programs).not.toBe(first);
  });

  it('reads the request anew where that can still change, and only once where it cannot', () => {
    const request: Record<string, unknown> = { ...plain.plan.request };
    const of = (each: Facts['plan']['request']) =>
      digest({ ...plain, plan: { ...plain.plan, request: each } });
    expect(of(request)).toBe(first);
    request.tipLamports = '1';
    expect(of(request)).not.toBe(first);
    let looked = 0;
    const frozen = Object.freeze({
      ...plain.plan.request,
      get tipLamports() {
        looked += 1;
        return '1';
      },
    });
    expect([of(frozen), of(frozen), of(frozen)]).toEqual(Array(3).fill(of(request)));
    expect(looked).toBe(1);
  });

  it('covers unreadable bytes only as they are', () => {
    const broken = (transaction: string) => digest({ ...plain, stage: { ...plain.stage, transaction } });
    expect(broken('AAAA')).not.toBe(broken('AAAB'));
    expect(broken('AAAA')).not.toBe(first);
  });
});

describe("a plan's own lookup table", () => {
  const setup = stage('custody table');
  const launch = stage('custody launch');
  const table = instructionOf(setup, 'lookupTable.create').accounts.table.address;

  /** The same plan with its table at another address, as it is when it is built again in another slot. */
  function moved(facts: Facts, to: string): Facts {
    const [was, is] = [Buffer.from(addressBytes(table)), Buffer.from(addressBytes(to))];
    const replace = (text: string) => {
      const bytes = Buffer.from(text, 'base64');
      for (let at = bytes.indexOf(was); at >= 0; at = bytes.indexOf(was, at + 1)) is.copy(bytes, at);
      return bytes.toString('base64');
    };
    const of = (each: Facts['stage']) => ({ ...each, transaction: replace(each.transaction) });
    return {
      ...facts,
      stage: of(facts.stage),
      siblings: facts.siblings.map((each) => ({ ...each, stage: of(each.stage) })),
      tables: facts.tables.map((each) => (each.table === table ? { ...each, table: to } : each)),
    };
  }

  it('counts by its role, since every rebuild makes another', () => {
    expect(digest(moved(launch, other))).toBe(digest(launch));
    expect(digest(moved(setup, other))).toBe(digest(setup));
    expect(digest({ ...moved(launch, other), siblings: launch.siblings })).not.toBe(digest(launch));
  });

  it('holds what was approved: other addresses in it are another envelope', () => {
    const swapped = withArgs(setup, 'lookupTable.extend', {
      addresses: instructionOf(setup, 'lookupTable.extend').args.addresses.map((each, i) =>
        i === 0 ? ATTACKER : each,
      ),
    });
    const siblings = launch.siblings.map((each) =>
      each.stage.kind === 'lookup_table_setup' ? { ...each, stage: swapped.stage } : each,
    );
    expect(digest({ ...launch, siblings })).not.toBe(digest(launch));
    expect(digest({ ...launch, siblings: [...launch.siblings] })).toBe(digest(launch));
  });

  it('counts at its place, and with the entries that are used of it', () => {
    const used = (change: (was: DecodedTransaction['lookups'][number]) => object) =>
      written(launch, ({ lookups }) => ({ lookups: lookups.map((each) => ({ ...each, ...change(each) })) }));
    const honest = digest(launch);
    expect(used(() => ({}))).toBe(honest);
    expect(used(({ writableIndexes }) => ({ writableIndexes: writableIndexes.toReversed() }))).not.toBe(
      honest,
    );
    expect(used(({ readonlyIndexes }) => ({ readonlyIndexes: readonlyIndexes.toReversed() }))).not.toBe(
      honest,
    );
    // Of a table that the plan does not make its address counts, and the places in it.
    const foreign = used(() => ({ table: other }));
    expect(foreign).not.toBe(honest);
    expect(used(() => ({ table: ATTACKER }))).not.toBe(foreign);
    const places = (change: (at: readonly number[]) => readonly number[]) =>
      used(({ writableIndexes, readonlyIndexes }) => ({
        table: other,
        writableIndexes: change(writableIndexes),
        readonlyIndexes: change(readonlyIndexes),
      }));
    expect(places((all) => all)).toBe(foreign);
    expect(places((all) => all.toReversed())).not.toBe(foreign);
    // The table at another place among the accounts of the message that makes it.
    const at = readTransaction(Buffer.from(setup.stage.transaction, 'base64')).staticAccounts.indexOf(table);
    const swapped = (with_: number) =>
      written(setup, ({ staticAccounts }) => ({
        staticAccounts: staticAccounts
          .with(at, staticAccounts[with_] ?? '')
          .with(with_, staticAccounts[at] ?? ''),
      }));
    expect(swapped(at)).toBe(digest(setup));
    expect(swapped(at + 1)).not.toBe(digest(setup));
  });

  it('may be made in another recent slot, with another bump', () => {
    const slot = (args: object) => digest(withArgs(setup, 'lookupTable.create', args));
    expect(slot({ recentSlot: 5n })).toBe(slot({ recentSlot: 6n, bump: 7 }));
    expect(digest(withArgs(setup, 'lookupTable.extend', { addresses: [other] }))).not.toBe(digest(setup));
    const { accounts } = instructionOf(setup, 'lookupTable.create');
    // Only the creation of a table: the same data for another program, or longer, is all of it covered.
    const raw = (programAddress: string, data: readonly number[]) =>
      digest(
        plus(setup, {
          programAddress,
          accounts: [accounts.table, accounts.authority],
          data: Uint8Array.from(data),
        }),
      );
    const lookup = 'AddressLookupTab1e1111111111111111111111111';
    const create = (slotByte: number) => [0, 0, 0, 0, slotByte, 0, 0, 0, 0, 0, 0, 0, 255];
    expect(raw(lookup, create(1))).toBe(raw(lookup, create(2)));
    expect(raw(other, create(1))).not.toBe(raw(other, create(2)));
    expect(raw(lookup, [...create(1), 0])).not.toBe(raw(lookup, [...create(2), 0]));
    expect(raw(lookup, [9, ...create(1).slice(1)])).not.toBe(raw(lookup, [9, ...create(2).slice(1)]));
  });
});

describe('what a person approves of a whole run', () => {
  const asking = policyWith((file) => ({
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  }));
  const claim = stage('position claim');
  const { expectation } = decide(claim, asking);
  if (expectation === undefined) throw new Error('nothing is asked');
  const of = (facts: Facts) => expectationDigest(facts, 'hash', expectation);
  const elsewhere: Facts = { ...claim, plan: { ...claim.plan, endpoint: 'another claim' } };

  it('is one question where a run joins several claims, whichever of them a stage is of', () => {
    const joined = (facts: Facts): Facts => ({
      ...facts,
      claims: [{ operation: facts.plan.operation, request: facts.plan.request }],
    });
    expect(of(joined(elsewhere))).toBe(of(joined(claim)));
    expect(of(joined(claim))).not.toBe(of(claim));
    // One claim by itself is a question of its own.
    expect(of(elsewhere)).not.toBe(of(claim));
  });
});
