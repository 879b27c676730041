/**
 * What stands afterwards: who gains control, what cannot be undone, who could change it later, what is left if the plan
 * stops halfway, and what a program that is not read could reach. Sentences of our own; addresses are whole.
 */
import {
  capital,
  decimal,
  listWords,
  percent,
  SOL_DECIMALS,
  several,
  shortAddress,
} from '../../base/words.ts';
import type { Plan } from '../../plan/types.ts';
import type { Decision } from '../../policy/decide/types.ts';
import { programName } from '../../programs/index.ts';
import type { Address } from '../../transaction/types.ts';
import type { ApprovalEnvelope } from '../types.ts';
import { CONTROL_UNREAD } from '../words.ts';
import type { Evidence } from './evidence.ts';
import { bad, type Line, plain, type QuestionFact, warn } from './facts.ts';
import { shownAmount } from './money.ts';
import type { OpenedFacts } from './opened.ts';
import type { People } from './people.ts';

/** What the sentences are made from. */
export interface Standing {
  readonly plan: Plan;
  readonly envelope: ApprovalEnvelope;
  readonly opened: OpenedFacts;
  readonly evidence: Evidence;
  readonly people: People;
  readonly recipients: Decision['recipients'];
  readonly isRead: boolean;
}

export function controlFact(about: Standing): QuestionFact {
  const { envelope, isRead, people, recipients, opened } = about;
  const { expectation } = envelope;
  const manager = managerOf(about) ?? recipients.find(({ role }) => role === 'admin')?.address ?? undefined;
  const lines = [
    ...envelope.authorityChanges.map(bad),
    ...(expectation?.rights ?? []).map(({ right, of, to }) =>
      to === null
        ? plain(`The ${right} of ${people.words(of)} is given up for good.`)
        : bad(`The ${right} of ${people.words(of)} goes to ${people.words(to)}.`),
    ),
    ...(manager === undefined ? [] : [managerLine(manager, people)]),
    ...(expectation?.manager === null ? [plain('No key can change who earns, at any time.')] : []),
    ...(expectation?.feeClaimer === undefined
      ? []
      : [
          namedLine(
            expectation.feeClaimer,
            people,
            'earns from the pool, out of positions that the service holds',
          ),
        ]),
    ...(opened.leftover === undefined
      ? []
      : [
          namedLine(
            opened.leftover,
            people,
            `gets what the curve does not sell${opened.leftBps === undefined ? '' : `: about ${percent(Number(opened.leftBps))} of the supply`}`,
          ),
        ]),
    ...(opened.feeClaimer === undefined || envelope.expectation?.earners !== undefined
      ? []
      : [namedLine(opened.feeClaimer, people, 'earns from the curve')]),
    ...opened.gives.map(bad),
  ];
  const others = [...(isRead ? [] : [bad(CONTROL_UNREAD)])];
  const calm =
    isRead &&
    envelope.authorityChanges.length === 0 &&
    (expectation?.rights ?? []).length === 0 &&
    opened.gives.length === 0;
  return {
    kind: 'control',
    lines: [...others, ...lines, ...(calm ? [plain('No other key gains control.')] : [])],
  };
}

/** Who may change the earners afterwards: by the expectation, and of a split that is changed by the chain. */
function managerOf({ envelope: { expectation }, evidence }: Standing): Address | null | undefined {
  if (expectation?.manager !== undefined || expectation?.baseMint === undefined) return expectation?.manager;
  return expectation.earners === undefined ? undefined : evidence.configs.get(expectation.baseMint)?.manager;
}

function managerLine(manager: Address, { wallet, isKnown, words }: People): Line {
  if (manager === wallet) return plain('Only your wallet can change who earns.');
  return isKnown(manager)
    ? warn(`${words(manager)} can change who earns, at any time.`)
    : bad(`${words(manager)} can change who earns, at any time.`);
}

const namedLine = (address: Address, { isKnown, words }: People, does: string): Line =>
  (isKnown(address) ? plain : warn)(`${words(address)} ${does}.`);

/** What cannot be undone. */
export function finalFact({ plan: { operation }, envelope, isRead }: Standing): QuestionFact {
  const manager = envelope.expectation?.manager;
  const lines: Readonly<Partial<Record<Plan['operation'], string>>> = {
    launch: 'A launch cannot be taken back. The token and its pool stay for good.',
    swap: 'A swap cannot be taken back.',
    send: 'A payment cannot be taken back.',
    config:
      manager === null
        ? 'The shares stand for good: no key can change them.'
        : 'What is written stays until the shares are changed.',
    manager_update: 'The old shares are gone. Your wallet can change them again.',
  };
  const claim = 'Claimed fees cannot be claimed again.';
  const text =
    lines[operation] ??
    (operation.endsWith('_claim') || operation === 'claim_all' ? claim : 'What lands cannot be taken back.');
  return {
    kind: 'final',
    lines: [(['launch', 'swap', 'send'].includes(operation) || !isRead ? warn : plain)(text)],
  };
}

/** Who could change the outcome later. */
export function laterFact(about: Standing): QuestionFact {
  const { envelope, evidence, people, plan, opened } = about;
  const { expectation } = envelope;
  const sharing = expectation?.earners !== undefined || plan.operation === 'config';
  const manager = managerOf(about);
  return {
    kind: 'later',
    lines: [
      ...(sharing
        ? [
            plain(
              `Who earns: by ${manager == null ? 'no key' : people.words(manager)}, or a manager the service names.`,
            ),
          ]
        : []),
      ...(opened.isMutable === true ? [warn("The token's name and picture can be changed later.")] : []),
      ...codeLines(evidence),
    ],
  };
}

/** Whose key can replace the code that runs, one sentence for all programs of one key. */
function codeLines({ programs }: Evidence): Line[] {
  const byKey = new Map<Address, string[]>();
  const unknown: string[] = [];
  for (const { address, deployedSlot, upgradeAuthority } of programs.values()) {
    const name = programName(address) ?? shortAddress(address);
    if (upgradeAuthority !== undefined)
      byKey.set(upgradeAuthority, [...(byKey.get(upgradeAuthority) ?? []), name]);
    else if (deployedSlot === undefined) unknown.push(name);
  }
  const replaced = [...byKey].map(([key, names]) =>
    plain(`Code of ${listWords(names)}: by the key ${shortAddress(key)}.`),
  );
  return [
    ...replaced,
    ...(unknown.length === 0
      ? []
      : [plain(`Whether the code of ${listWords(unknown)} can change is not known.`)]),
    ...(programs.size === 0 || replaced.length + unknown.length > 0
      ? []
      : [plain('The code of the programs it calls cannot be replaced.')]),
  ];
}

const CLAIMED = 'what was claimed is in your wallet, the rest can be claimed later';
const HALFWAY: Readonly<Partial<Record<Plan['operation'], string>>> = {
  config: 'the list is not complete, and nothing can be launched with it yet',
  manager_update: 'a part of the new shares stands beside the old ones',
  launch: 'the token may lack pool or earners',
  claim_all: CLAIMED,
  holding_claim: CLAIMED,
  position_claim: CLAIMED,
  vault_claim: CLAIMED,
  deployer_claim: CLAIMED,
};

/** Earners that one transaction of a config may hold: with more, later rounds add stages. */
const ONE_ROUND = 20;

export function halfwayFact({ plan, envelope }: Standing): QuestionFact {
  const stages = plan.stages.filter(({ optional }) => !optional).length;
  const earners = plan.operation === 'launch' ? 0 : (envelope.expectation?.earners?.length ?? 0);
  if (stages <= 1 && earners <= ONE_ROUND)
    return { kind: 'halfway', lines: [plain('It cannot. One transaction lands whole or not at all.')] };
  const left = HALFWAY[plan.operation] ?? 'what landed stays';
  // An approval of a whole run lasts from the first signature on; one of single stages does not.
  const rest = envelope.expectation === undefined ? '' : ' The agent has 24 hours for the rest.';
  const steps = stages <= 1 ? 'several transactions' : several(stages, 'transaction');
  return {
    kind: 'halfway',
    lines: [plain(`It is ${steps}. What landed stays: ${left}.${rest}`)],
  };
}

/** What is open before the first signature. */
export function openFact({ envelope: { expectation } }: Standing): QuestionFact | undefined {
  const lines = (expectation?.open ?? []).map((text) => warn(`${capital(text)}.`));
  return lines.length === 0 ? undefined : { kind: 'open', lines };
}

/** What a program that is not read could take. */
export function exposedFact({ evidence, isRead }: Standing): QuestionFact | undefined {
  if (isRead) return undefined;
  const programs = [...new Set(evidence.exposed.map(({ program }) => program))];
  const lamports = evidence.exposed.reduce<bigint | undefined>(
    (most, each) => (each.lamports !== undefined && each.lamports > (most ?? -1n) ? each.lamports : most),
    undefined,
  );
  const tokens = new Map(
    evidence.exposed.flatMap((each) => each.tokens.map(({ mint, amount }) => [mint, amount])),
  );
  const names = programs.map((address) => programName(address) ?? shortAddress(address));
  const handed = [
    ...(lamports === undefined ? [] : [`all SOL of your wallet (${decimal(lamports, SOL_DECIMALS)} SOL)`]),
    ...[...tokens].map(([mint, amount]) => shownAmount(amount, mint, evidence.tokens).words),
  ];
  const reach =
    evidence.exposed.length === 0
      ? 'all SOL in the wallet and the tokens it is handed could leave'
      : handed.length === 0
        ? 'it is handed neither the SOL of your wallet nor its tokens'
        : `it could take ${listWords(handed)}`;
  return {
    kind: 'exposed',
    lines: [bad(`${names.length === 0 ? 'A program in this' : listWords(names)} is not read: ${reach}.`)],
  };
}
