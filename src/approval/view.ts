/**
 * What a person is shown before they approve or deny: what leaves, what arrives, who gains authority, fees,
 * recipients by label, limits before and after, the stages in order and the hash of each message. Made from what the
 * policy decided about the bytes; whatever of it was not read from them is marked as requested and not verified (T73),
 * and the agent's own request is shown separately.
 */

import { decimal, percent } from '../base/words.ts';
import type { ApprovalRow } from '../ledger/types.ts';
import type { Plan, Stage } from '../plan/types.ts';
import { operationWords, stageWords } from '../plan/words.ts';
import { windowLimits } from '../policy/decide/checks/limits.ts';
import type { Decision } from '../policy/decide/types.ts';
import type { LoadedPolicy } from '../policy/file/file.ts';
import type { Address } from '../transaction/types.ts';
import { encodeWire } from '../transaction/wire.ts';
import { askedFor } from './asked.ts';
import type { ApprovalEnvelope } from './types.ts';
import { amountParts, amountWords, assetName, CONTROL_UNREAD, roleWords, UNVERIFIED } from './words.ts';

/** An amount as shown. `units` are base units; `asset` is `SOL` or the whole mint address. */
export interface ShownAmount {
  readonly asset: string;
  readonly units: string;
  /** The amount in a person's units, and what they are: `0.5` and `SOL`. */
  readonly number: string;
  readonly unit: string;
  /** Both in one text. */
  readonly words: string;
  /** Where it does not follow from bytes that were read. */
  readonly mark?: typeof UNVERIFIED;
}

/** An address that the bytes name, or the request where they could not be read. */
export interface ShownRecipient {
  readonly address: Address;
  /** From the policy's wallets and address book; absent for a stranger. */
  readonly label?: string;
  /** What they get or may do, as a person reads it. */
  readonly roles: readonly string[];
  /** A claimer's share, such as `25%`. */
  readonly share?: string;
  /** Where address, roles and share are what was asked for, and no bytes were read that say so. */
  readonly mark?: typeof UNVERIFIED;
}

/** A limit before and after, for a bar. Shares are of the limit, 0 to 1. */
export interface ShownLimit {
  readonly id: string;
  readonly before: string;
  readonly adds: string;
  readonly after: string;
  readonly max: string;
  readonly beforeShare: number;
  readonly addsShare: number;
}

/** One stage, in the order they land. */
export interface ShownStage {
  readonly id: string;
  readonly words: string;
  readonly dependsOn: readonly string[];
  readonly optional: boolean;
  /** Whether the approval is about this stage. */
  readonly covered: boolean;
  /** False while its effects could not be simulated: its amounts are upper bounds. */
  readonly simulated: boolean;
  /** Where what it does is what was asked for, and not all of its bytes could be read. */
  readonly mark?: typeof UNVERIFIED;
  /** SHA-256 of the message; a hardware wallet shows base58. Absent when it was never decided. */
  readonly messageSha256?: { readonly hex: string; readonly base58: string };
}

/** Everything one question shows. Plain data. */
export interface ApprovalView {
  readonly id: string;
  readonly planId: string;
  readonly mode: Plan['mode'];
  readonly network: string;
  readonly state: ApprovalRow['state'];
  readonly title: string;
  readonly wallet: { readonly address: Address; readonly label?: string };
  /** Why a person is asked, in the policy's sentence. */
  readonly why: string;
  /** The rule's own reason, from the policy file. */
  readonly rule?: { readonly id: string; readonly why: string };
  readonly leaves: readonly ShownAmount[];
  readonly arrives: readonly ShownAmount[];
  /** Whether every instruction of the stages in question was read; else what was asked for is marked. */
  readonly read: boolean;
  /** Who would gain control of what. Empty only where every instruction was read and no other address does. */
  readonly authority: readonly string[];
  readonly recipients: readonly ShownRecipient[];
  readonly fee: ShownAmount;
  readonly limits: readonly ShownLimit[];
  readonly stages: readonly ShownStage[];
  /** What a person should know besides. */
  readonly notes: readonly string[];
  /** The request as the agent made it: data from outside, cleaned. */
  readonly asked: readonly { readonly name: string; readonly value: string }[];
  /** The answer is about exactly this. */
  readonly envelopeDigest: string;
  readonly policyHash: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt?: number;
  readonly channel?: ApprovalRow['channel'];
}

/** What a view is made from. */
export interface ApprovalViewInput {
  readonly row: ApprovalRow;
  readonly plan: Plan;
  /** The decision about each stage the question was made from, by stage id. */
  readonly decisions: ReadonlyMap<string, Decision>;
  /** Decimals of mints, where our own RPC showed them. */
  readonly decimals?: ReadonlyMap<Address, number>;
  /** Names limits and rules; ignored unless it is the policy the question was asked under. */
  readonly policy?: LoadedPolicy | undefined;
}

/** Makes the view. Pure: the same rows give the same view. */
export function approvalView(input: ApprovalViewInput): ApprovalView {
  const { row, plan, decisions } = input;
  const envelope: ApprovalEnvelope = JSON.parse(row.envelope);
  const decimals = input.decimals ?? new Map<Address, number>();
  const policy = input.policy?.hash === row.policyHash ? input.policy.policy : undefined;
  const covered = new Set(row.stages);
  const decided = plan.stages.flatMap(({ id }) => {
    const decision = decisions.get(id);
    return covered.has(id) && decision !== undefined ? [decision] : [];
  });
  const [first] = decided;
  const rule = policy?.rules.find((known) => known.id === first?.ruleId);
  const label = policy?.wallets.find(({ address }) => address === row.wallet)?.label;
  // Values count as read only when every instruction of every stage in question was read.
  const isRead = decided.length > 0 && decided.every(wasRead);
  const amounts = (side: 'mostOut' | 'leastIn') =>
    envelope.assets.flatMap((bound) => {
      const units = BigInt(bound[side]);
      return units === 0n ? [] : [{ ...amount(units, bound.asset, decimals), ...markOf(isRead) }];
    });
  const recipients = recipientsOf(decided, plan);
  return {
    id: row.id,
    planId: row.planId,
    mode: plan.mode,
    network: row.network,
    state: row.state,
    title: operationWords(plan.operation),
    wallet: { address: row.wallet, ...(label === undefined ? {} : { label }) },
    why: first?.explain ?? 'A person must approve this first.',
    ...(rule === undefined ? {} : { rule: { id: rule.id, why: rule.why } }),
    leaves: amounts('mostOut'),
    arrives: amounts('leastIn'),
    read: isRead,
    authority: [...envelope.authorityChanges, ...(isRead ? [] : [CONTROL_UNREAD])],
    recipients,
    fee: amount(
      decided.reduce((sum, decision) => sum + BigInt(decision.feeLamports), 0n),
      'SOL',
      decimals,
    ),
    limits: limitsOf(decided, policy === undefined ? [] : windowLimits(policy), decimals),
    stages: plan.stages.map((stage) => stageOf(stage, covered.has(stage.id), decisions.get(stage.id))),
    notes: notesOf(decided, recipients, plan),
    asked: askedFor(plan.request.fields),
    envelopeDigest: row.envelopeDigest,
    policyHash: row.policyHash,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    ...(row.answeredAt === undefined ? {} : { answeredAt: row.answeredAt }),
    ...(row.channel === undefined ? {} : { channel: row.channel }),
  };
}

function amount(units: bigint, asset: string, decimals: ReadonlyMap<string, number>): ShownAmount {
  const { number, unit } = amountParts(units, asset, decimals);
  return { asset, units: `${units}`, number, unit, words: `${number} ${unit}` };
}

/** Whether every instruction of a stage was read, so that what was asked for is known to be what the bytes say. */
const wasRead = ({ binding }: Decision): boolean => binding === 'exact';

const markOf = (isRead: boolean): { mark?: typeof UNVERIFIED } => (isRead ? {} : { mark: UNVERIFIED });

function recipientsOf(decided: readonly Decision[], plan: Plan): ShownRecipient[] {
  const found = new Map<Address, { label?: string; roles: Set<string>; claims: boolean; read: boolean }>();
  const named = decided.flatMap((decision) =>
    decision.recipients.map((each) => ({ ...each, read: wasRead(decision) })),
  );
  for (const { address, role, label, read } of named) {
    const known = found.get(address) ?? { roles: new Set<string>(), claims: false, read: true };
    known.read &&= read;
    if (label !== undefined) known.label = label;
    known.roles.add(roleWords(role));
    known.claims ||= role === 'claimer';
    found.set(address, known);
  }
  return [...found].map(([address, { label, roles, claims, read }]) => {
    const share = claims ? shareOf(plan, address) : undefined;
    return {
      address,
      roles: [...roles],
      ...(label === undefined ? {} : { label }),
      ...(share === undefined ? {} : { share }),
      ...markOf(read),
    };
  });
}

/** A claimer's share, as it was asked for: what the bytes say only where they were read. */
function shareOf(plan: Plan, address: Address): string | undefined {
  const { claimersArray, basisPointsArray } = plan.request.fields;
  if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
  const points: unknown = basisPointsArray[claimersArray.indexOf(address)];
  return typeof points === 'number' && Number.isSafeInteger(points) ? percent(points) : undefined;
}

function limitsOf(
  decided: readonly Decision[],
  specs: readonly { readonly id: string; readonly kind: 'asset' | 'count'; readonly of: string }[],
  decimals: ReadonlyMap<string, number>,
): ShownLimit[] {
  const taken = new Map<string, { before: bigint; adds: bigint; max: bigint }>();
  for (const use of decided.flatMap((decision) => decision.limits)) {
    const known = taken.get(use.limitId);
    // A plan counts once, however many of its stages say so.
    const once = specs.find(({ id }) => id === use.limitId)?.kind === 'count';
    const adds = BigInt(use.amount) + (once ? 0n : (known?.adds ?? 0n));
    taken.set(use.limitId, { before: known?.before ?? BigInt(use.usedBefore), adds, max: BigInt(use.max) });
  }
  return [...taken].map(([id, { before, adds, max }]) => {
    const spec = specs.find((known) => known.id === id);
    const words = (units: bigint) => {
      if (spec?.kind === 'asset' && spec.of !== 'any') return amountWords(units, spec.of, decimals);
      return decimal(units, 0);
    };
    return {
      id,
      before: words(before),
      adds: words(adds),
      after: words(before + adds),
      max: words(max),
      beforeShare: share(before, max),
      addsShare: share(before + adds, max) - share(before, max),
    };
  });
}

/** `part` of `whole` between 0 and 1, to a hundredth of a percent. */
const share = (part: bigint, whole: bigint): number =>
  whole <= 0n || part >= whole ? 1 : Number((part * 10_000n) / whole) / 10_000;

function stageOf(stage: Stage, covered: boolean, decision: Decision | undefined): ShownStage {
  const hex = decision?.messageSha256;
  return {
    id: stage.id,
    words: stageWords(stage.kind),
    dependsOn: stage.dependsOn,
    optional: stage.optional,
    covered,
    simulated: decision !== undefined && !decision.staticOnly,
    ...markOf(decision !== undefined && wasRead(decision)),
    ...(hex === undefined
      ? {}
      : { messageSha256: { hex, base58: encodeWire(Buffer.from(hex, 'hex'), 'base58') } }),
  };
}

function notesOf(decided: readonly Decision[], recipients: readonly ShownRecipient[], plan: Plan): string[] {
  const notes: string[] = [];
  const strangers = recipients.filter(({ label }) => label === undefined).length;
  if (strangers > 0) {
    notes.push(
      strangers === 1
        ? 'One of the addresses below is not in your address book.'
        : `${strangers} of the addresses below are not in your address book.`,
    );
  }
  const unread = decided.filter((decision) => !wasRead(decision));
  if (unread.length > 0) {
    const simulated = unread.filter(({ staticOnly }) => !staticOnly).length;
    const from =
      simulated === 0
        ? ''
        : `; the amounts come from a simulation${simulated < unread.length ? ' where there was one' : ''}`;
    notes.push(
      `A program in this could not be read instruction by instruction. What is marked "${UNVERIFIED}" is what the agent asked for, and the bytes may do something else${from}.`,
      'If such a program did something else when it lands, all SOL in the wallet and the tokens it is handed could leave.',
    );
  }
  if (decided.some(({ staticOnly }) => staticOnly)) {
    notes.push(
      'A later step cannot be simulated yet. Its amounts are the most that may leave; you are asked again if it would be more.',
    );
  }
  if (plan.operation === 'launch') notes.push('A launch cannot be taken back.');
  return notes;
}

/** What leaves in one line, for lists: `at most 0.52 SOL and 10 token 7xKX…abcd leaves`. */
export function leavesWords({ leaves, read }: Pick<ApprovalView, 'leaves' | 'read'>): string {
  if (leaves.length === 0) return read ? 'nothing leaves' : `nothing leaves (${UNVERIFIED})`;
  const unread = read ? '' : ` (${UNVERIFIED})`;
  return `at most ${leaves.map(({ words }) => words).join(' and ')} leaves${unread}`;
}

/** Whole mint addresses of the tokens a view names shortly. */
export const tokensNamed = (
  view: Pick<ApprovalView, 'leaves' | 'arrives'>,
): { name: string; mint: string }[] =>
  [...new Set([...view.leaves, ...view.arrives].map(({ asset }) => asset))]
    .filter((asset) => asset !== 'SOL')
    .map((mint) => ({ name: assetName(mint), mint }));
