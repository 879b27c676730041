/** The statement of a run: summed amounts, facts with canonical account names, and request lines for missing stages. */
import { canonicalJson, jsonDigest } from '../base/canonicalJson.ts';
import { canonical, isMade, lineText } from './rename.ts';
import type {
  Approval,
  Line,
  LineOf,
  Pays,
  Pin,
  Receives,
  Ref,
  Role,
  Run,
  RunStage,
  Statement,
} from './types.ts';
import { withBigints, withoutBigints } from './view.ts';

/** Lines that describe a state and are deduplicated. All others count each time. */
const STATES: readonly Line['id'][] = [
  'code',
  'uses',
  'issuer',
  'terms',
  'makes',
  'final',
  'asks',
  'later',
  'enforced',
];
/** Untrusted texts, in which addresses are not replaced. */
const TEXTS = ['name', 'symbol', 'uri', 'text'];

/** States of unsigned stages. */
export const OPEN = ['this', 'announced'] as const;

type Amount = Pays | Receives;
const roleOf = (ref: unknown): unknown => (isMade(ref) ? ref.made : ref);
/** Whether a line is an amount that the wallet pays or receives. */
export const isAmount = (line: Line): line is Line & Amount => line.id === 'pays' || line.id === 'receives';

/** Returns the lines of one kind. */
export const only = <K extends Line['id']>(lines: readonly Line[], id: K): LineOf<K>[] =>
  lines.filter((line): line is LineOf<K> => line.id === id);

/** Returns the key by which payments are summed and drawn. New accounts are replaced by their role. */
export const payKey = ({ asset, to, owner, why, returns }: Pays): string =>
  canonicalJson([asset, roleOf(to), roleOf(owner), why, returns]);
/** Returns the key by which receipts are summed. */
export const receiveKey = ({ asset, from, into }: Receives): string =>
  canonicalJson([asset, roleOf(from), roleOf(into)]);

export const addTo = (sums: Map<string, bigint>, key: string, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount);
};

/**
 * Replaces new accounts by their roles: in each stage, those created by it and by earlier stages. For the stage being
 * signed, only landed stages count as earlier, because a stage in flight may fail.
 */
export function withRoles(run: Run): Run {
  const numbers = new Map<string, number>();
  const stages = run.stages.map((stage, i) => {
    const isMade = ({ state }: RunStage) => stage.state !== 'this' || state === 'landed';
    const made = new Map(
      [...run.stages.slice(0, i).filter(isMade), stage].flatMap((each) => Object.entries(each.made)),
    );
    for (const { of } of made.values()) if (!numbers.has(of)) numbers.set(of, numbers.size);
    const roles = (value: unknown, key = ''): unknown => {
      if (typeof value === 'string') {
        const as = TEXTS.includes(key) ? undefined : made.get(value);
        return as === undefined ? value : { made: as.kind, n: numbers.get(as.of) ?? 0 };
      }
      if (Array.isArray(value)) return value.map((each) => roles(each));
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, roles(each, name)]));
    };
    // The cast is safe: only references are replaced.
    return { ...stage, made: {}, lines: stage.lines.map((line) => roles(line) as Line) };
  });
  return { ...run, stages };
}

/** Returns what the stage being signed draws, by `payKey`. */
export const drawsOf = (run: Run): ReadonlyMap<string, bigint> => sumOfPayments(withRoles(run), ['this']);

/** Returns the payments of a run's stages in the given states, by `payKey`. The run must have roles. */
export function sumOfPayments({ stages }: Run, states: readonly RunStage['state'][]): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const { state, lines } of stages)
    if (states.includes(state))
      for (const line of only(lines, 'pays')) addTo(sums, payKey(line), line.atMost);
  return sums;
}

/** Returns the canonical lines of a run's stages except amounts paid and received. The run must have roles. */
export function factsOf({ stages, request, later }: Run): Line[] {
  const all = stages.flatMap(({ lines }) => lines.filter((line) => !isAmount(line)));
  const makes = new Set(only(all, 'makes').map(({ mint }) => canonicalJson(mint)));
  // `controls` lines cover the powers over a token that the run creates.
  const facts = all.filter((line) => line.id !== 'issuer' || !makes.has(canonicalJson(line.mint)));
  const seen = new Set<string>();
  const once = [...inSteps(facts), ...sharesOf(facts)].filter((line) => {
    const text = lineText(line);
    return !STATES.includes(line.id) || (!seen.has(text) && seen.add(text));
  });
  return canonical([...once, ...missing(once, request, later)], distinguishing);
}

/** Numbers the lines about the same right of the same account; the last one applies. */
function inSteps(facts: readonly Line[]): Line[] {
  const about = ({ right, of }: LineOf<'controls'>) => canonicalJson([right, of]);
  const rights = only(facts, 'controls');
  return facts.map((line) => {
    if (line.id !== 'controls') return line;
    const same = rights.filter((each) => about(each) === about(line));
    return same.length > 1 ? { ...line, step: same.indexOf(line) } : line;
  });
}

/** Returns the request lines that no stage produces yet, and a `later` line. Once the shares are final, none is missing. */
function missing(facts: readonly Line[], request: readonly Line[], later: string | undefined): Line[] {
  if (later === undefined) return [];
  const waits: Line = { id: 'later', source: 'request', what: later };
  if (facts.some(({ id }) => id === 'final')) return [waits];
  const produced = facts.map(lineText);
  const hasTerms = facts.some(({ id }) => id === 'terms');
  const open = request.filter((line) => {
    if (isAmount(line) || (line.id === 'later' && hasTerms)) return false;
    const at = produced.indexOf(lineText(line));
    if (at >= 0) produced.splice(at, 1);
    return at < 0;
  });
  return [...open, waits];
}

/** Returns the lines that distinguish new accounts, without those that may vanish or change after the approval. */
const distinguishing = (lines: readonly Line[]): readonly Line[] =>
  lines
    .filter(({ id }) => id !== 'issuer')
    .map((line) => (line.id === 'assures' ? { ...line, held: false } : line));

/** Returns the share of each position's owner in the liquidity that the run adds to a pool. */
function sharesOf(facts: readonly Line[]): LineOf<'earns'>[] {
  const text = (ref: Ref) => canonicalJson(ref);
  const [pools, positions] = [new Map<string, bigint>(), new Map<string, bigint>()];
  for (const { pool, of, liquidity } of only(facts, 'position')) {
    addTo(pools, text(pool), liquidity);
    addTo(positions, text(of), liquidity);
  }
  // Owners are set as a right, or change with a transfer of the position's NFT.
  const owners = new Map<string, Ref | Role | null>();
  for (const line of facts) {
    if (line.id === 'controls' && line.right === 'owner') owners.set(text(line.of), line.party);
    if (line.id === 'moves' && owners.has(canonicalJson(line.asset)))
      owners.set(canonicalJson(line.asset), line.to);
  }
  return only(facts, 'position').flatMap(({ pool, of, liquidity }): LineOf<'earns'>[] => {
    const party = owners.get(text(of)) ?? null;
    const total = pools.get(text(pool)) ?? 0n;
    if (liquidity !== 0n || party === null || isRole(party) || total === 0n) return [];
    const shareBps = Number(((positions.get(text(of)) ?? 0n) * 10_000n) / total);
    return [{ id: 'earns', source: 'transaction', party, shareBps, from: of, of: 'position' }];
  });
}

const ROLES: readonly unknown[] = ['market', 'validators', 'blockBuilder', 'stagePayer'] satisfies Role[];
const isRole = (party: Ref | Role): party is Role => ROLES.includes(party);

/** Returns the maximum payments of a run: draws plus unsigned stages, and at least the bounds of the request. */
function payments(run: Run): Line[] {
  const lines = new Map<string, Line & Pays>();
  const put = (line: Line & Pays) => {
    const before = lines.get(payKey(line));
    const atMost = (before?.atMost ?? 0n) + line.atMost;
    const arrives = [before, line].some((each) => each?.leastArrives !== undefined)
      ? { leastArrives: (before?.leastArrives ?? before?.atMost ?? 0n) + (line.leastArrives ?? line.atMost) }
      : {};
    lines.set(payKey(line), { ...line, atMost, ...arrives });
  };
  for (const stage of run.stages) only(stage.lines, 'pays').forEach(put);
  const open = sumOfPayments(run, OPEN);
  for (const [key, line] of lines) {
    lines.set(key, { ...line, atMost: (run.draws.get(key) ?? 0n) + (open.get(key) ?? 0n) });
  }
  for (const line of only(run.request, 'pays')) {
    const now = lines.get(payKey(line));
    if ((now?.atMost ?? 0n) < line.atMost) lines.set(payKey(line), { ...now, ...line });
  }
  return [...lines.values()].filter(({ atMost }) => atMost > 0n);
}

function receipts({ stages }: Run): Line[] {
  const lines = new Map<string, Line & Receives>();
  for (const { lines: mine } of stages) {
    for (const line of only(mine, 'receives')) {
      const key = canonicalJson([receiveKey(line), line.enforcedBy]);
      lines.set(key, { ...line, atLeast: (lines.get(key)?.atLeast ?? 0n) + line.atLeast });
    }
  }
  return [...lines.values()];
}

/** Returns the statement of a run. */
export function statementOf(given: Run): Statement {
  const run = withRoles(given);
  const amounts = [...payments(run), ...receipts(run)].map((line) => ({
    ...line,
    ...('to' in line && isMade(line.to) ? { to: { ...line.to, n: 0 } } : {}),
    ...('owner' in line && isMade(line.owner) ? { owner: { ...line.owner, n: 0 } } : {}),
    ...('from' in line && isMade(line.from) ? { from: { ...line.from, n: 0 } } : {}),
  }));
  const lines = [...amounts, ...factsOf(run)];
  return { version: 1, lines: lines.sort((a, b) => (lineText(a) < lineText(b) ? -1 : 1)) };
}

/** Returns the content of an approval of a run. `expiresAt` in milliseconds since the epoch. */
export function approvalOf(run: Run, expiresAt: number, decisionDigests: readonly string[]): Approval {
  const pins = run.stages.flatMap(({ state, pin }): readonly Pin[] =>
    pin !== undefined && (state === 'this' || state === 'announced') ? [pin] : [],
  );
  return { scope: { ...run.scope, expiresAt }, statement: statementOf(run), pins, decisionDigests };
}

/** Returns the canonical JSON of an approval, with amounts as decimal strings. */
export const approvalText = (approval: Approval): string => canonicalJson(withoutBigints(approval));

/** Parses the output of `approvalText`. */
export const approvalFrom = (text: string): Approval => JSON.parse(text, withBigints);

/** Returns a text that is equal for approvals with the same scope, statement and pins, regardless of expiry and decisions. */
export const meaningOf = ({ scope, statement, pins }: Approval): string =>
  canonicalJson(withoutBigints({ scope: { ...scope, expiresAt: 0 }, statement, pins }));

/** Returns the hex SHA-256 of a statement's canonical JSON. */
export const statementDigest = (statement: Statement): string => jsonDigest(withoutBigints(statement));
