/**
 * Random legitimate requests of every kind with supported instructions, the same for the same seed, with their
 * prerequisites landed. `walk` asks, decides and lands a request to its end, including the second round after a setup.
 */
import { CONFIG_TYPE_IDS, LOCKED_85_CONFIG_TYPE } from '../../src/contract/configTypes.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { partnerConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Random } from '../transaction/fuzz.ts';
import { type Fields, keyNamed, type Tamper, type World } from './world.ts';

/** A request to the service. */
export interface Request {
  readonly endpoint: EndpointName;
  readonly fields: Fields;
}

const SOL = 1_000_000_000n;
const person = (random: Random) => keyNamed(`person ${random(1000)}`).address;
const chance = (random: Random, percent: number) => random(100) < percent;
const maybe = (random: Random, percent: number, fields: () => Fields): Fields =>
  chance(random, percent) ? fields() : {};
const format = (random: Random) => maybe(random, 60, () => ({ transactionFormat: random(2) ? 'v1' : 'v0' }));
const tip = (random: Random) =>
  maybe(random, 25, () => ({ tipWallet: person(random), tipLamports: 1_000_000 + random(2_000_000) }));

/** Different claimers, including the wallet, with shares that total 10,000. */
function split(world: World, random: Random, count: number): Fields {
  const first = random(500);
  const claimers = Array.from({ length: count }, (_, i) => keyNamed(`claimer ${first + i}`).address);
  claimers[random(count)] = world.wallet;
  const shares: number[] = [];
  let left = 10_000;
  for (let i = 1; i < count; i++) {
    const share = random(Math.floor((2 * left) / (count - i + 1)) + 1);
    shares.push(share);
    left -= share;
  }
  return { claimersArray: claimers, basisPointsArray: [...shares, left] };
}

/** Usually a few claimers, sometimes the contract's maximum. */
const claimerCount = (random: Random) => (chance(random, 8) ? 30 + random(71) : 1 + random(6));

async function config(world: World, random: Random): Promise<Request> {
  const { mint } = await world.token(`Token ${random(1000)}`);
  const types = CONFIG_TYPE_IDS.filter((type) => type !== LOCKED_85_CONFIG_TYPE);
  const fields = {
    baseMint: mint,
    payer: world.wallet,
    flow: random(2) ? 'dbc' : 'damm_v2_direct',
    ...split(world, random, claimerCount(random)),
    ...maybe(random, 50, () => ({ quoteMint: WSOL_MINT })),
    ...maybe(random, 50, () => ({ serviceConfigType: types[random(types.length)] })),
    ...maybe(random, 40, () => ({ admin: random(2) ? world.wallet : person(random) })),
    ...maybe(random, 25, () => {
      const partner = person(random);
      return { partner, partnerConfig: partnerConfigAddress(partner) };
    }),
    ...maybe(random, 30, () => ({ enableFirstSwapWithMinFee: random(2) === 1 })),
    ...tip(random),
    ...format(random),
  };
  return { endpoint: 'feeShareConfig', fields };
}

async function managerUpdate(world: World, random: Random): Promise<Request> {
  const { mint } = await world.landedConfig();
  const fields = {
    baseMint: mint,
    payer: world.wallet,
    ...split(world, random, 2 + random(11)),
    ...format(random),
  };
  return { endpoint: 'updateFeeShareConfig', fields };
}

async function launchOn(
  world: World,
  random: Random,
  endpoint: 'dammLaunchV2' | 'curveLaunchV2',
): Promise<Request> {
  const flow = endpoint === 'dammLaunchV2' ? 'damm_v2_direct' : 'dbc';
  const quoteMint = WSOL_MINT;
  const landed = await landConfig(world, { flow, quoteMint });
  const fields = {
    tokenMint: landed.mint,
    wallet: world.wallet,
    feeShareConfig: landed.config,
    quoteMint,
    ipfs: landed.uri,
    ...(flow === 'dbc' ? { configKey: landed.venueConfigKey } : {}),
    ...maybe(random, 60, () => ({ initialBuyQuoteRaw: `${1_000 + random(20_000_000)}` })),
    ...tip(random),
    ...format(random),
  };
  return { endpoint, fields };
}

async function curveLaunch(world: World, random: Random): Promise<Request> {
  const landed = await landConfig(world, { flow: 'dbc' });
  const fields = {
    ipfs: landed.uri,
    tokenMint: landed.mint,
    wallet: world.wallet,
    initialBuyLamports: chance(random, 60) ? 10_000 + random(20_000_000) : 0,
    configKey: landed.venueConfigKey,
  };
  return { endpoint: 'curveLaunch', fields };
}

async function landConfig(world: World, fields: Fields) {
  const token = await world.token();
  const plan = await world.plan('feeShareConfig', world.configRequest(token.mint, [10_000], fields));
  for (const stage of plan.stages) await world.land(plan, stage.id);
  const { feeShareConfig, venueConfigKey } = plan.answer;
  return { ...token, config: String(feeShareConfig), venueConfigKey: String(venueConfigKey) };
}

/** A token of the wallet's that trades against SOL, with unclaimed fees. */
async function traded(world: World, random: Random, flow: 'damm_v2_direct' | 'dbc'): Promise<string> {
  const token = await landConfig(world, { flow });
  const fields = { tokenMint: token.mint, wallet: world.wallet, ipfs: token.uri };
  const launch =
    flow === 'dbc'
      ? await world.plan('curveLaunch', { ...fields, initialBuyLamports: 0, configKey: token.venueConfigKey })
      : await world.plan('dammLaunchV2', { ...fields, feeShareConfig: token.config, quoteMint: WSOL_MINT });
  for (const stage of launch.stages) await world.land(launch, stage.id);
  const amount = `${100_000_000 + random(400_000_000)}`;
  await walk(world, await buy(world, token.mint, amount));
  return token.mint;
}

async function buy(world: World, outputMint: string, amount: string, more: Fields = {}): Promise<Request> {
  const fields = await world.quoted({ inputMint: WSOL_MINT, outputMint, amount, ...more });
  return { endpoint: 'tradeSwap', fields };
}

async function swap(world: World, random: Random): Promise<Request> {
  await world.sandbox.service.ready();
  const open = [...world.sandbox.service.state.launches.values()].filter(
    ({ venue }) => venue !== undefined && [WSOL_MINT, world.quote('USDC')].includes(venue.quoteMint),
  );
  const launch = open[random(open.length)];
  const [mint, quoteMint] = [launch?.tokenMint ?? '', launch?.venue?.quoteMint ?? ''];
  const slippage = maybe(random, 50, () => ({ slippageMode: 'manual', slippageBps: random(90) }));
  const inQuote = `${quoteMint === WSOL_MINT ? 1_000_000 + random(300_000_000) : 100_000 + random(5_000_000)}`;
  const first = await world.quoted({ inputMint: quoteMint, outputMint: mint, amount: inQuote, ...slippage });
  const bought: Request = { endpoint: 'tradeSwap', fields: first };
  if (chance(random, 60)) return bought;
  await walk(world, bought);
  const amount = `${100_000_000 + random(1_000_000_000)}`;
  const second = await world.quoted({ inputMint: mint, outputMint: quoteMint, amount, ...slippage });
  return { endpoint: 'tradeSwap', fields: second };
}

async function positionClaim(world: World, random: Random): Promise<Request> {
  const tokenMint = await traded(world, random, 'damm_v2_direct');
  const named = maybe(random, 60, () => ({ quoteMint: WSOL_MINT, source: { kind: 'position' } }));
  return { endpoint: 'claimTxs', fields: { feeClaimer: world.wallet, tokenMint, ...named } };
}

async function holdingClaim(world: World, random: Random): Promise<Request> {
  const tokenMint = await traded(world, random, 'dbc');
  const fields = { feeClaimer: world.wallet, tokenMint, source: { kind: 'holding' } };
  return { endpoint: 'claimTxs', fields };
}

/** Every kind of request by name. */
export const LEGITIMATE: Readonly<Record<string, (world: World, random: Random) => Promise<Request>>> = {
  config,
  managerUpdate,
  directLaunch: (world, random) => launchOn(world, random, 'dammLaunchV2'),
  curveLaunch,
  curveLaunchV2: (world, random) => launchOn(world, random, 'curveLaunchV2'),
  swap,
  positionClaim,
  holdingClaim,
};
export const LEGITIMATE_KINDS = Object.keys(LEGITIMATE);

/** The next request of a kind; tops up the wallet. */
export async function legitimate(world: World, kind: string, random: Random): Promise<Request> {
  world.sandbox.chain.airdrop(world.wallet, 3n * SOL);
  const make = LEGITIMATE[kind];
  if (make === undefined) throw new RangeError(`no request is called ${kind}`);
  return make(world, random);
}

/** Called by `walk` for each stage about to be signed. */
export type Visit = (inputs: DecisionInputs, plan: Plan) => Promise<void> | void;

/** Asks, visits every stage in order immediately before it lands, and asks again after a setup. */
export async function walk(
  world: World,
  { endpoint, fields }: Request,
  visit: Visit = () => {},
  tamper?: Tamper,
): Promise<readonly Plan[]> {
  const plan = await world.plan(endpoint, fields, tamper);
  for (const { id, waitSlots } of plan.stages) {
    if (waitSlots > 0) world.sandbox.advanceSlots(waitSlots + 1);
    await visit(await world.inputs(plan, id), plan);
    await world.land(plan, id);
  }
  if (plan.readiness?.status !== 'setup_required') return [plan];
  return [plan, ...(await walk(world, { endpoint, fields }, visit, tamper))];
}
