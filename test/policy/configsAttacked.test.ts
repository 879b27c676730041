/** Fee share configs and changed splits in the real program's encoding, each with one fault. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DBC_PROGRAM, FEE_SHARE_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { feeShareAuthority, inSol, updateFeeConfigManager } from '../../sandbox/programs/feeShare.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { CONFIG_TYPES } from '../../src/contract/configTypes.ts';
import {
  claimer,
  configuredBy,
  curveConfig,
  LARGE,
  list,
  renamed,
  replacedAt,
  SHARES,
  TIP,
} from './oneThingWrong.ts';
import { keyNamed } from './people.ts';
import {
  ALLOWED,
  appended,
  attacker,
  both,
  type Change,
  edited,
  RealWorld,
  type Subject,
  short,
  u16,
  u64,
  withAccount,
  withBytes,
} from './realOperations.ts';

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
}, 240_000);
afterAll(() => real.close());

/** Offsets of the fee and of the migration threshold in a curve's terms. */
const [CURVE_FEE, THRESHOLD] = [8, 45];

/** Changes of a config, each with the reason of its refusal and whether signing it blindly does harm. */
const CONFIGS: Readonly<Record<string, [change: () => Change, why: RegExp, harms?: boolean]>> = {
  'another claimer': [
    () => list(withAccount(claimer(1), attacker.address)),
    /REQUEST_MISMATCH claimersWritten.*/,
  ],
  'the wallet left out': [
    () =>
      list((each) => ({
        ...each,
        accounts: [
          ...each.accounts.slice(0, -3),
          { address: attacker.address, signer: false, writable: false },
          ...each.accounts.slice(-2),
        ],
      })),
    /REQUEST_MISMATCH claimersWritten/,
    true,
  ],
  'other shares': [
    () => list(withBytes(SHARES, Buffer.concat([u16(3000), u16(5000)]))),
    /REQUEST_MISMATCH claimersWritten/,
    true,
  ],
  'two claimers the other way round': [
    () => both(list(withAccount(claimer(1), attacker.address)), list(withAccount(claimer(2), claimer(1)))),
    /REQUEST_MISMATCH claimersWritten/,
  ],
  'a list that is not finished': [
    () => list(withBytes(SHARES + 6, Uint8Array.of(0))),
    /REQUEST_MISMATCH claimersEnded/,
  ],
  'another manager': [
    () =>
      edited(FEE_SHARE_PROGRAM, 1, (each) => ({
        ...each,
        accounts: replacedAt(each.accounts, 5, attacker.address),
      })),
    /REQUEST_MISMATCH partThere manager/,
    true,
  ],
  'no manager at all': [() => edited(FEE_SHARE_PROGRAM, 1, () => []), /REQUEST_MISMATCH partThere manager/],
  'a manager named twice': [
    () => appended(managerOf(configuredBy(config), real.wallet)),
    /UNEXPECTED_INSTRUCTION/,
  ],
  'a partner that was not asked for': [
    () =>
      list((each) => ({
        ...each,
        accounts: replacedAt(replacedAt(each.accounts, 7, attacker.address), 6, partnerOf(attacker.address)),
      })),
    /INSTRUCTION_UNKNOWN|REQUEST_MISMATCH/,
  ],
  'another token': [
    () => list((each) => renamed(each, configuredBy(config), other)),
    /REQUEST_MISMATCH matchesRequest configToken/,
  ],
  'another fee claimer of the curve': [
    () =>
      edited(DBC_PROGRAM, 0, withAccount(feeShareAuthority(inSol(configuredBy(config))), attacker.address)),
    /REQUEST_MISMATCH matchesRequest curveClaimer/,
  ],
  'another curveFee': [
    () => edited(DBC_PROGRAM, 0, withBytes(CURVE_FEE, u64(20_000_001n))),
    /REQUEST_MISMATCH matchesRequest curveFee: 2\.0000001% \| 2%/,
  ],
  'a curve that is never complete': [
    () => edited(DBC_PROGRAM, 0, withBytes(THRESHOLD, u64(171_000_000_000n))),
    /REQUEST_MISMATCH matchesRequest curveThreshold/,
  ],
  'a curve that is complete at once': [
    () => edited(DBC_PROGRAM, 0, withBytes(THRESHOLD, u64(42_000_000_000n))),
    /REQUEST_MISMATCH matchesRequest curveThreshold/,
  ],
  'a second curve': [
    () => (draft, stage) => {
      const curve = draft.instructions.find(({ programAddress }) => programAddress === DBC_PROGRAM);
      const key = keyNamed('a second curve');
      if (curve === undefined) throw new Error('no curve');
      const address = curve.accounts[0]?.address ?? '';
      const second = appended(...[withAccount(address, key.address)(curve)].flat())(draft, stage);
      return { ...second, signers: [...second.signers, key] };
    },
    /UNEXPECTED_INSTRUCTION/,
  ],
  'a second tip': [
    () => appended(systemTransfer(real.wallet, TIP.tipWallet, 1_000_000n)),
    /UNEXPECTED_INSTRUCTION/,
    true,
  ],
  'a larger tip': [
    () =>
      edited('11111111111111111111111111111111', 0, () =>
        systemTransfer(real.wallet, TIP.tipWallet, 2_000_000n),
      ),
    /REQUEST_MISMATCH matchesRequest tip/,
    true,
  ],
  'a tip to a stranger': [
    () =>
      edited('11111111111111111111111111111111', 0, () =>
        systemTransfer(real.wallet, attacker.address, 1_000_000n),
      ),
    /REQUEST_MISMATCH matchesRequest tipWallet/,
  ],
};

test.each(Object.entries(CONFIGS))('a config is refused with %s', async (_, [change, why, harms = false]) => {
  const found = await real.refuses(config, change(), why);
  if (harms) expect(found).not.toEqual([]);
});

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

const managerOf = (mint: string, manager: string) =>
  updateFeeConfigManager(
    { payer: real.wallet, admin: real.world.sandbox.service.keys.feeShareAuthority.address },
    inSol(mint),
    manager,
  );

const partnerOf = (partner: string) => keyNamed(`partner ${partner}`).address;
