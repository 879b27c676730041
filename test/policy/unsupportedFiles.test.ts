/** Unsupported programs of a policy file, in the page about it and in the difference of two files. */
import { describe, expect, it } from 'vitest';
import type { PolicyFile, UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { diffPolicies } from '../../src/review/diffPolicy.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import { classWords } from '../../src/review/policyFormat.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { load, unsupportedProgram } from './people.ts';
import { VENUE, WALLET } from './recorded/stages.ts';

describe('unsupported programs in a policy file', () => {
  // A private chain, since public networks require more of such an entry.
  const base = policyTemplate('trader', { wallet: WALLET, network: WALLET });
  const file = (...programs: PolicyFile['programs']) =>
    load({ ...base, programs: [...base.programs, ...programs] }).policy;
  const plain = { address: VENUE, label: 'Venue' };
  const diff = (was: PolicyFile['programs'][number], is: PolicyFile['programs'][number]) =>
    diffPolicies(file(was), file(is)).map(({ way, text }) => `${way}: ${text}`);

  it('differ if their reader is enabled, or their code is pinned or unpinned', () => {
    const [exact, effects] = [
      { ...plain, binding: 'exact' } as const,
      unsupportedProgram(VENUE, { label: 'Venue', operations: ['swap', 'launch'], atMost: 2 }),
    ];
    const of = (deployedSlot: number) => ({ ...effects, deployedSlot });
    const name = `Venue (${VENUE})`;
    expect(diff(exact, effects)).toEqual([
      `wider: ${name}: each instruction read → unsupported: 01 in swap and 01 in launch.`,
    ]);
    expect(diff(effects, exact)).toEqual([
      `narrower: ${name}: unsupported: 01 in swap and 01 in launch → each instruction read.`,
    ]);
    expect(diff(effects, of(7))).toEqual([`narrower: ${name}: any deployed code → only the code of slot 7.`]);
    expect(diff(of(7), effects)).toEqual([`wider: ${name}: only the code of slot 7 → any deployed code.`]);
    expect(diff(of(7), of(8))).toEqual([
      `other: ${name}: only the code of slot 7 → only the code of slot 8.`,
    ]);
    expect(diff(of(7), of(7))).toEqual([]);
  });

  it('differ by the listed instructions, operations or number', () => {
    const of = (operations: UnsupportedProgram['operations'], instructions: string[], atMost = 1) =>
      unsupportedProgram(VENUE, { label: 'Venue', operations, instructions, atMost });
    const name = `Venue (${VENUE})`;
    const one = of(['swap'], ['aa']);
    expect(diff(one, of(['swap', 'launch'], ['aa']))).toEqual([
      `wider: ${name}: now called unsupported: aa in launch.`,
    ]);
    expect(diff(one, of(['launch'], ['aa']))).toEqual([
      `narrower: ${name}: no longer called unsupported: aa in swap.`,
      `wider: ${name}: now called unsupported: aa in launch.`,
    ]);
    expect(diff(one, of(['swap'], ['aa'], 3))).toEqual([`wider: ${name}: aa in swap, at most: 1 → 3.`]);
    expect(diff(of(['swap'], ['aa'], 3), one)).toEqual([`narrower: ${name}: aa in swap, at most: 3 → 1.`]);
    expect(diff(one, of(['swap'], []))).toEqual([
      `narrower: ${name}: no longer called unsupported: aa in swap.`,
    ]);
  });

  it('name the code a supported program was written for', () => {
    const exact = { ...plain, binding: 'exact' } as const;
    const name = `Venue (${VENUE})`;
    expect(diff(exact, { ...exact, deployedSlot: 7 })).toEqual([
      `narrower: ${name}: any deployed code → asks if the code is not that of slot 7.`,
    ]);
    expect(diff({ ...exact, deployedSlot: 7 }, exact)).toEqual([
      `wider: ${name}: asks if the code is not that of slot 7 → any deployed code.`,
    ]);
  });

  it('ask the owner about claimers only if something may be signed', () => {
    const page = (effect: 'allow' | 'require_approval' | 'deny') => {
      const { policy } = load({
        ...base,
        programs: [...base.programs, unsupportedProgram(VENUE)],
        rules: [{ id: 'r', operation: 'swap', effect, why: 'x' }],
      });
      const { sections } = explainPolicy(policy);
      const approvalSection = sections.find(({ heading }) => heading.startsWith('What needs your approval'));
      return [
        approvalSection?.statements.length,
        approvalSection?.lead,
        sections.some(({ heading }) => heading === 'How you are asked'),
      ];
    };
    expect(page('allow')).toEqual([1, undefined, true]);
    expect(page('require_approval')).toEqual([2, undefined, true]);
    expect(page('deny')).toEqual([0, undefined, false]);
  });

  it('name the recipient class any as any address', () => {
    expect(classWords('any', file())).toBe('any address');
  });
});
