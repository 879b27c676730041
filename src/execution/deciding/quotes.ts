/**
 * Quotes as this home keeps them: notes of the ledger. A swap is judged by the quote its id names, so the first quote of an
 * id stays and the id is never free again (T68). The service chooses the ids, so that two principals may be given one: each
 * has its own notes.
 */

import { canonicalJson } from '../../base/canonicalJson.ts';
import { isRecord } from '../../base/record.ts';
import { noteOf } from '../../ledger/notes.ts';
import type { Ledger } from '../../ledger/types.ts';
import { quoteIdOf } from '../../plan/intent.ts';
import type { Plan } from '../../plan/types.ts';
import type { StoredQuote } from '../../policy/decide/types.ts';

/** How long a quote is kept after it expired: a swap that landed is read back with its quote. */
const KEPT_MS = 7 * 24 * 60 * 60 * 1000;

const quoteNote = (requestId: string, principal: string | undefined): string =>
  `quote ${JSON.stringify([principal ?? null, requestId])}`;

/** Keeps a quote; `false` where another one has its id already. */
export async function keepQuote(
  ledger: Pick<Ledger, 'rows' | 'setNote'>,
  requestId: string,
  principal: string | undefined,
  kept: Readonly<Record<keyof StoredQuote, unknown>> & Pick<StoredQuote, 'expiresAt'>,
): Promise<boolean> {
  const onceUntil = kept.expiresAt + KEPT_MS;
  if (await ledger.setNote(quoteNote(requestId, principal), JSON.stringify(kept), { onceUntil })) return true;
  const first = await readQuote(ledger, requestId, principal);
  const content = ({ request, quote }: typeof kept) => canonicalJson([request, quote]);
  return first !== undefined && content(first) === content(kept);
}

export async function readQuote(
  ledger: Pick<Ledger, 'rows'>,
  requestId: string,
  principal: string | undefined,
): Promise<StoredQuote | undefined> {
  const note = await noteOf(ledger, quoteNote(requestId, principal));
  const kept: unknown = note === undefined ? undefined : JSON.parse(note);
  if (!isRecord(kept)) return undefined;
  const { request, quote, expiresAt } = kept;
  return isRecord(request) && isRecord(quote) ? { request, quote, expiresAt: Number(expiresAt) } : undefined;
}

/** The quote behind a swap, as this home stored it when it fetched it. */
export async function storedQuote(
  ledger: Pick<Ledger, 'rows'>,
  {
    principal,
    request: { endpoint, fields },
  }: Pick<Plan, 'principal'> & { readonly request: Pick<Plan['request'], 'endpoint' | 'fields'> },
): Promise<StoredQuote | undefined> {
  const quoteId = quoteIdOf({ endpoint, request: fields });
  return quoteId === undefined ? undefined : readQuote(ledger, quoteId, principal);
}
