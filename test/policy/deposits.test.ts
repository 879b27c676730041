/** Lamports in accounts of others: a bounded deposit that never replaces a required receipt (T15, T66). */
import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { account, missing } from './accountFacts.ts';
import { expectDenied } from './deciding.ts';
import { keyNamed } from './people.ts';
import { plus, quoted } from './recorded/edits.ts';
import { decide, policyWith, stage, VENUE, WALLET, withoutTrade, withVenue } from './recorded/stages.ts';

const unsupported = policyWith(withVenue);
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const place = keyNamed('an account of the attacker').address;
/** Bytes and lamports of a small per-trader account of a program. */
const SMALL = 165;
const rent = (bytes: number) => 6_960n * BigInt(128 + bytes);

/** The sale with this promised by the quote and paid by the pool on top of the recorded amount. */
const promised = 157_000_000n;
const sale = plus(quoted(paid(stage('swap for SOL'), promised), { minOutAmount: `${promised}` }), call);
/** The sale with its transfers inside the program. */
const hiddenSale = withoutTrade(sale);
const hiddenBuy = withoutTrade(stage('swap with an unsupported program'));

const holds = (bytes: number, lamports: bigint, owner = VENUE): AccountFact =>
  account(place, { owner, lamports: `${lamports}`, data: Buffer.alloc(bytes).toString('base64') });

/** The stage with this many lamports more for the wallet. */
function paid(inputs: DecisionInputs, lamports: bigint): DecisionInputs {
  const { simulation } = inputs;
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const after = simulation.after.map((each) =>
    each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) + lamports}` } : each,
  );
  return { ...inputs, simulation: { ...simulation, after } };
}

/** The stage with this many of the wallet's lamports in an account of the attacker. */
function lost(
  inputs: DecisionInputs,
  lamports: bigint,
  [was, is]: readonly [AccountFact, AccountFact],
): DecisionInputs {
  const { simulation } = paid(inputs, -lamports);
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const { before, after } = simulation;
  return { ...inputs, simulation: { ...simulation, before: [...before, was], after: [...after, is] } };
}
const made = (bytes: number, owner = VENUE) => [missing(place), holds(bytes, rent(bytes), owner)] as const;
const grown = (bytes: number) => [holds(10, rent(10)), holds(bytes, rent(bytes))] as const;

describe('a sale beside an unsupported program', () => {
  it('with the promised proceeds is allowed', () => {
    expect(decide(hiddenSale, unsupported).effect).toBe('allow');
  });

  it('pays out its promise whatever accounts its money creates', () => {
    const bytes = Number(promised / 6_960n) - 128;
    for (const pair of [made(bytes), grown(bytes)]) {
      const gone = BigInt(pair[1].lamports) - BigInt(pair[0].lamports);
      const bad = decide(lost(hiddenSale, gone, pair), unsupported);
      expectDenied(bad, 'UNDECLARED_LOSS', 'security');
      expect(bad.checks).toContainEqual(expect.objectContaining({ id: 'promisedArrives', ok: false }));
    }
  });

  it('pays out the exact promise: no small account offsets it', () => {
    const { simulation } = hiddenSale;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const [check] = decide(hiddenSale, unsupported).checks.filter(({ id }) => id === 'promisedArrives');
    const lamports = (text = '') => BigInt(Math.round(Number(/^([\d.]+) SOL$/.exec(text)?.[1]) * 1e9));
    const above = lamports(check?.observed) - lamports(check?.allowed);
    expect(above).toBeGreaterThan(0n);
    const empty = made(SMALL);
    expect(decide(lost(hiddenSale, above, empty), unsupported).checks).toContainEqual(
      expect.objectContaining({ id: 'promisedArrives', ok: true }),
    );
    expectDenied(decide(lost(hiddenSale, above + 1n, empty), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a buy beside an unsupported program', () => {
  it('costs the requested amount and one small account, whatever accounts are created or grown', () => {
    expect(decide(lost(hiddenBuy, rent(SMALL), made(SMALL)), unsupported).effect).toBe('allow');
    for (const bytes of [1_000, 31_000]) {
      expectDenied(
        decide(lost(hiddenBuy, rent(bytes), made(bytes)), unsupported),
        'UNDECLARED_LOSS',
        'security',
      );
    }
    const growth = rent(SMALL) - rent(10);
    expectDenied(decide(lost(hiddenBuy, growth, grown(SMALL)), unsupported), 'UNDECLARED_LOSS');
    expectDenied(decide(lost(hiddenBuy, rent(0), made(0, SYSTEM_PROGRAM)), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a claim beside an unsupported program', () => {
  const claims = ['position claim', 'holding claim', 'deployer claim', 'vault claim'] as const;

  it.each(claims)('pays for no account of others (%s)', (name) => {
    const claim = plus(stage(name), call);
    expect(decide(claim, unsupported).effect).toBe('allow');
    // Supported instructions do not state the claim's amount, so only a loss is refused.
    expectDenied(decide(lost(claim, rent(31_000), made(31_000)), unsupported), 'UNDECLARED_LOSS');
  });
});

describe('a config and a launch beside an unsupported program', () => {
  const config = stage('config with an unsupported program');
  const launch = plus(stage('bare curve launch'), call);

  it.each([
    ['config', config, 1_000],
    ['launch', launch, SMALL],
  ] as const)('%s deposits no more than its new accounts need', (_, inputs, bytes) => {
    expect(decide(lost(inputs, rent(bytes), made(bytes)), unsupported).effect).toBe('require_approval');
    for (const [gone, pair] of [
      [rent(31_000), made(31_000)],
      [rent(1_000) - rent(10), grown(1_000)],
    ] as const) {
      const bad = decide(lost(inputs, gone, pair), unsupported);
      // The fault comes first: no approval would help.
      expectDenied(bad, 'UNDECLARED_LOSS', 'security');
    }
  });
});
