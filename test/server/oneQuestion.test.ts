/**
 * One approval per expected outcome, through a real server and a client that approves: a launch, a swap or a claim is
 * asked about once, despite rebuilds and late approvals; any other outcome asks again.
 */

import { Client } from '@modelcontextprotocol/client';
import { afterEach, describe, expect, it } from 'vitest';
import { compileDraft, type Draft } from '../../sandbox/service/build/compile.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { tokenNote } from '../../src/plan/notes.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import { ASSOCIATED_TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { minIn } from '../approval/stated.ts';
import { keyNamed } from '../policy/people.ts';
import { Asking } from './elicited.ts';

type Fields = Record<string, unknown>;

let asking: Asking | undefined;
afterEach(async () => {
  await asking?.close();
  asking = undefined;
});

/** Starts a server in the encodings of the real programs, with an agent and an approver. */
async function agent(approvalOperations: readonly string[]) {
  let later = 0;
  const started = await Asking.start({
    prompts: approvalOperations,
    launches: true,
    clock: (time) => ({ ...time, now: () => time.now() + later }),
  });
  asking = started;
  const { home } = started;
  await home.sandbox.service.ready();
  home.sandbox.chain.airdrop(home.wallet, 20_000_000_000n);
  const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } } });
  const person = { questions: 0, before: async () => {} };
  client.setRequestHandler('elicitation/create', async () => {
    person.questions += 1;
    await person.before();
    return { action: 'accept' as const, content: { decision: 'approve' } };
  });
  await client.connect(started.connect());
  const tool = async (name: string, args: Fields): Promise<Fields> => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError === true) throw new Error(`${name}: ${JSON.stringify(result.content)}`);
    return Object(result.structuredContent);
  };
  const planOf = (built: Fields) => String(Object(built.plan).planId);
  return {
    home,
    person,
    tool,
    planOf,
    /** Builds a plan. Returns its id. */
    build: async (name: string, args: Fields) => planOf(await tool(name, args)),
    submit: async (planId: string): Promise<Fields> =>
      Object((await tool('submit_plan', { planId, waitSeconds: 30 })).plan),
    /** Lets a quote expire. */
    wait: async () => {
      later += 61_000;
    },
    questions: async (planId: string) => (await home.ledger.rows('approvals', { planId })).length,
  };
}
type Agent = Awaited<ReturnType<typeof agent>>;

/** Registers a token. */
async function newToken({ tool }: Agent): Promise<{ mint: string; uri: string }> {
  const info = await tool('create_token_info', {
    ...{ name: 'Once', symbol: 'ONCE', description: 'asked about once' },
    imageUrl: 'https://example.com/once.png',
  });
  return { mint: String(info.tokenMint), uri: String(info.tokenMetadata) };
}

async function poolLaunch(one: Agent, buys = '100000000'): Promise<string> {
  const { mint, uri } = await newToken(one);
  const configured = await one.build('create_fee_share_config', {
    ...{ baseMint: mint, payer: one.home.wallet, flow: 'damm_v2_direct' },
    ...{ claimersArray: [one.home.wallet], basisPointsArray: [10_000] },
  });
  expect(await one.submit(configured)).toMatchObject({ status: 'complete' });
  const config = feeShareConfigAddress(mint, WSOL_MINT);
  return one.build('create_fee_share_damm_launch', {
    ...{ tokenMint: mint, wallet: one.home.wallet, feeShareConfig: config, quoteMint: WSOL_MINT },
    ...{ ipfs: uri, initialBuyQuoteRaw: buys },
  });
}

/** Returns a traded token that needs no approval. */
function traded(one: Agent): string {
  const [launch] = one.home.sandbox.service.state.launches.values();
  if (launch === undefined) throw new Error('nothing trades');
  return launch.tokenMint;
}

async function swap(one: Agent, outputMint: string, amount = '50000000'): Promise<string> {
  const quote = await one.tool('get_swap_quote', {
    inputMint: WSOL_MINT,
    outputMint,
    amount,
    slippageMode: 'auto',
  });
  return one.build('create_swap', { requestId: String(quote.requestId) });
}

/** Makes the service compile changed drafts. */
function rebuildChanged({ home }: Agent, change: (draft: Draft) => Draft): void {
  const { service } = home.sandbox;
  service.compile = (draft) => compileDraft(change(draft), service.onchain.lifetime());
}

const expireBlockhashes = ({ home }: Agent) => home.sandbox.advanceSlots(400);

/** Returns the content of a plan's newest question. */
async function openQuestion({ home }: Agent, planId: string): Promise<ApprovalRow> {
  const [row] = await home.ledger.rows('approvals', { planId });
  if (row === undefined) throw new Error('no person was asked');
  return row;
}

/** Builds a swap whose quote has expired on approval; the plan waits for a new quote. */
async function lateSwap(one: Agent, mint: string): Promise<string> {
  const planId = await swap(one, mint);
  one.person.before = one.wait;
  expect(await one.submit(planId)).toMatchObject({ status: 'expired' });
  one.person.before = async () => {};
  return planId;
}

/** Renames the token to another name of the same length. */
const renamed = (draft: Draft): Draft => ({
  ...draft,
  instructions: draft.instructions.map((each) => {
    const at = each.programAddress === METADATA_PROGRAM ? Buffer.from(each.data).indexOf('Once') : -1;
    return at < 0 ? each : { ...each, data: Uint8Array.from(each.data).fill(0x4f, at, at + 4) };
  }),
});

/** Adds compute units. */
const slower = (draft: Draft): Draft => ({
  ...draft,
  budget: { ...draft.budget, computeUnits: draft.budget.computeUnits + 1_000 },
});

/** Opens the wallet's accounts first. */
const reworded = (draft: Draft): Draft => {
  const opens = (at: number) => draft.instructions[at]?.programAddress === ASSOCIATED_TOKEN_PROGRAM;
  const order = draft.instructions.map((_, i) => i).sort((a, b) => Number(opens(b)) - Number(opens(a)));
  return { ...slower(draft), instructions: order.flatMap((i) => draft.instructions[i] ?? []) };
};

describe('a launch', () => {
  it('into its own pool is asked about once, for all of its stages', async () => {
    const one = await agent(['launch']);
    const planId = await poolLaunch(one);
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(1);
    expect((await one.home.ledger.planRows(planId))?.plan.stages.length).toBeGreaterThan(1);
  });

  it('is not asked about again if approved late and rebuilt with other bytes', async () => {
    const one = await agent(['launch']);
    const planId = await poolLaunch(one);
    const before = (await one.home.ledger.planRows(planId))?.plan.stages.map(
      ({ transaction }) => transaction,
    );
    one.person.before = async () => {
      expireBlockhashes(one);
      rebuildChanged(one, slower);
    };
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    const plan = (await one.home.ledger.planRows(planId))?.plan;
    expect(plan?.revision).toBeGreaterThan(0);
    expect(plan?.stages.map(({ transaction }) => transaction)).not.toEqual(before);
    expect(one.person.questions).toBe(1);
  });

  /** Builds a launch that the service rebuilds with another token name during approval. */
  const renamedMeanwhile = async (one: Agent): Promise<string> => {
    const planId = await poolLaunch(one);
    one.person.before = async () => {
      expireBlockhashes(one);
      rebuildChanged(one, renamed);
      one.person.before = async () => {};
    };
    return planId;
  };

  it('rebuilt with another token name asks again if the token was registered elsewhere', async () => {
    const one = await agent(['launch']);
    const planId = await renamedMeanwhile(one);
    const plan = (await one.home.ledger.planRows(planId))?.plan;
    await one.home.ledger.setNote(tokenNote(String(plan?.request.fields.tokenMint), plan?.principal), '');
    await one.submit(planId);
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(2);
  });

  it('rebuilt with a token name other than the one registered here is refused (T137)', async () => {
    const one = await agent(['launch']);
    const planId = await renamedMeanwhile(one);
    expect(await one.submit(planId)).toMatchObject({
      status: 'denied',
      decision: {
        reasonCodes: expect.arrayContaining(['REQUEST_MISMATCH']),
        explain: expect.stringContaining('token name'),
      },
    });
    expect(one.person.questions).toBe(1);
  });
});

describe('a swap', () => {
  it('with a quote expired before approval executes with a new quote and without a second question', async () => {
    const one = await agent(['swap']);
    const mint = traded(one);
    const planId = await lateSwap(one, mint);
    expect(await swap(one, mint)).toBe(planId);
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(1);
  });

  it('is not asked about again if its new quote has other bytes and another order', async () => {
    const one = await agent(['swap']);
    const mint = traded(one);
    const planId = await lateSwap(one, mint);
    rebuildChanged(one, reworded);
    await swap(one, mint);
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(1);
  });

  it('with a new quote that pays less than approved asks again', async () => {
    const one = await agent(['swap']);
    const mint = traded(one);
    const planId = await lateSwap(one, mint);
    const approved = minIn(await openQuestion(one, planId), mint);
    // Another buy landed first: the same amount buys less.
    const other = await swap(one, mint, '700000000');
    expect(await one.submit(other)).toMatchObject({ status: 'complete' });
    expect(await swap(one, mint)).toBe(planId);
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(await one.questions(planId)).toBe(2);
    expect(minIn(await openQuestion(one, planId), mint)).toBeLessThan(approved);
  });

  it('that pays its fee to another account than displayed asks again', async () => {
    const one = await agent(['swap']);
    const mint = traded(one);
    const planId = await lateSwap(one, mint);
    const { treasury } = one.home.sandbox.service.keys;
    const other = keyNamed('another treasury').address;
    one.home.sandbox.chain.airdrop(other, 1_000_000_000n);
    rebuildChanged(one, (draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) => ({
        ...each,
        accounts: each.accounts.map((account) =>
          account.address === treasury.address ? { ...account, address: other } : account,
        ),
      })),
    }));
    await swap(one, mint);
    await one.submit(planId);
    expect(await one.questions(planId)).toBe(2);
  });

  it('of one lamport more than approved is another question', async () => {
    const one = await agent(['swap']);
    const mint = traded(one);
    const first = await lateSwap(one, mint);
    const second = await swap(one, mint, '50000001');
    expect(second).not.toBe(first);
    expect(await one.submit(second)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(2);
  });
});

describe('a claim', () => {
  it('is asked about once, and the next claim of the same fees is another question', async () => {
    const one = await agent(['position_claim']);
    const launch = await poolLaunch(one, '300000000');
    expect(await one.submit(launch)).toMatchObject({ status: 'complete' });
    const mint = String((await one.home.ledger.planRows(launch))?.plan.request.fields.tokenMint);
    for (const amount of ['400000000', '500000000']) {
      expect(await one.submit(await swap(one, mint, amount))).toMatchObject({ status: 'complete' });
      const before = one.person.questions;
      const planId = await one.build('create_fee_claims', { tokenMint: mint, source: { kind: 'position' } });
      one.person.before = async () => expireBlockhashes(one);
      expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
      expect(one.person.questions).toBe(before + 1);
      expect(await one.questions(planId)).toBe(1);
    }
  });
});

describe('a config of a hundred claimers', () => {
  const request = (one: Agent, mint: string, last: string): Fields => ({
    ...{ baseMint: mint, payer: one.home.wallet, flow: 'damm_v2_direct' },
    claimersArray: [
      one.home.wallet,
      ...Array.from({ length: 98 }, (_, i) => keyNamed(`claimer ${i}`).address),
      last,
    ],
    basisPointsArray: Array<number>(100).fill(100),
  });

  it('is asked about once over all of its rounds, and again for another claimer', async () => {
    const one = await agent(['config']);
    const { mint } = Object(await newToken(one));
    const planId = await one.build('create_fee_share_config', request(one, mint, keyNamed('last').address));
    expect(await one.submit(planId)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(1);
    expect((await one.home.ledger.planRows(planId))?.plan.revision).toBeGreaterThan(0);

    const { mint: other } = Object(await newToken(one));
    const first = await one.build('create_fee_share_config', request(one, other, keyNamed('last').address));
    const second = await one.build('create_fee_share_config', request(one, other, keyNamed('other').address));
    expect(second).not.toBe(first);
    expect(await one.submit(second)).toMatchObject({ status: 'complete' });
    expect(one.person.questions).toBe(2);
  });
});
