/** The remaining budget of a stage after other stages of its plan, earlier revisions included (T69, T76). */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { anchorNames } from '../../src/programs/anchor.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { mint as mintAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { plus, withRequest } from './recorded/edits.ts';
import {
  decide,
  policyFor,
  policyWith,
  rewritten,
  stage,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

type Sibling = DecisionInputs['siblings'][number];
type Status = Sibling['status'];

const unsupported = policyWith(withVenue);
const LEAVES = 'leavesAsAsked';

/** The stage with other bytes, and with the wallet's simulated SOL afterwards. */
function simulatedWith(inputs: DecisionInputs, lamports: bigint): DecisionInputs {
  const { simulation } = inputs;
  if (simulation.status !== 'done') throw new Error(simulation.status);
  const after = simulation.after.map((each) =>
    each.address === WALLET ? { ...each, lamports: `${BigInt(each.lamports) + lamports}` } : each,
  );
  return { ...inputs, simulation: { ...simulation, after } };
}
const onlyUnsupported = (inputs: DecisionInputs): DecisionInputs =>
  rewritten(inputs, (list) => list.filter(({ programAddress }) => programAddress === VENUE));
/** Returns whether the request's spending may leave with this stage. */
const mayLeave = (
  inputs: DecisionInputs,
  siblings: readonly Sibling[],
  more: Partial<DecisionInputs> = {},
): boolean =>
  !decide({ ...inputs, ...more, siblings }, unsupported).checks.some(({ id, ok }) => id === LEAVES && !ok);

/** The fee of the signatures missing since the simulation, in lamports. */
const FEWER = 5_000n;
const [badge] = anchorNames('create_token_badge');
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const curve = plus(stage('bare curve launch'), call);
const token = String(curve.plan.request.tokenMint);
const launch = simulatedWith(onlyUnsupported(curve), FEWER);
const me: Sibling = { stage: launch.stage, status: 'ready' };
const beside = (inputs: DecisionInputs, status: Status, more: Partial<Sibling['stage']> = {}): Sibling => ({
  stage: { ...inputs.stage, id: 'other', ...more },
  status,
});

describe('the first buy of an unsupported launch', () => {
  it('does not leave again after a stage of an earlier revision that may have included it (T76)', () => {
    const earlier = (inputs: DecisionInputs) =>
      mayLeave(launch, [me], { earlierStages: [inputs.stage.transaction] });
    expect(earlier(launch)).toBe(false);
    // Undecodable bytes may have done anything.
    expect(mayLeave(launch, [me], { earlierStages: [new DecodedStage('AAAA')] })).toBe(false);
    // Control cases: no earlier revision, and a supported one that bought nothing.
    expect(mayLeave(launch, [me])).toBe(true);
    expect(mayLeave(launch, [me], { earlierStages: [] })).toBe(true);
    const opened = encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: keyNamed('a friend').address },
      args: { lamports: 1n },
    });
    expect(earlier(rewritten(launch, () => [opened]))).toBe(true);
  });

  it('leaves with the last stage called a launch, whatever else of the plan is unsupported', () => {
    const table = beside(launch, 'waiting', { kind: 'lookup_table_close' });
    expect(mayLeave(launch, [me, table])).toBe(true);
    expect(mayLeave(launch, [me, beside(launch, 'waiting')])).toBe(false);
    // An instruction known only by name is unsupported as well.
    const named = rewritten(launch, () => [
      { programAddress: DBC_PROGRAM, accounts: [], data: badge?.discriminator ?? Uint8Array.of() },
    ]);
    expect(mayLeave(launch, [me, beside(named, 'waiting')])).toBe(false);
    // A supported stage that launches nothing is not the launch.
    const read = rewritten(launch, () => []);
    expect(mayLeave(launch, [me, beside(read, 'waiting')])).toBe(true);
  });

  it('leaves with a stage not called a launch if no other may include it', () => {
    const made: DecisionInputs = { ...launch, stage: { ...launch.stage, kind: 'create_token' } };
    const mine: Sibling = { stage: made.stage, status: 'ready' };
    expect(mayLeave(made, [mine])).toBe(true);
    expect(mayLeave(made, [mine, beside(launch, 'waiting')])).toBe(false);
  });

  it('is reported of the same stage once that is signed and decided again', () => {
    const minted = {
      accounts: [
        ...launch.accounts.filter(({ address }) => address !== token),
        mintAccount(token, { mintAuthority: WALLET }),
      ],
    };
    for (const status of ['signed', 'sent', 'finalized'] as const)
      expect(mayLeave(launch, [{ ...me, status }], minted), status).toBe(true);
    expect(mayLeave(launch, [beside(launch, 'finalized'), me], minted)).toBe(false);
  });
});

describe('the tip of an unsupported config', () => {
  const TIP = 5_000_000n;
  const tipWallet = keyNamed('tipWallet').address;
  const bare = onlyUnsupported(stage('config with an unsupported program'));
  const config = simulatedWith(withRequest(bare, { tipWallet, tipLamports: `${TIP}` }), FEWER - TIP);
  const mine: Sibling = { stage: config.stage, status: 'ready' };

  it('leaves with the first unsupported stage, and not after one of an earlier revision (T76)', () => {
    const first = beside(config, 'waiting');
    expect(mayLeave(config, [first, mine])).toBe(false);
    expect(mayLeave(config, [mine], { earlierStages: [config.stage.transaction] })).toBe(false);
    // Control cases: alone, and after a supported stage that creates no config.
    expect(mayLeave(config, [mine])).toBe(true);
    expect(
      mayLeave(config, [
        beside(
          rewritten(config, () => []),
          'waiting',
        ),
        mine,
      ]),
    ).toBe(true);
  });
});

describe('a fully decoded plan', () => {
  const decisionText = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policyFor('')));

  it('continues after landed stages of an earlier revision as after its own', () => {
    const end = stage('direct launch, end');
    const { dependsOn: _, ...rest } = end.stage;
    const own = { ...rest, dependsOn: [] };
    const alone: DecisionInputs = { ...end, stage: own, siblings: [{ stage: own, status: 'ready' }] };
    const landed = end.siblings.filter(({ stage: { id } }) => id !== own.id);
    expect(landed.map(({ status }) => status)).toEqual(['finalized', 'finalized']);
    expect(decisionText(end)).toMatch(/^allow/);
    expect(decisionText({ ...alone, earlierStages: landed.map((each) => each.stage.transaction) })).toBe(
      decisionText(end),
    );
    expect(decisionText(alone)).toContain('partThere launch (0 times; allowed 1 times)');
  });

  it('changes a split by the stages that have not landed: the chain shows the rest', () => {
    const change = stage('manager update to fewer');
    const since = (status: Status): DecisionInputs => ({
      ...change,
      siblings: [beside(change, status), { stage: change.stage, status: 'ready' }],
    });
    expect(decisionText(change)).toMatch(/^allow/);
    expect(decisionText(since('finalized'))).toBe(decisionText(change));
    expect(decisionText(since('confirmed'))).toBe(decisionText(change));
    expect(decisionText(since('waiting'))).toContain('claimersWritten');
  });

  it('has the same result for a stage that is signed and decided again', () => {
    for (const name of ['manager update to fewer', 'direct launch', 'payment of SOL']) {
      const seen = stage(name);
      const signed = (status: Status): DecisionInputs => ({
        ...seen,
        siblings: seen.siblings.map((each) => (each.stage.id === seen.stage.id ? { ...each, status } : each)),
      });
      const ready = summaryOf(decide(seen, policyFor(name)));
      for (const status of ['signed', 'sent', 'unknown'] as const)
        expect(summaryOf(decide(signed(status), policyFor(name))), `${name}, ${status}`).toBe(ready);
    }
  });

  it("is decoded with a table's contents on chain, whatever the plan adds to it", () => {
    const made = stage('custody token');
    const tables = made.tables.map((each) => ({ ...each, addresses: each.addresses.slice(0, 1) }));
    expect(made.tables).toHaveLength(1);
    expect(decisionText(made)).toMatch(/^allow/);
    expect(decisionText({ ...made, tables })).toContain('stagesReadable (1 cannot)');
  });
});
