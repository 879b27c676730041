/**
 * Rounds about order and repetition: an RPC that forgets a landed transaction, a stage out of order, a reused or expired
 * approval (T38–T40).
 */

import { setTimeout as wait } from 'node:timers/promises';
import { endpoints } from '../../../src/contract/index.ts';
import { gatherInputs } from '../../../src/execution/deciding/gather.ts';
import { judgedWith } from '../../../src/plan/claimAll.ts';
import { planFromAnswer } from '../../../src/plan/fromAnswer.ts';
import { evaluate } from '../../../src/policy/decide/evaluate.ts';
import { parsePolicy } from '../../../src/policy/file/file.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { explain } from '../../../src/presentation/decisions/explain.ts';
import { createChain } from '../../../src/rpc/chain.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import { text } from '../../demo/session.ts';
import { landedBy, singleCheck, submitted } from '../world/refusal.ts';
import { whatIf } from '../world/whatIf.ts';
import { planIdOf, type World, worked } from '../world/world.ts';
import { type OwnRound, ownRound } from './agentRounds.ts';
import { buy, config, landedConfig, landHonestPlan, newToken } from './asks.ts';
import { policyWith, swapsAsk, through } from './elsewhere.ts';
import { rowOf, shownRow } from './round.ts';

/** Slots after which earlier signatures have expired in the finalized view. */
const UNTIL_DEAD = 250;
/** The minimum lifetime of an approval. */
const TTL_SECONDS = 10;
const UNTIL_LAPSED_MS = 1_000 * TTL_SECONDS + 500;

/** Returns the common policy with required approval of trades. */
const withTradeApproval = (world: World, approval: NonNullable<PolicyFile['approval']>): string =>
  policyWith(world, (policy) => ({ approval, ...swapsAsk(policy) }));

const forgotten = ownRound(
  {
    step: 'landing-forgotten',
    row: 'T38',
    does: 'the RPC hides a landed config until its transaction has expired, so that it would be signed again',
    takes: 'the fee and the rent of a second config; for a payment, a second payment',
    expectedCode: 'IN_DOUBT',
  },
  async (world, head) => {
    const { sandbox, server } = world;
    const { faults } = sandbox.rpc;
    const request = await config()(world);
    const built = await request();
    const planId = planIdOf(built);
    faults.arm('null_status');
    try {
      const submit = (waitSeconds: number) => server.call('submit_plan', { planId, waitSeconds });
      // The plan is one transaction, and no other transaction touches this account.
      const landed = () => sandbox.chain.transactionsFor(text(built, 'feeShareConfig')).length;
      await submit(3);
      while (landed() === 0) await wait(50);
      sandbox.advanceSlots(UNTIL_DEAD);
      const { status, next } = Object(worked('submit_plan', await submit(20)).plan);
      const isInDoubt = status === 'unknown' && /effect is on chain/.test(String(next));
      return rowOf(
        head,
        {
          codes: [isInDoubt ? 'IN_DOUBT' : String(status)],
          explain: String(next),
          signed: landed() !== 1,
          singleCheck: 'an expired signature has left nothing behind',
        },
        { notExecuted: 'nothing new is built' },
      );
    } finally {
      faults.disarm('null_status');
    }
  },
);

/** Calls the policy directly, since execution never signs a stage before its dependencies. */
const wrongOrder = ownRound(
  {
    step: 'launch-before-its-token',
    row: 'T39',
    does: 'the agent submits a launch whose token does not exist yet',
    takes: 'the fee and the rents of a launch that fails',
    expectedCode: 'STAGE_ORDER',
  },
  async (world, head) => {
    const { sandbox, wallet } = world;
    const { mint: tokenMint, link: ipfs } = await newToken(world);
    const { account: feeShareConfig } = await landedConfig(world, tokenMint, 'damm_v2_direct');
    const request = { tokenMint, wallet, ipfs, feeShareConfig, quoteMint: WSOL_MINT };
    const { method, path } = endpoints.dammLaunchV2;
    const response = await fetch(`${sandbox.rootUrl}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': sandbox.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    const { response: answer } = Object(await response.json());
    const of = { mode: 'live', network: sandbox.genesisHash, wallet, now: sandbox.service.now() } as const;
    const plan = planFromAnswer({ ...of, endpoint: 'dammLaunchV2', request, answer });
    const stage = plan?.stages.find(({ dependsOn }) => dependsOn.length > 0);
    const loaded = parsePolicy(JSON.stringify(world.policy));
    if (plan === null || stage === undefined || 'errors' in loaded) throw new Error('there is no launch');
    const facts = await gatherInputs(createChain({ rpcUrl: sandbox.rpcUrl, fetch }), {
      plan: judgedWith(plan, stage).plan,
      stage,
      siblings: plan.stages.map((each) => ({ stage: each, status: 'ready' })),
      purpose: 'sign',
      mode: 'live',
      time: of.now,
      ourWallets: [wallet],
    });
    const decision = evaluate(facts, loaded, { used: {} });
    return rowOf(
      head,
      {
        codes: decision.reasonCodes,
        explain: explain(decision),
        signed: decision.effect !== 'deny',
        singleCheck: singleCheck([{ ...decision }]),
      },
      { notExecuted: 'only the policy is asked' },
    );
  },
);

const usedAgain = ownRound(
  {
    step: 'approval-used-again',
    row: 'T40',
    does: 'the agent builds and submits an approved trade a second time',
    takes: 'the input of the second trade',
    expectedCode: 'APPROVAL_REQUIRED',
  },
  async (world, head) => {
    const policy = withTradeApproval(world, { ttlSeconds: 600, channels: ['elicitation'] });
    const { world: here } = await through(world, { policy, person: ['approve', 'later'] });
    const request = await buy(here);
    const twin = await landedBy(here, await landHonestPlan(here, request));
    const refused = await submitted(here, await request());
    const shown = whatIf(here, refused.stages);
    return shownRow(head, refused, shown, twin);
  },
);

const tooLate = ownRound(
  {
    step: 'approval-too-late',
    row: 'T40',
    does: 'a trade is submitted after its approval has expired',
    takes: 'the trade at a price that no person approved',
    expectedCode: 'APPROVAL_EXPIRED',
  },
  async (world, head) => {
    const policy = withTradeApproval(world, { ttlSeconds: TTL_SECONDS, channels: ['page'] });
    const { world: here } = await through(world, { policy });
    const built = await (await buy(here))();
    await submitted(here, built);
    await wait(UNTIL_LAPSED_MS);
    const refused = await submitted(here, built);
    const shown = whatIf(here, refused.stages);
    const twin = await landedBy(world, await landHonestPlan(world, await buy(world)));
    return shownRow(head, refused, shown, twin);
  },
);

export const TIME_ROUNDS: readonly OwnRound[] = [forgotten, wrongOrder, usedAgain, tooLate];
