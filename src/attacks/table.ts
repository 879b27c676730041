/** The attack table as a person reads it: a line an attack, or two on a narrow terminal; or one JSON object a line. */
import { fitted } from '../base/wrap.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Row } from './row.ts';
import type { World } from './world/world.ts';

/** Where it is written: standard output, or something like it. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Width, where it is a terminal. */
  readonly columns?: number;
}

export interface Table {
  add(row: Row): void;
  finish(rows: readonly Row[], seconds: number): void;
}

/** Parts of the threat model, by the number of their first row; rows that were added later stand in `LATER`. */
const PARTS = [
  [1, 'Who owns, who may spend: nothing moves now'],
  [12, 'What moves'],
  [27, 'Tokens that are traps'],
  [32, 'Time, replay, order'],
  [42, 'Bytes, signers, other plans than asked for'],
  [56, 'The agent itself'],
] as const;

/** Rows from 63 on, by the row of the threat model they stand behind. */
const LATER: Readonly<Record<number, number>> = {
  63: 55,
  64: 55,
  65: 26,
  66: 26,
  67: 31,
  68: 55,
  71: 26,
  75: 26,
  91: 55,
  92: 55,
  93: 55,
  180: 31,
  176: 23,
};

/** Where a row stands in the threat model. */
const placeOf = (row: string): number => {
  const number = Number(row.slice(1));
  const after = LATER[number];
  return after === undefined ? number : after + number / 100;
};

/** Columns of the widest line. */
const WIDEST = 100;
const WIDTH = { row: 4, name: 29, loss: 31, decision: 6 } as const;

/** One JSON object a line, and a last one that sums up. */
export function jsonTable(out: Output): Table {
  return {
    add: (row) => void out.write(`${JSON.stringify(row)}\n`),
    finish: (rows, seconds) =>
      void out.write(`${JSON.stringify({ step: 'summary', ...summary(rows), seconds })}\n`),
  };
}

/** What the rows come to. */
export function summary(rows: readonly Row[]) {
  return {
    ok: rows.every(({ ok }) => ok),
    attacks: rows.length,
    refused: rows.filter(({ ok }) => ok).length,
    executed: rows.filter(({ executed }) => executed).length,
    twinsLanded: rows.filter(({ twinSignature }) => twinSignature !== undefined).length,
    reasons: new Set(rows.map(({ expectedCode }) => expectedCode)).size,
    hangOnOneCheck: rows.filter(({ singleCheck }) => singleCheck !== null).length,
  };
}

/** Lines for people. Colours only on a terminal that supports them. */
export function personTable(out: Output, world: () => World | undefined): Table {
  const colour = out.isTTY === true && process.env.NO_COLOR === undefined;
  const paint = (code: number) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, dim, green, red] = [paint(1), paint(2), paint(32), paint(31)];
  const line = (text = '', look = (part: string) => part) => {
    for (const part of fitted(text, out.columns || WIDEST)) out.write(`${look(part)}\n`);
  };
  const isNarrow = (out.columns || WIDEST) < WIDEST;
  let part = '';
  line(
    'Each attack must be refused with nothing signed. Its bytes are then signed after all, on a throw-away copy of the chain, to see what they would have taken; and the same request, answered honestly, must land.',
  );
  return {
    add: (row) => {
      const title = partOf(row.row);
      if (title !== part) {
        part = title;
        line();
        line(title, bold);
        if (!isNarrow) line(columns('', 'attack', 'would have taken', 'so', 'because'), dim);
      }
      const loss = row.executed ? lossText(row, world()) : `(${row.notExecuted ?? 'see below'})`;
      const look = row.ok ? (row.executed ? undefined : dim) : red;
      if (isNarrow) {
        line(`${row.row.padEnd(WIDTH.row)} ${row.step}: ${decisionOf(row)}, ${reasonOf(row)}`, look);
        line(`     ${loss}`, look);
      } else line(columns(row.row, row.step, loss, decisionOf(row), reasonOf(row)), look);
      if (!row.ok) line(`       DID NOT HOLD: ${row.explain} [${row.codes.join(', ')}]`, red);
    },
    finish: (rows, seconds) => {
      const sum = summary(rows);
      line();
      line(
        '* hangs on one check; without a star, any single check could be left out and it would not get in',
        dim,
      );
      line('( ) cannot be shown on a copy of the chain, and why', dim);
      line();
      const held = `${sum.refused} of ${sum.attacks} attacks refused, nothing signed, for ${sum.reasons} different reasons`;
      line(held, sum.ok ? green : red);
      line(
        `${sum.executed} shown on a copy of the chain, ${sum.twinsLanded} honest twins landed, ${seconds.toFixed(0)} s`,
      );
    },
  };
}

const partOf = (row: string): string => {
  const place = placeOf(row);
  return PARTS.findLast(([first]) => first <= place)?.[1] ?? '';
};

/** Orders rows as the threat model has them. */
export function byRow(a: string, b: string): number {
  return placeOf(a) - placeOf(b);
}

function columns(row: string, name: string, loss: string, decision: string, reason: string): string {
  return [
    row.padEnd(WIDTH.row),
    cut(name, WIDTH.name).padEnd(WIDTH.name),
    cut(loss, WIDTH.loss).padEnd(WIDTH.loss),
    decision.padEnd(WIDTH.decision),
    reason,
  ].join(' ');
}

const cut = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, width - 1)}…`;

const decisionOf = ({ ok, expectedCode }: Row): string =>
  ok ? (expectedCode === 'APPROVAL_REQUIRED' ? 'asked' : 'denied') : 'LET IN';

const reasonOf = ({ expectedCode, singleCheck }: Row): string =>
  `${expectedCode}${singleCheck === null ? '' : ' *'}`;

/** Rent and fees of a few transactions: not what an attack is about when it gains a power as well. */
const DUST_LAMPORTS = 10_000_000n;

/** What was lost, as a sentence: amounts first, then rights, else what the attack is after. */
export function lossText({ lostIfSigned, takes }: Row, world: World | undefined): string {
  const { assets = {}, powers = [] } = lostIfSigned ?? {};
  const lost = Object.entries(assets).map(([asset, amount]) => [asset, BigInt(amount)] as const);
  const worth = lost.filter(([asset, amount]) => asset !== 'SOL' || amount >= DUST_LAMPORTS);
  const shown = worth.length > 0 ? worth : powers.length > 0 ? [] : lost;
  if (shown.length > 0) {
    const texts = shown.map(([asset, amount]) => amountText(asset, amount, world));
    return texts.slice(0, 2).join(' + ');
  }
  const power = powers.find((each) => each.includes('the attacker')) ?? powers[0];
  return power === undefined ? takes : powerText(power);
}

/** A power without the account it is over and without whose it should be. */
const powerText = (power: string): string =>
  power
    .replace(/^memo: [^:]*: /, '')
    .replace(/^[^:]*: /, '')
    .replace(/ instead of .*$/, '')
    .replace(/ present$/, '');

/** An amount with its token. */
function amountText(asset: string, amount: bigint, world: World | undefined): string {
  const { decimals, symbol } = tokenOf(asset, world);
  const whole = amount / 10n ** BigInt(decimals);
  const fraction = String(amount % 10n ** BigInt(decimals)).padStart(decimals, '0');
  const digits = whole >= 100n ? '' : significant(fraction);
  const grouped = String(whole).replace(/\B(?=(\d{3})+$)/g, ',');
  return `${grouped}${digits === '' ? '' : `.${digits}`} ${symbol}`;
}

/** The first three digits of a fraction that say something. */
function significant(fraction: string): string {
  const zeros = /^0*/.exec(fraction)?.[0].length ?? 0;
  return fraction.slice(0, zeros + 3).replace(/0+$/, '');
}

function tokenOf(asset: string, world: World | undefined): { decimals: number; symbol: string } {
  if (asset === 'SOL' || asset === WSOL_MINT) return { decimals: 9, symbol: 'SOL' };
  const quote = world?.sandbox.service.quotes.get(asset);
  if (quote !== undefined) return quote;
  const launch = world?.sandbox.service.state.launches.get(asset);
  return { decimals: 6, symbol: launch?.symbol ?? 'tokens' };
}
