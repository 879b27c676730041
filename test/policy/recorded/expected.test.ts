/**
 * The expected outcome of each recorded stage, its use of limits, and their changed fields after each change of the
 * request, as approved in approved/expected.txt.
 */
import { expect, it } from 'vitest';
import type { Decision } from '../../../src/policy/decide/types.ts';
import { lineText } from '../../../src/statement/rename.ts';
import { stageFrom } from '../../../src/statement/view.ts';
import { changedOperands } from './operands.ts';
import { policyAskingFor, STAGES, stage, stated } from './stages.ts';
import { changesOf, shortened, written } from './sweep.ts';

const text = (value: unknown): string => shortened(JSON.stringify(value) ?? 'none');

/** Operands of venues and the fee share that affect counted spending. */
const COUNTED = /(payer|owner|signer|config) is|Idx|Threshold|amount/;

/** Statement lines by kind, without payments and called code, which `approved/lines.txt` contains. */
function inputsBy(statement: unknown): [string, string][] {
  const lines = stageFrom(statement).lines.filter(({ id }) => !['pays', 'code'].includes(id));
  return [...new Set(lines.map(({ id }) => id))].map((id) => [
    `says ${id}`,
    lines.flatMap((line) => (line.id === id ? lineText(line) : [])).join(),
  ]);
}

/** An expected outcome, the statement of the stage and its use of limits, by field. */
const committed = ({ expectedOutcome, statement, feeLamports, limits }: Decision) =>
  new Map<string, string>([
    ...Object.entries({ ...expectedOutcome }).map(([field, value]): [string, string] => [field, text(value)]),
    ...(statement === undefined ? [] : inputsBy(statement)),
    ['fee', feeLamports],
    ...limits.map(({ limitId, asset, amount }): [string, string] => [
      `counted for ${limitId}, ${shortened(asset ?? '')}`,
      amount,
    ]),
  ]);

/** Fields with a pinned new value: bounds, fees, use of limits. Of other changed fields only the names are pinned. */
const AMOUNT = /^(max|min|fee|counted)/;

const isStatementField = (field: string): boolean => field.startsWith('says');

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const fields = new Set([...before.keys(), ...after.keys()]);
  return [...fields].flatMap((field) => {
    const now = after.get(field) ?? 'none';
    // A denied stage has no statement.
    if (before.get(field) === now || (isStatementField(field) && ![...after.keys()].some(isStatementField)))
      return [];
    return AMOUNT.test(field) ? [`${field} ${now}`] : [field];
  });
}

/** The fields that differ. */
function differing(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string {
  const changed = differences(before, after);
  if (changed.length === 0) return 'the same';
  if (!after.has('maxDeposits')) return 'nothing expected';
  return changed.join(', ');
}

/** The expected outcome of a stage on one line, then the effect of each change of its request. */
function expectedText(name: string): string {
  const honest = committed(stated(stage(name), policyAskingFor(name)));
  const outcomes = new Map<string, string[]>();
  const changes = [
    ...changesOf(name).filter(({ label }) => label.startsWith('request')),
    ...changedOperands(stage(name)).filter(({ label }) => COUNTED.test(label)),
  ];
  for (const { label: description, inputs } of changes) {
    const other = written(inputs);
    if (other === undefined) continue;
    const outcome = differing(honest, committed(stated(other, policyAskingFor(name))));
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), description]);
  }
  const fields = [...honest]
    .filter(([field]) => !isStatementField(field))
    .map(([field, value]) => `${field} ${value}`);
  const lines = [...outcomes].map(([outcome, whats]) => `  ${outcome} <- ${whats.join('; ')}\n`);
  return `${name}: ${fields.join(', ')}\n${lines.join('')}`;
}

it('a recorded stage, and each change of its request, leads to the approved expected outcome', async () => {
  await expect(STAGES.map(expectedText).join('\n')).toMatchFileSnapshot('approved/expected.txt');
});
