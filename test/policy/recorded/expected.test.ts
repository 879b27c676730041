/**
 * What each recorded stage is expected to lead to, what it fixes beyond that and what counts against limits; and which of it
 * another request would change, field by field. Read and approved: the files in approved/expected/.
 */
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/policy/decide/types.ts';
import { changedOperands } from './operands.ts';
import { askingFor, decide, STAGES, stage } from './stages.ts';
import { changesOf, shortened, written } from './sweep.ts';

const text = (value: unknown): string => shortened(JSON.stringify(value) ?? 'none');

/** Operands of venues and of the fee share that decide what counts as spent. */
const COUNTED = /(payer|owner|signer|config) is|Idx|Threshold|amount/;

/** An expectation and what is fixed beyond it, by field. */
const committed = ({ expectation, opened = [], feeLamports, limits }: Decision) =>
  new Map<string, string>([
    ...Object.entries({ ...expectation }).map(([field, value]): [string, string] => [field, text(value)]),
    ...opened.map(({ what, ...says }, i): [string, string] => [`fixed ${i}, ${shortened(what)}`, text(says)]),
    ['fee', feeLamports],
    ...limits.map(({ limitId, asset, amount }): [string, string] => [
      `counted for ${limitId}, ${shortened(asset ?? '')}`,
      amount,
    ]),
  ]);

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const fields = new Set([...before.keys(), ...after.keys()]);
  return [...fields].flatMap((field) => {
    const now = after.get(field) ?? 'none';
    return before.get(field) === now ? [] : [`${field} ${now}`];
  });
}

describe('what a recorded stage is expected to lead to', () => {
  it.each(STAGES)('%s', async (name) => {
    const honest = committed(decide(stage(name), askingFor(name)));
    const fields = [...honest].map(([field, value]) => `  ${field}: ${value}\n`);
    const others = [
      ...changesOf(name).filter(({ what }) => what.startsWith('request')),
      ...changedOperands(stage(name)).filter(({ what }) => COUNTED.test(what)),
    ].map(({ what, facts }) => {
      const other = written(facts);
      if (other === undefined) return '';
      const changed = differences(honest, committed(decide(other, askingFor(name))));
      return `${what}\n${changed.map((each) => `  ${each}\n`).join('') || '  the same\n'}`;
    });
    await expect(`As recorded\n${fields.join('')}\n${others.join('')}`).toMatchFileSnapshot(
      `approved/expected/${name}.txt`,
    );
  });
});
