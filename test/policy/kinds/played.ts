/** Plays one kind of plan in a sandbox and decides it under the shipped templates; calls of other builders. */
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
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import { writeLayout } from '../../../src/programs/layout.ts';
import { TITAN_PROGRAM, titanLayouts } from '../../../src/programs/routers/titan.ts';
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
import type { Change, RealWorld } from '../realOperations.ts';
import type { Fields } from '../world.ts';

/** One kind of plan: the request, and the variant of the service's answer. */
export interface Kind {
  readonly kind: string;
  /** `claimAll` joins the claims of its fields, as `claim_all_fees` does. */
  readonly endpoint: EndpointName | typeof CLAIM_ALL;
  readonly fields: Fields;
  readonly template: 'creator' | 'trader';
  /**
   * Another call in place of the service's: of a router missing from the sandbox, or in another builder's encoding.
   * These bytes are not run; their decision assumes the effects of the service's.
   */
  readonly instead?: Change;
}

export const tipped = keyNamed('tipped').address;

/** The templates as filled in by an owner, with the claimers in the address book. */
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
    // Receives the supply a curve does not sell; no profile names it.
    { label: 'service', address: world.sandbox.service.keys.treasury.address },
    ...Array.from({ length: 99 }, (_, i) => ({
      label: `claimer ${i + 1}`,
      address: keyNamed(`claimer ${i + 1}`).address,
    })),
  ];
  const of = (name: 'creator' | 'trader'): LoadedPolicy => {
    const file: PolicyFile = policyTemplate(name, { wallet, network, servicePrograms });
    return load({ ...file, addressBook, transaction: { ...file.transaction, guards: 'on' } });
  };
  return { sandbox: load(embedded), creator: of('creator'), trader: of('trader') };
}

/** The inputs of a live server, for tokens this home bought before. */
const asLive = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
  held: true,
});

const WORDS = { allow: 'allowed', require_approval: 'asked', deny: 'denied' } as const;
const STRICTNESS = ['allow', 'require_approval', 'deny'] as const;

/** Returns the strictest decision about the stages, with the reason of a denial. */
function verdict(decisions: readonly Decision[]): string {
  const strictest =
    STRICTNESS.findLast((effect) => decisions.some((each) => each.effect === effect)) ?? 'allow';
  const denied = decisions.find(({ effect }) => effect === 'deny');
  return denied === undefined ? WORDS[strictest] : `denied: ${denied.reasonCodes.join(', ')}`;
}

/** Returns whether the guarded transaction fails if any amount of its statement is violated. */
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

/** Plays a kind to its end; decides each stage immediately before it lands. */
export async function rowOf(real: RealWorld, played: Kind): Promise<KindRow> {
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
    // A question covers all open stages as soon as one of them needs it.
    const open: DecidedStage[] = [];
    for (const id of stages) {
      const { inputs, policy } = await inputsOf(id, 'preview');
      open.push({ id, decision: decide(asLive(inputs), policy[template], NOTHING_USED) });
    }
    const run = runOf(runPartsOf(plan, 'hash', open), signed, 0);
    const needsApproval = open.some(({ decision }) => decision.effect === 'require_approval');
    if (needsApproval && !approvals.some((approval) => covers(approval, run).covered))
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
    binding: isRead ? 'exact' : 'unsupported',
    sandbox: instead === undefined ? verdict(sandbox) : 'not there',
    template,
    live: verdict(live),
    bounds: enforced ? 'enforced by the chain' : 'simulated',
    questions: approvals.length === 0 ? 'none' : `${approvals.length}`,
  };
}

/** Joins the service's answers to each claim into one plan. */
async function joined({ world, wallet }: RealWorld, fields: Fields): Promise<Plan> {
  const claims: (Claim & { readonly answer: unknown })[] = [];
  for (const claim of claimsIn(fields))
    claims.push({ ...claim, answer: await world.call(claim.endpoint, claim.fields) });
  const { request, answer } = joinedClaims({ encodingOf: () => 'base64' }, wallet, claims);
  world.sandbox.advanceSlots(2);
  return world.read(CLAIM_ALL, request, answer);
}

/** The inputs of a swap with a router's call instead of the venue's. */
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

/** The simulation with the accounts that only these bytes name, missing before and after. */
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

/** The maximum amount a claim can request. */
const ALL = 2n ** 64n - 1n;
const inTokens = (mint: Address) => ({ mint, tokenProgram: TOKEN_PROGRAM });
const VENUE_TOKENS = { tokenBaseProgram: TOKEN_PROGRAM, tokenQuoteProgram: TOKEN_PROGRAM };

/** A claim as built by the venues' packages: creates accounts of both tokens and unwraps SOL proceeds. */
export const builtByPackages =
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

/** Token accounts that receive the wallet's own claim. */
const payouts = (wallet: Address, mint: Address) => ({
  tokenAAccount: ata(wallet, inTokens(mint)),
  tokenBAccount: ata(wallet, inTokens(WSOL_MINT)),
});

/** Claims the fees of a curve for the claimer in its terms, or for its creator. */
export const claimsCurve =
  (wallet: Address, mint: Address, config: Address, by: 'partner' | 'creator') => () => {
    const accounts = { ...payouts(wallet, mint), baseMint: mint, quoteMint: WSOL_MINT, ...VENUE_TOKENS };
    return by === 'partner'
      ? encodeInstruction('dbc.claimTradingFee', {
          accounts: { ...accounts, config, feeClaimer: wallet },
          args: { maxAmountA: ALL, maxAmountB: ALL },
        })
      : encodeInstruction('dbc.claimCreatorTradingFee', {
          accounts: { ...accounts, pool: dbcPoolAddress(config, mint, WSOL_MINT), creator: wallet },
          args: { maxBaseAmount: ALL, maxQuoteAmount: ALL },
        });
  };

/** Claims the fees of the position in the service's draft. */
export const claimsPosition = (wallet: Address, mint: Address) => (draft: Draft) => {
  const { accounts: given = [] } =
    draft.instructions.find(({ programAddress }) => programAddress === FEE_SHARE_PROGRAM) ?? {};
  const [pool, position, , , positionNftAccount] = given.slice(16).map(({ address }) => address);
  if (pool === undefined || position === undefined || positionNftAccount === undefined)
    throw new Error('no claim of a position was built');
  return encodeInstruction('dammV2.claimPositionFee', {
    accounts: {
      ...payouts(wallet, mint),
      ...{ pool, position, positionNftAccount, signer: wallet },
      ...{ tokenAMint: mint, tokenBMint: WSOL_MINT },
      ...{ tokenAProgram: TOKEN_PROGRAM, tokenBProgram: TOKEN_PROGRAM },
    },
    args: {},
  });
};

/** The inputs of a swap with its stored quote. */
export async function inputsOfQuote({ world }: RealWorld, fields: Fields): Promise<DecisionInputs> {
  const plan = await world.plan('tradeSwap', fields);
  return world.inputs(plan, plan.stages[0]?.id ?? '');
}

/** A purchase of a token for SOL through a router: amount in, minimum out, and no known step. */
const purchase = (wallet: Address, mint: Address) => ({
  source: ata(wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM }),
  destination: ata(wallet, { mint, tokenProgram: TOKEN_PROGRAM }),
});

export function throughTitan(
  wallet: Address,
  mint: Address,
  amount: bigint,
  least: bigint,
): EncodedInstruction {
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

export function throughRoute(
  wallet: Address,
  mint: Address,
  amount: bigint,
  quoted: bigint,
): EncodedInstruction {
  const { source, destination } = purchase(wallet, mint);
  return encodeInstruction('jupiter.route', {
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
