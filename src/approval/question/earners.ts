/**
 * Who earns, by share: the largest first, a stranger before a known address of the same share. A stranger with one percent or
 * more is never folded away.
 */
import { percent, several } from '../../base/words.ts';
import { DEPLOYER_SHARE_BPS } from '../../contract/constants.ts';
import type { Expectation } from '../../policy/decide/operations/expectation.ts';
import type { Earner } from '../../programs/acts.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type EarnersFact, type Line, plain, type ShownEarner, warn } from './facts.ts';
import type { People } from './people.ts';

/** Earners shown in full: of a short list, and of one that is long anyway. */
const [IN_FULL, OF_MANY] = [5, 2];
const MANY = 12;
/** A share of a stranger from which it is always shown, in basis points. */
const NEVER_FOLDED = 100;

/** Orders and folds. `lines` stand with the list. */
export function foldEarners(
  earners: readonly ShownEarner[],
  people: Pick<People, 'isKnown'>,
  lines: readonly Line[] = [],
): EarnersFact {
  const stranger = ({ address }: ShownEarner) => !people.isKnown(address);
  const weight = ({ bps = 0, before = 0 }: ShownEarner) => (bps === 0 ? before / 10_000 : bps);
  const sorted = [...earners].sort(
    (a, b) => weight(b) - weight(a) || Number(stranger(b)) - Number(stranger(a)),
  );
  // One row more is no longer than the line that says that it is folded.
  const inFull =
    sorted.length > MANY ? OF_MANY : Math.max(IN_FULL, sorted.length === IN_FULL + 1 ? sorted.length : 0);
  const rest = sorted.slice(inFull);
  const kept = (each: ShownEarner) =>
    stranger(each) && Math.max(each.bps ?? NEVER_FOLDED, each.before ?? 0) >= NEVER_FOLDED;
  return {
    kind: 'earners',
    rows: sorted.slice(0, inFull),
    more: rest.filter(kept),
    folded: rest.filter((each) => !kept(each)),
    lines,
  };
}

/** The sum of shares, as a percentage. */
export const together = (earners: readonly ShownEarner[]): string =>
  percent(earners.reduce((sum, { bps = 0 }) => sum + bps, 0));

/** A share, with the one before it where it changes. */
export function shareWords({ bps, before }: ShownEarner): string | undefined {
  if (bps === undefined) return undefined;
  return before === undefined || before === bps ? percent(bps) : `${percent(before)} → ${percent(bps)}`;
}

/** Everyone who earns by an expectation, and where a split is changed everyone who earned before. */
export function earnersFact(
  { operation, wallet, earners = [], partner, quoteMint = WSOL_MINT }: Expectation,
  before: readonly Earner[] | undefined,
  people: People,
): EarnersFact {
  const changes = operation === 'manager_update' && before !== undefined;
  const share = (of: readonly Earner[], address: Address) =>
    of.reduce((sum, each) => (each.wallet === address ? sum + each.bps : sum), 0);
  const everyone = [...new Set([...earners, ...(changes ? before : [])].map((each) => each.wallet))];
  const rows = everyone.map((address): ShownEarner => {
    const label = people.label(address);
    return {
      address,
      ...(label === undefined ? {} : { label }),
      bps: share(earners, address),
      ...(changes ? { before: share(before, address) } : {}),
    };
  });
  const isOwn = earners.some((each) => each.wallet === wallet);
  return foldEarners(rows, people, [
    ...strangerLine(
      rows.filter(({ bps }) => bps !== 0),
      people,
    ),
    ...(isOwn ? [] : [warn('Your wallet earns none of these shares.')]),
    ...deployerLine({ operation, quoteMint, wallet }, people),
    ...(partner === undefined
      ? []
      : [
          warn(
            `A partner takes its part before these shares: ${people.words(partner)}. How much is not in the bytes.`,
          ),
        ]),
  ]);
}

/** The deployer's part, which the contract states and no transaction does (docs/contract.md C-CONFIG-12). */
function deployerLine(
  { operation, quoteMint, wallet }: Pick<Expectation, 'operation' | 'quoteMint' | 'wallet'>,
  people: People,
): Line[] {
  if (quoteMint !== WSOL_MINT || operation === 'manager_update') return [];
  const who = operation === 'config' ? people.words(wallet) : 'who paid for the setup';
  return [plain(`First, by the service's terms, ${percent(DEPLOYER_SHARE_BPS)} to the deployer, ${who}.`)];
}

/** How many of many are strangers, with their sum: a list that long is not read to its end. */
function strangerLine(rows: readonly ShownEarner[], { isKnown }: People): Line[] {
  const strangers = rows.filter(({ address }) => !isKnown(address));
  if (rows.length <= IN_FULL) return [];
  const all = `${several(rows.length, 'wallet')} earn${rows.length === 1 ? 's' : ''}`;
  if (strangers.length === 0) return [plain(`${all}, all of them in your address book.`)];
  return [
    warn(
      `${all}. ${several(strangers.length, 'is', 'are').replace(/(\S+) (is|are)/, '$1 of them $2')} not in your address book: ${together(strangers)} together.`,
    ),
  ];
}
