/**
 * Orders claimers by share, largest first, unknown addresses before known ones of the same share. An unknown claimer
 * with one percent or more is never folded.
 */
import { percent, several } from '../../base/format.ts';
import { DEPLOYER_SHARE_BPS } from '../../contract/constants.ts';
import type { Plan } from '../../plan/types.ts';
import type { Statement } from '../../statement/types.ts';
import type { Address } from '../../transaction/types.ts';
import type { Evidence } from './evidence.ts';
import type { People } from './people.ts';
import { type ClaimersFact, type Line, plain, type ShownClaimer, warn } from './questionFacts.ts';

/** Number of claimers shown in full: in a short list, and in a long one. */
const [IN_FULL, OF_MANY] = [5, 2];
const MANY = 12;
/** Minimum share in basis points from which an unknown claimer is always shown. */
const NEVER_FOLDED = 100;

/** Sorts and folds claimers. `lines` accompany the list. */
export function foldClaimers(
  claimers: readonly ShownClaimer[],
  people: Pick<People, 'isKnown'>,
  lines: readonly Line[] = [],
): ClaimersFact {
  const stranger = ({ address }: ShownClaimer) => !people.isKnown(address);
  const weight = ({ bps = 0, before = 0 }: ShownClaimer) => (bps === 0 ? before / 10_000 : bps);
  const sorted = [...claimers].sort(
    (a, b) => weight(b) - weight(a) || Number(stranger(b)) - Number(stranger(a)),
  );
  // Show one more row instead of a line that says it is folded.
  const inFull =
    sorted.length > MANY ? OF_MANY : Math.max(IN_FULL, sorted.length === IN_FULL + 1 ? sorted.length : 0);
  const rest = sorted.slice(inFull);
  const kept = (each: ShownClaimer) =>
    stranger(each) && Math.max(each.bps ?? NEVER_FOLDED, each.before ?? 0) >= NEVER_FOLDED;
  return {
    kind: 'claimers',
    rows: sorted.slice(0, inFull),
    more: rest.filter(kept),
    folded: rest.filter((each) => !kept(each)),
    lines,
  };
}

/** The sum of shares, as a percentage. */
export const together = (claimers: readonly ShownClaimer[]): string =>
  percent(claimers.reduce((sum, { bps = 0 }) => sum + bps, 0));

/** Formats a share, with the previous one if it changes. */
export function shareWords({ bps, before }: ShownClaimer): string | undefined {
  if (bps === undefined) return undefined;
  return before === undefined || before === bps ? percent(bps) : `${percent(before)} → ${percent(bps)}`;
}

/**
 * Returns claimers by the shares of a statement, with previous shares if a split is changed; absent without shares.
 */
export function claimersFact(
  { lines }: Statement,
  configs: Evidence['configs'],
  { operation }: { readonly operation: Plan['operation'] | undefined },
  people: People,
): ClaimersFact | undefined {
  const shares = lines.filter(
    (line) =>
      line.id === 'earns' && line.of === 'fees' && line.shareBps !== null && typeof line.party === 'string',
  );
  const [first] = shares;
  if (first?.id !== 'earns') return undefined;
  const before = typeof first.from === 'string' ? configs.get(first.from)?.claimers : undefined;
  const changes = operation === 'manager_update' && before !== undefined;
  const now = new Map<Address, number>();
  for (const line of shares)
    if (line.id === 'earns' && typeof line.party === 'string')
      now.set(line.party, (now.get(line.party) ?? 0) + (line.shareBps ?? 0));
  const was = (address: Address) =>
    (before ?? []).reduce((sum, each) => (each.wallet === address ? sum + each.bps : sum), 0);
  const everyone = [...new Set([...now.keys(), ...(changes ? before : []).map(({ wallet }) => wallet)])];
  const rows = everyone.map((address): ShownClaimer => {
    const label = people.label(address);
    return {
      address,
      ...(label === undefined ? {} : { label }),
      bps: now.get(address) ?? 0,
      ...(changes ? { before: was(address) } : {}),
    };
  });
  return foldClaimers(rows, people, [
    ...strangerLine(
      rows.filter(({ bps }) => bps !== 0),
      people,
    ),
    ...(now.has(people.wallet) ? [] : [warn('Your wallet earns none of these shares.')]),
    ...(first.asset === 'SOL' && operation !== 'manager_update' ? [deployerLine(operation, people)] : []),
  ]);
}

/**
 * Returns the line on the deployer's part, which the contract states and no transaction shows (docs/contract.md
 * C-CONFIG-12).
 */
function deployerLine(operation: Plan['operation'] | undefined, people: People): Line {
  const who = operation === 'config' ? people.words(people.wallet) : 'who paid for the setup';
  return plain(`First, by the service's terms, ${percent(DEPLOYER_SHARE_BPS)} to the deployer, ${who}.`);
}

/** Returns the number and combined share of unknown claimers, for lists too long to read. */
function strangerLine(rows: readonly ShownClaimer[], { isKnown }: People): Line[] {
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
