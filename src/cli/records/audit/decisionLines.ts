/** Decisions as lines for a terminal: one paragraph each, or one of them with every check. Pure. */

import { amountOfAsset, decimal, solWords } from '../../../base/format.ts';
import type { DecisionRecord } from '../../../ledger/types.ts';
import type { Check } from '../../../policy/decide/types.ts';
import { checkName } from '../../../policy/decide/words/names.ts';
import { explain, remedyOf } from '../../../presentation/decisions/explain.ts';
import type { QuestionFact } from '../../../presentation/question/questionFacts.ts';
import { factsLines } from '../../../presentation/question/textLines.ts';
import { encodeWire } from '../../../transaction/wire.ts';
import { table, wrap } from '../../layout.ts';
import { shownId, timeWords } from '../history.ts';

const ANSWERS = { allow: 'ALLOWED', deny: 'DENIED', require_approval: 'ASKS YOU' } as const;
const PURPOSES = { preview: 'preview', sign: 'at signing' } as const;

/** One decision in a paragraph. */
export function decisionLines(record: DecisionRecord, columns: number): string[] {
  const { id, time, planId, stageId, purpose, decision } = record;
  const codes = decision.reasonCodes.length === 0 ? '' : ` [${decision.reasonCodes.join(' ')}]`;
  return [
    ...wrap(`${id}  ${ANSWERS[decision.effect]}  ${PURPOSES[purpose]}  ${timeWords(time)}`, columns),
    ...wrap(`${planId}, stage ${shownId(stageId)}`, columns, '  '),
    ...wrap(`${explain(decision)}${codes}`, columns, '  '),
  ];
}

/** Formats one decision with its recorded details. `facts`: what its stage does. */
export function decisionPage(
  record: DecisionRecord,
  facts: readonly QuestionFact[],
  columns: number,
): string[] {
  const { decision, hash, intentKey, wallet } = record;
  const { limits, checks, messageSha256 } = decision;
  const remedy = remedyOf(decision);
  return [
    ...decisionLines(record, columns),
    ...(remedy === undefined ? [] : wrap(remedy, columns, '  ')),
    '',
    ...table(
      [
        ['  wallet', wallet],
        ['  rule', decision.ruleId ?? 'none'],
        ['  policy', decision.policyId === '' ? 'none' : decision.policyId],
        ['  policy hash', decision.policyHash === '' ? 'none' : decision.policyHash],
        ['  message', messageSha256],
        ['  in base58', encodeWire(Buffer.from(messageSha256, 'hex'), 'base58')],
        ['  intent', intentKey],
        ['  facts', decision.inputsDigest],
        ['  row hash', hash],
        ['  bytes', decision.binding === 'exact' ? 'every instruction read' : 'judged by simulated effects'],
        ['  simulated', decision.staticOnly ? 'not yet' : 'yes'],
        ['  network fee', solWords(BigInt(decision.feeLamports))],
      ],
      columns,
    ),
    ...factsLines(facts, columns),
    ...titled(
      'Limits',
      limits.map(({ limitId, amount, usedBefore, max, asset, decimals }) => {
        const words = (units: string) =>
          asset === undefined ? decimal(BigInt(units)) : amountOfAsset(BigInt(units), asset, decimals);
        return `${limitId}: ${words(usedBefore)} used, ${words(amount)} more, of ${words(max)}`;
      }),
      columns,
    ),
    '',
    'Checks',
    ...checks.flatMap((check) => checkLines(check, columns)),
  ];
}

/** One check: what it is, what was seen and what would have been allowed. */
export function checkLines(check: Check, columns: number): string[] {
  const { ok, observed, allowed, code } = check;
  return wrap(
    `${checkName(check)}${observed === undefined ? '' : `: ${observed}`}` +
      `${allowed === undefined || (ok && allowed === observed) ? '' : ` (allowed: ${allowed})`}` +
      `${code === undefined ? '' : ` [${code}]`}`,
    columns,
    ok ? '  ok  ' : '  NO  ',
    '      ',
  );
}

const titled = (heading: string, texts: readonly string[], columns: number): string[] =>
  texts.length === 0 ? [] : ['', heading, ...texts.flatMap((text) => wrap(text, columns, '  '))];
