/** A program allowed by its effects: acts allowed beside it, and the required simulation. */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import type { SimulationFact } from '../../src/rpc/types.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { approvedView } from './approving.ts';
import { expectDenied } from './deciding.ts';
import { keyNamed } from './people.ts';
import {
  decide,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withoutTrade,
  withVenue,
} from './recorded/stages.ts';

const swap = stage('swap with an unsupported program');
const config = stage('config with an unsupported program');
const unsupported = policyWith(withVenue);
const RENT_EXEMPT_EMPTY = 890_880n;

type Done = Extract<SimulationFact, { status: 'done' }>;

/** The swap with its payment and proceeds inside the program. */
const onlyCall = withoutTrade(swap);

/** The stage with another simulation. */
function simulated(inputs: DecisionInputs, change: (simulation: Done) => Partial<Done>): DecisionInputs {
  const { simulation } = inputs;
  if (simulation.status !== 'done') throw new Error(simulation.status);
  return { ...inputs, simulation: { ...simulation, ...change(simulation) } };
}

/** The same, but this many lamports of the wallet left, and a new account of another wallet holds this many. */
const opened = (gone: bigint, held: bigint, data = '') =>
  simulated(swap, ({ before, after }) => {
    const fresh = { address: keyNamed('fresh').address, owner: SYSTEM_PROGRAM, executable: false };
    const poorer = after.map((account) =>
      account.address === WALLET ? { ...account, lamports: `${BigInt(account.lamports) - gone}` } : account,
    );
    return {
      before: [...before, { ...fresh, data: '', exists: false, lamports: '0' }],
      after: [...poorer, { ...fresh, data, exists: true, lamports: `${held}` }],
    };
  });

describe('a program allowed by its effects', () => {
  it('may be used in a swap; the decision states that simulated effects are matched', () => {
    const decision = decide(swap, unsupported);
    expect(decision).toMatchObject({ effect: 'allow', binding: 'effects' });
    expect(decision.checks).toContainEqual({
      id: 'allowedByEffects',
      ok: true,
      observed: expect.stringContaining(VENUE),
    });
    expect(decide(swap).reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
  });

  it('replaces the parts that the transaction need not contain, and no more', () => {
    expect(decide(onlyCall, unsupported).effect).toBe('allow');
    expectDenied(
      decide(
        rewritten(swap, () => []),
        unsupported,
      ),
      'REQUEST_MISMATCH',
    );
  });

  it('counts the simulated amounts against limits if they exceed those of the transaction', () => {
    const [bytes, effects] = [decide(swap, unsupported), decide(onlyCall, unsupported)].map(({ changes }) =>
      BigInt(changes.find(({ asset }) => asset === 'SOL')?.out ?? '0'),
    );
    expect(effects).toBe(100_005_400n);
    expect(bytes).toBeGreaterThan(100_000_000n);
    // The bytes count rent that was not due, so they exceed the simulation.
    expect(bytes).toBeGreaterThan(effects ?? 0n);
    const limited = policyWith((file) => ({
      ...withVenue(file),
      limits: [{ id: 'sol', asset: 'SOL', window: 'transaction', max: '100005399' }],
    }));
    expectDenied(decide(onlyCall, limited), 'LIMIT_EXCEEDED');
  });

  it('may open an account for its rent and pays no other wallet that way (T14, T16)', () => {
    // An account without data is a wallet: lamports there are a payment.
    expectDenied(decide(opened(RENT_EXEMPT_EMPTY, RENT_EXEMPT_EMPTY), unsupported), 'UNDECLARED_LOSS');
    expectDenied(decide(opened(5_000_000_000n, 5_000_000_000n), unsupported), 'UNDECLARED_LOSS', 'security');
    expectDenied(decide(opened(5_000_000_000n, RENT_EXEMPT_EMPTY), unsupported), 'UNDECLARED_LOSS');
    const withData = Buffer.alloc(100).toString('base64');
    const rent = 6_960n * 228n;
    expect(decide(opened(rent, rent, withData), unsupported).effect).toBe('allow');
    expectDenied(decide(opened(rent + 10_000n, rent + 10_000n, withData), unsupported), 'UNDECLARED_LOSS');
  });

  it('asks the owner in a config, an update or a launch, since its transaction does not show the claimers', () => {
    const decision = decide(config, unsupported);
    expect(decision).toMatchObject({
      effect: 'require_approval',
      binding: 'effects',
      reasonCodes: ['APPROVAL_REQUIRED', 'UNSUPPORTED_INSTRUCTION'],
    });
    expect(explain(decision)).toContain('the claimers are unknown');
    const approved = decide(config, unsupported, approvedView(decision, config));
    expect(approved.effect).toBe('allow');
    expect(explain(approved)).toContain('owner approved');
    expect(approved.checks).toContainEqual({ id: 'approved', ok: true, observed: 'approval-1' });
  });

  it('does not excuse supported instructions that do not belong', () => {
    const bad = rewritten(config, (list) => [
      ...list,
      {
        programAddress: TOKEN_PROGRAM,
        accounts: [{ address: WALLET, signer: true, writable: true }],
        data: Uint8Array.of(99),
      },
    ]);
    expectDenied(decide(bad, unsupported), 'INSTRUCTION_UNKNOWN');
  });
});
