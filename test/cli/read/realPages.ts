/**
 * Pages of transactions built by the service, with and without an RPC, made before each transaction lands in a sandbox:
 * a config, a launch, trades, a claim, a changed split, an address table, a pool.
 */

import type { Keypair } from '../../../sandbox/keypair.ts';
import { custodyAuthority } from '../../../sandbox/programs/custody.ts';
import { initializePool, poolAddress, poolSwap2 } from '../../../sandbox/programs/dammV2.ts';
import { createCurveConfig, initializeCurvePool } from '../../../sandbox/programs/dbc.ts';
import { budgetOf, compileDraft } from '../../../sandbox/service/build/compile.ts';
import { ata, createAta, createMint, mintTo, wrap } from '../../../sandbox/service/build/tokens.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import { encodeInstruction } from '../../../src/programs/instructions.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { CURVE, POOL, TOKEN_TEXTS } from '../../sandbox/programs/worlds.ts';
import { ChainCaller, derived, WSOL } from '../../sandbox/service/onchain/scene.ts';
import { at, list, text } from '../../sandbox/service/support.ts';
import { type JsonPage, jsonOf, temporaryHome, textOf } from './pages.ts';

const FEE_SHARE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
const ring = createKeyring('read by a person');
export const [other, third, partner] = ['other', 'third', 'partner'].map(
  (name) => ring.get(name).address,
) as [string, string, string];
const SOL = 1_000_000_000n;

export interface Seen {
  readonly offline: JsonPage;
  readonly online: JsonPage;
  /** Lamports that left the wallet on landing; negative for inflow, absent if it did not land. */
  readonly left?: bigint;
}

/** Pages by name, and the sandbox their transactions land in. */
export class RealPages {
  private readonly seen = new Map<string, Seen>();
  private readonly home = temporaryHome();
  private readonly caller: ChainCaller;

  private constructor(caller: ChainCaller) {
    this.caller = caller;
  }

  /** Makes every page. */
  static async make(): Promise<RealPages> {
    const pages = new RealPages(await ChainCaller.start());
    const mint = await pages.launch();
    await pages.trades(mint);
    await pages.claimAndChange(mint);
    await pages.manyClaimers();
    await pages.foreignSettings();
    await pages.pools();
    await pages.directLaunches();
    return pages;
  }

  page(name: string): Seen {
    const found = this.seen.get(name);
    if (found === undefined) throw new Error(`no page ${name}: ${[...this.seen.keys()].join()}`);
    return found;
  }

  async close(): Promise<void> {
    await this.caller.close();
    this.home.remove();
  }

  get wallet(): string {
    return this.caller.wallet;
  }

  /** Reads a transaction with and without the chain, then lands it if `lands`. */
  private async read(name: string, transaction: string, lands = true): Promise<void> {
    const options = { 'rpc-url': this.caller.sandbox.rpcUrl };
    const { home } = this.home;
    const offline = await jsonOf(home, transaction);
    const online = await jsonOf(home, transaction, options);
    await textOf(home, transaction, options);
    this.seen.set(name, { offline, online, ...(lands ? { left: await this.land(name, transaction) } : {}) });
  }

  /** Lands a transaction and returns the lamports it took from the wallet. */
  private async land(name: string, transaction: string): Promise<bigint> {
    const before = this.caller.lamports(this.wallet);
    const { err } = await this.caller.land(transaction);
    if (err !== null) throw new Error(`${name}: ${JSON.stringify(err)}`);
    return before - this.caller.lamports(this.wallet);
  }

  /** Reads all stages of a plan; a single stage has the plan's name. */
  private async readPlan(name: string, plan: unknown): Promise<void> {
    const stages = list(plan, 'transactions');
    for (const [index, stage] of stages.entries())
      await this.read(stages.length === 1 ? name : `${name} ${index + 1}`, text(stage, 'transaction'));
  }

  private compiled(instructions: readonly EncodedInstruction[], ...signers: readonly Keypair[]): string {
    const draft = {
      format: 'v0',
      feePayer: this.wallet,
      instructions,
      budget: budgetOf(600_000),
      signers,
    } as const;
    const { bytes } = compileDraft(draft, this.caller.sandbox.chain.latestBlockhash('processed'));
    return Buffer.from(bytes).toString('base64');
  }

  private config(body: object): Promise<unknown> {
    return this.caller.ok(this.caller.post('/fee-share/config/v2', { payer: this.wallet, ...body }));
  }

  /** Makes a config for a curve, one with a partner, and a launch with a first buy. Returns the token. */
  private async launch(): Promise<string> {
    const { caller, wallet } = this;
    const ipfs = 'https://example.com/read.json';
    const mint = await caller.token({ metadataUrl: ipfs, name: 'Red Fox', symbol: 'FOX' });
    const claimers = { claimersArray: [wallet, other], basisPointsArray: [9_000, 1_000] };
    const made = await this.config({ baseMint: mint, flow: 'dbc', ...claimers });
    await this.readPlan('config', at(made, 'plan'));
    const partnered = await this.config({
      baseMint: await caller.token(),
      flow: 'damm_v2_direct',
      claimersArray: [wallet],
      basisPointsArray: [10_000],
      partner,
      partnerConfig: derived(FEE_SHARE, 'partner_config', partner),
    });
    await this.read('partner', text(list(at(partnered, 'plan'), 'transactions')[0], 'transaction'), false);
    const configKey = text(made, 'venueConfigKey');
    const body = { tokenMint: mint, ipfs, wallet, configKey, initialBuyLamports: 1_000_000_000 };
    const launched = caller.ok(caller.post('/token-launch/create-launch-transaction', body));
    await this.read('launch', String(await launched));
    return mint;
  }

  private async trades(mint: string): Promise<void> {
    const { caller, wallet } = this;
    for (const side of ['buy', 'sell']) {
      const own = caller.tokens(ata(wallet, { mint, tokenProgram: TOKEN_PROGRAM })) / 3n;
      const [from, to, amount] = side === 'buy' ? [WSOL, mint, 2n * SOL] : [mint, WSOL, own];
      const query = `inputMint=${from}&outputMint=${to}&amount=${amount}&taker=${wallet}`;
      const quoted = await caller.ok(
        caller.get(`/trade/v2/quote?${query}&slippageMode=manual&slippageBps=100`),
      );
      const body = { requestId: text(quoted, 'requestId'), userPublicKey: wallet };
      await this.read(side, text(await caller.ok(caller.post('/trade/v2/swap', body)), 'swapTransaction'));
    }
  }

  private async claimAndChange(mint: string): Promise<void> {
    const { caller, wallet } = this;
    const claim = { feeClaimer: wallet, tokenMint: mint, source: { kind: 'holding' } };
    await this.readPlan('claim', await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim)));
    const claimers = { claimersArray: [other, wallet, third], basisPointsArray: [1_000, 5_000, 4_000] };
    const change = { baseMint: mint, payer: wallet, ...claimers };
    await this.readPlan('change', await caller.ok(caller.post('/fee-share/admin/update-config/v2', change)));
  }

  /** Makes a config of 60 claimers: the address table, two transactions, and the table's closing. */
  private async manyClaimers(): Promise<void> {
    const body = {
      baseMint: await this.caller.token(),
      flow: 'damm_v2_direct',
      claimersArray: Array.from({ length: 60 }, (_, k) => ring.get(`claimer ${k}`).address),
      basisPointsArray: Array.from({ length: 60 }, (_, k) => (k === 0 ? 10_000 - 166 * 59 : 166)),
    };
    await this.readPlan('table', at(await this.config(body), 'plan'));
    const made = this.page('table 1').online.transactions[0]?.made ?? {};
    const [table = ''] = Object.keys(made).filter((address) => made[address]?.kind === 'table');
    const close = { accounts: { table, authority: this.wallet, recipient: this.wallet } };
    await this.read('closed table', this.compiled([encodeInstruction('lookupTable.close', close)]), false);
    this.caller.sandbox.advanceSlots(1);
    await this.readPlan('many', at(await this.config(body), 'plan'));
  }

  /** Launches under settings that pay another key. */
  private async foreignSettings(): Promise<void> {
    const [settings, base] = [ring.get('settings'), ring.get('base')];
    const accounts = { config: settings.address, feeClaimer: other, leftoverReceiver: other };
    const made = createCurveConfig({ ...accounts, quoteMint: WSOL, payer: this.wallet }, CURVE);
    await this.land('settings', this.compiled([made], settings));
    const place = { config: settings.address, baseMint: base.address, quoteMint: WSOL };
    const people = { quoteProgram: TOKEN_PROGRAM, creator: this.wallet, payer: this.wallet };
    const opened = initializeCurvePool({ ...place, ...people }, TOKEN_TEXTS);
    await this.read('foreign settings', this.compiled([opened], base), false);
  }

  /** Launches into a pool opened by the service or the wallet, and claims the position's fees. */
  private async directLaunches(): Promise<void> {
    const { caller, wallet } = this;
    for (const by of ['service', 'wallet']) {
      await caller.control('variants', { poolDeposits: by });
      const { tokenMint, ask } = await caller.direct([wallet, other]);
      await this.readPlan(`direct by ${by}`, await ask(SOL));
      await caller.swapped(WSOL, tokenMint, SOL);
      const claim = { feeClaimer: wallet, tokenMint, source: { kind: 'position' } };
      const claims = await caller.ok(caller.post('/token-launch/create-claim-txs/v2', claim));
      await this.readPlan(`position claim by ${by}`, claims);
    }
  }

  /** Makes a token, pools whose position belongs to the wallet and to a stranger, and a trade there. */
  private async pools(): Promise<void> {
    const { wallet } = this;
    const [token, nft] = [ring.get('token'), ring.get('nft')];
    const asset = { mint: token.address, tokenProgram: TOKEN_PROGRAM };
    const [tokenA, tokenB] = [ata(wallet, asset), ata(wallet, { mint: WSOL, tokenProgram: TOKEN_PROGRAM })];
    const rent = (bytes: number) => this.caller.sandbox.chain.rent(bytes);
    const supply = [
      ...createMint(wallet, token.address, TOKEN_PROGRAM, 6, wallet, rent),
      createAta(wallet, wallet, asset),
      mintTo(TOKEN_PROGRAM, token.address, tokenA, wallet, 10n ** 15n),
      ...wrap(wallet, 20n * SOL),
    ];
    await this.read('mint', this.compiled(supply, token));
    const tokens = {
      mintA: token.address,
      programA: TOKEN_PROGRAM,
      mintB: WSOL_MINT,
      programB: TOKEN_PROGRAM,
    };
    const people = { nftMint: nft.address, payer: wallet, tokenA, tokenB };
    const pool = (creator: string) =>
      this.compiled([initializePool(tokens, { ...people, creator }, POOL)], nft);
    await this.read('own pool', pool(wallet), false);
    await this.read('pool', pool(custodyAuthority(poolAddress(token.address, WSOL_MINT))));
    await this.land('account', this.compiled([createAta(wallet, other, asset)]));
    const sold = { input: tokenB, output: ata(other, asset), payer: wallet };
    await this.read('stranger', this.compiled([poolSwap2(tokens, sold, SOL, 5n)]));
    const close = { accounts: { account: tokenB, destination: wallet, owner: wallet } };
    const bought = poolSwap2(tokens, { ...sold, output: tokenA }, SOL, 5n);
    await this.read('unwrap', this.compiled([bought, encodeInstruction('token.closeAccount', close)]));
  }
}
