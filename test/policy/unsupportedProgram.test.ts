/**
 * Programs allowed by their effects: allowed acts, required simulation, accepted code, disabled readers, and the
 * questions about a called program (T6, T19, T34, T75).
 */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import type { ProgramEntry, UnsupportedProgram } from '../../src/policy/file/schema.ts';
import { explain, remedyOf } from '../../src/presentation/decisions/explain.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import { comparePrograms } from '../../src/review/diffPrograms.ts';
import { explainPolicy } from '../../src/review/explainPolicy.ts';
import { serviceProgram } from '../../src/review/templates/servicePrograms.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import type { SimulationFact } from '../../src/rpc/types.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { approvedView } from './approving.ts';
import { expectDenied } from './deciding.ts';
import { keyNamed, load, unsupportedProgram } from './people.ts';
import { plus, simulationOf, withAccounts } from './recorded/edits.ts';
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
import { summaryOf } from './recorded/sweep.ts';

const swap = stage('swap with an unsupported program');
const config = stage('config with an unsupported program');
const unsupported = policyWith(withVenue);
const RENT_EXEMPT_EMPTY = 890_880n;

type Done = Extract<SimulationFact, { status: 'done' }>;

/** The swap with its payment and proceeds inside the program. */
const onlyCall = withoutTrade(swap);

/** The stage with another simulation. */
function simulated(inputs: DecisionInputs, change: (simulation: Done) => Partial<Done>): DecisionInputs {
  const simulation = simulationOf(inputs);
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

const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };

const decisionText = (inputs: DecisionInputs, policy = unsupported): string =>
  summaryOf(decide(inputs, policy));

describe('the code of an unsupported program', () => {
  const swap = stage('swap with an unsupported program');
  const held = policyWith((file) => ({
    programs: [...file.programs, unsupportedProgram(VENUE, { label: 'venue', deployedSlot: 7 })],
  }));
  const seen = (more: { deployedSlot?: number; upgradeAuthority?: string }): DecisionInputs => ({
    ...swap,
    programs: [{ address: VENUE, ...more }],
  });

  it('is the accepted one, or is not used', () => {
    expect(decisionText(seen({ deployedSlot: 7 }), held)).toMatch(/^allow/);
    const other = decide(seen({ deployedSlot: 8 }), held);
    expect(other.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    expect(explain(other)).toBe(
      `The code of an unsupported program is not the accepted code (${VENUE}: slot 8; allowed: slot 7).`,
    );
    expect(remedyOf(other)).toBe(
      'A person who has looked at the new code can change its deployedSlot in the policy file.',
    );
    expect(explain(decide(seen({}), held))).toContain('unknown slot');
    expect(explain(decide(swap, held))).toContain('unknown slot');
    const several = {
      ...swap,
      programs: [
        { address: WALLET, deployedSlot: 9 },
        { address: VENUE, deployedSlot: 7 },
      ],
    };
    expect(decisionText(several, held)).toMatch(/^allow/);
    const unlisted = decide(swap);
    expect(remedyOf(unlisted)).toBe(
      'A person who trusts the program can add it to "programs" in the policy file.',
    );
  });

  it('may be upgradeable if no slot pins it, and the record names the authority', () => {
    const name = 'replaceable';
    const noted = (inputs: DecisionInputs) =>
      decide(inputs, unsupported).checks.find((each) => each.id === name);
    expect(noted(seen({ deployedSlot: 9, upgradeAuthority: WALLET }))).toEqual({
      id: name,
      ok: true,
      observed: `${VENUE}: slot 9`,
    });
    expect(noted(seen({ deployedSlot: 9 }))).toBeUndefined();
    expect(noted(swap)).toBeUndefined();
  });
});

describe('a program with its reader disabled', () => {
  const config = stage('plain config');
  const listed = (more: { reader?: 'off' }) =>
    policyWith((file) => ({
      programs: [
        ...file.programs.filter(({ address }) => address !== FEE_SHARE_PROGRAM),
        ...serviceProgram('fee share', FEE_SHARE_PROGRAM, undefined).map((entry) => ({
          ...entry,
          binding: 'effects' as const,
          ...more,
        })),
      ],
    }));

  it('is unsupported: the owner is asked, and its effects are matched', () => {
    const off = decide(config, listed({ reader: 'off' }));
    expect(off).toMatchObject({ effect: 'require_approval', binding: 'effects' });
    expect(explain(off)).toContain('the claimers are unknown');
    // Control case: the same entries with supported instructions.
    expect(decide(config, listed({}))).toMatchObject({ effect: 'allow', binding: 'exact' });
    // The reader of another program is unaffected.
    const other = policyWith((file) => ({
      programs: [...file.programs, unsupportedProgram(VENUE, { reader: 'off' })],
    }));
    expect(decide(config, other)).toMatchObject({ effect: 'allow', binding: 'exact' });
  });
});

it('an instruction listed for another operation is reported as such, by any of its names', () => {
  const elsewhere = policyWith((file) => ({
    programs: [
      ...file.programs,
      unsupportedProgram(VENUE, { operations: ['launch'], instructions: ['02', '01'] }),
    ],
  }));
  expect(decide(stage('swap with an unsupported program'), elsewhere).checks).toContainEqual(
    expect.objectContaining({ id: 'unsupportedBelongs', ok: false, code: 'UNEXPECTED_INSTRUCTION' }),
  );
});

it('an instruction without data is named by its position and program only', () => {
  const swap = stage('swap with an unsupported program');
  const bare = plus(swap, { ...call, data: new Uint8Array() });
  const found = decide(bare, unsupported).checks.find(({ code }) => code === 'INSTRUCTION_UNKNOWN');
  expect(found?.observed).toMatch(new RegExp(`^#\\d+ ${VENUE}$`));
});

it('an instruction that can neither be decoded nor judged is named by its position and program', () => {
  const known = policyWith((file) => ({
    programs: [...file.programs, { address: VENUE, binding: 'exact' }],
  }));
  // Only unsupported instructions remain, so that the transaction shows no payment.
  const swap = rewritten(stage('swap with an unsupported program'), (list) =>
    list.filter(({ programAddress }) => programAddress === VENUE),
  );
  const { checks } = decide(swap, known);
  const at = checks.find(({ id }) => id === 'instructionBelongs')?.observed;
  expect(at).toMatch(new RegExp(`^#\\d+ ${VENUE} 01$`));
  expect(checks).toContainEqual({
    id: 'instructionReadable',
    ok: false,
    code: 'INSTRUCTION_UNKNOWN',
    observed: at,
  });
});

const failed = ({ checks }: Decision) => checks.filter(({ ok }) => !ok);

describe('a program missing from the policy', () => {
  it('is refused as that by its address, not as one to be listed', () => {
    const other = keyNamed('another program').address;
    const decision = decide(plus(swap, { ...call, programAddress: other }), unsupported);
    expect(failed(decision).map(({ code }) => code)).toEqual([
      'PROGRAM_NOT_ALLOWED',
      'UNEXPECTED_INSTRUCTION',
    ]);
    expect(explain(decision)).toBe(`The transaction calls a program the policy does not allow (${other}).`);
  });

  it('is refused if a supported instruction would call it instead of the named one', () => {
    const other = keyNamed('another program').address;
    const token = withAccounts(stage('payment of USDC, new account'), 'associatedToken.createIdempotent', {
      tokenProgram: other,
    });
    const found = failed(decide(token)).filter(({ code }) => code === 'PROGRAM_NOT_ALLOWED');
    expect(found.map(({ observed }) => observed?.replace(/^#\d+ /, ''))).toEqual([other]);
    expect(found[0]?.observed).toMatch(/^#\d+ /);
  });
});

describe('a listed program without a reader', () => {
  it('is refused once it is called more often than its entry allows, with both numbers', () => {
    const twice = policyWith((file) => ({
      programs: [...file.programs, unsupportedProgram(VENUE, { atMost: 2 })],
    }));
    expect(decide(plus(swap, call), twice).effect).toBe('allow');
    expect(explain(decide(plus(swap, call, call), twice))).toBe(
      `The transaction contains more unsupported instructions of a program than the policy allows (3 of ${VENUE}; allowed: 2).`,
    );
  });

  it('is refused with an instruction its entry does not name, and the message explains how to add it', () => {
    const decision = decide(plus(swap, { ...call, data: Uint8Array.of(7, 8) }), unsupported);
    expect(decision.reasonCodes[0]).toBe('INSTRUCTION_UNKNOWN');
    expect(explain(decision)).toMatch(
      new RegExp(
        `^The transaction contains an unsupported instruction that the policy does not list \\(#\\d+ ${VENUE} 0708\\)\\.$`,
      ),
    );
    expect(remedyOf(decision)).toContain('can name it in "instructions" of the program');
  });

  it('must be pinned to its code in live mode, although its code is not visible either', () => {
    const { programs: _, ...unseen } = swap;
    const live: DecisionInputs = { ...unseen, mode: 'live', plan: { ...swap.plan, mode: 'live' } };
    const decision = decide(live, unsupported);
    expect(decision.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    expect(explain(decision)).toBe(
      `The code of an unsupported program is not the accepted code (${VENUE}: unknown slot; allowed: a deployedSlot in the policy).`,
    );
    // Control case: the same on a local chain.
    expect(decide(unseen, unsupported).effect).toBe('allow');
  });
});

it('a reader is disabled for the whole program, and explain and diff say so', () => {
  const base = policyTemplate('sandbox', { wallet: WALLET, network: WALLET });
  const [first, second] = serviceProgram('fee share', FEE_SHARE_PROGRAM, 7).map(
    (entry): ProgramEntry => ({ ...entry, binding: 'effects', reader: 'off' }),
  );
  if (first === undefined || second === undefined) throw new Error('one entry for several operations');
  const { reader: _, ...on } = first as UnsupportedProgram;
  const mixed = parsePolicy(JSON.stringify({ ...base, programs: [...base.programs, on, second] }));
  expect(JSON.stringify(mixed)).toContain('This program has another');

  const file = (entry: ProgramEntry) => load({ ...base, programs: [...base.programs, entry] }).policy;
  const changes = comparePrograms(file(on), file(first)).map(({ way, text }) => `${way}: ${text}`);
  expect(changes).toEqual([
    `wider: fee share (${FEE_SHARE_PROGRAM}): its reader is switched off, and its instructions count as unsupported.`,
  ]);
  expect(comparePrograms(file(first), file(on)).map(({ way }) => way)).toEqual(['narrower']);
  expect(JSON.stringify(explainPolicy(file(first)))).toContain('its reader is disabled');
  expect(
    JSON.stringify(explainPolicy(file({ address: FEE_SHARE_PROGRAM, binding: 'exact', deployedSlot: 7 }))),
  ).toContain('if its code is not that of slot 7, you are asked');
});
