/**
 * The expected outcome of each recorded stage and its use of limits, and the fields of these that each change of the request
 * changes, as approved in approved/expected.txt.
 */
import { expect, it } from 'vitest';
import type { Decision } from '../../../src/policy/decide/types.ts';
import { lineText } from '../../../src/statement/rename.ts';
import { stageFrom } from '../../../src/statement/view.ts';
import { changedOperands } from './operands.ts';
import { askingFor, STAGES, stage, stated } from './stages.ts';
import { changesOf, shortened, written } from './sweep.ts';

const text = (value: unknown): string => shortened(JSON.stringify(value) ?? 'none');

/** Operands of venues and of the fee share that decide what counts as spent. */
const COUNTED = /(payer|owner|signer|config) is|Idx|Threshold|amount/;

/** Lines of the statement but payments and the code that is called, by kind: `approved/lines.txt` of its own has them. */
function inputsBy(statement: unknown): [string, string][] {
  const lines = stageFrom(statement).lines.filter(({ id }) => !['pays', 'code'].includes(id));
  return [...new Set(lines.map(({ id }) => id))].map((id) => [
    `says ${id}`,
    lines.flatMap((line) => (line.id === id ? lineText(line) : [])).join(),
  ]);
}

/** An expected outcome, what the stage says and the use of limits, by field. */
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

/** Fields whose new value is pinned: bounds, fees and use of limits. Of the others, which follow the change, only the name is. */
const AMOUNT = /^(max|min|fee|counted)/;

const isSaid = (field: string): boolean => field.startsWith('says');

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const fields = new Set([...before.keys(), ...after.keys()]);
  return [...fields].flatMap((field) => {
    const now = after.get(field) ?? 'none';
    // A stage that is denied says nothing.
    if (before.get(field) === now || (isSaid(field) && ![...after.keys()].some(isSaid))) return [];
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

/** The expected outcome of a stage on one line, then what each change of its request does to it. */
function expectedText(name: string): string {
  const honest = committed(stated(stage(name), askingFor(name)));
  const outcomes = new Map<string, string[]>();
  const changes = [
    ...changesOf(name).filter(({ what }) => what.startsWith('request')),
    ...changedOperands(stage(name)).filter(({ what }) => COUNTED.test(what)),
  ];
  for (const { what, inputs } of changes) {
    const other = written(inputs);
    if (other === undefined) continue;
    const outcome = differing(honest, committed(stated(other, askingFor(name))));
    outcomes.set(outcome, [...(outcomes.get(outcome) ?? []), what]);
  }
  const fields = [...honest].filter(([field]) => !isSaid(field)).map(([field, value]) => `${field} ${value}`);
  const lines = [...outcomes].map(([outcome, whats]) => `  ${outcome} <- ${whats.join('; ')}\n`);
  return `${name}: ${fields.join(', ')}\n${lines.join('')}`;
}

it('a recorded stage, and each change of its request, leads to the approved expected outcome', async () => {
  await expect(STAGES.map(expectedText).join('\n')).toMatchFileSnapshot('approved/expected.txt');
});
