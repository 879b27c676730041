/**
 * A pool launch whose first buy precedes its safeguards: a lock, the end of minting. Every stage is valid and the plan
 * is complete, but the last stage never lands (T141). Also a first buy that is no longer recognised once it has landed
 * (T140).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { read } from '../../sandbox/attacks/service/drafts.ts';
import { ata, createTokenAccount } from '../../sandbox/service/build/tokens.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { ALLOWED, attacker, type Change, RealWorld, type Subject, short } from './realOperations.ts';
import { stageOf } from './world.ts';

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('launches promised');
}, 240_000);
afterAll(() => real.close());

const [LOCK, SEAL] = ['dammV2.permanentLockPosition', 'token.setAuthority'] as const;
const UNLOCKED = /^deny; exact; REQUEST_MISMATCH liquidityLocked: 0% locked/;

/** A stage split in two: one without instructions of these kinds, one with only these. */
async function cut(subject: Subject, ...kinds: readonly string[]): Promise<[Plan, Stage]> {
  const isOne = (each: EncodedInstruction) => kinds.includes(read(each).kind);
  const only = (one: boolean) =>
    real.plan(subject, (draft) => ({
      ...draft,
      instructions: draft.instructions.filter((each) => isOne(each) === one),
    }));
  const rest = await only(false);
  return [rest, { ...stageOf(await only(true), subject.stage ?? ''), id: 'apart' }];
}

const joined = (plan: Plan, more: Stage, before: string): Plan => ({
  ...plan,
  stages: plan.stages.flatMap((each) => (each.id === before ? [more, each] : [each])),
});
const after = (plan: Plan, more: Stage): Plan => {
  const last = plan.stages.at(-1)?.id ?? '';
  return { ...plan, stages: [...plan.stages, { ...more, dependsOn: [last] }] };
};

async function verdict({ landed }: Subject, plan: Plan, id: string, more: Partial<DecisionInputs> = {}) {
  const inputs = await real.world.inputs(plan, id, landed === undefined ? {} : { earlierStages: landed });
  return short(real.world.decided({ ...inputs, ...more }));
}

test('T141 a first buy before the liquidity lock is refused, wherever the plan promises the lock', async () => {
  const subject = await real.poolLaunch('launch-2', '100000000');
  expect(await verdict(subject, await real.plan(subject), 'launch-2')).toBe(ALLOWED);
  const [plan, lock] = await cut(subject, LOCK);
  expect(await verdict(subject, after(plan, lock), 'launch-2')).toMatch(UNLOCKED);
  // An earlier stage of the plan without a dependency: either may land first, or alone.
  const beside = joined(plan, { ...lock, dependsOn: [] }, 'launch-2');
  expect(await verdict(subject, beside, 'launch-2')).toMatch(UNLOCKED);
  // A signed stage may still fail.
  const inputs = await real.world.inputs(beside, 'launch-2', { earlierStages: subject.landed ?? [] });
  const siblings = inputs.siblings.map((each) =>
    each.stage.id === 'apart' ? { ...each, status: 'sent' as const } : each,
  );
  expect(short(real.world.decided({ ...inputs, siblings }))).toMatch(UNLOCKED);
});

test('T141 an unsupported later stage does not count as the lock', async () => {
  const subject = await real.poolLaunch('launch-2', '100000000');
  const [plan, lock] = await cut(subject, LOCK);
  const unsupported = stageOf(
    await real.plan({ ...subject, stage: 'launch-3' }, (draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) => ({ ...each, data: Uint8Array.of(...each.data, 7) })),
    })),
    'launch-3',
  );
  const hidden = after(plan, { ...unsupported, id: lock.id });
  expect(await verdict(subject, hidden, 'launch-2')).toMatch(UNLOCKED);
});

test('T141 a first buy of a token with a mint authority is refused, though the plan promises to revoke it', async () => {
  const subject = await real.poolLaunch('launch-1', '100000000');
  const [plan, seal] = await cut(subject, SEAL);
  const whole = after(plan, seal);
  // The creation of the token costs its rent and buys nothing.
  expect(await verdict(subject, whole, 'launch-1')).toBe(ALLOWED);
  await real.world.land(whole, 'launch-1');
  expect(await verdict(subject, whole, 'launch-2')).toMatch(
    /^deny; exact; REQUEST_MISMATCH partThere endOfMinting: 0 times/,
  );
});

test('a launch that revokes minting in a stage of its own, before the first buy, is allowed', async () => {
  const subject = await real.poolLaunch('launch-1', '100000000');
  const [plan, seal] = await cut(subject, SEAL);
  const inserted = joined(plan, { ...seal, dependsOn: ['launch-1'] }, 'launch-2');
  const whole: Plan = {
    ...inserted,
    stages: inserted.stages.map((each) =>
      each.id === 'launch-2' ? { ...each, dependsOn: ['launch-1', 'apart'] } : each,
    ),
  };
  // Before the first landing the plan is checked as a whole.
  const previewed = { purpose: 'preview', simulation: { status: 'not_yet' } } as const;
  expect(await verdict(subject, whole, 'launch-2', previewed)).toBe(ALLOWED);
  await real.world.land(whole, 'launch-1');
  await real.world.land(whole, 'apart');
  expect(await verdict(subject, whole, 'launch-2')).toBe(ALLOWED);
});

test('T140 a landed first buy counts, though another key now owns the paying account', async () => {
  const launch = real.curveLaunch(await real.onCurve());
  const own = ata(real.wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
  const wrapped = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
  const key = keyNamed('wrapped for the first buy');
  const { onchain } = real.world.sandbox.service;
  const makes = createTokenAccount(
    real.wallet,
    key.address,
    wrapped,
    real.wallet,
    (bytes) => onchain.rent(bytes) + 100_000_000n,
  );
  /** Pays from an account of a key held by the service; without the launch this is a second first buy. */
  const paymentFromKey: Change = (draft) => {
    const isForOwnAccount = ({ accounts }: EncodedInstruction) =>
      accounts.length < 7 && accounts.slice(0, 2).some(({ address }) => address === own);
    const closes = (each: EncodedInstruction) => read(each).kind === 'token.closeAccount';
    const rest = draft.instructions.filter((each) => closes(each) || !isForOwnAccount(each));
    const moved = rest.map((each) => ({
      ...each,
      accounts: each.accounts.map((use) => (use.address === own ? { ...use, address: key.address } : use)),
    }));
    return {
      ...draft,
      instructions: [...makes, ...moved],
      signers: [...draft.signers, key],
    };
  };
  const first = await real.plan(launch, paymentFromKey);
  const id = first.stages[0]?.id ?? '';
  expect(await verdict(launch, first, id)).toBe(ALLOWED);
  const second = await real.plan(launch, (draft) => ({
    ...draft,
    instructions: draft.instructions.filter((each) => !read(each).kind.startsWith('dbc.initialize')),
  }));
  await real.world.land(first, id);
  const inputs = await real.world.inputs(second, id, {
    earlierStages: [stageOf(first, id).transaction],
  });
  // The message may name the account without an instruction that uses it, for example through a lookup table.
  const made = tokenAccount(key.address, { mint: WSOL_MINT, owner: attacker.address });
  const decided = real.world.decided({ ...inputs, accounts: [...inputs.accounts, made] });
  expect(short(decided)).toMatch(/^deny; exact; UNEXPECTED_INSTRUCTION instructionBelongs: #\d+ swap/);
});
