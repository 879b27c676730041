/** Fee share configs and changed splits in the real program's encoding: faults spread over stages, and honest ones in other arrangements. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DBC_PROGRAM, FEE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { inSol, managerUpdateFeeConfig } from '../../sandbox/programs/feeShare.ts';
import type { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { CONFIG_TYPES } from '../../src/contract/configTypes.ts';
import { claimer, curveConfig, LARGE, replacedAt } from './oneThingWrong.ts';
import { ALLOWED, attacker, type Change, edited, RealWorld, type Subject, short } from './realOperations.ts';

let real: RealWorld;
let config: Subject;
let many: Subject;
/** A token with a finished config that the wallet manages. */
let other: string;
beforeAll(async () => {
  real = await RealWorld.start('configs attacked');
  const { world } = real;
  const [first, third] = [await world.token(), await world.token()];
  other = (await world.landedConfig()).mint;
  config = curveConfig(real, first.mint);
  many = { endpoint: 'feeShareConfig', fields: world.configRequest(third.mint, Array(100).fill(100), LARGE) };
});
afterAll(() => real.close());

test.each(Object.values(CONFIG_TYPES).map((type) => [type.label, type] as const))(
  'curve terms must match the requested launch configuration: %s',
  async (_, { id, feeBpsBefore }) => {
    const { mint } = await real.world.token();
    const curveSubject = curveConfig(real, mint);
    const fields = { ...curveSubject.fields, serviceConfigType: id };
    const plan = await real.plan({ ...curveSubject, fields });
    const stage = plan.stages[0]?.id ?? '';
    expect(short(await real.world.decide(plan, stage))).toBe(ALLOWED);
    // The same bytes for a requested type with another fee or supply.
    const others = Object.values(CONFIG_TYPES).filter(
      (each) => each.feeBpsBefore !== feeBpsBefore || each.supply !== undefined,
    );
    for (const other of others) {
      if (other.id === id) continue;
      const request = { ...plan.request, fields: { ...fields, serviceConfigType: other.id } };
      expect(short(await real.world.decide({ ...plan, request }, stage))).toMatch(
        /^deny;.*REQUEST_MISMATCH matchesRequest (curveFee|tokenSupply)/,
      );
    }
  },
);

test('a stage of a long config is refused if a chunk of claimers is repeated, omitted or replaced', async () => {
  const strangers: Change = (draft, stage) =>
    stage === 'config-3' ? edited(FEE_SHARE_PROGRAM, 0, replacedLast(attacker.address))(draft, stage) : draft;
  const reasons: string[] = [];
  const honest = await real.plan(many);
  reasons.push(short(await real.world.decide(honest, 'config-1')));
  expect(reasons).toEqual([ALLOWED]);
  // Every stage but one is correct; the first is already refused.
  for (const change of [strangers, repeats('config-2'), omits('config-2')]) {
    const plan = await real.world.plan(many.endpoint, many.fields, change);
    expect(short(await real.world.decide(plan, 'config-1'))).toMatch(
      /^deny;.*REQUEST_MISMATCH claimersWritten/,
    );
  }
  // A sibling is replaced after the first stage landed.
  await real.world.land(honest, 'config-1');
  const rest = await real.world.plan(many.endpoint, many.fields, strangers);
  expect(short(await real.world.decide(rest, 'config-2'))).toMatch(
    /^deny;.*REQUEST_MISMATCH claimersWritten/,
  );
  const again = await real.world.plan(many.endpoint, many.fields);
  expect(short(await real.world.decide(again, 'config-2'))).toBe(ALLOWED);
});

const replacedLast =
  (address: string): Parameters<typeof edited>[2] =>
  (each) => ({ ...each, accounts: replacedAt(each.accounts, each.accounts.length - 1, address) });

/** Writes the claimers of a stage twice. */
const repeats =
  (id: string): Change =>
  (draft, stage) => {
    if (stage !== id) return draft;
    const [first] = draft.instructions;
    const some = draft.instructions.slice(0, 1).map((each) => shorter(each, 2));
    return first === undefined ? draft : { ...draft, instructions: [...some, ...some] };
  };
/** Writes only the first claimers of a stage. */
const omits =
  (id: string): Change =>
  (draft, stage) =>
    stage === id ? { ...draft, instructions: draft.instructions.map((each) => shorter(each, 3)) } : draft;

/** The same list shortened to its first claimers. */
function shorter(each: Instruction, count: number): Instruction {
  const total = each.data[8] ?? 0;
  const last = each.data.at(-1) ?? 0;
  const data = Uint8Array.from([...each.data.slice(0, 12 + 2 * count), last]);
  data[8] = count;
  return { ...each, data, accounts: each.accounts.slice(0, each.accounts.length - total + count) };
}

test('honest configs in other arrangements stay allowed: curve terms first, another budget', async () => {
  const reversed: Change = (draft) => ({ ...draft, instructions: draft.instructions.toReversed() });
  const dearer: Change = (draft) => ({ ...draft, budget: { ...draft.budget, computeUnits: 900_000 } });
  const curveFirst: Change = (draft) => ({
    ...draft,
    instructions: draft.instructions.toSorted(
      (a, b) => Number(b.programAddress === DBC_PROGRAM) - Number(a.programAddress === DBC_PROGRAM),
    ),
  });
  for (const change of [dearer, curveFirst]) {
    const plan = await real.plan(config, change);
    expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
  }
  // The stages cannot run in this order, and that is the only finding.
  const plan = await real.plan(config, reversed);
  expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toMatch(
    /^deny; exact; SIMULATION_FAILED [^;]*$/,
  );
});

type Instruction = ReturnType<typeof systemTransfer>;

const splitRequest = (baseMint: string, shares: readonly number[]) => ({
  baseMint,
  claimersArray: shares.map((_, i) => (i === 0 ? real.wallet : claimer(i))),
  basisPointsArray: shares,
});

/** Gives everything to a stranger. */
const stolen = () =>
  managerUpdateFeeConfig(
    { payer: real.wallet, manager: real.wallet },
    inSol(other),
    [{ address: attacker.address, bps: 10_000 }],
    { from: 0, to: 1, last: true },
  );

test('a split is refused if the requested change follows one that gives everything away', async () => {
  const split = {
    endpoint: 'updateFeeShareConfig',
    fields: { ...splitRequest(other, [6000, 4000]), ...LARGE, payer: real.wallet },
  } as const;
  // A stranger has all shares until the second change, which may never land.
  const change: Change = (draft) => ({ ...draft, instructions: [stolen(), ...draft.instructions] });
  await real.refuses(split, change, /REQUEST_MISMATCH matchesRequest claimersInPlaces/);
});

test('a split in two stages is refused if the first gives everything away and the second restores it', async () => {
  const shares = [5500, ...Array<number>(45).fill(100)];
  const fields = { ...splitRequest(other, shares), payer: real.wallet };
  const honest = await real.world.plan('updateFeeShareConfig', fields);
  expect(honest.stages.length).toBeGreaterThan(1);
  expect(short(await real.world.decide(honest, 'update-1'))).toBe(ALLOWED);
  const steals: Change = (draft, stage) =>
    stage === 'update-1' ? { ...draft, instructions: [stolen()] } : draft;
  const hostile = await real.world.plan('updateFeeShareConfig', fields, steals);
  expect(short(await real.world.decide(hostile, 'update-1'))).toMatch(
    /^deny;.*REQUEST_MISMATCH matchesRequest claimersInPlaces/,
  );
});
