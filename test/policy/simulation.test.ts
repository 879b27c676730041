/** A simulation can only deny. */

import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/base/format.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain, explained, remedyOf } from '../../src/presentation/decisions/explain.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { decide, expectDenied, inputs, under } from './deciding.ts';
import { NOTHING_USED } from './people.ts';
import { WALLET } from './recorded/stages.ts';

describe('the simulation', () => {
  const done = () => {
    if (inputs.simulation.status !== 'done') throw new Error('not simulated');
    return inputs.simulation;
  };
  const afterwards = (change: (account: AccountFact) => AccountFact) => {
    const { simulation } = inputs;
    if (simulation.status !== 'done') throw new Error('not simulated');
    return decide({ simulation: { ...simulation, after: simulation.after.map(change) } });
  };
  const wallet = (change: Partial<AccountFact>) => (account: AccountFact) =>
    account.address === WALLET ? { ...account, ...change } : account;

  it('must be present and successful', () => {
    expectDenied(decide({ simulation: { status: 'not_yet' } }), 'SIMULATION_UNAVAILABLE', 'availability');
    expectDenied(decide({ simulation: { status: 'unavailable', reason: 'x' } }), 'SIMULATION_UNAVAILABLE');
    const failed = { ...done(), error: 'AccountNotFound', after: [] };
    expectDenied(decide({ simulation: failed }), 'SIMULATION_FAILED', 'availability');
    const optional = (file: PolicyFile) => ({ ...file, simulation: { required: false } });
    expect(
      under(optional, NOTHING_USED, { simulation: { status: 'unavailable', reason: 'x' } }),
    ).toMatchObject({
      effect: 'allow',
      staticOnly: true,
    });
  });

  it('names the wallet and the missing SOL if that caused the failure, and nothing otherwise', () => {
    const { out = '0' } = decide({}).changes.find(({ asset }) => asset === 'SOL') ?? {};
    expect(BigInt(out)).toBeGreaterThan(0n);
    const failing = (lamports?: string) =>
      decide({
        simulation: { ...done(), error: 'Custom(1)', after: [] },
        accounts: inputs.accounts.flatMap((each) => {
          if (each.address !== WALLET) return [each];
          return lamports === undefined ? [] : [{ ...each, lamports }];
        }),
      });
    const plain = 'The transaction would fail on the chain as it is now.';
    const lacking = (has: string) =>
      `The transaction would fail on the chain as it is now: the wallet ${WALLET} has ${has} SOL, and this takes up to ${decimal(BigInt(out), 9)} SOL.`;
    for (const enough of [out, `${BigInt(out) + 1n}`]) {
      expect(failing(enough)).toMatchObject({
        effect: 'deny',
        reasonCodes: ['SIMULATION_FAILED'],
      });
      expect(explained(failing(enough))).toEqual({ explain: plain });
    }
    const short = failing(`${BigInt(out) - 1n}`);
    expect(explain(short)).toBe(lacking(decimal(BigInt(out) - 1n, 9)));
    expect(remedyOf(short)).toBe('A person can send the missing SOL to the wallet.');
    // A wallet missing on the chain has no balance.
    expect(explain(failing())).toBe(lacking('0'));
  });

  it('is reported as successful if it was', () => {
    expect(decide({}).checks).toContainEqual({ id: 'simulationSucceeds', ok: true });
  });

  it('must cover every account that can change: an empty snapshot proves nothing', () => {
    const nothing = { ...done(), before: [], after: [] };
    expectDenied(decide({ simulation: nothing }), 'SIMULATION_UNAVAILABLE');
    const half = { ...done(), before: done().before.slice(1), after: done().after.slice(1) };
    expectDenied(decide({ simulation: half }), 'SIMULATION_UNAVAILABLE');
    const shuffled = { ...done(), after: done().after.toReversed() };
    expectDenied(decide({ simulation: shuffled }), 'SIMULATION_UNAVAILABLE');
  });

  it('detects a loss that the transaction does not explain (T16)', () => {
    const lamports = done().after.find(({ address }) => address === WALLET)?.lamports ?? '0';
    const decision = afterwards(wallet({ lamports: `${BigInt(lamports) - 1n}` }));
    expectDenied(decision, 'UNDECLARED_LOSS', 'security');
    expect(afterwards(wallet({ lamports: `${BigInt(lamports) + 1n}` })).effect).toBe('allow');
  });

  it('detects a wallet reassigned to another program without moved lamports (T1)', () => {
    const decision = afterwards(wallet({ owner: TOKEN_PROGRAM }));
    expectDenied(decision, 'AUTHORITY_CHANGE', 'security');
    expect(decision.checks.find(({ ok, code }) => !ok && code === 'AUTHORITY_CHANGE')?.observed).toContain(
      WALLET,
    );
    expectDenied(afterwards(wallet({ data: 'AAAA' })), 'AUTHORITY_CHANGE');
  });
});
