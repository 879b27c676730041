/** Checks one row of a chain: its link, its place, and the columns and inputs named in its body. */
import { canonicalJson } from '../../base/canonicalJson.ts';
import { isRecord } from '../../base/record.ts';
import type { Row } from '../database.ts';
import { LedgerError } from '../errors.ts';
import { evidence } from '../sqlite/decisions.ts';
import { inflate } from '../sqlite/deflated.ts';
import { chainOf, link, parsed } from './chains.ts';

/** Why a row does not fit its chain. */
export type Break = 'missing' | 'changed' | 'inputs changed' | 'inputs missing';

/** The expected place and previous hash of a row. */
export interface Place {
  readonly at: { readonly chain: string; readonly place: number };
  readonly previous: string;
}

/** Columns for `decisionBreak`. */
export const DECISION = `d.sequence, d.plan_id, d.time, d.effect, d.purpose, d.class, d.message_sha256, d.body, d.hash,
  f.view, f.inputs`;
export const BESIDE = 'LEFT JOIN decision_inputs f ON f.sequence = d.sequence';

/** Returns why a row without a decision does not fit. */
export function noteBreak(row: Row, { at, previous }: Place): Break | undefined {
  const body = row.maybeText('note');
  if (body === undefined || link(previous, body) !== row.maybeText('note_hash')) return 'changed';
  const signed = parsed(body);
  const fits = signed?.chain === at.chain && signed?.place === at.place;
  return fits && signed?.begins === row.maybeText('begins') ? undefined : 'changed';
}

/** Returns why a decision does not fit. Unreadable parts count as changed. */
export async function decisionBreak(row: Row, place: Place): Promise<Break | undefined> {
  const body = await readable(() => inflate(row.text('body')));
  const hash = await readable(() => row.text('hash'));
  if (body === undefined || hash === undefined) return 'changed';
  if (link(place.previous, body) !== hash || !decisionMatches(row, body, place)) return 'changed';
  const view = row.maybeText('view');
  if (view === undefined) return 'inputs missing';
  const inputs = await readable(() => inflate(row.text('inputs')));
  return inputs !== undefined && evidenceFits(body, { inputs, view }) ? undefined : 'inputs changed';
}

/** Returns whether the body of a decision matches its columns, number, chain and place. */
function decisionMatches(row: Row, body: string, { at }: Place): boolean {
  const signed = parsed(body);
  if (signed === undefined || !isRecord(signed.decision)) return false;
  const { planId, time, decision, purpose, sequence, principal } = signed;
  const columns = [sequence, planId, time, decision.effect, purpose, decision.class, decision.messageSha256];
  const found = [
    row.number('sequence'),
    row.text('plan_id'),
    row.number('time'),
    row.text('effect'),
    row.text('purpose'),
    row.text('class'),
    row.text('message_sha256'),
  ];
  if (canonicalJson(columns) !== canonicalJson(found)) return false;
  if (signed.chain !== at.chain || signed.place !== at.place) return false;
  const whose = typeof principal === 'string' ? principal : undefined;
  return at.chain === chainOf(whose);
}

/** Returns whether inputs and view match the digest in the body of a decision. */
function evidenceFits(body: string, { inputs, view }: { inputs: string; view: string }): boolean {
  try {
    return JSON.parse(body).evidence === evidence(JSON.parse(inputs), JSON.parse(view));
  } catch {
    return false;
  }
}

/** Runs a read; returns `undefined` for a corrupt row. */
export async function readable(
  read: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof LedgerError && error.code === 'LEDGER_CORRUPT') return undefined;
    throw error;
  }
}
