/**
 * `countersign read` on what the service of the real encoding builds, before each transaction lands: the short part
 * alone says what leaves, what arrives and where, and who gains rights; deposits are what the wallet then pays.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { custodyAuthority } from '../../../src/sandbox/programs/custody.ts';
import { initializePool, poolAddress, poolSwap2 } from '../../../src/sandbox/programs/dammV2.ts';
import { budgetOf, compileDraft } from '../../../src/sandbox/service/build/compile.ts';
import { ata, createAta, createMint, mintTo, wrap } from '../../../src/sandbox/service/build/tokens.ts';
import type { Keypair } from '../../../src/sandbox/service/keys.ts';
import { createKeyring } from '../../../src/sandbox/service/keys.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { POOL } from '../../sandbox/programs/worlds.ts';
import { derived, RealCaller, WSOL } from '../../sandbox/service/real/scene.ts';
import { at, list, text } from '../../sandbox/service/support.ts';
import { jsonOf, type Page, pageOf, temporaryHome } from './pages.ts';

const FEE_SHARE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
const ring = createKeyring('read by a person');
const [other, third, partner] = ['other', 'third', 'partner'].map((name) => ring.get(name).address);
const SOL = 1_000_000_000n;

interface Seen {
  readonly offline: Page;
  readonly online: Page;
  /** Lamports of deposits the summary says are paid for good, and those the wallet paid besides fee and amounts. */
  readonly deposits: bigint;
  readonly paid: bigint;
  readonly fee: bigint;
}

let caller: RealCaller;
const { home, remove } = temporaryHome();
const seen = new Map<string, Seen>();
const page = (name: string): Seen => {
  const found = seen.get(name);
  if (found === undefined) throw new Error(`no page ${name}: ${[...seen.keys()].join()}`);
  return found;
};

/** Reads a transaction with and without the chain, then lands it. */
async function readAndLand(name: string, transaction: string): Promise<void> {
  const options = { 'rpc-url': caller.sandbox.rpcUrl };
  const [offline, online] = [await pageOf(home, transaction), await pageOf(home, transaction, options)];
  const json = await jsonOf(home, transaction, options);
  const sum = (items: readonly { readonly asset?: string; readonly amount?: string }[]) =>
    items.reduce((total, { asset, amount }) => (asset === 'SOL' ? total + BigInt(amount ?? 0) : total), 0n);
  const deposits = json.summary.deposits.reduce(
    (total: bigint, { lamports, returnedIn }: { lamports?: string; returnedIn?: number }) =>
      returnedIn === undefined ? total + BigInt(lamports ?? 0) : total,
    0n,
  );
  const before = caller.lamports(caller.wallet);
  const { err } = await caller.land(transaction);
  if (err !== null) throw new Error(`${name}: ${JSON.stringify(err)}`);
  const paid = before - caller.lamports(caller.wallet) - sum(json.summary.leaves) + sum(json.summary.arrives);
  seen.set(name, { offline, online, deposits, paid, fee: BigInt(json.feeLamports) });
}

/** All stages of a plan; the only one has the plan's name. */
async function readPlan(name: string, plan: unknown): Promise<void> {
  const stages = list(plan, 'transactions');
  for (const [index, stage] of stages.entries())
    await readAndLand(stages.length === 1 ? name : `${name} ${index + 1}`, text(stage, 'transaction'));
}

const compiled = (signers: readonly Keypair[], instructions: readonly EncodedInstruction[]) =>
  Buffer.from(
    compileDraft(
      { format: 'v0', feePayer: caller.wallet, instructions, budget: budgetOf(600_000), signers },
      caller.sandbox.chain.latestBlockhash('processed'),
    ).bytes,
  ).toString('base64');

beforeAll(async () => {
  caller = await RealCaller.start();
  const { wallet } = caller;
  const config = (body: object) => caller.ok(caller.post('/fee-share/config/v2', { payer: wallet, ...body }));

  const ipfs = 'https://example.com/read.json';
  const mint = await caller.token({ metadataUrl: ipfs, name: 'Red Fox', symbol: 'FOX' });
  const made = await config({
    baseMint: mint,
    flow: 'dbc',
    claimersArray: [wallet, other],
    basisPointsArray: [9_000, 1_000],
  });
  await readPlan('config', at(made, 'plan'));
  const withPartner = await config({
    baseMint: await caller.token(),
    flow: 'damm_v2_direct',
    claimersArray: [wallet],
    basisPointsArray: [10_000],
    partner,
    partnerConfig: derived(FEE_SHARE, 'partner_config', String(partner)),
  });
  const [stage] = list(at(withPartner, 'plan'), 'transactions');
  const partnered = text(stage, 'transaction');
  const offline = await pageOf(home, partnered);
  seen.set('partner', { offline, online: offline, deposits: 0n, paid: 0n, fee: 0n });

  const launch = { tokenMint: mint, ipfs, wallet, configKey: text(made, 'venueConfigKey') };
  const launched = await caller.ok(
    caller.post('/token-launch/create-launch-transaction', { ...launch, initialBuyLamports: 1_000_000_000 }),
  );
  await readAndLand('launch', String(launched));

  for (const side of ['buy', 'sell']) {
    const own = caller.tokens(ata(wallet, { mint, tokenProgram: TOKEN_PROGRAM })) / 3n;
    const [from, to, amount] = side === 'buy' ? [WSOL, mint, 2n * SOL] : [mint, WSOL, own];
    const quoted = await caller.ok(
      caller.get(
        `/trade/v2/quote?inputMint=${from}&outputMint=${to}&amount=${amount}&taker=${wallet}&slippageMode=manual&slippageBps=100`,
      ),
    );
    const body = { requestId: text(quoted, 'requestId'), userPublicKey: wallet };
    await readAndLand(side, text(await caller.ok(caller.post('/trade/v2/swap', body)), 'swapTransaction'));
  }

  const claim = { feeClaimer: wallet, tokenMint: mint, source: { kind: 'holding' } };
  await readPlan('claim', await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim)));
  const change = {
    baseMint: mint,
    payer: wallet,
    claimersArray: [other, wallet, third],
    basisPointsArray: [1_000, 5_000, 4_000],
  };
  await readPlan('change', await caller.ok(caller.post('/fee-share/admin/update-config/v2', change)));

  const many = {
    baseMint: await caller.token(),
    flow: 'damm_v2_direct',
    claimersArray: Array.from({ length: 60 }, (_, k) => ring.get(`earner ${k}`).address),
    basisPointsArray: Array.from({ length: 60 }, (_, k) => (k === 0 ? 10_000 - 166 * 59 : 166)),
  };
  await readPlan('table', at(await config(many), 'plan'));
  caller.sandbox.advanceSlots(1);
  await readPlan('many', at(await config(many), 'plan'));

  const { chain } = caller.sandbox;
  const [token, nft] = [ring.get('token'), ring.get('nft')];
  const asset = { mint: token.address, tokenProgram: TOKEN_PROGRAM };
  await readAndLand(
    'mint',
    compiled(
      [token],
      [
        ...createMint(wallet, token.address, TOKEN_PROGRAM, 6, wallet, (bytes) => chain.rent(bytes)),
        createAta(wallet, wallet, asset),
        mintTo(TOKEN_PROGRAM, token.address, ata(wallet, asset), wallet, 10n ** 15n),
        ...wrap(wallet, 20n * SOL),
      ],
    ),
  );
  const tokens = { mintA: token.address, programA: TOKEN_PROGRAM, mintB: WSOL_MINT, programB: TOKEN_PROGRAM };
  const [tokenA, tokenB] = [
    ata(wallet, asset),
    ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
  ];
  const people = { nftMint: nft.address, payer: wallet, tokenA, tokenB };
  const pool = (creator: string) => compiled([nft], [initializePool(tokens, { ...people, creator }, POOL)]);
  const mine = await pageOf(home, pool(wallet));
  seen.set('own pool', { offline: mine, online: mine, deposits: 0n, paid: 0n, fee: 0n });
  await readAndLand('pool', pool(custodyAuthority(poolAddress(token.address, WSOL_MINT))));
  const stranger = ata(String(other), asset);
  await caller.land(compiled([], [createAta(wallet, String(other), asset)]));
  const sold = { input: tokenB, output: stranger, payer: wallet };
  await readAndLand('stranger', compiled([], [poolSwap2(tokens, sold, SOL, 5n)]));
}, 120_000);

afterAll(async () => {
  await caller.close();
  remove();
});

describe('the short part of what the service builds', () => {
  it('of a config says who earns, that the fee claimer is the fee share itself, and who can change it', () => {
    const { short } = page('config').offline;
    expect(short).toContain('the signing wallet earns 90% and [2] earns 10%');
    expect(short).toContain('the list is complete; only the signing wallet can change it later');
    expect(short).toContain('the fee share of [1] earns the fees, [4] gets what is left of the supply');
    expect(short).toContain('a trade costs 2% in fees at first');
    expect(short).toContain('more of the token can be made by no one');
  });

  it('of a config with a partner says that the partner takes its part first', () => {
    expect(page('partner').offline.short).toMatch(
      /the signing wallet earns 100%; the partner \[2\] takes its part first, and of the rest the earners take their shares/,
    );
  });

  it('of a launch on the curve names the settings, and with an RPC who earns by them', () => {
    const { offline, online } = page('launch');
    expect(offline.short).toContain(
      'it takes the settings [4] for good, and they say who earns its fees: pass --rpc-url to see them',
    );
    expect(online.short).toContain(
      'its fees go to the fee share of [1] (the signing wallet earns 90% and [5] earns 10%)',
    );
    expect(online.short).toContain(
      '0.01 SOL to the metadata program and 1 SOL into the trade on Meteora DBC',
    );
    expect(online.short).toMatch(/0\.00203928 SOL of it comes back in step 9/);
    // The token is made here: its decimals stand in the settings.
    expect(online.short).toMatch(
      /Arrives: at least [\d,]+\.\d+ of the token \[1\] in the signing wallet's account/,
    );
  });

  it('of a purchase and a sale says where they go, and what a sale brings on the whole', () => {
    const buy = page('buy').online.short;
    expect(buy).toMatch(
      /at most 2 SOL: 1\.98 SOL into the trade on Jupiter in step \d+ and 0\.02 SOL to \[1\]/,
    );
    expect(buy).toMatch(/Arrives: at least .* of the token \[2\] in the signing wallet's account \[3\]/);
    expect(buy).toContain('No key but the signing wallet gains a right by what was read.');
    // The route takes accounts from an address table.
    expect(page('buy').offline.short).toContain('cannot be read without the address table; pass --rpc-url');
    const { short } = page('sell').online;
    expect(short).toContain('0.01017374 SOL to [2]');
    expect(short).toContain('Arrives: at least 1.007200323 SOL in the signing wallet.');
    expect(short).toContain('Together: at least 0.997026583 SOL more in SOL');
  });

  it('of a claim says how much is there, that it stays wrapped SOL and where, and which accounts it makes', () => {
    const { offline, online } = page('claim');
    expect(offline.short).toContain(
      'what is owed in wrapped SOL (an amount only the chain knows, and step 3 adds to it)',
    );
    expect(offline.short).toContain("in the signing wallet's account [1]");
    expect(offline.short).toContain(
      'for 3 accounts made here, unless there already (token accounts for what is claimed)',
    );
    expect(online.short).toMatch(
      /step 3 adds its 90% of 0\.0\d+ wrapped SOL, less what the platform and a partner take\) in/,
    );
    expect(online.short).toContain('for 2 accounts made here (');
    expect(online.flat).toContain("wrapped SOL to the platform's vault");
    expect(online.text).toContain("the platform's vault is ERH2UUYzUULwKy7sLHxeEGcN4B2QjDoQS8Z8GMhuL8cE");
  });

  it('of a changed split says what every share becomes, and that two accounts grow', () => {
    const { offline, online } = page('change');
    expect(offline.short).toContain('who earned before is not known here: pass --rpc-url');
    expect(online.short).toContain('the shares become: the signing wallet 90% → 50% and [3] 0% → 40%');
    expect(online.short).toContain('only the signing wallet can change it again');
    expect(online.short).toContain('for 2 accounts that grow (the list of earners and the fee share)');
  });

  it('of an address table says who controls it and lists every address as own, known or unknown', () => {
    const { flat, short, text: all } = page('table 1').online;
    expect(short).toContain('an address table is made at [1]; the signing wallet controls it');
    expect(short).toMatch(
      /28 addresses are added .* 7 known here by name \(the platform, the fee share of \[2\]/,
    );
    expect(short).toContain('and 21 not known here (');
    expect(flat).toContain('which makes later transactions shorter and gives no right');
    expect(all.match(/^ {2}\[\d+\] \w{32,44}$/gm)?.length).toBeGreaterThanOrEqual(21);
    expect(short).toContain('at most 0.0075168 SOL for 1 account made here');
  });

  it('of a config of many earners gives the sum and says that the wallet is not among them', () => {
    const { short } = page('many 1').online;
    expect(short).toContain(
      '30 wallets earn 50.2% together: [2] earns 2.06% and [3] to [31] earn 1.66% each',
    );
    expect(short).toContain('the signing wallet earns nothing of this; more earners may follow');
  });

  it('without the address table says that the table is missing, and no total', () => {
    const { short, flat } = page('many 1').offline;
    expect(short).toContain(
      'Step 3 (Bags fee share v2) cannot be read without the address table; pass --rpc-url.',
    );
    expect(short).toContain(
      'It gets the signature of the signing wallet, and may write to the signing wallet and',
    );
    expect(short).toContain('Leaves, besides the network fee and deposits: unknown. Arrives: unknown.');
    expect(flat).not.toContain('is not 8SrW8DjZcAPAWYSdSu468LKLQ7WDRaEUsswNvHCiAYs');
  });

  it("of a pool says whose the position is that the wallet's money goes into", () => {
    const money = 'at most 499,999,999,999,369 base units of the token [1] and 14.693678755 wrapped SOL';
    expect(page('own pool').offline.short).toContain(
      `${money} into the position [2], which the signing wallet controls.`,
    );
    const { offline, online } = page('pool');
    expect(offline.short).toContain(
      `${money} into the position [2], which [3] controls, NOT the signing wallet.`,
    );
    for (const { short } of [offline, online]) {
      expect(short).toContain(
        'a position is opened at [2]; [3], NOT the signing wallet, controls it and its fees',
      );
      expect(short).not.toContain('No key but');
    }
  });

  it('of a trade into an account of another says so, and without the chain that it is not known whose', () => {
    const { offline, online } = page('stranger');
    expect(offline.short).toMatch(
      /At least 5 base units of the token \[\d\] arrives in \[\d\]; whose account that is, is not known here\. Pass --rpc-url\./,
    );
    expect(online.short).toMatch(
      /NOT to the signing wallet: at least 0\.000005 of the token \[\d\] goes to \[\d\]'s account \[\d\]\./,
    );
    for (const { short } of [offline, online]) expect(short).toContain('Arrives: nothing.');
  });

  it('of a minted supply says that wrapped SOL stays in an account of the wallet', () => {
    expect(page('mint').offline.short).toContain(
      'Stays: 20 SOL becomes wrapped SOL in [2], an account of the wallet.',
    );
    expect(page('mint').offline.short).toContain(
      "1,000,000,000 of the token [1] in the signing wallet's account [3], made new",
    );
  });
});

describe('the deposits on a page', () => {
  const priced = ['config', 'launch', 'buy', 'sell', 'claim', 'change', 'table 1', 'table 2', 'table 3'];

  it('of a pool bound what the wallet pays', () => {
    const { deposits, paid, fee } = page('pool');
    expect(paid - fee).toBeLessThanOrEqual(deposits);
    expect(paid - fee).toBeGreaterThan(deposits / 2n);
  });

  it.each([...priced, 'many 1', 'many 2'])(
    'of "%s" are what the wallet pays beside fee and amounts',
    (name) => {
      const { deposits, paid, fee } = page(name);
      // A trade brings more than the least that was promised, and a claim arrives wrapped.
      if (name === 'sell') expect(paid - fee).toBeLessThanOrEqual(deposits);
      else expect(paid - fee).toBe(deposits);
    },
  );
});
