/** What refused plans wanted, program by program; decisions decided again. */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Facts, LedgerView } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { type Denied, observe } from '../../src/review/observe.ts';
import { redecide, unknownLimits } from '../../src/review/redecide.ts';
import { replay } from '../../src/review/replay.ts';
import { STAKE_PROGRAM } from '../../src/transaction/programs.ts';
import { facts, usual } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { plus } from './recorded/edits.ts';
import { policyWith, stage, WALLET } from './recorded/stages.ts';

const [strange, second] = [keyNamed('strange').address, keyNamed('second').address];

function denied(id: string, time: number, seen: Facts, more: Partial<Denied> = {}): Denied {
  const decision = { ...evaluate(seen, usual, NOTHING_USED), effect: 'deny' as const };
  return { id, time, planId: id, decision, facts: seen, ...more };
}
const calls = (programAddress: string, data: readonly number[], who: string, signer = true) =>
  plus(facts, {
    programAddress,
    accounts: [{ address: who, signer, writable: false }],
    data: Uint8Array.from(data),
  });

describe('what refused plans called', () => {
  it('is counted by instruction, with whether the wallet was to sign it', () => {
    const rows = [
      denied('decision-1', 5, calls(strange, [1, 2, 3], WALLET, false)),
      denied('decision-2', 9, calls(strange, [1, 2, 3], WALLET)),
      denied('decision-3', 7, calls(strange, [9], keyNamed('attacker').address), { planId: 'decision-2' }),
    ];
    const first = observe(rows, usual.policy).find(({ address }) => address === strange);
    expect(first).toEqual({
      address: strange,
      standing: 'addable',
      binding: 'effects',
      instructions: [
        { name: '010203', readable: false, times: 2, walletSigns: true },
        { name: '09', readable: false, times: 1, walletSigns: false },
      ],
      operations: ['config'],
      plans: 2,
      firstSeen: 5,
      lastSeen: 9,
      decision: 'decision-2',
    });
    expect(
      observe(rows.slice(0, 1), usual.policy).find(({ address }) => address === strange)?.instructions[0]
        ?.walletSigns,
    ).toBe(true);
  });

  it('names readable instructions and known programs, and any of our wallets that signs', () => {
    const home = { ...calls(strange, [1], second), ourWallets: [WALLET, second] };
    const seen = observe([denied('decision-1', 1, home)], usual.policy);
    expect(seen.find(({ address }) => address === strange)).toMatchObject({
      address: strange,
      instructions: [{ walletSigns: true }],
    });
    const share = seen.find(({ name }) => name === 'Bags fee share v2');
    expect(share).toMatchObject({ binding: 'exact' });
    expect(share?.instructions).toContainEqual({
      name: 'feeShare.createFeeConfig',
      readable: true,
      times: 1,
      walletSigns: true,
    });
    const budget = seen.find(({ name }) => name === 'Compute Budget');
    expect(budget?.instructions.every(({ walletSigns }) => !walletSigns)).toBe(true);
    expect(Object.keys(seen.find(({ address }) => address === strange) ?? {})).not.toContain('name');
  });

  it('stands in order: what could be added, what is listed, what no file can allow; often asked for first', () => {
    const rows = [
      denied('decision-1', 1, calls(STAKE_PROGRAM, [1], WALLET)),
      denied('decision-2', 2, calls(strange, [1], WALLET)),
      denied('decision-3', 3, calls(second, [1], WALLET)),
      denied('decision-4', 4, calls(second, [1], WALLET)),
    ];
    const seen = observe(rows, usual.policy);
    const asked = seen.filter(({ address }) => [second, strange].includes(address));
    expect(asked.map(({ address }) => address)).toEqual([second, strange]);
    expect(seen.at(-1)?.address).toBe(STAKE_PROGRAM);
    const trade = observe([denied('decision-5', 5, stage('swap of SOL'))], usual.policy);
    const listed = trade.filter(({ standing }) => standing === 'listed').map(({ address }) => address);
    expect(listed.length).toBeGreaterThan(1);
    expect(listed).toEqual(listed.toSorted());
    const once = observe(rows.slice(1, 3), usual.policy).map(({ address }) => address);
    expect(once.filter((address) => [second, strange].includes(address))).toEqual(
      [strange, second].toSorted(),
    );
  });

  it('keeps the newest decision, also where they come out of order', () => {
    const rows = [
      denied('decision-2', 9, calls(strange, [1], WALLET)),
      denied('decision-1', 5, calls(strange, [1], WALLET)),
      denied('decision-3', 9, calls(strange, [1], WALLET)),
    ];
    expect(observe(rows, usual.policy).find(({ address }) => address === strange)).toMatchObject({
      decision: 'decision-3',
      firstSeen: 5,
      lastSeen: 9,
    });
  });

  it('is known by its programs where a table is missing, and lists operations by name', () => {
    const launch = { ...stage('custody launch'), tables: [] };
    const seen = observe([denied('decision-1', 1, launch), denied('decision-2', 2, facts)], undefined);
    const token = seen.find(({ name }) => name === 'Token');
    expect(token?.instructions.length).toBeGreaterThan(0);
    expect(token?.instructions.every(({ walletSigns }) => !walletSigns)).toBe(true);
    expect(seen.find(({ name }) => name === 'Compute Budget')?.operations).toEqual(['config', 'launch']);
    expect(seen.every(({ standing }) => standing === 'addable')).toBe(true);
  });
});

describe('a decision under another policy', () => {
  const changed = (change: (file: PolicyFile) => Partial<PolicyFile>) => policyWith(change);
  const record = (view: LedgerView = NOTHING_USED, seen = facts) => ({
    decision: evaluate(seen, usual, view),
    facts: seen,
    view,
  });

  it('is told by its effect, codes, rule and sentence', () => {
    const none = changed((file) => ({ rules: file.rules.filter(({ operation }) => operation !== 'config') }));
    expect(redecide(record(), usual, none)).toEqual({
      before: { effect: 'allow', codes: [], ruleId: 'fee-plans', explain: expect.stringContaining('allows') },
      after: { effect: 'deny', codes: ['NO_RULE'], explain: expect.stringContaining('No rule') },
      changed: true,
    });
    const renamed = changed((file) => ({
      rules: file.rules.map((rule) => ({ ...rule, id: `${rule.id}-x` })),
    }));
    expect(redecide(record(), usual, renamed)).toMatchObject({
      changed: false,
      after: { ruleId: 'fee-plans-x' },
    });
  });

  it('carries used amounts by id first, and to none that is about something else', () => {
    const spent = record({ used: { 'sol-day': '99999999999' } });
    const other = changed((file) => ({
      limits: [
        ...file.limits.filter((limit) => limit.id !== 'sol-day'),
        { id: 'sol-week', asset: 'SOL', window: { rolling: '7d' }, max: '99999999999' },
      ],
    }));
    expect(redecide(spent, usual, other).after.effect).toBe('allow');
    const sameId = changed((file) => ({
      limits: file.limits.map((limit) =>
        limit.id === 'sol-day'
          ? { id: 'sol-day', asset: 'SOL', window: { rolling: '7d' }, max: '99999999999' }
          : limit,
      ),
    }));
    expect(redecide(spent, usual, sameId).after.codes).toEqual(['LIMIT_EXCEEDED']);
    expect(unknownLimits(usual.policy, other.policy)).toEqual(['sol-week']);
    expect(unknownLimits(usual.policy, sameId.policy)).toEqual([]);
    expect(unknownLimits(usual.policy, usual.policy)).toEqual([]);
    const count = changed((file) => ({
      limits: [...file.limits, { id: 'swaps', count: 'swap', window: { rolling: '24h' }, max: 5 }],
    }));
    expect(unknownLimits(usual.policy, count.policy)).toEqual(['swaps']);
  });
});

describe('a replay', () => {
  const decision = evaluate(facts, usual, NOTHING_USED);

  it('names parts that were added or are gone', () => {
    const { ruleId: _gone, ...less } = decision;
    expect(replay(less, facts, NOTHING_USED, [usual])).toMatchObject({
      outcome: 'different',
      parts: ['ruleId'],
    });
    const more = { ...decision, extra: 1 };
    expect(replay(more, facts, NOTHING_USED, [usual])).toMatchObject({
      outcome: 'different',
      parts: ['extra'],
    });
  });

  it('finds the policy by its hash among several', () => {
    const other = policyWith(() => ({ id: 'other' }));
    expect(replay(decision, facts, NOTHING_USED, [other, usual])).toEqual({ outcome: 'identical' });
    expect(replay(decision, facts, NOTHING_USED, [])).toEqual({ outcome: 'other_policy' });
  });

  it('of a denial for want of a policy says which want it was', () => {
    const missing = evaluate(facts, undefined, NOTHING_USED);
    const invalid = evaluate(facts, { error: 'x' }, NOTHING_USED);
    const wrong = { ...missing, reasonCodes: invalid.reasonCodes };
    expect(replay(wrong, facts, NOTHING_USED, [usual])).toMatchObject({ outcome: 'different' });
    expect(replay(invalid, facts, NOTHING_USED, [usual])).toEqual({ outcome: 'identical' });
  });
});
