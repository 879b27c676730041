/** Wording of the reasons for a question despite an allowing rule, and the remaining coverage of an approved run. */

import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { ProgramEntry } from '../../src/policy/file/schema.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { FEE_SHARE_PROGRAM } from '../../src/programs/feeShare/addresses.ts';
import type { Line } from '../../src/statement/types.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../src/transaction/programs.ts';
import { approvalOfStage, approvedView, coverage, withLines } from './approving.ts';
import { keyNamed } from './people.ts';
import { plus, simulationOf } from './recorded/edits.ts';
import {
  decide,
  policyAskingFor,
  policyWith,
  rewritten,
  stage,
  stated,
  VENUE,
  withVenue,
} from './recorded/stages.ts';

const config = stage('plain config');
const swap = stage('swap of SOL');

/** The inputs on a public network: no sandbox, and no local RPC. */
const live = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
});

/** The inputs with a simulated config that differs from the decoded instructions. */
function unconfirmed(inputs: DecisionInputs): DecisionInputs {
  const simulation = simulationOf(inputs);
  const after = simulation.after.map((account) =>
    account.owner === FEE_SHARE_PROGRAM
      ? { ...account, data: Buffer.from(account.data, 'base64').fill(7).toString('base64') }
      : account,
  );
  return { ...inputs, simulation: { ...simulation, after } };
}

describe('an instruction with an inferred layout', () => {
  const only = { effect: 'require_approval', reasonCodes: ['APPROVAL_REQUIRED', 'READING_INFERRED'] };

  it('asks the owner in live mode if the simulated accounts do not confirm it', () => {
    expect(decide(live(unconfirmed(config)))).toMatchObject(only);
    // Control cases: the accounts confirm it, the chain is local, or nothing is inferred.
    expect(decide(live(config)).effect).toBe('allow');
    expect(decide(unconfirmed(config)).effect).toBe('allow');
    expect(decide({ ...live(unconfirmed(config)), localRpc: true }).effect).toBe('allow');
    const named = { name: 'Token', symbol: 'TKN' };
    expect(decide({ ...live(stage('custody token')), named }).reasonCodes).not.toContain('READING_INFERRED');
  });

  it('asks the owner if there is no simulation, except while the stage is not due', () => {
    const none = { status: 'unavailable', reason: 'x' } as const;
    const lax = policyWith((file) => ({ ...file, simulation: { required: false } }));
    for (const purpose of ['sign', 'preview'] as const)
      expect(decide({ ...live(config), purpose, simulation: none }, lax), purpose).toMatchObject(only);
    const waiting: DecisionInputs = { ...live(config), simulation: { status: 'not_yet' } };
    expect(decide({ ...waiting, purpose: 'preview' }).effect).toBe('allow');
    expect(decide({ ...waiting, purpose: 'sign' }).reasonCodes).toEqual([
      'SIMULATION_UNAVAILABLE',
      'APPROVAL_REQUIRED',
    ]);
  });
});

describe('an approval of an inferred layout', () => {
  const policy = policyAskingFor('plain config');

  it('does not cover accounts that contradict it, unless the question stated them', () => {
    const [seen, hidden] = [live(config), live(unconfirmed(config))];
    expect(coverage(approvalOfStage(seen, policy), hidden, policy)).toMatchObject({ line: 'asks' });
    // Control cases: the disclosed state, and accounts that confirm it.
    for (const inputs of [seen, hidden])
      expect(coverage(approvalOfStage(inputs, policy), seen, policy)).toEqual({ covered: true });
    expect(coverage(approvalOfStage(hidden, policy), hidden, policy)).toEqual({ covered: true });
  });
});

describe('an approval of replaced code', () => {
  it('names its programs: another program with replaced code asks again', () => {
    const made = stage('curve config');
    const programs = [FEE_SHARE_PROGRAM, DBC_PROGRAM];
    const policy = policyWith((file) => ({
      programs: [
        ...file.programs.filter(({ address }) => !programs.includes(address)),
        ...programs.map((address): ProgramEntry => ({ address, binding: 'exact', deployedSlot: 1 })),
      ],
    }));
    const approval = approvalOfStage(made, policy);
    expect(coverage(approval, made, policy)).toEqual({ covered: true });
    const without = withLines(approval, (line) =>
      'program' in line && line.program === DBC_PROGRAM ? undefined : line,
    );
    expect(coverage(without, made, policy)).toMatchObject({ covered: false, line: 'asks' });
  });
});

describe('a supported program pinned by slot', () => {
  const SLOT = config.programs?.find(({ address }) => address === FEE_SHARE_PROGRAM)?.deployedSlot ?? -1;
  const held = (deployedSlot: number): LoadedPolicy => {
    const entry: ProgramEntry = { address: FEE_SHARE_PROGRAM, binding: 'exact', deployedSlot };
    return policyWith(({ programs }) => ({
      programs: [...programs.filter(({ address }) => address !== FEE_SHARE_PROGRAM), entry],
    }));
  };
  it('asks the owner about other code, and about code without a visible slot', () => {
    expect(decide(config, held(SLOT)).effect).toBe('allow');
    const codeAsk = (decision: Decision) => {
      const ask = decision.checks.find(({ code }) => code === 'CODE_REPLACED');
      return [decision.effect, ask?.observed, ask?.allowed];
    };
    expect(codeAsk(decide(config, held(SLOT - 1)))).toEqual(['require_approval', `${SLOT}`, `${SLOT - 1}`]);
    const { programs, ...unseen } = config;
    const hidden = ['require_approval', 'unknown', `${SLOT}`];
    expect(codeAsk(decide(unseen, held(SLOT)))).toEqual(hidden);
    const others = (programs ?? []).map((each) => ({
      ...each,
      address: keyNamed('another program').address,
    }));
    expect(codeAsk(decide({ ...config, programs: others }, held(SLOT)))).toEqual(hidden);
    const beside = [...others.map((each) => ({ ...each, deployedSlot: 1 })), ...(programs ?? [])];
    expect(decide({ ...config, programs: beside }, held(SLOT)).effect).toBe('allow');
  });

  it('asks nothing if the stage does not call it', () => {
    expect(decide(swap, held(SLOT - 1)).effect).toBe('allow');
  });
});

describe('the question names', () => {
  it('the unsupported instruction and the promise it breaks', () => {
    const askTextOf = (decision: Decision) =>
      decision.checks.find(({ code }) => code === 'UNSUPPORTED_INSTRUCTION')?.observed;
    const name = 'config with an unsupported program';
    expect(askTextOf(decide(stage(name), policyAskingFor(name)))).toMatch(
      new RegExp(`^the claimers are unknown \\(#4 ${VENUE} 01\\)$`),
    );
    const unsupported = policyWith((file) => ({
      ...withVenue(file),
      rules: file.rules.map((rule) =>
        rule.operation === 'swap' ? { ...rule, unsupported: undefined } : rule,
      ),
    }));
    expect(askTextOf(decide(stage('swap with an unsupported program'), unsupported))).toMatch(
      new RegExp(`\\(#\\d+ ${VENUE} 01\\)$`),
    );
  });

  it('a sold token that no limit names', () => {
    const usdc = stage('swap of USDC');
    const bare = policyWith((file) => ({
      limits: file.limits.filter((limit) => 'asset' in limit && limit.asset === 'SOL'),
    }));
    const sold = decide(usdc).changes.find(({ asset, out }) => asset !== 'SOL' && out !== '0')?.asset;
    const ask = decide(usdc, bare);
    expect(ask.reasonCodes).toEqual(['APPROVAL_REQUIRED', 'LIMIT_MISSING']);
    expect(ask.checks.find(({ code }) => code === 'LIMIT_MISSING')?.observed).toBe(sold);
    expect(decide(swap, bare).effect).toBe('allow');
  });

  it("the receiver of a curve's unsold supply", () => {
    const ask = decide(live(stage('bare curve launch')));
    expect(ask.reasonCodes).toEqual(['APPROVAL_REQUIRED', 'PARTY_UNKNOWN']);
  });

  it('nothing if the unsupported part is refused anyway', () => {
    const called = plus(swap, { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) });
    const fee = decide(swap).recipients.find(({ role }) => role === 'payment')?.address ?? '';
    const refused = decide({
      ...live(called),
      held: true,
      serviceAddresses: [{ label: 'treasury', address: fee }],
    });
    expect(refused).toMatchObject({
      effect: 'deny',
      reasonCodes: expect.arrayContaining(['PROGRAM_NOT_ALLOWED']),
    });
    expect(refused.reasonCodes).not.toContain('APPROVAL_REQUIRED');
    const held = policyWith(({ programs }) => ({
      programs: [...programs, { address: VENUE, binding: 'exact', deployedSlot: 7 }],
    }));
    const unknown = decide(called, held).reasonCodes;
    expect(unknown).toContain('INSTRUCTION_UNKNOWN');
    expect(unknown).not.toContain('APPROVAL_REQUIRED');
  });

  it('no expected outcome of a whole run with an unsupported part, whose transaction is pinned', () => {
    for (const name of ['config with an unsupported program', 'custody launch']) {
      const decision = stated(stage(name), policyAskingFor(name));
      expect(decision.effect, name).toBe('require_approval');
      expect(decision.pin, name).toBeDefined();
      expect(decision, name).not.toHaveProperty('expectedOutcome');
    }
    const read = stated(config, policyAskingFor('plain config'));
    expect(read).toHaveProperty('expectedOutcome');
    expect(read).not.toHaveProperty('pin');
  });
});

describe('an approval of a whole run', () => {
  /** Returns whether the approval of a stage covers it, optionally with changed lines. */
  const covered = (name: string, change: (line: Line) => Line | undefined = (line) => line) =>
    coverage(
      withLines(approvalOfStage(stage(name), policyAskingFor(name)), change),
      stage(name),
      policyAskingFor(name),
    );

  it.each([
    'swap of SOL',
    'swap for SOL',
    'holding claim',
    'direct launch',
    'payment of USDC',
    'plain config',
    'config with an unsupported program',
  ])('covers and allows the displayed stage: %s', (name) => {
    expect(covered(name)).toEqual({ covered: true });
    const view = approvedView(decide(stage(name), policyAskingFor(name)), stage(name));
    expect(decide(stage(name), policyAskingFor(name), view)).toMatchObject({
      effect: 'allow',
      reasonCodes: [],
    });
  });
});

it('compute costs are judged by the fee: their program need not be listed', () => {
  const bare = policyWith(({ programs }) => ({
    programs: programs.filter(({ address }) => address !== COMPUTE_BUDGET_PROGRAM),
  }));
  const budget = (inputs: DecisionInputs) => decide(inputs, bare).checks.map(({ observed }) => observed);
  expect(decide(swap, bare).effect).toBe('allow');
  expect(budget(swap)).not.toContain(COMPUTE_BUDGET_PROGRAM);
  // Another unlisted program is refused.
  const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
  expect(
    decide(
      plus(
        rewritten(swap, (list) => list),
        call,
      ),
      bare,
    ).reasonCodes,
  ).toContain('PROGRAM_NOT_ALLOWED');
});
