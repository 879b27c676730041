/**
 * Explains a policy file as a page its owner can accept: what may be signed without asking, what needs approval, what
 * is never signed, how much may leave, and what no file can disable. Pure; describes the checks including defaults,
 * and points out what is easily overlooked.
 */

import { listWords, secondsWords } from '../base/format.ts';
import { operationWords } from '../plan/operationNames.ts';
import { OPERATIONS } from '../plan/types.ts';
import { GENESIS } from '../policy/file/networks.ts';
import type { Policy } from '../policy/file/schema.ts';
import { checking, leaving, type Section, type Statement } from './explainBounds.ts';
import { lint } from './lint.ts';
import { type RuleWords, rulesWords } from './ruleWords.ts';

/** The page's content. */
export interface PolicyPage {
  readonly title: string;
  readonly lead: string;
  readonly sections: readonly Section[];
}

/** Returns the page of a policy. `hash`, if given, is shown on it. */
export function explainPolicy(policy: Policy, hash?: string): PolicyPage {
  const look = lint(policy);
  const signs = policy.rules.some((rule) => rule.effect !== 'deny');
  const wallets = policy.wallets.length === 1 ? 'the wallet' : 'the wallets';
  return {
    title: `Signing policy "${policy.id}"`,
    lead:
      `An AI agent works for ${wallets} below. This page states what it may sign by itself, what it must ask you about, ` +
      'and what it can never sign. Everything this page does not allow is refused.',
    sections: [
      place(policy, hash),
      ...signing(policy),
      ...(signs ? [leaving(policy)] : []),
      ...(look.length === 0
        ? []
        : [{ heading: 'Look at these twice', statements: look.map((text) => ({ text })) }]),
      ...(signs ? [checking(policy)] : []),
      ...asking(policy),
      stopping(policy),
      HARD_DENIALS,
    ],
  };
}

function place(policy: Policy, hash: string | undefined): Section {
  return {
    heading: 'Which wallet, on which network',
    statements: [
      ...policy.wallets.map(({ label, address }) => ({ text: `Wallet "${label}": ${address}` })),
      { text: networkWords(policy.network) },
      ...policy.addressBook.map(({ label, address }) => ({
        text: `In your address book, "${label}": ${address}`,
      })),
      ...(policy.addressBook.length > 0
        ? []
        : [{ text: 'Your address book is empty: no address but the wallet itself is known.' }]),
      ...(hash === undefined
        ? []
        : [
            {
              text: 'This page describes the file with this hash; any change of the file changes it:',
              more: [hash],
            },
          ]),
    ],
  };
}

function networkWords(network: string): string {
  const name = GENESIS[network] === undefined ? byGenesis(network) : network;
  if (name === 'mainnet-beta') return 'Network mainnet-beta: real money.';
  if (name !== undefined) return `Network ${name}: test money.`;
  return `The chain whose first block has the hash ${network}, and no other.`;
}

const byGenesis = (hash: string): string | undefined =>
  Object.entries(GENESIS).find(([, known]) => known === hash)?.[0];

/** Returns the three effects of rules, each with its operations. */
function signing(policy: Policy): Section[] {
  const of = (effect: Policy['rules'][number]['effect']) =>
    rulesWords(
      policy,
      policy.rules.filter((rule) => rule.effect === effect),
    ).map(ruleStatement);
  const ruled = new Set(policy.rules.map((rule) => rule.operation));
  const unruled = OPERATIONS.filter((operation) => !ruled.has(operation));
  const opaque = policy.programs.filter((entry) => entry.binding === 'effects');
  const [allowed, asked, denied] = [of('allow'), of('require_approval'), of('deny')];
  return [
    {
      heading: 'What the agent may sign without asking you',
      ...(allowed.length === 0
        ? { lead: 'Nothing.' }
        : { lead: 'Within the limits below, and only if every check passes:' }),
      statements: allowed,
    },
    {
      heading: 'What needs your approval, every time',
      ...(asked.length === 0 && opaque.length === 0 ? { lead: 'Nothing.' } : {}),
      statements: [
        ...asked,
        ...(opaque.length === 0 || (allowed.length === 0 && asked.length === 0)
          ? []
          : [
              {
                text:
                  'Anything that calls an unsupported program, even where a rule above allows it: each time, on ' +
                  'every network with real money.',
              },
            ]),
      ],
    },
    {
      heading: 'What is never signed',
      ...(denied.length > 0 ? { lead: 'A rule that denies overrides every rule that allows.' } : {}),
      statements: [
        ...denied,
        ...unruled.map((operation) => ({ text: `${operationWords(operation)}: no rule mentions it.` })),
        { text: 'Anything else this page does not name, and everything in its last section.' },
      ],
    },
  ];
}

const ruleStatement = ({ what, conditions, why, ids }: RuleWords): Statement => ({
  text: `${what}.`,
  more: [...conditions, `Why: ${why} (${idsWords(ids)}).`],
});

/** Lists rule ids, or their number if there are many. */
const idsWords = (ids: readonly string[]): string =>
  ids.length > 4 ? `${ids.length} rules` : `${ids.length === 1 ? 'rule' : 'rules'} ${listWords(ids)}`;

const CHANNEL_WORDS: Readonly<Record<Policy['approval']['channels'][number], string>> = {
  page: 'on a page in the browser of this machine',
  command: 'with `countersign approve` in a terminal',
  elicitation: 'in the window of the AI client (some clients answer automatically)',
};

function asking({ rules, approval, programs }: Policy): Section[] {
  const mayAsk =
    rules.some((rule) => rule.effect === 'require_approval') ||
    (programs.some((entry) => entry.binding === 'effects') && rules.some((rule) => rule.effect === 'allow'));
  if (!mayAsk) return [];
  return [
    {
      heading: 'How you are asked',
      statements: [
        {
          text: `You can answer ${listWords(
            approval.channels.map((name) => CHANNEL_WORDS[name]),
            'or',
          )}.`,
        },
        {
          text:
            `An approval is valid for ${secondsWords(approval.ttlSeconds)}, for exactly what you were shown, and once. ` +
            'A plan that began under it may be finished within 24 hours. The agent cannot answer for you.',
        },
      ],
    },
  ];
}

function stopping({ freeze }: Policy): Section {
  const { count, windowSeconds } = freeze.afterDenials;
  return {
    heading: 'The emergency stop',
    statements: [
      {
        text:
          `After ${count === 1 ? 'one transaction that looks' : `${count} transactions that look`} like an attack ` +
          `within ${secondsWords(windowSeconds)}, nothing is signed any more until you run \`countersign unfreeze\`.`,
      },
      { text: 'You can stop everything yourself at any time: `countersign freeze`.' },
    ],
  };
}

/** Refusals by the hard denials (`hardDenials.ts`) and the checks before the rules, for any file. */
const HARD_DENIALS: Section = {
  heading: 'What no file can allow',
  lead: 'These are refused by any policy file:',
  statements: [
    'Handing the wallet, or an account of it, to another program or person.',
    'Letting another key spend, freeze or close what the wallet holds.',
    'Giving away an authority of the wallet over a token, its metadata or a lookup table.',
    'Destroying tokens of the wallet, or closing its accounts in favour of another key.',
    'A signature that would never expire (durable nonce).',
    'Programs that install programs, stake, vote, or check signatures made elsewhere.',
    'Signing a text or anything else that is not a transaction.',
    'Non-canonical bytes, or bytes with an invalid signature.',
    'A transaction that differs from what was asked for: in amount, fee, recipient, share, token or order.',
    'An address that only looks like one you know.',
    'A second signature for the same intent while the first may still take effect.',
  ].map((text) => ({ text })),
};
