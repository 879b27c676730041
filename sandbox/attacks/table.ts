/** The attack table as text, or as JSON lines. */
import { decimal } from '../../src/base/format.ts';
import { fitted } from '../../src/base/wrap.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import type { Row } from './row.ts';
import type { World } from './world/world.ts';

/** The output stream. */
export interface Output {
  write(text: string): unknown;
  /** Width of a terminal. */
  readonly columns?: number;
}

export interface Table {
  add(row: Row): void;
  finish(rows: readonly Row[], seconds: number): void;
}

/** One JSON object per row, and a summary. */
export function jsonTable(out: Output): Table {
  return {
    add: (row) => void out.write(`${JSON.stringify(row)}\n`),
    finish: (rows, seconds) =>
      void out.write(`${JSON.stringify({ step: 'summary', ...summary(rows), seconds })}\n`),
  };
}

/** Summarizes the rows. */
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

/** Text lines, wrapped to the terminal. */
export function personTable(out: Output, world: () => World | undefined): Table {
  const line = (text = '') => {
    for (const part of fitted(text, out.columns)) out.write(`${part}\n`);
  };
  line(
    'Each attack must be refused with nothing signed. A trial on the chain, which is undone, shows its loss; and the same request, answered honestly, must land.',
  );
  line();
  return {
    add: (row) => {
      const { row: number, step, executed, notExecuted, ok, explain, codes } = row;
      const loss = executed ? lossText(row, world()) : `(${notExecuted ?? 'see below'})`;
      line(`${number} ${step}: ${decisionOf(row)}, ${reasonOf(row)}; would have taken ${loss}`);
      if (!ok) line(`  DID NOT HOLD: ${explain} [${codes.join(', ')}]`);
    },
    finish: (rows, seconds) => {
      const sum = summary(rows);
      line();
      line('* refused by one check alone; without a star, by several');
      line('( ) not shown in a trial, with the reason');
      line();
      line(
        `${sum.refused} of ${sum.attacks} attacks refused, nothing signed, for ${sum.reasons} different reasons`,
      );
      line(
        `${sum.executed} shown in a trial, ${sum.twinsLanded} honest twins landed, ${seconds.toFixed(0)} s`,
      );
    },
  };
}

const decisionOf = ({ ok, expectedCode }: Row): string =>
  ok ? (expectedCode === 'APPROVAL_REQUIRED' ? 'asked' : 'denied') : 'LET IN';

const reasonOf = ({ expectedCode, singleCheck }: Row): string =>
  `${expectedCode}${singleCheck === null ? '' : ' *'}`;

/** Rent and fees of a few transactions, which losses leave out. */
const DUST_LAMPORTS = 10_000_000n;

/** Returns the lost amounts, or the attack's aim if they do not exceed rent and fees. */
export function lossText({ lostIfSigned, takes }: Row, world: World | undefined): string {
  const lost = Object.entries(lostIfSigned?.assets ?? {}).flatMap(([asset, text]) => {
    const amount = BigInt(text);
    if (asset === 'SOL' && amount < DUST_LAMPORTS) return [];
    const { decimals, symbol } = tokenOf(asset, world);
    return [`${decimal(amount, decimals)} ${symbol}`];
  });
  return lost.length === 0 ? takes : lost.join(' + ');
}

function tokenOf(asset: string, world: World | undefined): { decimals: number; symbol: string } {
  if (asset === 'SOL' || asset === WSOL_MINT) return { decimals: 9, symbol: 'SOL' };
  const quote = world?.sandbox.service.quotes.get(asset);
  if (quote !== undefined) return quote;
  const launch = world?.sandbox.service.state.launches.get(asset);
  return { decimals: 6, symbol: launch?.symbol ?? 'tokens' };
}
