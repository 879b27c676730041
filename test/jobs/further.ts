/** Less frequent jobs, played after the day's. Each throws unless done. */
import { strict as assert } from 'node:assert';
import { someAddress } from '../e2e/harness.ts';
import { hasStatus, type Seen } from './agent.ts';
import type { Day } from './day.ts';
import type { Job } from './jobs.ts';

const shows = (seen: Seen, pattern: RegExp): void => assert.match(seen.shown, pattern);

/** Submits a plan that requires approval, approves it, and lands it. */
async function landWithApproval({ agent, person }: Day, built: Seen): Promise<Seen> {
  const submitted = await agent.submit(built);
  assert.ok(hasStatus(submitted, 'approval_required'), submitted.shown);
  await person.approve(built.value('planId'));
  return agent.land(built);
}

/** Returns the maximum SOL outflow shown by a plan. */
function leaves(seen: Seen): number {
  const [, amount = ''] =
    /(?:[Ll]eaves at most |"leavesAtMost":\[\{"asset":"SOL","amount":")([\d.]+)/.exec(seen.shown) ?? [];
  assert.notEqual(amount, '', seen.shown);
  return Number(amount);
}

/** SOL budget of the job with a budget. */
const BUDGET_SOL = 0.3;

const everyTrade: Job['run'] = async ({ agent }) => {
  const tokenAddress = (await agent.use('list_evm_token_creations', { limit: 1 })).value('address');
  const all = Number((await agent.use('list_evm_trades', { tokenAddress, totals: true })).value('trades'));
  const ids: string[] = [];
  for (let cursor: object | undefined = {}; cursor !== undefined; ) {
    const page = await agent.use('list_evm_trades', { tokenAddress, limit: 100, ...cursor });
    ids.push(...page.values('id'));
    const [beforeId = 'null'] = page.values('nextBeforeId');
    cursor = beforeId === 'null' ? undefined : { beforeTs: Number(page.value('nextBeforeTs')), beforeId };
  }
  assert.ok(all > 300, String(all));
  assert.deepEqual([ids.length, new Set(ids).size], [all, all]);
};

const planBudget: Job['run'] = async ({ agent }, { wallet }) => {
  const made = await agent.token('BUDGET');
  const tokenMint = made.value('tokenMint');
  const split = await agent.use('create_fee_share_config', {
    ...{
      tokenMint,
      flow: 'damm_v2_direct',
      claimersArray: [wallet],
      basisPointsArray: [10_000],
      admin: wallet,
    },
  });
  const first = leaves(split);
  await agent.land(split);
  const launch = await agent.use('create_fee_share_damm_launch', {
    ...{ tokenMint, tokenMetadata: made.value('tokenMetadata'), quoteMint: 'SOL' },
    ...{ feeShareConfig: split.value('feeShareConfig'), initialBuy: 200_000_000 },
  });
  assert.ok(first + leaves(launch) <= BUDGET_SOL, `${first} ${leaves(launch)}`);
  shows(await agent.land(launch), /BUDGET/);
};

const unwrap: Job['run'] = async ({ agent }) => {
  shows(await agent.use('get_wallet'), /wSOL/);
  const built = await agent.use('unwrap_sol');
  shows(built, /\d\.\d+ wSOL becomes SOL/);
  await agent.land(built);
  assert.doesNotMatch((await agent.use('get_wallet')).shown, /wSOL/);
};

export const FURTHER: readonly Job[] = [
  {
    label: 'n: what the limits leave for today',
    run: async ({ agent }) => {
      const policy = await agent.use('get_policy');
      shows(policy, /sol-day/);
      shows(policy, /left/);
    },
  },
  {
    label: 'o: pay a friend, which a person must approve',
    run: async (day) => {
      const paid = await day.agent.use('send', { to: day.friends[0], amountRaw: '20000000', memo: 'thanks' });
      shows(paid, /0\.02/);
      shows(await landWithApproval(day, paid), /-0\.02/);
    },
  },
  {
    label: 'p: pay two people in SOL and in a token, in one plan',
    run: async (day, { shared }) => {
      const [to, other] = day.friends;
      const more = [
        { to: other, amountRaw: '30000000' },
        { to: other, amountRaw: '5000000', tokenMint: shared },
      ];
      const landed = await landWithApproval(
        day,
        await day.agent.use('send', { to, amountRaw: '10000000', more }),
      );
      // Includes the cost of the friend's token account.
      shows(landed, /-0\.04\d* ?SOL|"amount":"-0\.04/);
      shows(landed, /-5 |"-5"/);
    },
  },
  { label: 'q: turn claimed SOL that arrived wrapped into SOL', run: unwrap },
  { label: 'r: every trade of an EVM token over its pages, none lost, none twice', run: everyTrade },
  {
    label: 's: who earns of a token, with what each has claimed and can claim',
    run: async ({ agent }, { shared, wallet }) => {
      const roster = await agent.use('get_lifetime_fees', { tokenMint: shared });
      const at = roster.values('wallet').indexOf(wallet);
      assert.ok(Number(roster.values('claimed')[at]) > 0, roster.shown);
      assert.match(roster.values('claimable')[at] ?? '', /^\d/, roster.shown);
    },
  },
  {
    label: 't: price, progress to graduation and own position of a token',
    run: async ({ agent }, { shared, curve }) => {
      const pooled = await agent.use('get_token_facts', { tokenMint: shared });
      assert.ok(Number(pooled.value('price')) > 0, pooled.shown);
      assert.ok(Number(pooled.value('held')) > 0, pooled.shown);
      const onCurve = await agent.use('get_token_facts', { tokenMint: curve });
      shows(onCurve, /progress/);
    },
  },
  {
    label: 'u: stop a plan, and see it stopped',
    run: async ({ agent }, { shared: outputMint }) => {
      const quoted = await agent.use('get_swap_quote', { inputMint: 'SOL', outputMint, amount: '1000000' });
      const built = await agent.use('create_swap', { requestId: quoted.value('requestId') });
      const planId = built.value('planId');
      assert.ok(hasStatus(await agent.use('cancel_plan', { planId }), 'cancelled'));
      assert.ok(hasStatus(await agent.submit(built), 'cancelled'));
      shows(await agent.use('list_plans', { limit: 1 }), /cancelled/);
    },
  },
  {
    label: 'v: a payment the owner denies, with the reason',
    run: async ({ agent, person, friends }) => {
      const built = await agent.use('send', { to: friends[0], amountRaw: '40000000' });
      assert.ok(hasStatus(await agent.submit(built), 'approval_required'));
      await person.deny(built.value('planId'), 'not today');
      const denied = await agent.submit(built);
      assert.ok(hasStatus(denied, 'denied_by_owner'), denied.shown);
      shows(denied, /not today/);
    },
  },
  { label: `w: register, split, launch and buy for at most ${BUDGET_SOL} SOL`, run: planBudget },
  {
    label: 'x: which tokens the wallet earns from',
    run: async ({ agent }, { shared, curve }) => {
      const own = (await agent.use('list_creator_tokens')).values('tokenMint');
      for (const mint of [shared, curve]) assert.ok(own.includes(mint), own.join());
    },
  },
  {
    label: 'y: why something was refused today',
    run: async ({ agent }) => {
      const decisions = await agent.use('list_decisions', { limit: 100, effect: 'deny' });
      assert.doesNotMatch(decisions.shown, /: allow, |"effect":"(allow|require_approval)"/);
      shows(decisions, /LIMIT_EXCEEDED/);
      shows(decisions, /RECIPIENT_NOT_ALLOWED|tip/i);
    },
  },
  {
    label: 'z: a split with terms chosen by their label',
    run: async ({ agent }, { wallet }) => {
      const terms = await agent.use('list_supported_quote_tokens', { launch: 'dbc' });
      shows(terms, /2% Flat, 85% Locked/);
      const tokenMint = (await agent.token('LABEL')).value('tokenMint');
      const split = await agent.use('create_fee_share_config', {
        ...{ tokenMint, flow: 'dbc', serviceConfigType: '2% Flat, 85% Locked' },
        ...{ claimersArray: [wallet, someAddress()], basisPointsArray: [9_000, 1_000], admin: wallet },
      });
      assert.ok(hasStatus(split, 'ready'), split.shown);
      shows(split, /90%/);
    },
  },
];
