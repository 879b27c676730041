/** Daily jobs of an agent, ordered by their dependencies. Each throws unless done. */
import { strict as assert } from 'node:assert';
import { type Fields, someAddress } from '../e2e/harness.ts';
import { type Agent, hasStatus, type Seen } from './agent.ts';
import type { Day } from './day.ts';
import { TURN_OF_A_HANDLE, TURN_OF_A_LIMIT, TURN_OF_A_SPLIT, TURNS_OF_A_SALE } from './wrongTurns.ts';

/** State shared between the jobs of a day. */
export interface Known {
  wallet: string;
  /** Claimer identified by a handle. */
  ada: string;
  /** Token with fees split among three, its metadata and its config. */
  shared: string;
  /** Launch arguments of the tokens split among three and among thirty-seven. */
  three: Fields;
  many: Fields;
  /** A token on a bonding curve. */
  curve: string;
  /** Half of the purchased amount, in base units. */
  half: string;
  /** Result for the next step: a plan, a quote, a list, a refusal. */
  change?: Seen;
  refused?: Seen;
  quoted?: Seen;
  ready?: Seen;
  landed?: Seen;
  listed?: Seen;
}

export interface Job {
  /** Letter and description of the job. */
  readonly label: string;
  run(day: Day, known: Known): Promise<void>;
}

const shows = (seen: Seen, pattern: RegExp): void => assert.match(seen.shown, pattern);

/** Builds a fee split of a new token. */
async function splitOfNew(agent: Agent, symbol: string, split: Fields) {
  const made = await agent.token(symbol);
  const tokenMint = made.value('tokenMint');
  const built = await agent.use('create_fee_share_config', { tokenMint, ...split });
  return { tokenMint, metadata: made.value('tokenMetadata'), built };
}

/** Returns the pool launch arguments for a token and its split. */
const launchOf = (tokenMint: string, tokenMetadata: string, split: Seen): Fields => ({
  tokenMint,
  tokenMetadata,
  quoteMint: 'SOL',
  feeShareConfig: split.value('feeShareConfig'),
});

const turns = (of: Readonly<Record<string, Job['run']>>): Job[] =>
  Object.entries(of).map(([turn, run]) => ({ label: `l: recover from ${turn}`, run }));

export const JOBS: readonly Job[] = [
  ...turns(TURN_OF_A_HANDLE),
  {
    label: 'a: split fees among three',
    run: async ({ agent }, known) => {
      known.wallet = (await agent.use('get_wallet')).value('address');
      const { tokenMint, metadata, built } = await splitOfNew(agent, 'SHARED', {
        flow: 'damm_v2_direct',
        claimersArray: [known.wallet, known.ada, someAddress()],
        basisPointsArray: [5000, 3000, 2000],
        admin: known.wallet,
      });
      shows(built, /50%/);
      shows(await agent.land(built), /3 claimers with the requested shares/);
      known.shared = tokenMint;
      known.three = launchOf(tokenMint, metadata, built);
    },
  },
  {
    label: 'b: split fees among thirty-seven',
    run: async ({ agent }, known) => {
      const { wallet } = known;
      const others = Array.from({ length: 36 }, someAddress);
      const { tokenMint, metadata, built } = await splitOfNew(agent, 'MANY', {
        flow: 'damm_v2_direct',
        claimersArray: [wallet, ...others],
        basisPointsArray: [6400, ...others.map(() => 100)],
        admin: wallet,
      });
      shows(built, /64%/);
      shows(await agent.land(built), /37 claimers with the requested shares/);
      known.many = launchOf(tokenMint, metadata, built);
    },
  },
  {
    label: 'c: launch into a pool with a first buy',
    run: async ({ agent }, { three }) => {
      const built = await agent.use('create_fee_share_damm_launch', { ...three, initialBuy: 500_000_000 });
      shows(await agent.land(built), /SHARED/);
    },
  },
  {
    label: 'd: launch on a curve',
    run: async ({ agent }, known) => {
      const { wallet } = known;
      const { tokenMint, metadata, built } = await splitOfNew(agent, 'CURVE', {
        flow: 'dbc',
        claimersArray: [wallet],
        basisPointsArray: [10_000],
        admin: wallet,
      });
      known.curve = tokenMint;
      await agent.land(built);
      const venueConfigKey = built.value('venueConfigKey');
      await agent.land(
        await agent.use('create_curve_launch', { tokenMint, tokenMetadata: metadata, venueConfigKey }),
      );
    },
  },
  {
    label: 'e: buy',
    run: async ({ agent }, known) => {
      const quoted = await agent.use('get_swap_quote', {
        inputMint: 'SOL',
        outputMint: known.shared,
        amount: '1000000000',
      });
      const bought = await agent.land(
        await agent.use('create_swap', { requestId: quoted.value('requestId') }),
      );
      const [, arrived = ''] = /\+(\d+)(?: base units|"\})/.exec(bought.shown) ?? [];
      known.half = `${BigInt(arrived) / 2n}`;
    },
  },
  ...turns(TURNS_OF_A_SALE),
  {
    label: 'e: sell half with a stated slippage, on the way of those turns',
    run: async (_, { landed, half }) => {
      const sold = landed?.shown ?? '';
      assert.match(sold, /\+0\.\d+/);
      assert.match(sold, /slippage at most 3%/);
      assert.ok(sold.includes(`-${half}`), sold);
    },
  },
  {
    label: 'f: claim everything',
    run: async ({ agent }) => {
      const done = await agent.land(await agent.use('claim_all_fees'));
      shows(done, /\+0\.\d+/);
      // The sandbox pays claims in wrapped SOL; job q unwraps it.
      shows(done, /0\.\d+ SOL of it arrived wrapped|"wrapped":"0\.\d+"/);
      const left = await agent.use('list_claimable_positions');
      assert.ok(
        left.values('claimableAmountRaw').every((amount) => amount === '0'),
        left.shown,
      );
    },
  },
  {
    label: 'g: who earns of a token, by handle and by address',
    run: async ({ agent }, { shared, wallet, ada }) => {
      const claimers = await agent.use('get_launch_creators', { tokenMint: shared });
      const shares = claimers.values('royaltyBps');
      const wallets = claimers.values('wallet');
      assert.equal(shares[wallets.indexOf(wallet)], '5000', claimers.shown);
      assert.equal(shares[wallets.indexOf(ada)], '3000', claimers.shown);
    },
  },
  {
    label: 'h: page through EVM trades and creator earnings',
    run: async ({ agent }) => {
      const token = await agent.use('list_evm_token_creations', { limit: 1 });
      const [tokenAddress, user] = [token.value('address'), token.value('creator')];
      const totals = await agent.use('list_evm_trades', { tokenAddress, totals: true });
      assert.ok(Number(totals.value('trades')) > 100, totals.shown);
      const earned = await agent.use('get_evm_creator_earnings', { tokenAddress, user });
      assert.ok(Number(earned.value('claimed')) > 0, earned.shown);
    },
  },
  {
    label: 'i: start an incorporation',
    run: async ({ agent }, { shared: tokenMint }) => {
      const started = await agent.use('start_incorporation', { tokenMint });
      assert.equal(started.value('incorporationStarted'), 'true');
    },
  },
  ...turns(TURN_OF_A_SPLIT),
  {
    label: 'j: change a split, which a person must approve',
    run: async ({ agent, person }, { change }) => {
      if (change === undefined) throw new Error('no changed split was built');
      const submitted = await agent.submit(change);
      assert.ok(hasStatus(submitted, 'approval_required'), submitted.shown);
      shows(submitted, /countersign approve/);
      await person.approve(change.value('planId'));
      shows(change, /70%/);
      shows(await agent.land(change), /2 claimers with the requested shares/);
    },
  },
  {
    label: 'k: ask for what the policy refuses',
    run: async ({ agent }, { many }) => {
      const tip = { tipWallet: someAddress(), tipLamports: 1_000_000 };
      const refused = await agent.use('create_fee_share_damm_launch', { ...many, ...tip });
      assert.ok(hasStatus(refused, 'denied'), refused.shown);
      shows(refused, /tip/i);
      shows(refused, /tell the person/i);
    },
  },
  ...turns(TURN_OF_A_LIMIT),
  {
    label: 'm: what was done today, what it cost, what waits, what the wallet is worth',
    run: async ({ agent }) => {
      const today = await agent.use('get_activity');
      assert.ok(Number(today.value('landed')) > 8, today.shown);
      shows(today, /network ?fee"?:? ?"?0\.0/i);
      assert.ok(Number(today.value('total')) > 1, today.shown);
    },
  },
];
