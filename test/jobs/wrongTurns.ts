/** Ten agent mistakes, each recovered using only the next step in the answer. */
import { strict as assert } from 'node:assert';
import { someAddress } from '../e2e/harness.ts';
import { type Agent, hasStatus, type Seen } from './agent.ts';
import type { Day } from './day.ts';
import type { Known } from './jobs.ts';

const shows = (seen: Seen, pattern: RegExp): void => assert.match(seen.shown, pattern);

/** Slots until all earlier quotes and blockhashes have expired. */
const LONG = 600;

type WrongTurns = Readonly<Record<string, (day: Day, known: Known) => Promise<void>>>;

const sell = (agent: Agent, inputMint: string, amount: string) =>
  agent.use('get_swap_quote', {
    inputMint,
    outputMint: 'SOL',
    amount,
    slippageMode: 'manual',
    slippageBps: 300,
  });
const swapOf = (agent: Agent, quoted: Seen) =>
  agent.use('create_swap', { requestId: quoted.value('requestId') });
const SIGNATURE = /[1-9A-HJ-NP-Za-km-z]{64,88}/;
const TOO_MUCH = '9000000000000000';

/** Returns the result of an earlier turn. */
function left(seen: Seen | undefined): Seen {
  if (seen === undefined) throw new Error('an earlier turn left nothing to go on with');
  return seen;
}

/** Mistake before the first split, which pays the resolved handle. */
export const TURN_OF_A_HANDLE: WrongTurns = {
  'an unknown handle': async ({ agent }, known) => {
    const lookUp = (username: string) =>
      agent.use('resolve_fee_share_wallet', { provider: 'twitter', username });
    shows(await lookUp('unknown_ada'), /spelling/);
    known.ada = (await lookUp('@Ada')).value('wallet');
  },
};

/** Mistake before a changed split; job j submits its result. */
export const TURN_OF_A_SPLIT: WrongTurns = {
  'shares that do not add up': async ({ agent }, known) => {
    const { wallet, ada, shared: tokenMint } = known;
    const change = (basisPointsArray: number[]) =>
      agent.use('update_fee_share_config', { tokenMint, claimersArray: [wallet, ada], basisPointsArray });
    shows(await change([7000, 2000]), /10000/);
    known.change = await change([7000, 3000]);
    assert.ok(!known.change.isError);
  },
};

/** Mistakes while selling half: each continues from the last result, and the sale finally lands. */
export const TURNS_OF_A_SALE: WrongTurns = {
  'a wrong mint': async ({ agent }, known) => {
    shows(await sell(agent, someAddress(), '1000'), /get_wallet shows it/);
    known.refused = await sell(agent, known.shared, TOO_MUCH);
  },
  'selling more than is held': async ({ agent }, known) => {
    const [, held = ''] = /the wallet has [^(]*\(?(\d+)/.exec(left(known.refused).shown) ?? [];
    assert.notEqual(held, '', known.refused?.shown);
    assert.ok(BigInt(held) > BigInt(known.half), held);
    known.quoted = await sell(agent, known.shared, known.half);
    assert.ok(!known.quoted.isError, known.quoted.shown);
  },
  'a stale quote': async ({ agent, pass }, known) => {
    await pass(LONG);
    shows(await swapOf(agent, left(known.quoted)), /Ask for a new quote/);
    known.ready = await swapOf(agent, await sell(agent, known.shared, known.half));
    assert.ok(hasStatus(known.ready, 'ready'), known.ready.shown);
  },
  'a freeze': async ({ agent, person }, known) => {
    await person.freeze();
    shows(await agent.submit(left(known.ready)), /frozen/i);
    await person.unfreeze();
  },
  'an expired plan': async ({ agent, pass }, known) => {
    await pass(LONG);
    known.landed = await agent.land(left(known.ready));
  },
  'a wrong plan id': async ({ agent }, known) => {
    shows(await agent.use('submit_plan', { planId: 'plan-0000' }), /list_plans/);
    known.listed = await agent.use('list_plans', { limit: 1 });
    assert.equal(known.listed.value('planId'), left(known.ready).value('planId'));
  },
  'submitting twice': async ({ agent }, { listed, landed }) => {
    const again = await agent.land(left(listed));
    assert.equal(SIGNATURE.exec(again.shown)?.[0], SIGNATURE.exec(left(landed).shown)?.[0]);
  },
};

/** Mistake whose only next step is to inform the owner. */
export const TURN_OF_A_LIMIT: WrongTurns = {
  'a limit that is reached': async ({ agent }, { many }) => {
    const refused = await agent.use('create_fee_share_damm_launch', { ...many, initialBuy: 7_000_000_000 });
    assert.ok(hasStatus(refused, 'denied'), refused.shown);
    shows(refused, /LIMIT_EXCEEDED/);
    shows(refused, /get_policy shows what is left/);
  },
};
