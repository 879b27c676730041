/** Limits on amounts and counts. */
import { describe, expect, it } from 'vitest';
import type { PolicyFile } from '../../src/policy/schema.ts';
import { decide, expectDenied, facts, under } from './deciding.ts';
import { NOTHING_USED, somebody } from './people.ts';

describe('limits', () => {
  const out = () => BigInt(decide().changes[0]?.out ?? '0');
  const limits = (list: PolicyFile['limits']) => (file: PolicyFile) => ({ ...file, limits: list });
  const sol = (window: 'transaction' | { rolling: string }, max: bigint): PolicyFile['limits'][number] => ({
    id: 'sol',
    asset: 'SOL',
    window,
    max: `${max}`,
  });

  it('an asset that leaves without a limit that names it is denied', () => {
    expectDenied(under(limits([])), 'LIMIT_EXCEEDED', 'policy');
    expectDenied(
      under(limits([{ ...sol('transaction', out()), asset: somebody('mint').address }])),
      'LIMIT_EXCEEDED',
    );
  });

  it('for one transaction are exact to the lamport', () => {
    expect(under(limits([sol('transaction', out())])).effect).toBe('allow');
    expectDenied(under(limits([sol('transaction', out() - 1n)])), 'LIMIT_EXCEEDED', 'policy');
  });

  it('over a window count what the ledger says is used', () => {
    const window = limits([sol({ rolling: '24h' }, out() + 10n)]);
    expect(under(window, { used: { sol: '10' } }).limits).toEqual([
      { limitId: 'sol', amount: `${out()}`, max: `${out() + 10n}`, usedBefore: '10' },
    ]);
    expectDenied(under(window, { used: { sol: '11' } }), 'LIMIT_EXCEEDED');
  });

  it('on operations count a plan once, with its first stage', () => {
    const count = limits([
      sol('transaction', 10n ** 12n),
      { id: 'configs', count: 'config', window: { calendar: 'day', timeZone: 'UTC' }, max: 2 },
    ]);
    expect(under(count, { used: { configs: '1' } }).effect).toBe('allow');
    expectDenied(under(count, { used: { configs: '2' } }), 'LIMIT_EXCEEDED');
    const later = [
      { stage: { ...facts.stage, id: 'config-0' }, status: 'finalized' as const },
      { stage: facts.stage, status: 'ready' as const },
    ];
    expect(under(count, { used: { configs: '2' } }, { siblings: later }).effect).toBe('allow');
    const pace = limits([
      sol('transaction', 10n ** 12n),
      { id: 'pace', count: 'any', window: { rolling: '1m' }, max: 1 },
    ]);
    expectDenied(under(pace, { used: { pace: '1' } }), 'RATE_LIMITED', 'policy');
  });

  it('above an amount ask for a second RPC (T55)', () => {
    const asks = (file: PolicyFile): PolicyFile => ({
      ...file,
      simulation: { required: true, secondRpcAbove: `${out() - 1n}` },
    });
    expectDenied(under(asks), 'SIMULATION_UNAVAILABLE', 'availability');
    expectDenied(under(asks, NOTHING_USED, { secondRpc: { agrees: false } }), 'SIMULATION_UNAVAILABLE');
    expect(under(asks, NOTHING_USED, { secondRpc: { agrees: true } }).effect).toBe('allow');
  });
});
