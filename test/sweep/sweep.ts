/**
 * The sweep: every instruction of every public interface, at every placement, in an honest stage of every operation,
 * and what the policy decides about it. The simulation shown is the honest one: whatever the instruction does is what
 * the simulation does not show, so only what the bytes say can refuse it.
 */
import { createHash } from 'node:crypto';
import { relayed } from '../../src/attacks/programs/relayProgram.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { TransactionError } from '../../src/transaction/errors.ts';
import type { Account } from '../oracle/accounts.ts';
import { NOTHING_USED } from '../policy/people.ts';
import { accomplice } from '../policy/recorded/attacking.ts';
import { ATTACKER, instructionsOf, rewritten, stage, WALLET } from '../policy/recorded/stages.ts';
import { meant, type Owned, ownedBy } from './aim.ts';
import { CATALOGUE, type Candidate, isA } from './catalogue.ts';
import { DEPLOYED_SLOT, RELAY } from './policies.ts';

/** Honest recorded stages of every operation; where a transaction of the new version exists it has more room. */
export const SWEPT_STAGES: readonly string[] = [
  'config v1',
  'retired config',
  'manager update to more',
  'custody table',
  'custody token',
  'custody table closed',
  'direct launch',
  'swap of SOL',
  'swap for SOL',
  'position claim',
  'holding claim',
  'vault claim',
  'deployer claim',
];

export const PLACEMENTS = ['appended', 'first', 'middle', 'doubled', 'relayed'] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** One change of one stage. */
export interface Shot {
  readonly stage: string;
  readonly candidate: Candidate;
  readonly placement: Placement;
  /** Another account at one place than is meant to stand there: its number and what of the wallet's. */
  readonly aim?: { readonly place: number; readonly owned: string };
}

/** Both sign for themselves; the accomplice is where new accounts are made. */
const ROBBERS = { attacker: ATTACKER, accomplice: accomplice.address };
export const owned: Owned = ownedBy(WALLET, ATTACKER);

/** Numbers that look random and are the same for the same words. */
function fillFrom(words: string): (limit: number) => number {
  let state = createHash('sha256').update(words).digest().readUInt32LE(0);
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** The instruction of a shot, without its placement. */
export function instructionOf({ candidate, aim }: Shot): EncodedInstruction {
  const accounts = candidate.places.map((place, i) => {
    const aimed = aim?.place === i ? owned.accounts[aim.owned] : undefined;
    const address = aimed ?? meant(candidate.program, place, owned, ROBBERS);
    // Only the wallet, and the attacker for its own accounts, can sign for what is put there.
    const signer = place.signer && [WALLET, ATTACKER, ROBBERS.accomplice].includes(address);
    return { address, writable: place.writable, signer };
  });
  return {
    programAddress: candidate.program,
    accounts,
    data: candidate.data(ATTACKER, fillFrom(candidate.name)),
  };
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

/** What a shot makes of the instructions of its stage. */
export const placedIn =
  (shot: Shot) =>
  (list: readonly EncodedInstruction[]): readonly EncodedInstruction[] =>
    placed(list, instructionOf(shot), shot.placement);

/** The stage with the shot in it; `undefined` where it does not fit into a transaction. */
export function factsOf(shot: Shot): Facts | undefined {
  const one = instructionOf(shot);
  try {
    return withOwned(rewritten(stage(shot.stage), placedIn(shot)), one);
  } catch (error) {
    if (error instanceof TransactionError || error instanceof RangeError) return undefined;
    throw error;
  }
}

export const accountFact = ({ address, owner, lamports, data }: Account): AccountFact => ({
  address,
  exists: true,
  lamports: `${lamports}`,
  owner,
  executable: false,
  data: Buffer.from(data).toString('base64'),
});
const ownedFacts = new Map(owned.snapshot.map((account) => [account.address, accountFact(account)]));

const missing = (address: string): AccountFact => ({
  address,
  exists: false,
  lamports: '0',
  owner: '11111111111111111111111111111111',
  executable: false,
  data: '',
});

/** Facts as our own RPC would give them: with the accounts an instruction names, as they are. */
export function withOwned(facts: Facts, one: EncodedInstruction): Facts {
  const more = one.accounts.map(({ address }) => ownedFacts.get(address) ?? missing(address));
  const added = (list: readonly AccountFact[]) => {
    const there = new Set(list.map(({ address }) => address));
    const lacking = more.filter(({ address }) => !there.has(address));
    return [...list, ...new Map(lacking.map((each) => [each.address, each])).values()];
  };
  const { simulation, accounts } = facts;
  const programs = [one.programAddress, RELAY].map((address) => ({ address, deployedSlot: DEPLOYED_SLOT }));
  return {
    ...facts,
    accounts: added(accounts),
    programs: [...(facts.programs ?? []), ...programs],
    ...(simulation.status === 'done'
      ? {
          simulation: {
            ...simulation,
            before: added(simulation.before),
            after: added(simulation.after),
          },
        }
      : {}),
  };
}

export const decideOn = (facts: Facts, policy: LoadedPolicy) => evaluate(facts, policy, NOTHING_USED);

/** Instructions of the service's programs that an operation is made of. */
const PARTS: Readonly<Record<string, RegExp>> = {
  config:
    /^feeShare2\.(create_fee_config|extend_created_fee_config|update_fee_config_manager)$|^feeShare1\.create_fee_vaults$|^dbc\.create_config/,
  manager_update: /^feeShare2\.manager_update_fee_config$/,
  launch:
    /^dbc\.(initialize_virtual_pool|swap)|^dammV2\.(initialize_(customizable_)?pool|create_position$|add_liquidity|permanent_lock_position|swap)/,
  swap: /^(dbc|dammV2)\.swap/,
  position_claim: /^dammV2\.claim_position_fee|^feeShare2\.claim_(damm_v2|user)$/,
  holding_claim: /^dbc\.claim_(creator_)?trading_fee|^feeShare2\.claim_(dbc|damm_v2|user)$|^feeShare1\.claim/,
  vault_claim: /^feeShare2\.claim_(user_vault|partner)$/,
  deployer_claim: /^feeShare2\.claim_(user_vault|user|partner)$/,
};

/** Whether the operation of a stage contains an instruction: by its nature, or because the stage does. */
export function isPart({ stage: name, candidate }: Pick<Shot, 'stage' | 'candidate'>): boolean {
  const facts = stage(name);
  if (PARTS[facts.plan.operation]?.test(candidate.name)) return true;
  return instructionsOf(facts).some((each) => {
    const { program } = each;
    const data = dataOf(name, program);
    return data.some((bytes) => isA(candidate, { programAddress: program, data: bytes }));
  });
}

const known = new Map<string, readonly EncodedInstruction[]>();
/** Data of a stage's instructions of one program. */
function dataOf(name: string, program: string): Uint8Array[] {
  let list = known.get(name);
  if (list === undefined) {
    let honest: readonly EncodedInstruction[] = [];
    rewritten(stage(name), (all) => {
      honest = all;
      return all;
    });
    list = honest;
    known.set(name, list);
  }
  return list.filter(({ programAddress }) => programAddress === program).map(({ data }) => data);
}

/** Every shot with everything as it is meant, of some stages. */
export const shotsOf = (stages: readonly string[]): Shot[] =>
  stages.flatMap((name) =>
    CATALOGUE.flatMap((candidate) => PLACEMENTS.map((placement) => ({ stage: name, candidate, placement }))),
  );

/** Every shot that puts one more account of the wallet's at one place. */
export const aimedShotsOf = (stages: readonly string[], placements: readonly Placement[]): Shot[] =>
  stages.flatMap((name) =>
    CATALOGUE.flatMap((candidate) =>
      placements.flatMap((placement) =>
        candidate.places.flatMap(({ address }, place) =>
          address === undefined
            ? Object.keys(owned.accounts).map((what) => ({
                stage: name,
                candidate,
                placement,
                aim: { place, owned: what },
              }))
            : [],
        ),
      ),
    ),
  );
