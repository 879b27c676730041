/**
 * The table of docs/contract.md: the kinds of plans the service builds, with what the shipped templates decide about it. Kinds
 * whose instructions are read are `exact` and as their rule says; the others are unread, and a person is asked; none is
 * refused for how it is composed. `npm run gen` writes the page from what is recorded here.
 */

import { expect, it } from 'vitest';
import { DBC_PROGRAM } from '../../../sandbox/programs/addresses.ts';
import { compileDraft, type Draft } from '../../../sandbox/service/build/compile.ts';
import { ata, createAta } from '../../../sandbox/service/build/tokens.ts';
import type { KindRow } from '../../../scripts/contractPage.ts';
import { type DecidedStage, runPartsOf } from '../../../src/approval/run.ts';
import type { EndpointName } from '../../../src/contract/index.ts';
import { joinedClaims } from '../../../src/execution/claims.ts';
import { CLAIM_ALL, type Claim, claimsIn } from '../../../src/plan/claimAll.ts';
import { DecodedStage } from '../../../src/plan/decodedStage.ts';
import type { Plan } from '../../../src/plan/types.ts';
import { decide, decideStaged, evaluate } from '../../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../../src/policy/file/file.ts';
import type { PolicyFile } from '../../../src/policy/file/schema.ts';
import { dbcPoolAddress } from '../../../src/programs/dbc/addresses.ts';
import { derivedAddress } from '../../../src/programs/derived.ts';
import { FEE_SHARE_PROGRAM, partnerConfigAddress } from '../../../src/programs/feeShare/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { writeLayout } from '../../../src/programs/layout.ts';
import { buildInstruction } from '../../../src/programs/read.ts';
import { TITAN_PROGRAM, titanLayouts } from '../../../src/programs/titan/instructions.ts';
import { embeddedPolicy } from '../../../src/review/templates/embedded.ts';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { approvalOf } from '../../../src/statement/aggregate.ts';
import { covers } from '../../../src/statement/covers.ts';
import { runOf, type SignedStage } from '../../../src/statement/run.ts';
import type { Approval } from '../../../src/statement/types.ts';
import { stageFrom } from '../../../src/statement/view.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { readTransaction } from '../../../src/transaction/read.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { keyNamed, load, NOTHING_USED } from '../people.ts';
import { type Change, edited, RealWorld } from '../realOperations.ts';
import type { Fields } from '../world.ts';

/** One kind of plan: what is asked of the service, and in which of its ways it answers. */
interface Kind {
  readonly kind: string;
  /** `claimAll` joins the claims of its fields, as `claim_all_fees` does. */
  readonly endpoint: EndpointName | typeof CLAIM_ALL;
  readonly fields: Fields;
  readonly template: 'creator' | 'trader';
  /**
   * Another call in place of the service's: of a router whose program the sandbox does not have, or as others build it. Such
   * bytes are not run: they are decided on as if they did what the service's do.
   */
  readonly instead?: Change;
}

const tipped = keyNamed('tipped').address;

/** The templates as a person would fill them in: with those who earn here in the address book. */
function policies(real: RealWorld, slots: ReadonlyMap<string, number>) {
  const { wallet, world } = real;
  const network = world.sandbox.genesisHash;
  const embedded = embeddedPolicy({ wallet, network });
  const accepted = (address: Address) => ({ deployedSlot: slots.get(address) ?? 0 });
  const servicePrograms = (embedded.programs ?? []).flatMap((entry) =>
    entry.binding === 'effects' ? [{ ...entry, ...accepted(entry.address) }] : [],
  );
  const addressBook = [
    { label: 'tipped', address: tipped },
    // Gets what a curve does not sell; no profile names it.
    { label: 'service', address: world.sandbox.service.keys.treasury.address },
    ...Array.from({ length: 99 }, (_, i) => ({
      label: `earner ${i + 1}`,
      address: keyNamed(`claimer ${i + 1}`).address,
    })),
  ];
  const of = (name: 'creator' | 'trader'): LoadedPolicy => {
    const file: PolicyFile = policyTemplate(name, { wallet, network, servicePrograms });
    return load({ ...file, addressBook, transaction: { ...file.transaction, guards: 'on' } });
  };
  return { sandbox: load(embedded), creator: of('creator'), trader: of('trader') };
}

/** As a live server gathers them, of tokens that this home bought before. */
const asLive = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
  held: true,
});

const WORDS = { allow: 'allowed', require_approval: 'asked', deny: 'denied' } as const;
const STRICTNESS = ['allow', 'require_approval', 'deny'] as const;

/** The strictest of what is decided about the stages, with the reason of a denial. */
function verdict(decisions: readonly Decision[]): string {
  const strictest =
    STRICTNESS.findLast((effect) => decisions.some((each) => each.effect === effect)) ?? 'allow';
  const denied = decisions.find(({ effect }) => effect === 'deny');
  return denied === undefined ? WORDS[strictest] : `denied: ${denied.reasonCodes.join(', ')}`;
}

/** Whether the transaction, with guards, fails unless every amount of its statement is kept to. */
function isEnforced(inputs: DecisionInputs, policy: LoadedPolicy): boolean {
  const { id } = inputs.stage;
  const siblings = inputs.siblings.map((each) =>
    each.stage.id === id ? { ...each, stage: inputs.stage } : each,
  );
  const staged = { ...inputs, siblings };
  const guards = decideStaged(staged, policy, NOTHING_USED).guard?.(undefined);
  if (guards === undefined) return false;
  const { transaction, count } = guards;
  const stage = { ...inputs.stage, transaction };
  const { statement } = decide({ ...staged, stage, guards: { count } }, policy, NOTHING_USED);
  const { lines } = stageFrom(statement);
  const enforced = lines.flatMap((line) => (line.id === 'enforced' && line.views > 0 ? [line.asset] : []));
  return lines.every(
    (line) => !(line.id === 'pays' || line.id === 'receives') || enforced.includes(line.asset),
  );
}

/** Plays a kind to its end; what is decided about each stage right before it lands. */
async function rowOf(real: RealWorld, played: Kind): Promise<KindRow> {
  const { world } = real;
  const { kind, endpoint, fields, template, instead } = played;
  const [sandbox, live]: [Decision[], Decision[]] = [[], []];
  let enforced = true;
  const [approvals, signed]: [Approval[], SignedStage[]] = [[], []];
  for (let round = 0; round < 6; round += 1) {
    const drafts: Draft[] = [];
    const plan =
      endpoint === CLAIM_ALL
        ? await joined(real, fields)
        : await world.plan(endpoint, fields, (draft) => {
            drafts.push(draft);
            return draft;
          });
    const stages = plan.stages.filter(({ optional }) => !optional).map(({ id }) => id);
    const inputsOf = async (id: string, purpose: DecisionInputs['purpose'] = 'sign') => {
      const seen = await world.inputs(plan, id, { purpose });
      const inputs = instead === undefined ? seen : calling(real, seen, drafts.at(-1), instead);
      const slots = new Map((inputs.programs ?? []).map((each) => [each.address, each.deployedSlot ?? 0]));
      return { inputs, policy: policies(real, slots) };
    };
    // A question is about all stages that are open when one of them needs it.
    const open: DecidedStage[] = [];
    for (const id of stages) {
      const { inputs, policy } = await inputsOf(id, 'preview');
      open.push({ id, decision: decide(asLive(inputs), policy[template], NOTHING_USED) });
    }
    const run = runOf(runPartsOf(plan, 'hash', open), signed, 0);
    const isAsked = open.some(({ decision }) => decision.effect === 'require_approval');
    if (isAsked && !approvals.some((approval) => covers(approval, run).covered))
      approvals.push(approvalOf(run, 1, []));
    for (const id of stages) {
      const { inputs, policy } = await inputsOf(id);
      if (instead === undefined) sandbox.push(evaluate(inputs, policy.sandbox, NOTHING_USED));
      const decision = decide(asLive(inputs), policy[template], NOTHING_USED);
      live.push(decision);
      enforced &&= isEnforced(asLive(inputs), policy[template]);
      const { statement, pin } = decision;
      signed.push({
        stageId: `${round} ${id}`,
        state: 'landed',
        statement,
        ...(pin === undefined ? {} : { pin }),
      });
      await world.land(plan, id);
    }
    if (plan.readiness?.status !== 'setup_required') break;
  }
  const isRead = live.every(({ binding }) => binding === 'exact');
  return {
    kind,
    binding: isRead ? 'exact' : 'unread',
    sandbox: instead === undefined ? verdict(sandbox) : 'not there',
    template,
    live: verdict(live),
    bounds: enforced ? 'enforced by the chain' : 'simulated',
    questions: approvals.length === 0 ? 'none' : `${approvals.length}`,
  };
}

/** What the service answers to each claim, as one plan. */
async function joined({ world, wallet }: RealWorld, fields: Fields): Promise<Plan> {
  const claims: (Claim & { readonly answer: unknown })[] = [];
  for (const claim of claimsIn(fields))
    claims.push({ ...claim, answer: await world.call(claim.endpoint, claim.fields) });
  const { request, answer } = joinedClaims({ encodingOf: () => 'base64' }, wallet, claims);
  world.sandbox.advanceSlots(2);
  return world.read(CLAIM_ALL, request, answer);
}

/** The inputs of a swap with a router's call in the place of the venue's. */
function calling(
  { world }: RealWorld,
  inputs: DecisionInputs,
  draft: Draft | undefined,
  instead: Change,
): DecisionInputs {
  if (draft === undefined) throw new Error('nothing was built');
  const made = instead(draft, inputs.stage.id);
  const { bytes } = compileDraft(made, world.sandbox.service.onchain.lifetime());
  const transaction = Buffer.from(bytes).toString('base64');
  const known = new Set(inputs.programs?.map(({ address }) => address));
  const called = [...new Set(made.instructions.map(({ programAddress }) => programAddress))];
  const programs = [
    ...(inputs.programs ?? []),
    ...called.flatMap((address) => (known.has(address) ? [] : [{ address, deployedSlot: 7 }])),
  ];
  const { staticAccounts } = readTransaction(bytes);
  return {
    ...inputs,
    blockhashValid: true,
    stage: { ...inputs.stage, transaction: new DecodedStage(transaction), declared: {} },
    programs,
    simulation: watching(inputs.simulation, staticAccounts),
  };
}

/** The simulation with the accounts that only these bytes name: there are none there, before or after. */
function watching(
  simulation: DecisionInputs['simulation'],
  addresses: readonly Address[],
): DecisionInputs['simulation'] {
  if (simulation.status !== 'done') return simulation;
  const { before, after } = simulation;
  const absent = addresses
    .filter((address) => !before.some((account) => account.address === address))
    .map((address) => ({
      ...{ address, exists: false, lamports: '0', owner: SYSTEM_PROGRAM, executable: false, data: '' },
    }));
  return { ...simulation, before: [...before, ...absent], after: [...after, ...absent] };
}

/** Most a claim asks for: everything. */
const ALL = 2n ** 64n - 1n;
const inTokens = (mint: Address) => ({ mint, tokenProgram: TOKEN_PROGRAM });
const VENUE_TOKENS = { tokenBaseProgram: TOKEN_PROGRAM, tokenQuoteProgram: TOKEN_PROGRAM };

/** A claim as the venues' public packages build it: accounts of both tokens are made, and what comes in SOL is unwrapped. */
const asPackagesBuild =
  (wallet: Address, mint: Address, claim: (draft: Draft) => EncodedInstruction): Change =>
  (draft) => ({
    ...draft,
    instructions: [
      createAta(draft.feePayer, wallet, inTokens(mint)),
      createAta(draft.feePayer, wallet, inTokens(WSOL_MINT)),
      claim(draft),
      encodeInstruction('token.closeAccount', {
        accounts: { account: ata(wallet, inTokens(WSOL_MINT)), destination: wallet, owner: wallet },
        args: {},
      }),
    ],
  });

/** Where a claim of the wallet's own arrives. */
const payouts = (wallet: Address, mint: Address) => ({
  tokenAAccount: ata(wallet, inTokens(mint)),
  tokenBAccount: ata(wallet, inTokens(WSOL_MINT)),
});

/** Fees of a curve, claimed by the key its terms name, or by its creator. */
const claimsCurve = (wallet: Address, mint: Address, config: Address, by: 'partner' | 'creator') => () => {
  const accounts = { ...payouts(wallet, mint), baseMint: mint, quoteMint: WSOL_MINT, ...VENUE_TOKENS };
  return by === 'partner'
    ? buildInstruction('dbc.claimTradingFee', {
        accounts: { ...accounts, config, feeClaimer: wallet },
        args: { maxAmountA: ALL, maxAmountB: ALL },
      })
    : buildInstruction('dbc.claimCreatorTradingFee', {
        accounts: { ...accounts, pool: dbcPoolAddress(config, mint, WSOL_MINT), creator: wallet },
        args: { maxBaseAmount: ALL, maxQuoteAmount: ALL },
      });
};

/** Fees of the position whose claim the service built. */
const claimsPosition = (wallet: Address, mint: Address) => (draft: Draft) => {
  const { accounts: given = [] } =
    draft.instructions.find(({ programAddress }) => programAddress === FEE_SHARE_PROGRAM) ?? {};
  const [pool, position, , , positionNftAccount] = given.slice(16).map(({ address }) => address);
  if (pool === undefined || position === undefined || positionNftAccount === undefined)
    throw new Error('no claim of a position was built');
  return buildInstruction('dammV2.claimPositionFee', {
    accounts: {
      ...payouts(wallet, mint),
      ...{ pool, position, positionNftAccount, signer: wallet },
      ...{ tokenAMint: mint, tokenBMint: WSOL_MINT },
      ...{ tokenAProgram: TOKEN_PROGRAM, tokenBProgram: TOKEN_PROGRAM },
    },
    args: {},
  });
};

/** The inputs of a swap, with the quote behind it. */
async function inputsOfQuote({ world }: RealWorld, fields: Fields): Promise<DecisionInputs> {
  const plan = await world.plan('tradeSwap', fields);
  return world.inputs(plan, plan.stages[0]?.id ?? '');
}

/** A purchase of a token for SOL by way of a router: what leaves, what arrives at least, and no known step. */
const purchase = (wallet: Address, mint: Address) => ({
  source: ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
  destination: ata(wallet, { mint, tokenProgram: TOKEN_PROGRAM }),
});

function throughTitan(wallet: Address, mint: Address, amount: bigint, least: bigint): EncodedInstruction {
  const [layout] = titanLayouts;
  if (layout === undefined) throw new Error('Titan is not read');
  const { source, destination } = purchase(wallet, mint);
  return writeLayout(layout, {
    accounts: {
      ...{ payer: wallet, atlas: derivedAddress(TITAN_PROGRAM, [{ text: 'atlas' }]) },
      ...{ inputMint: WSOL_MINT, inputTokenAccount: source, inputTokenProgram: TOKEN_PROGRAM },
      ...{ outputMint: mint, outputTokenAccount: destination, outputTokenProgram: TOKEN_PROGRAM },
    },
    args: {
      ...{ amount, minimumAmountOut: least, mints: 2, providerFeeBps: 0, serviceFeeBps: 0 },
      swaps: Uint8Array.of(0),
    },
  });
}

function throughRoute(wallet: Address, mint: Address, amount: bigint, quoted: bigint): EncodedInstruction {
  const { source, destination } = purchase(wallet, mint);
  return buildInstruction('jupiter.route', {
    accounts: {
      ...{ tokenProgram: TOKEN_PROGRAM, userTransferAuthority: wallet, destinationMint: mint },
      ...{ userSourceTokenAccount: source, userDestinationTokenAccount: destination },
    },
    args: {
      ...{ routePlan: Uint8Array.of(1, 0, 0, 0, 78, 100, 0, 1), inAmount: amount, quotedOutAmount: quoted },
      ...{ slippageBps: 0, platformFeeBps: 0 },
    },
    rest: [{ address: destination, writable: true }],
  });
}

it('every kind of plan is decided as the table says', async () => {
  const real = await RealWorld.start('kinds');
  const { world, wallet } = real;
  const { state } = world.sandbox.service;
  const rows: KindRow[] = [];
  const play = async (
    kind: string,
    template: Kind['template'],
    endpoint: Kind['endpoint'],
    fields: Fields,
    more: Pick<Kind, 'instead'> = {},
  ) => {
    world.sandbox.chain.airdrop(wallet, 3_000_000_000n);
    rows.push(await rowOf(real, { kind, template, endpoint, fields, ...more }));
  };
  const config = async (name: string, shares: readonly number[], extra: Fields) => {
    const token = await world.token();
    await play(name, 'creator', 'feeShareConfig', world.configRequest(token.mint, shares, extra));
    return token;
  };
  const withPartner = { flow: 'dbc', partner: wallet, partnerConfig: partnerConfigAddress(wallet) };
  const keyOf = async (mint: string) => {
    const fields = world.configRequest(mint, [10_000], withPartner);
    return String(Object(await world.call('feeShareConfig', fields)).venueConfigKey);
  };
  const even = (count: number) => Array<number>(count).fill(10_000 / count);
  try {
    await config('config of three claimers, for a curve', [5000, 3000, 2000], { flow: 'dbc' });
    const split = await config('config of three claimers, for a pool', [5000, 3000, 2000], {});
    await config('config with a tip', [10_000], { tipWallet: tipped, tipLamports: 1_000_000 });
    await config('config of 25 claimers, with a lookup table', even(25), {});
    await config('config of 100 claimers, over several rounds', even(100), {});
    const partnered = await config('config with a partner, for a curve', [10_000], withPartner);
    const usdc = world.quote('USDC');
    const inUsdc = { flow: 'dbc', quoteMint: usdc };
    const dollars = await config('config in another quote than SOL, for a curve', [6000, 4000], inUsdc);
    await play('changed split', 'creator', 'updateFeeShareConfig', {
      ...{ baseMint: split.mint, payer: wallet, claimersArray: [wallet, keyNamed('claimer 1').address] },
      basisPointsArray: [6000, 4000],
    });

    const curve = async (name: string, endpoint: 'curveLaunch' | 'curveLaunchV2', buy: number) => {
      const token = await real.onCurve();
      const { mint, uri, configKey } = token;
      const launch = { tokenMint: mint, ipfs: uri, wallet, configKey };
      const fields =
        endpoint === 'curveLaunch'
          ? { ...launch, initialBuyLamports: buy }
          : { ...launch, quoteMint: WSOL_MINT, feeShareConfig: token.config, initialBuyQuoteRaw: `${buy}` };
      await play(name, 'creator', endpoint, fields);
      return token;
    };
    const token = await curve('launch on a curve with a first buy, bare', 'curveLaunch', 100_000_000);
    await curve('launch on a curve with a first buy, in stages', 'curveLaunchV2', 100_000_000);
    await curve('launch on a curve without a first buy', 'curveLaunch', 0);

    const answer = Object(
      await world.call('feeShareConfig', world.configRequest(dollars.mint, [6000, 4000], inUsdc)),
    );
    await play('launch on a curve in another quote than SOL', 'creator', 'curveLaunchV2', {
      ...{ tokenMint: dollars.mint, ipfs: dollars.uri, wallet, quoteMint: usdc },
      ...{ configKey: answer.venueConfigKey, feeShareConfig: answer.feeShareConfig },
    });

    const pool = async (name: string, deposits: typeof state.poolDeposits) => {
      state.poolDeposits = deposits;
      const made = await world.landedConfig();
      await play(name, 'creator', 'dammLaunchV2', real.poolRequest(made, '100000000'));
      state.poolDeposits = 'service';
      return made;
    };
    const pooled = await pool('launch into a pool with lock and first buy, the service deposits', 'service');
    await pool('the same, the service wraps its SOL in the same transaction', 'service-wraps');
    await pool('the same, the wallet deposits the supply', 'wallet');
    const held = await world.token();
    const custody = { ipfs: held.uri, tokenMint: held.mint, wallet, quoteMint: WSOL_MINT };
    await play('launch into a pool whose positions a custody holds', 'creator', 'dammLaunch', custody);

    for (const through of ['venue', 'router'] as const) {
      state.swapsThrough = through;
      const by = through === 'venue' ? 'at the venue' : 'through Jupiter';
      await play(`purchase on a curve, ${by}`, 'trader', 'tradeSwap', (await real.buy(token.mint)).fields);
      await play(`purchase in a pool, ${by}`, 'trader', 'tradeSwap', (await real.buy(pooled.mint)).fields);
      await play(
        `sale on a curve, ${by}`,
        'trader',
        'tradeSwap',
        (await real.sell(token.mint, '100000000000')).fields,
      );
    }
    state.swapsThrough = 'venue';
    const router = async (name: string, call: typeof throughTitan) => {
      const { fields } = await real.buy(token.mint);
      const { quote } = await inputsOfQuote(real, fields);
      const least = BigInt(String(quote?.quote.minOutAmount));
      const paid = (BigInt(String(quote?.quote.inAmount)) * 99n) / 100n;
      const instead = edited(DBC_PROGRAM, 0, () => call(wallet, token.mint, paid, least));
      await play(name, 'trader', 'tradeSwap', fields, { instead });
    };
    await router('purchase on a curve, through Titan', throughTitan);
    await router('purchase on a curve, through the older instruction of Jupiter', throughRoute);

    const claim = (mint: string, kind: 'holding' | 'position') => ({
      feeClaimer: wallet,
      tokenMint: mint,
      source: { kind },
    });
    await play('claim of a curve, the wallet pays', 'creator', 'claimTxs', claim(token.mint, 'holding'));
    const inDollars = { inputMint: usdc, outputMint: dollars.mint, amount: '5000000' };
    await real.play('tradeSwap', await world.quoted(inDollars));
    await play('claim of a curve in another quote than SOL', 'creator', 'claimTxs', {
      ...claim(dollars.mint, 'holding'),
      quoteMint: usdc,
    });
    await play('claim of a pool, sponsored', 'creator', 'claimTxs', claim(pooled.mint, 'position'));
    const others = async (name: string, of: string, kind: 'holding' | 'position', instead: Change) => {
      await real.play('tradeSwap', (await real.buy(of, '1000000000')).fields);
      await play(name, 'creator', 'claimTxs', claim(of, kind), { instead });
    };
    const vaultOfUser = () =>
      buildInstruction('feeShare.claimUserVault', {
        accounts: { user: wallet, baseMint: token.mint },
        args: {},
      });
    await others("claim of a claimer's vault", token.mint, 'holding', (draft) => ({
      ...draft,
      instructions: [vaultOfUser()],
    }));
    for (const by of ['partner', 'creator'] as const)
      await others(
        `claim of a curve by its ${by}, as the public package builds it`,
        token.mint,
        'holding',
        asPackagesBuild(wallet, token.mint, claimsCurve(wallet, token.mint, token.configKey, by)),
      );
    await others(
      'claim of a position of a pool, as the public package builds it',
      pooled.mint,
      'position',
      asPackagesBuild(wallet, pooled.mint, claimsPosition(wallet, pooled.mint)),
    );
    const vault = (kind: 'partner' | 'deployer') => ({ kind, wallet, quoteMint: WSOL_MINT });
    await real.play('tradeSwap', (await real.buy(held.mint, '1000000000')).fields);
    await play('claim out of a custody, sponsored', 'creator', 'claimTxs', claim(held.mint, 'position'));
    for (const mint of [token.mint, pooled.mint])
      await real.play('tradeSwap', (await real.buy(mint, '1000000000')).fields);
    await play("claim of a deployer's revenue", 'creator', 'deployerClaimTxs', { wallet });
    await real.play('tradeSwap', (await real.buy(token.mint, '1000000000')).fields);
    await play("claim of a deployer's vault", 'creator', 'claimVault', vault('deployer'));
    await real.play(
      'curveLaunch',
      real.curveLaunch({ ...partnered, configKey: await keyOf(partnered.mint) }).fields,
    );
    await real.play('tradeSwap', (await real.buy(partnered.mint, '1000000000')).fields);
    await play("claim of a partner's vault", 'creator', 'claimVault', vault('partner'));

    const everything = async (name: string, claims: readonly Fields[]) => {
      for (const mint of [token.mint, pooled.mint])
        await real.play('tradeSwap', (await real.buy(mint, '1000000000')).fields);
      const asked = claims.map((each) => ({ endpoint: 'claimTxs', fields: each }));
      await play(name, 'creator', CLAIM_ALL, { wallet, claims: asked });
    };
    const inSol = [claim(token.mint, 'holding'), claim(pooled.mint, 'position')];
    await everything('everything claimable as one plan: a curve and a pool', inSol);
    await real.play('tradeSwap', await world.quoted(inDollars));
    await everything('everything claimable as one plan, with a curve in another quote than SOL', [
      ...inSol,
      { ...claim(dollars.mint, 'holding'), quoteMint: usdc },
    ]);
  } finally {
    await real.close();
  }
  // No kind is refused for how it is composed, and what is read whole is never called unread.
  for (const { kind, sandbox, live, binding } of rows) {
    expect(`${kind}: ${sandbox}, ${live}`).not.toContain('denied');
    if (binding === 'unread') expect(live, kind).toBe('asked');
  }
  await expect(`${JSON.stringify(rows, null, 2)}\n`).toMatchFileSnapshot('kinds.json');
}, 600_000);
