/**
 * The sweep: every instruction of every public interface, at every placement, in an honest stage of every operation.
 * Each is decided first on the honest simulation, so that only the bytes can refuse it; those not denied are run and
 * decided on their real effects.
 */
import { createHash } from 'node:crypto';
import { relayed } from '../../sandbox/attacks/service/relay.ts';
import { compileDraft } from '../../sandbox/service/build/compile.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import type { Account } from '../oracle/accounts.ts';
import { redeclared } from '../policy/fuzz.ts';
import { keyNamed, load, NOTHING_USED, unsupportedWhole } from '../policy/people.ts';
import { attacker, harmsIn } from '../policy/realOperations.ts';
import { meant } from './aim.ts';
import { CATALOGUE, type Candidate, isA } from './catalogue.ts';
import type { SweptStage } from './stages.ts';

export const PLACEMENTS = ['appended', 'first', 'middle', 'doubled', 'relayed'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** One change of one stage. */
export interface Shot {
  readonly candidate: Candidate;
  readonly placement: Placement;
  /** A different account at one place: its index and the wallet's account. */
  readonly aim?: { readonly place: number; readonly owned: string };
}

/** The result of one shot. */
export interface Result {
  /** `undefined` if the shot does not fit into a transaction. */
  readonly effect: 'allow' | 'deny' | 'require_approval' | undefined;
  /** The reason for its entry in the list, which must be empty. */
  readonly open?: string;
}

const accomplice = keyNamed('the accomplice');
/** Relays calls to other programs, as any listed program might. */
const RELAY = keyNamed('relay').address;
const DEPLOYED_SLOT = 1;
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** The widest template, with every instruction of the relay allowed in every operation. */
const policies = new Map<string, LoadedPolicy>();
function policyOn(network: string, wallet: string): LoadedPolicy {
  const key = `${network} ${wallet}`;
  const servicePrograms = unsupportedWhole(RELAY).map((entry) => ({ ...entry, deployedSlot: DEPLOYED_SLOT }));
  const known = policies.get(key) ?? load(policyTemplate('sandbox', { wallet, network, servicePrograms }));
  policies.set(key, known);
  return known;
}

/** Deterministic pseudo-random numbers seeded by `words`. */
function fillFrom(words: string): (limit: number) => number {
  let state = createHash('sha256').update(words).digest().readUInt32LE(0);
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

function instructionOf({ owned, real }: SweptStage, { candidate, aim }: Shot): EncodedInstruction {
  const robbers = { attacker: attacker.address, accomplice: accomplice.address };
  const accounts = candidate.places.map((place, i) => {
    const aimed = aim?.place === i ? owned.accounts[aim.owned] : undefined;
    const address = aimed ?? meant(candidate.program, place, owned, robbers);
    // Only the wallet, and the attacker for its own accounts, can sign for added instructions.
    const signer = place.signer && [real.wallet, ...Object.values(robbers)].includes(address);
    return { address, writable: place.writable, signer };
  });
  const data = candidate.data(attacker.address, fillFrom(candidate.name));
  return { programAddress: candidate.program, accounts, data };
}

function placed(
  list: readonly EncodedInstruction[],
  one: EncodedInstruction,
  placement: Placement,
): readonly EncodedInstruction[] {
  switch (placement) {
    case 'appended':
      return [...list, one];
    case 'first':
      return [one, ...list];
    case 'middle':
      return list.toSpliced(Math.ceil(list.length / 2), 0, one);
    case 'doubled':
      return [...list, one, one];
    case 'relayed':
      return [...list, relayed(RELAY)(one)];
  }
}

const accountFact = ({ address, owner, lamports, data }: Account): AccountFact => ({
  address,
  exists: true,
  lamports: `${lamports}`,
  owner,
  executable: false,
  data: Buffer.from(data).toString('base64'),
});

const missing = (address: string): AccountFact => ({
  address,
  exists: false,
  lamports: '0',
  owner: '11111111111111111111111111111111',
  executable: false,
  data: '',
});

/** The inputs as from our own RPC, with the current accounts of an instruction. */
function withOwned(inputs: DecisionInputs, { owned }: SweptStage, one: EncodedInstruction): DecisionInputs {
  const known = new Map(owned.snapshot.map((account) => [account.address, account]));
  const more = one.accounts.map(({ address }) => {
    const account = known.get(address);
    return account === undefined ? missing(address) : accountFact(account);
  });
  const added = (list: readonly AccountFact[]) => {
    const there = new Set(list.map(({ address }) => address));
    return [...list, ...more.filter(({ address }) => !there.has(address))];
  };
  const { simulation, accounts } = inputs;
  const programs = [one.programAddress, RELAY].map((address) => ({ address, deployedSlot: DEPLOYED_SLOT }));
  return {
    ...inputs,
    accounts: added(accounts),
    programs: [...(inputs.programs ?? []), ...programs],
    ...(simulation.status === 'done'
      ? { simulation: { ...simulation, before: added(simulation.before), after: added(simulation.after) } }
      : {}),
  };
}

/** The stage with the shot; `undefined` if it does not fit into a transaction. */
function changedStage(
  swept: SweptStage,
  shot: Shot,
  one: EncodedInstruction,
): DecisionInputs['stage'] | undefined {
  const { draft, honest } = swept;
  const { blockhash } = honest.stage.transaction.read();
  try {
    const { bytes } = compileDraft(
      {
        ...draft,
        instructions: placed(draft.instructions, one, shot.placement),
        signers: [...draft.signers, attacker, accomplice],
      },
      { blockhash, lastValidBlockHeight: 0 },
    );
    return redeclared(honest.stage, bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The service programs' instructions that an operation includes. */
const PARTS: Readonly<Record<string, RegExp>> = {
  config:
    /^feeShare2\.(create_fee_config|extend_created_fee_config|update_fee_config_manager)$|^dbc\.create_config$/,
  manager_update: /^feeShare2\.manager_update_fee_config$/,
  launch:
    /^dbc\.(initialize_virtual_pool|swap)|^dammV2\.(initialize_(customizable_)?pool|create_position$|add_liquidity|permanent_lock_position|swap)/,
  swap: /^(dbc|dammV2)\.swap/,
  position_claim: /^dammV2\.claim_position_fee|^feeShare2\.claim_(damm_v2|dbc|user)$/,
  holding_claim: /^dbc\.claim_(creator_)?trading_fee|^feeShare2\.claim_(dbc|damm_v2|user)$/,
};

/** Operations that may wrap SOL and then count it. */
const WRAPS: readonly string[] = ['swap', 'launch'];

/** Returns whether the operation of a stage includes an instruction, by its kind or because the stage contains it. */
export const isPart = ({ honest, draft }: SweptStage, { candidate }: Pick<Shot, 'candidate'>): boolean =>
  PARTS[honest.plan.operation]?.test(candidate.name) === true ||
  (candidate.name.endsWith('.syncNative') && WRAPS.includes(honest.plan.operation)) ||
  draft.instructions.some((each) => isA(candidate, each));

const decided = (inputs: DecisionInputs) =>
  evaluate(inputs, policyOn(inputs.plan.network, inputs.plan.wallet), NOTHING_USED);

/** Decides a shot. Allowed shots are run where the chain supports them, and judged by the oracle. */
export async function fire(swept: SweptStage, shot: Shot): Promise<Result> {
  const { real, plan, honest } = swept;
  const one = instructionOf(swept, shot);
  const stage = changedStage(swept, shot, one);
  if (stage === undefined) return { effect: undefined };
  const inputs = withOwned({ ...honest, stage }, swept, one);
  const isRelayed = shot.placement === 'relayed';
  if (isRelayed) {
    const live = { ...inputs, mode: 'live' as const, network: MAINNET };
    const { effect } = decided({ ...live, plan: { ...inputs.plan, mode: 'live', network: MAINNET } });
    return effect === 'allow' ? { effect, open: 'unsupported, and allowed on a public network' } : { effect };
  }
  const { effect } = decided(inputs);
  if (effect === 'deny') return { effect };
  if (!isPart(swept, shot)) return { effect, open: 'not denied in an operation that does not contain it' };
  const seen = await real.world.inputs(plan, stage.id, { stage });
  const run = decided({ ...seen, programs: inputs.programs ?? [] });
  if (run.effect !== 'allow') return { effect: run.effect };
  const harms = harmsIn(real.wallet, honest, seen);
  return harms.length === 0 ? { effect } : { effect, open: `allowed, and worse: ${harms.join('; ')}` };
}

/** Every shot with the default accounts. */
export const SHOTS: readonly Shot[] = CATALOGUE.flatMap((candidate) =>
  PLACEMENTS.map((placement) => ({ candidate, placement })),
);

/** Every shot with one more account of the wallet's at one place. */
export const aimedShots = ({ owned }: SweptStage): Shot[] =>
  CATALOGUE.flatMap((candidate) =>
    candidate.places.flatMap(({ address }, place) =>
      address !== undefined
        ? []
        : Object.keys(owned.accounts).map((label) => ({
            candidate,
            placement: 'appended' as const,
            aim: { place, owned: label },
          })),
    ),
  );

/** Formats one finding. */
export const entryOf = ({ name }: SweptStage, { candidate, placement, aim }: Shot, open: string): string =>
  [open, name, placement, candidate.name, ...(aim === undefined ? [] : [`${aim.place} ${aim.owned}`])].join(
    ' | ',
  );
