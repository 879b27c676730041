/**
 * Records one honest stage of every kind from a real sandbox with all inputs of the policy, so that policy tests need
 * no sandbox: `node scripts/run.mjs test/policy/recorded/record.ts` writes stages.json.br. The sandbox and the file are
 * the same for the same seed.
 */

import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { deploy } from '../../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../../sandbox/programs/standIns.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import { buildSend, type SendRequest } from '../../../src/builders/send.ts';
import type { EndpointName } from '../../../src/contract/index.ts';
import { planFromAnswer } from '../../../src/plan/fromAnswer.ts';
import type { Plan } from '../../../src/plan/types.ts';
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { partnerConfigAddress } from '../../../src/programs/feeShare/addresses.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { requiredSigners } from '../../../src/transaction/signatures.ts';
import { type Fields, keyNamed, type Tamper, World } from '../world.ts';

const SEED = 'recorded stages';
const FILE = 'test/policy/recorded/stages.json.br';

const world = await World.start(SEED);
const stages: Record<string, DecisionInputs> = {};
const mints: string[] = [];

/** Builds a plan, lands its stages in order, and records the named ones. */
async function record(
  endpoint: EndpointName,
  fields: Fields,
  names: Readonly<Record<string, string>>,
  tamper?: Tamper,
): Promise<Plan> {
  world.sandbox.chain.airdrop(world.wallet, 3_000_000_000n);
  const plan = await world.plan(endpoint, fields, tamper);
  for (const { id, waitSlots } of plan.stages) {
    if (waitSlots > 0) world.sandbox.advanceSlots(waitSlots + 1);
    const name = names[id];
    if (name !== undefined) stages[name] = await world.inputs(plan, id);
    await world.land(plan, id);
  }
  if (plan.readiness?.status === 'setup_required') return record(endpoint, fields, names, tamper);
  return plan;
}

async function token() {
  const made = await world.token();
  mints.push(made.mint);
  return made;
}

/** A landed config over a new token. */
async function config(fields: Fields) {
  const made = await token();
  const plan = await record('feeShareConfig', world.configRequest(made.mint, [10_000], fields), {});
  return {
    ...made,
    config: String(plan.answer.feeShareConfig),
    venueConfig: String(plan.answer.venueConfigKey),
  };
}

async function swap(fields: Fields, name?: string, tamper?: Tamper) {
  const request = await world.quoted(fields);
  await record('tradeSwap', request, name === undefined ? {} : { swap: name }, tamper);
}

const tip = { tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 };
const usdc = world.quote('USDC');
const taxed = world.quote('TAXQ');
const venue = keyNamed('venue').address;
const call = { programAddress: venue, accounts: [], data: Uint8Array.of(1) };
const withCall: Tamper = (draft) => ({ ...draft, instructions: [...draft.instructions, call] });
await world.sandbox.service.ready();
deploy(world.sandbox.chain, venue, compiledProgram('harmless'));

// Configs in both formats with every request field, including one of several stages.
await record('feeShareConfig', world.configRequest((await token()).mint, [7000, 3000]), {
  'config-1': 'plain config',
});
await record(
  'feeShareConfig',
  world.configRequest((await token()).mint, [7000, 3000], {
    ...tip,
    admin: keyNamed('admin').address,
    partner: keyNamed('partner').address,
    partnerConfig: partnerConfigAddress(keyNamed('partner').address),
  }),
  { 'config-1': 'config v0' },
);
await record(
  'feeShareConfig',
  world.configRequest((await token()).mint, [6000, 4000], {
    ...tip,
    serviceConfigType: 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3',
    enableFirstSwapWithMinFee: true,
    feeLimits: [
      { asset: { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }, basisPoints: 10, maximumFeeRaw: '5' },
    ],
    transactionFormat: 'v1',
  }),
  { 'config-1': 'config v1' },
);
await record(
  'feeShareConfig',
  world.configRequest(
    (await token()).mint,
    Array.from({ length: 40 }, () => 250),
    { transactionFormat: 'v1' },
  ),
  { 'config-1': 'config of many, first', 'config-2': 'config of many, second' },
);
await record(
  'feeShareConfig',
  world.configRequest((await token()).mint, [10_000]),
  { 'config-1': 'config with an unsupported program' },
  withCall,
);

// A changed split that adds one claimer and removes two.
const shared = await token();
await record('feeShareConfig', world.configRequest(shared.mint, [4000, 3000, 2000, 1000]), {});
const fewer = {
  baseMint: shared.mint,
  payer: world.wallet,
  claimersArray: [world.wallet, keyNamed('b').address],
  basisPointsArray: [9000, 1000],
};
await record('updateFeeShareConfig', fewer, { 'update-1': 'manager update to fewer' });
const more = {
  ...fewer,
  claimersArray: [world.wallet, keyNamed('b').address, keyNamed('c').address, keyNamed('d').address],
  basisPointsArray: [5000, 2000, 2000, 1000],
  transactionFormat: 'v1',
};
await record('updateFeeShareConfig', more, { 'update-1': 'manager update to more' });

// Launches: the custody bundle with its tables, a direct pool, a curve, the older bare curve.
const bundle = await token();
await record(
  'dammLaunch',
  {
    tokenMint: bundle.mint,
    ipfs: bundle.uri,
    wallet: world.wallet,
    quoteMint: WSOL_MINT,
    feeClaimerWallet: keyNamed('fee claimer').address,
    initialBuyQuoteAmount: 100_000_000,
    partner: keyNamed('partner').address,
  },
  {
    lut_setup: 'custody table',
    create_token: 'custody token',
    launch: 'custody launch',
    lut_deactivate: 'custody table retired',
    lut_close: 'custody table closed',
  },
);
const direct = await config({});
await record(
  'dammLaunchV2',
  {
    tokenMint: direct.mint,
    wallet: world.wallet,
    feeShareConfig: direct.config,
    quoteMint: WSOL_MINT,
    ipfs: direct.uri,
    initialBuyQuoteRaw: '50000000',
    ...tip,
  },
  { 'launch-1': 'direct launch, token', 'launch-2': 'direct launch', 'launch-3': 'direct launch, end' },
);
const inDollars = await config({ flow: 'dbc', quoteMint: usdc });
await record(
  'curveLaunchV2',
  {
    ipfs: inDollars.uri,
    tokenMint: inDollars.mint,
    wallet: world.wallet,
    quoteMint: usdc,
    initialBuyQuoteRaw: '2000000',
    feeShareConfig: inDollars.config,
    configKey: inDollars.venueConfig,
    transactionFormat: 'v1',
    ...tip,
  },
  { 'launch-1': 'curve launch v1' },
);
const curve = await config({ flow: 'dbc' });
await record(
  'curveLaunch',
  {
    ipfs: curve.uri,
    tokenMint: curve.mint,
    wallet: world.wallet,
    initialBuyLamports: 10_000_000,
    configKey: curve.venueConfig,
  },
  { launch: 'bare curve launch' },
);

// Trades: buys and sells, in SOL, in a token, in one with transfer fees, beside an unsupported program.
await swap({ inputMint: WSOL_MINT, outputMint: direct.mint, amount: '500000000' }, 'swap of SOL');
await swap({ inputMint: direct.mint, outputMint: WSOL_MINT, amount: '100000000' }, 'swap for SOL');
const pools = [...world.sandbox.service.state.launches.values()];
const pooled = (mint: string) => pools.find(({ venue: at }) => at?.quoteMint === mint)?.tokenMint ?? '';
await swap({ inputMint: usdc, outputMint: pooled(usdc), amount: '1000000' }, 'swap of USDC');
await swap({ inputMint: taxed, outputMint: pooled(taxed), amount: '10000000' }, 'swap of a taxed token');
await swap({ inputMint: pooled(taxed), outputMint: taxed, amount: '1000000' }, 'swap for a taxed token');
await swap(
  { inputMint: WSOL_MINT, outputMint: direct.mint, amount: '100000000' },
  'swap with an unsupported program',
  withCall,
);
await swap({ inputMint: WSOL_MINT, outputMint: curve.mint, amount: '400000000' });

// Claims of every kind.
const claimer = { feeClaimer: world.wallet };
await record(
  'claimTxs',
  { ...claimer, tokenMint: direct.mint, quoteMint: WSOL_MINT, source: { kind: 'position' } },
  { 'claim-1': 'position claim' },
);
await record(
  'claimTxs',
  { ...claimer, tokenMint: curve.mint, source: { kind: 'holding' } },
  { 'claim-1': 'holding claim' },
);
await record(
  'deployerClaimTxs',
  { wallet: world.wallet },
  { claim: 'deployer claim', 'claim-1': 'deployer claim' },
);
await swap({ inputMint: WSOL_MINT, outputMint: direct.mint, amount: '300000000' });
await record(
  'claimVault',
  { kind: 'deployer', wallet: world.wallet, quoteMint: WSOL_MINT },
  { claim: 'vault claim' },
);

// A config that writes the terms of its bonding curve.
await record('feeShareConfig', world.configRequest((await token()).mint, [7000, 3000], { flow: 'dbc' }), {
  'config-1': 'curve config',
});

// A trade with the pool itself, whose direction follows from its token accounts.
world.sandbox.service.state.swapsThrough = 'venue';
await swap({ inputMint: direct.mint, outputMint: WSOL_MINT, amount: '100000000' }, 'swap in a pool');

// The same on a curve.
await swap({ inputMint: WSOL_MINT, outputMint: curve.mint, amount: '100000000' }, 'swap on a curve');
world.sandbox.service.state.swapsThrough = 'router';

// A claim of the wallet's earnings from before it was removed as a claimer, and one of a partner's earnings.
const friends = [world.wallet, keyNamed('friend').address, keyNamed('b').address];
const left = await config({
  flow: 'dbc',
  claimersArray: friends,
  basisPointsArray: [5000, 3000, 2000],
  admin: world.wallet,
  partner: world.wallet,
  partnerConfig: partnerConfigAddress(world.wallet),
});
await record(
  'curveLaunch',
  {
    ipfs: left.uri,
    tokenMint: left.mint,
    wallet: world.wallet,
    initialBuyLamports: 0,
    configKey: left.venueConfig,
  },
  {},
);
await swap({ inputMint: WSOL_MINT, outputMint: left.mint, amount: '300000000' });
await record(
  'updateFeeShareConfig',
  {
    baseMint: left.mint,
    payer: world.wallet,
    claimersArray: friends.slice(1),
    basisPointsArray: [6000, 4000],
  },
  { 'update-1': 'manager update that leaves' },
);
await record(
  'claimTxs',
  { ...claimer, tokenMint: left.mint, source: { kind: 'holding' } },
  { 'claim-1': 'claim from a vault' },
);
await record(
  'claimVault',
  { kind: 'partner', wallet: world.wallet, quoteMint: WSOL_MINT },
  { claim: 'partner claim' },
);

/** A payment, built locally and not by the service. */
async function pay(fields: Omit<SendRequest, 'wallet'>, name: string) {
  const request: SendRequest = { wallet: world.wallet, ...fields };
  const plan = planFromAnswer({
    endpoint: 'send',
    request,
    answer: await buildSend(world.chain, request),
    mode: 'sandbox',
    network: world.sandbox.genesisHash,
    wallet: world.wallet,
    now: 1,
  });
  if (plan === null) throw new Error('a payment is always signed');
  world.sandbox.advanceSlots(2);
  stages[name] = await world.inputs(plan, 'send');
  await world.land(plan, 'send');
}
const friend = keyNamed('friend').address;
await pay({ to: friend, amountRaw: '5000000' }, 'payment of SOL');
await pay(
  { to: friend, amountRaw: '250000', tokenMint: usdc, memo: 'thanks' },
  'payment of USDC, new account',
);
await pay({ to: friend, amountRaw: '100000', tokenMint: usdc }, 'payment of USDC');
await pay({ to: friend, amountRaw: '900000', tokenMint: taxed }, 'payment of a taxed token');

/** Labels of the signing keys, for signing changed bytes again. */
function labels(): Record<string, string> {
  const ring = createKeyring(SEED);
  const about = (mint: string) =>
    [
      'config',
      'venue config',
      'pool',
      'pool authority',
      'position treasury',
      'position feeClaimer',
      'fee vault',
    ].map((label) => `${label} ${mint}`);
  const all = [
    'wallet',
    'fee share authority',
    'launch authority',
    'sponsor',
    'table authority',
    'custody authority',
    'quote authority',
    ...[...mints, ...pools.map(({ tokenMint }) => tokenMint)].flatMap(about),
    ...Object.values(stages).map(({ quote }) => `escrow ${quote?.quote.requestId}`),
    ...Array.from({ length: 40 }, (_, i) => `token ${i}`),
    ...['deployer', 'partner'].map((kind) => `${kind} vault ${world.wallet}`),
  ];
  const byAddress = new Map(all.map((label) => [ring.get(label).address, label]));
  const used: Record<string, string> = {};
  for (const [name, { stage }] of Object.entries(stages)) {
    const read = stage.transaction.read();
    for (const [slot, address] of requiredSigners(read).entries()) {
      const label = byAddress.get(address);
      if (label !== undefined) used[address] = label;
      else if (read.signatures[slot] !== null) throw new Error(`no key of ${name} is ${address}`);
    }
  }
  return used;
}

const text = JSON.stringify({
  seed: SEED,
  wallet: world.wallet,
  network: world.sandbox.genesisHash,
  venue,
  signers: labels(),
  stages,
});
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };
const packed = brotliCompressSync(text, { params });
writeFileSync(FILE, packed);
process.stderr.write(
  `${Object.keys(stages).length} stages, ${text.length} characters, ${packed.length} bytes in ${FILE}\n${Object.keys(stages).join('\n')}\n`,
);
await world.close();
