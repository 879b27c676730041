/**
 * Rounds on separate servers: without a policy, with a manipulated policy, an exhausted limit, a freeze, required approvals,
 * or an RPC of another chain (T41, T53, T57–T60).
 */
import { chmod, writeFile } from 'node:fs/promises';
import type { RowHead } from '../row.ts';
import { landedBy, submitted } from '../world/refusal.ts';
import { whatIf } from '../world/whatIf.ts';
import type { World } from '../world/world.ts';
import { type OwnRound, ownRound } from './agentRounds.ts';
import { buy, buyOf, landHonestPlan } from './asks.ts';
import { policyWith, swapsAsk, through } from './elsewhere.ts';
import { rowOf, shownRow } from './round.ts';

/** Plays a request that is refused on this server, its trial, and the honest twin on a server that allows it. */
async function refusalAndLoss(head: RowHead, world: World, twinWorld: World, ask = buy) {
  const request = await ask(world);
  const refused = await submitted(world, await request());
  const shown = whatIf(world, refused.stages);
  const twin = await landedBy(twinWorld, await landHonestPlan(twinWorld, await buy(twinWorld)));
  return shownRow(head, refused, shown, twin);
}

const TWENTY_SOL = 20_000_000_000n;

/** A round on a server of its own, after `before` has happened there. */
const onServer = (
  head: RowHead,
  options: (world: World) => Parameters<World['another']>[0],
  before: (here: World, policyFile: string) => Promise<unknown> = async () => undefined,
  ask = buy,
): OwnRound =>
  ownRound(head, async (world, row) => {
    const { world: here, policyFile } = await through(world, options(world));
    await before(here, policyFile);
    return refusalAndLoss(row, here, world, ask);
  });

const samePolicy = (world: World) => ({ policy: JSON.stringify(world.policy) });

const noPolicy = onServer(
  {
    step: 'no-policy',
    row: 'T57',
    does: 'the agent requests a trade on a server without a policy file',
    takes: 'any amount the agent requests',
    expectedCode: 'POLICY_MISSING',
  },
  () => ({}),
);

const writablePolicy = onServer(
  {
    step: 'policy-others-can-write',
    row: 'T57',
    does: 'the policy file is made writable by every user of the machine',
    takes: 'any amount the next writer allows',
    expectedCode: 'POLICY_INVALID',
  },
  samePolicy,
  (_, policyFile) => chmod(policyFile, 0o666),
);

const editedPolicy = onServer(
  {
    step: 'policy-edited',
    row: 'T57',
    does: 'an intruder raises every limit in the policy file while the server runs',
    takes: '20 SOL in one trade',
    expectedCode: 'POLICY_CHANGED',
  },
  samePolicy,
  async (here, policyFile) => {
    await landHonestPlan(here, await buy(here));
    const raised = policyWith(here, ({ limits }) => ({
      limits: limits.map((limit) => ('asset' in limit ? { ...limit, max: '18446744073709551615' } : limit)),
    }));
    await writeFile(policyFile, raised);
  },
  buyOf(TWENTY_SOL),
);

const loop = onServer(
  {
    step: 'storm',
    row: 'T59',
    does: 'an agent in a loop trades repeatedly within a minute',
    takes: 'the fees and the price impact of every trade',
    expectedCode: 'RATE_LIMITED',
  },
  (world) => ({
    policy: policyWith(world, ({ limits }) => ({
      limits: limits.map((limit) => ('count' in limit ? { ...limit, max: 1 } : limit)),
    })),
  }),
  async (here) => landHonestPlan(here, await buy(here)),
);

const streak = onServer(
  {
    step: 'denial-streak',
    row: 'T59',
    does: 'the service serves one hostile swap after another',
    takes: 'the loss of the first swap that is not refused',
    expectedCode: 'FROZEN',
  },
  (world) => ({
    policy: policyWith(world, () => ({ freeze: { afterDenials: { count: 2, windowSeconds: 600 } } })),
  }),
  async (here) => {
    const { hostile } = here.sandbox.service;
    hostile.use('append-transfer');
    try {
      for (let attempt = 0; attempt < 2; attempt += 1) {
        here.sandbox.advanceSlots(1);
        await submitted(here, await (await buy(here))());
      }
    } finally {
      hostile.use(undefined);
    }
  },
);

const approval = onServer(
  {
    step: 'remembered-approval',
    row: 'T60',
    does: 'the agent’s memory claims an earlier approval',
    takes: 'the person’s approval',
    expectedCode: 'APPROVAL_REQUIRED',
  },
  (world) => ({ policy: policyWith(world, swapsAsk) }),
);

const together = ownRound(
  {
    step: 'two-at-once',
    row: 'T41',
    does: 'two trades are submitted concurrently, each within the daily limit by itself',
    takes: 'twice the daily limit',
    expectedCode: 'LIMIT_EXCEEDED',
  },
  async (world, head) => {
    const policy = policyWith(world, ({ limits }) => ({
      limits: limits.map((limit) =>
        'asset' in limit && limit.id === 'sol-day' ? { ...limit, max: '150000000' } : limit,
      ),
    }));
    const { world: here } = await through(world, { policy });
    const [one, other] = [await (await buyOf(90_000_000n)(here))(), await (await buyOf(91_000_000n)(here))()];
    const both = await Promise.all([submitted(here, one), submitted(here, other)]);
    const refused = both.find(({ signed }) => !signed) ?? both[0];
    const landed = both.find(({ signed }) => signed);
    const shown = whatIf(here, refused.stages);
    const twin = landed === undefined ? [] : await landedBy(here, landed.planId);
    return shownRow(head, refused, shown, twin);
  },
);

const otherNetwork = ownRound(
  {
    step: 'another-network',
    row: 'T53',
    does: 'the RPC reports another chain than the policy’s',
    takes: 'a signature that is valid on another chain',
    expectedCode: 'POLICY_INVALID',
  },
  async (world, head) => {
    const { faults } = world.sandbox.rpc;
    faults.arm('wrong_genesis');
    try {
      const refused = await submitted(world, await (await buy(world))());
      return rowOf(head, refused, { notExecuted: 'no other chain here' });
    } finally {
      faults.disarm('wrong_genesis');
    }
  },
);

export const SERVER_ROUNDS: readonly OwnRound[] = [
  together,
  otherNetwork,
  noPolicy,
  writablePolicy,
  editedPolicy,
  loop,
  streak,
  approval,
];
