/**
 * The agent's requests through the tools. A round makes the same request twice: to the hostile service and to the honest one.
 */

import { setTimeout as wait } from 'node:timers/promises';
import { asRecord } from '../../../src/base/record.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { records, text } from '../../demo/session.ts';
import { partnerConfig } from '../../programs/feeShare.ts';
import { ata, createAta, wrap } from '../../service/build/tokens.ts';
import { marketOf } from '../../service/records/markets.ts';
import { FANS, FRIEND_HANDLE, fanOf, friendOf, TRADE_LAMPORTS } from '../world/policy.ts';
import { TIDYING } from '../world/refusal.ts';
import { planIdOf, type World, worked } from '../world/world.ts';

/** A repeatable request. Resolves to the result of the build tool. */
export type Ask = () => Promise<Record<string, unknown>>;

/** Prepares a request: registers a token and lands its prerequisites. */
export type Prepare = (world: World) => Promise<Ask>;

/** Lamports. */
const FIRST_BUY = '50000000';
const TIP_LAMPORTS = 20_000;
/** Maximum wait of a call, and maximum calls while a plan is running. */
const LANDING_SECONDS = 40;
const MAX_TURNS = 10;
/** Interval of polls for closed lookup tables, in milliseconds. */
const LOOK_MS = 50;
/** Maximum polls, far above the duration on a busy machine. */
const MAX_LOOKS = 2_400;
/** Final statuses of a stage. */
const TIDIED: readonly string[] = ['confirmed', 'finalized', 'failed', 'skipped'];
/** Lamports of others' trades before a claim. */
const OTHERS_LAMPORTS = 2_500_000_000n;
const DUST_LAMPORTS = 100_000n;

const call = async ({ server }: World, tool: string, args: Record<string, unknown>) =>
  worked(tool, await server.call(tool, args));

/** Lamports of a payment. */
const PAYMENT = '20000000';

/** Payments in SOL, in one plan. */
export const payments =
  (to: (world: World) => readonly Address[]): Prepare =>
  async (world) =>
  () => {
    const [first, ...more] = to(world).map((each) => ({ to: each, amountRaw: PAYMENT }));
    return call(world, 'send', { ...first, ...(more.length === 0 ? {} : { more }) });
  };

/** A payment in SOL. */
export const payment = (to: (world: World) => Address): Prepare => payments((world) => [to(world)]);

let tokens = 0;

/** Registers a token with the service. */
export async function newToken(world: World, name?: string): Promise<{ mint: Address; link: string }> {
  tokens += 1;
  const answer = await call(world, 'create_token_info', {
    name: name ?? `Round ${tokens}`,
    symbol: `RND${tokens}`,
    description: 'a token of the attack table',
    imageUrl: 'https://example.com/token.png',
  });
  return { mint: text(answer, 'tokenMint'), link: text(answer, 'tokenMetadata') };
}

/**
 * Builds and lands an honest plan, including the closing of its lookup tables, so that none of its transactions lands during
 * the next request. Throws if the plan does not complete.
 */
export async function landHonestPlan(world: World, ask: Ask): Promise<string> {
  const planId = planIdOf(await ask());
  let plan: Record<string, unknown> = {};
  for (let turn = 0; turn === 0 || (turn < MAX_TURNS && plan.status === 'running'); turn += 1) {
    plan = asRecord((await call(world, 'submit_plan', { planId, waitSeconds: LANDING_SECONDS })).plan);
  }
  if (plan.status !== 'complete') {
    throw new Error(`the honest plan is ${String(plan.status)}: ${String(asRecord(plan.decision).explain)}`);
  }
  for (let looks = 0; await isTidying(world, planId); looks += 1) {
    if (looks === MAX_LOOKS) throw new Error('the lookup tables of the honest plan are not closed');
    await wait(LOOK_MS);
  }
  return planId;
}

/** Whether the server still has to close a lookup table of a complete plan. */
async function isTidying(world: World, planId: string): Promise<boolean> {
  const { plan } = await call(world, 'get_plan', { planId });
  const optional = records(asRecord(plan).stages).filter(({ kind }) => TIDYING.includes(String(kind)));
  return optional.some(({ status }) => !TIDIED.includes(String(status)));
}

interface ConfigChoices {
  readonly format?: 'v1';
  /** With a bonding curve; into a pool of its own unless said. */
  readonly flow?: 'dbc';
  readonly tip?: true;
  /** Fields that replace those of the request. */
  readonly with?: (world: World) => Record<string, unknown>;
}

/** A fee share config for a new token: seven tenths for the wallet, three for a friend. */
export const config =
  (choices: ConfigChoices = {}): Prepare =>
  async (world) => {
    const { mint } = await newToken(world);
    return () => call(world, 'create_fee_share_config', configRequest(world, mint, choices));
  };

function configRequest(world: World, baseMint: Address, choices: ConfigChoices): Record<string, unknown> {
  const friend = friendOf(world.sandbox);
  return {
    baseMint,
    payer: world.wallet,
    flow: choices.flow ?? 'damm_v2_direct',
    claimersArray: [world.wallet, friend],
    basisPointsArray: [7_000, 3_000],
    ...(choices.format === undefined ? {} : { transactionFormat: choices.format }),
    ...(choices.tip === undefined ? {} : { tipWallet: friend, tipLamports: TIP_LAMPORTS }),
    ...choices.with?.(world),
  };
}

/** A config whose second claimer is a handle that the agent resolves each time. */
export const handleConfig: Prepare = async (world) => {
  const { mint } = await newToken(world);
  return async () => {
    const found = await call(world, 'resolve_fee_share_wallet', FRIEND_HANDLE);
    const claimersArray = [world.wallet, text(found, 'wallet')];
    const request = configRequest(world, mint, { with: () => ({ claimersArray }) });
    return call(world, 'create_fee_share_config', request);
  };
};

/** A config with the friend as its partner. */
export const partneredConfig: Prepare = config({
  with: ({ sandbox }) => {
    const partner = friendOf(sandbox);
    return { partner, partnerConfig: partnerConfig(partner, { quoteMint: WSOL_MINT }) };
  },
});

/** More claimers than one transaction has room for. */
const MANY = FANS + 1;
export const longConfig: Prepare = config({
  format: 'v1',
  tip: true,
  with: (world) => among(world),
});

/** A split among many claimers. */
const among = ({ wallet, sandbox }: World) => ({
  claimersArray: Array.from({ length: MANY }, (_, i) => (i === 0 ? wallet : fanOf(sandbox, i))),
  basisPointsArray: Array.from({ length: MANY }, (_, i) => (i === 0 ? 10_000 - 100 * (MANY - 1) : 100)),
});

/** A swap of one mint for another. */
const swap =
  (pair: (world: World) => { inputMint: Address; outputMint: Address; amount: bigint }): Prepare =>
  async (world) =>
  async () => {
    const { inputMint, outputMint, amount } = pair(world);
    const quote = await call(world, 'get_swap_quote', { inputMint, outputMint, amount: String(amount) });
    return call(world, 'create_swap', { requestId: text(quote, 'requestId') });
  };

/** The token of the sample trade, and another whose quote token takes a transfer fee. */
export const tradedToken = ({ sandbox }: World): Address => sandbox.service.keys.tokenMint(0).address;
const taxedToken = ({ sandbox }: World): Address => sandbox.service.keys.tokenMint(2).address;
const curveToken = ({ sandbox }: World): Address => sandbox.service.keys.tokenMint(3).address;

export const buyOf = (amount: bigint) =>
  swap((world) => ({ inputMint: WSOL_MINT, outputMint: tradedToken(world), amount }));
export const buy = buyOf(TRADE_LAMPORTS);
export const sell = swap((world) => ({
  inputMint: tradedToken(world),
  outputMint: WSOL_MINT,
  amount: 1_000_000_000_000n,
}));
/** Quotes a small trade first, then makes the usual one. */
export const buyAfterAnotherQuote: Prepare = async (world) => {
  const ask = await buy(world);
  const { inputMint, outputMint } = { inputMint: WSOL_MINT, outputMint: tradedToken(world) };
  return async () => {
    await call(world, 'get_swap_quote', { inputMint, outputMint, amount: `${TRADE_LAMPORTS / 10n}` });
    return ask();
  };
};
/** Sells for the taxed quote token. */
export const sellTaxed = swap((world) => ({
  inputMint: taxedToken(world),
  outputMint: world.sandbox.service.keys.quoteMint('TAXQ').address,
  amount: 1_000_000_000n,
}));
/** Buys a token that is not in the policy. */
export const buyUnlisted = swap((world) => ({
  inputMint: WSOL_MINT,
  outputMint: curveToken(world),
  amount: TRADE_LAMPORTS,
}));

let updates = 0;

/** A new split among enough claimers for two transactions. */
export const longUpdate: Prepare = async (world) => {
  const { mint } = await newToken(world);
  await landedConfig(world, mint, 'damm_v2_direct');
  const request = { baseMint: mint, payer: world.wallet, ...among(world) };
  return () => call(world, 'update_fee_share_config', request);
};

/** A new split for a token that already trades, different each time. */
export const update: Prepare = async (world) => {
  updates += 1;
  const mine = 5_000 + updates;
  const request = {
    baseMint: tradedToken(world),
    payer: world.wallet,
    claimersArray: [world.wallet, friendOf(world.sandbox)],
    basisPointsArray: [mine, 10_000 - mine],
  };
  return () => call(world, 'update_fee_share_config', request);
};

/** A custody launch with a first buy. */
export const custodyLaunch: Prepare = async (world) => {
  const { mint, link } = await newToken(world);
  const request = {
    tokenMint: mint,
    wallet: world.wallet,
    ipfs: link,
    quoteMint: WSOL_MINT,
    initialBuyQuoteAmount: Number(FIRST_BUY),
  };
  return () => call(world, 'create_damm_launch', request);
};

/** A direct launch with a fee share config and a first buy. The config lands first. */
export const directLaunch: Prepare = async (world) => {
  const { mint, link } = await newToken(world);
  const feeShareConfig = await landedConfig(world, mint, 'damm_v2_direct');
  const request = {
    tokenMint: mint,
    wallet: world.wallet,
    ipfs: link,
    feeShareConfig: feeShareConfig.account,
    quoteMint: WSOL_MINT,
    initialBuyQuoteRaw: FIRST_BUY,
  };
  return () => call(world, 'create_fee_share_damm_launch', request);
};

/** A bonding-curve launch: one bare transaction. */
export const curveLaunch: Prepare = async (world) => {
  const { mint, link } = await newToken(world);
  const { venueConfigKey } = await landedConfig(world, mint, 'dbc');
  const request = {
    tokenMint: mint,
    wallet: world.wallet,
    ipfs: link,
    configKey: venueConfigKey,
    initialBuyLamports: Number(FIRST_BUY),
  };
  return () => call(world, 'create_curve_launch', request);
};

/** Lands a config of the usual shares. Returns its account and the key of its venue. */
export async function landedConfig(world: World, mint: Address, flow: string) {
  const request = configRequest(world, mint, { with: () => ({ flow }) });
  const ask: Ask = () => call(world, 'create_fee_share_config', request);
  await landHonestPlan(world, ask);
  const known = await ask();
  return { account: text(known, 'feeShareConfig'), venueConfigKey: known.venueConfigKey };
}

/** A claim of a pool's fees after a trade. */
const claim =
  (tool: string, request: (world: World) => Record<string, unknown>, trade: Prepare): Prepare =>
  async (world) => {
    await landHonestPlan(world, await trade(world));
    return () => call(world, tool, request(world));
  };

export const positionClaim = claim(
  'create_fee_claims',
  (world) => ({ feeClaimer: world.wallet, tokenMint: tradedToken(world) }),
  buy,
);
export const vaultClaim = claim(
  'create_vault_claim',
  (world) => ({ kind: 'deployer', wallet: world.wallet, quoteMint: WSOL_MINT }),
  buy,
);
export const deployerClaim = claim('create_deployer_claims', (world) => ({ wallet: world.wallet }), buy);

/** A claim of a curve's fees after trades of others for `lamports`. The wallet pays for this claim. */
const claimAfter =
  (lamports: bigint): Prepare =>
  async (world) => {
    const { service } = world.sandbox;
    const tokenMint = curveToken(world);
    buyByOthers(world, tokenMint, lamports);
    await service.onchain.confirmed();
    const request = { feeClaimer: world.wallet, tokenMint, source: { kind: 'holding' } };
    return () => call(world, 'create_fee_claims', request);
  };
export const holdingClaim = claimAfter(OTHERS_LAMPORTS);
/** A claim of the fees of a tiny trade after everything was claimed. */
export const dustClaim: Prepare = async (world) => {
  await landHonestPlan(world, await holdingClaim(world));
  return claimAfter(DUST_LAMPORTS)(world);
};

/** Buys a token by others, which earns fees. */
function buyByOthers(
  { sandbox: { service } }: World,
  tokenMint: Address,
  lamports: bigint = OTHERS_LAMPORTS,
): void {
  const launch = service.state.launches.get(tokenMint);
  // Updates `launch.venue`.
  if (launch !== undefined) service.state.launchStatusOf(launch);
  const venue = launch?.venue;
  if (venue === undefined) throw new Error('the token does not trade');
  const { sponsor } = service.keys;
  const market = marketOf(service, venue);
  const payer = sponsor.address;
  const sides = { input: ata(payer, market.quote), output: ata(payer, market.base), payer };
  service.onchain.landBy(sponsor, [
    ...wrap(payer, lamports),
    createAta(payer, payer, market.base),
    market.swap(sides, lamports, 1n),
  ]);
}

/** A claim of a position that the wallet holds: its own custody launch, traded by others. */
export const ownPositionClaim: Prepare = async (world) => {
  const { service } = world.sandbox;
  const { mint, link } = await newToken(world);
  const request = { tokenMint: mint, wallet: world.wallet, ipfs: link, quoteMint: WSOL_MINT };
  service.state.claimerPosition = 'wallet';
  try {
    await landHonestPlan(world, () => call(world, 'create_damm_launch', request));
  } finally {
    service.state.claimerPosition = 'custody';
  }
  buyByOthers(world, mint);
  await service.onchain.confirmed();
  return () => call(world, 'create_fee_claims', { feeClaimer: world.wallet, tokenMint: mint });
};
