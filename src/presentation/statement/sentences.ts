/**
 * The sentences of a statement's lines, in one table for every surface. A sentence states only what the line
 * contains; unknown parties and granted rights are marked by the tone.
 */
import { capital, listWords, percent, spaced } from '../../base/format.ts';
import { cleanText, TEXT_CAPS } from '../../service/untrusted.ts';
import type { Line, LineOf, Pays } from '../../statement/types.ts';
import { otherAmounts } from './amounts.ts';
import type { Named, Names } from './names.ts';
import type { Part, Sentence, Tone } from './sentence.ts';
import { termsSentences } from './terms.ts';

/** Returns the sentences of one line; empty if another sentence or a list covers it. */
export function sentencesOf(line: Line, names: Names): readonly Sentence[] {
  const render: (of: never, n: Names) => readonly Sentence[] = TABLE[line.id];
  // The table entry of an id accepts the lines of that id.
  return render(line as never, names);
}

const sentence = (part: Part, tone: Tone, text: string): Sentence => ({ part, tone, text });
const toneOf = ({ isKnown }: Named): Tone => (isKnown ? 'plain' : 'warn');

const TABLE: { readonly [K in Line['id']]: (line: LineOf<K>, n: Names) => readonly Sentence[] } = {
  pays: (line, n) => {
    const part = line.why === 'payment' && !n.party(line.to).isProgram ? 'what' : 'costs';
    return [sentence(part, payTone(line, n), PAYS[line.why](line, n)), ...arrivesNet(line, n, part)];
  },
  // The amount is listed separately; a program enforces it unless stated here.
  receives: ({ atLeast, asset, enforcedBy }, n) => {
    if (enforcedBy !== 'simulation') return [];
    return atLeast === 0n
      ? [sentence('arrives', 'warn', `How much ${n.token(asset)} arrives is not known yet.`)]
      : [
          sentence(
            'arrives',
            'plain',
            `Of it, ${n.amount(atLeast, asset)} only by the simulation: no program enforces it.`,
          ),
        ];
  },
  returned: ({ of, into }, n) => {
    const [from, to] = [n.party(of), n.party(into)];
    if (from.isOwn && to.isOwn) return [];
    const text = `An account of ${from.text} is closed: its SOL goes to ${to.text}.`;
    return [sentence('costs', to.isOwn ? 'plain' : 'bad', text)];
  },
  moves: ({ amount, asset, from, to }, n) => [
    sentence(
      'control',
      toneOf(n.party(to)),
      `${n.amount(amount, asset)} from ${n.party(from).text} to ${n.party(to).text}.`,
    ),
  ],
  // Amounts are listed separately; a payout to another key is not the wallet's claim.
  claims: ({ payouts }, n) =>
    payouts
      .map(({ owner }) => n.party(owner))
      .filter(({ isOwn }) => !isOwn)
      .map((who) => sentence('arrives', toneOf(who), `The claim pays ${who.text}.`)),
  earns: ({ party, shareBps, from, of }, n) => {
    const who = n.party(party);
    const share = shareBps === null ? '' : `${percent(shareBps)} of `;
    const source = n.account(from).text;
    const does = {
      fees: `earns ${share}the fees of ${source}`,
      position: `earns ${share}the fees that ${source} brings`,
      partner: 'earns as partner, before the shares of others; the share is not in the transaction',
      leftover: 'gets the part of the supply that the curve does not sell',
      referral: 'earns a referral fee',
    }[of];
    return [sentence('control', who.isOwn ? 'plain' : toneOf(who), `${capital(who.text)} ${does}.`)];
  },
  controls: ({ right, of, party, asset, atMost }, n) => {
    const who = n.party(party);
    const does = (RIGHTS[right] ?? ((over: string) => `has the right “${right}” over ${over}`))(
      n.account(of).text,
    );
    const most = atMost === undefined || asset === undefined ? '' : `, at most ${n.amount(atMost, asset)}`;
    const tone = party === null || who.isOwn ? 'plain' : who.isKnown ? 'warn' : 'bad';
    // A permanent claimer concerns control; any other right without a holder is a term.
    const part = party === null && right !== 'fee shares' ? 'terms' : 'control';
    return [sentence(part, tone, `${capital(who.text)} ${does}${most}.`)];
  },
  supply: ({ mint, minted, burned, holder }, n) => [
    minted > 0n
      ? sentence('terms', 'plain', `${n.amount(minted, mint)} are made for ${n.party(holder).text}.`)
      : sentence('costs', 'bad', `${n.amount(burned, mint)} of ${n.party(holder).text} are burned.`),
  ],
  makes: () => [],
  names: ({ name, symbol, mutable }) =>
    mutable === true
      ? [
          sentence(
            'later',
            'warn',
            `Name and picture of “${cleaned(name)}” (${cleaned(symbol)}) can be changed later.`,
          ),
        ]
      : [],
  freezes: ({ holder, mint, frozen }, n) => [
    sentence(
      'control',
      'bad',
      `The account of ${n.party(holder).text} in ${n.token(mint)} is ${frozen ? 'frozen' : 'thawed'}.`,
    ),
  ],
  rule: ({ of, rule, values, by }, n) => {
    if (rule === 'tableDeactivate' || rule === 'tableFreeze')
      return [sentence('terms', 'plain', `The lookup table ${n.party(of).text} is ${TABLE_RULES[rule]}.`)];
    const keeper = by === undefined ? '' : `, kept by ${n.party(by).text}`;
    return [
      sentence('control', 'warn', `Rule “${rule}” of ${n.account(of).text}: ${cleaned(values)}${keeper}.`),
    ];
  },
  opens: ({ owner, kind }, n) => {
    const who = n.party(owner);
    if (kind === 'data' || who.isProgram) return [];
    return [
      sentence('costs', toneOf(who), `An account is opened for ${who.text}, and is theirs from then on.`),
    ];
  },
  position: () => [],
  terms: ({ terms, quote }, n) => termsSentences(terms, quote, n),
  assures: ({ what, of, held }, n) => {
    const does = {
      locked: `The liquidity of ${n.account(of).text} is locked for good`,
      noMinting: `Nobody can make more of ${n.token(of)}`,
      noFreezing: `Nobody can freeze accounts of ${n.token(of)}`,
    }[what];
    return [sentence('terms', 'plain', `${does}${held ? '' : ', once this has landed'}.`)];
  },
  issuer: ({ mint, power, holder, maxBps }, n) => [
    sentence(
      'later',
      'warn',
      power === 'displayedAmount'
        ? otherAmounts(n.token(mint))
        : `The issuer of ${n.token(mint)} (${n.party(holder).text}) has the power “${power}”${maxBps === undefined ? '' : `, at most ${percent(maxBps)} of a transfer`}.`,
    ),
  ],
  uses: ({ account, kind, authority }, n) =>
    kind === 'config'
      ? []
      : [
          sentence(
            'later',
            'warn',
            `A durable nonce is used: ${n.party(account).text}, kept by ${n.party(authority).text}.`,
          ),
        ],
  // All assets are in one sentence: `enforcedSentences`.
  enforced: () => [],
  // All programs of one key are in one sentence: `codeSentences`.
  code: () => [],
  unsupported: ({ program, instruction, reaches }, n) => {
    const name = `${n.program(program)}${instruction === null ? '' : ` “${instruction}”`}`;
    const reach =
      reaches.length === 0 ? 'no account of yours' : listWords(reaches.map((each) => n.party(each).text));
    return [sentence('exposed', 'bad', `${name} is unsupported; it is handed ${reach}.`)];
  },
  rehearsed: ({ slot, unsupported, partial, changes, rights }, n) => {
    const side = (is: (by: bigint) => boolean) =>
      changes.flatMap(({ asset, by }) => (is(by) ? [n.amount(by < 0n ? -by : by, asset)] : []));
    const [leaves, arrives] = [side((by) => by < 0n), side((by) => by > 0n)];
    const amounts = [
      ...(leaves.length === 0 ? [] : [`${listWords(leaves)} left`]),
      ...(arrives.length === 0 ? [] : [`${listWords(arrives)} arrived`]),
    ];
    const text = `Rehearsed at slot ${slot}: ${amounts.length === 0 ? 'nothing left or arrived' : listWords(amounts)}.`;
    const doubt = `${partial ? ' Later stages were not rehearsed.' : ''}${unsupported ? ' It may behave differently on chain.' : ''}`;
    return [
      sentence('rehearsed', unsupported ? 'warn' : 'plain', `${text}${doubt}`),
      ...rights.map(({ of, right, before, after }) =>
        sentence(
          'rehearsed',
          'bad',
          `Rehearsed: the ${spaced(right)} of ${n.account(of).text} ${[
            ...(before === null ? [] : [`leaves ${n.party(before).text}`]),
            ...(after === null ? [] : [`comes to ${n.party(after).text}`]),
          ].join(' and ')}.`,
        ),
      ),
    ];
  },
  memo: ({ text }) => [
    sentence('what', 'plain', `With the words “${cleaned(text)}”, which anyone can read.`),
  ],
  later: ({ what }) => [
    sentence(
      'open',
      'warn',
      what === 'curve'
        ? 'The curve is built later. Its terms and its deposit need another approval.'
        : `More of the ${what} is built later; the shares and bounds here hold for it.`,
    ),
  ],
  final: () => [sentence('final', 'plain', 'The list of claimers is complete.')],
  asks: () => [],
};

const TABLE_RULES = { tableDeactivate: 'retired', tableFreeze: 'closed to new entries' } as const;

/** The beginning of an address at the end of a cut text. */
const BROKEN_ADDRESS = /[1-9A-HJ-NP-Za-km-z]{1,44}$/;

/** Cleans untrusted text for quoting; cuts long text, but not within an address. */
export function cleaned(text: string): string {
  const clean = cleanText(text, TEXT_CAPS.description);
  const quotable = clean.text.replace(/[“”"()]/g, "'").trim();
  return clean.cut ? `${quotable.replace(BROKEN_ADDRESS, '').trimEnd()}…` : quotable;
}

/** Returns the tone of a payment; payments to unknown parties are marked. */
function payTone({ why, to, owner }: Pays, n: Names): Tone {
  if (why === 'unsupported') return 'bad';
  if (why === 'deposit') return toneOf(n.party(owner));
  return toneOf(n.party(to));
}

/** Sentences for common rights; other rights are named. */
const RIGHTS: Readonly<Record<string, (of: string) => string>> = {
  'fee shares': (of) => `can change who earns from ${of}`,
  'mint authority': (of) => `can make more of ${of}`,
  'freeze authority': (of) => `can freeze accounts of ${of}`,
  'metadata authority': (of) => `can change name and picture of ${of}`,
  'pool creator': (of) => `is the creator of ${of}`,
  owner: (of) => `owns ${of}`,
  delegate: (of) => `can spend from ${of}`,
  'table authority': (of) => `can change ${of}`,
};

const PAYS: Readonly<Record<Pays['why'], (line: Pays, n: Names) => string>> = {
  trade: ({ atMost, asset }, n) => `Traded: at most ${n.amount(atMost, asset)}.`,
  payment: ({ atMost, asset, to }, n) => `Pays exactly ${n.amount(atMost, asset)} to ${n.party(to).text}.`,
  pool: ({ atMost, asset, to }, n) => `Puts ${n.amount(atMost, asset)} into ${n.party(to).text}.`,
  tip: ({ atMost, asset, to }, n) => `Tip: at most ${n.amount(atMost, asset)} to ${n.party(to).text}.`,
  serviceFee: ({ atMost, asset, to }, n) =>
    `Service fee: at most ${n.amount(atMost, asset)} to ${n.party(to).text}.`,
  refund: ({ atMost, asset, to }, n) => `Refund: at most ${n.amount(atMost, asset)} to ${n.party(to).text}.`,
  deposit: ({ atMost, asset, owner, returns }, n) =>
    returns === 'onClose'
      ? `Deposits at most ${n.amount(atMost, asset)} in accounts of yours, back when you close them.`
      : `Deposits at most ${n.amount(atMost, asset)} in an account of ${n.party(owner).text}, which does not come back.`,
  networkFee: ({ atMost, asset }, n) => `Network fees: at most ${n.amount(atMost, asset)}.`,
  metadata: ({ atMost, asset }, n) => `Fee for the token's name: at most ${n.amount(atMost, asset)}.`,
  unsupported: ({ atMost, asset, to }, n) =>
    `${n.party(to).text} is unsupported: it may take ${n.amount(atMost, asset)}.`,
};

const arrivesNet = ({ leastArrives, asset }: Pays, n: Names, part: Part): readonly Sentence[] =>
  leastArrives === undefined
    ? []
    : [
        sentence(
          part,
          'warn',
          `At least ${n.amount(leastArrives, asset)} of it arrives: the token keeps a fee of each transfer.`,
        ),
      ];

/** Returns which bounds of a guarded transaction the chain enforces and which it does not. */
function enforcedSentences(lines: readonly Line[], n: Names): readonly Sentence[] {
  const stated = lines.filter((line) => line.id === 'enforced');
  const open = stated.filter(({ views }) => views === 0).map(({ asset }) => asset);
  const enforced = stated.filter(({ asset }) => !open.includes(asset));
  const listed = (assets: readonly string[]) => listWords([...new Set(assets)].map((each) => n.token(each)));
  const source = enforced.some(({ views }) => views < 2) ? ', by the balances that one RPC shows' : '';
  const text = `Enforced by the chain: the bounds of ${listed(enforced.map(({ asset }) => asset))}${source}. Deposits from elsewhere in the meantime are not protected.`;
  const simulated = `By simulation, not enforced by the chain: the bounds of ${listed(open)}.`;
  return [
    ...(enforced.length === 0 ? [] : [sentence('costs', 'plain', text)]),
    ...(open.length === 0 ? [] : [sentence('costs', 'warn', simulated)]),
  ];
}

/** Returns sentences about several lines: enforced bounds, and upgrade authorities with all programs of a key. */
export function codeSentences(lines: readonly Line[], n: Names): readonly Sentence[] {
  const code = lines.filter((line) => line.id === 'code');
  const byKey = new Map<string, string[]>();
  const unknown: string[] = [];
  for (const { program, upgradeableBy, deployedSlot } of code) {
    if (upgradeableBy !== null)
      byKey.set(upgradeableBy, [...(byKey.get(upgradeableBy) ?? []), n.program(program)]);
    else if (deployedSlot === null) unknown.push(n.program(program));
  }
  return [
    ...enforcedSentences(lines, n),
    ...[...byKey].map(([key, names]) =>
      sentence('later', 'plain', `The key ${n.party(key).text} can replace the code of ${listWords(names)}.`),
    ),
    ...(unknown.length === 0
      ? []
      : [sentence('later', 'plain', `Whether the code of ${listWords(unknown)} can change is not known.`)]),
  ];
}
