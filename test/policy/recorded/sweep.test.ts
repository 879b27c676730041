/**
 * Every single change of every recorded stage, and what is decided about it, as it was read and approved: the files
 * in approved/. A rule that changes shows here as the rows it changes, by name.
 */
import { describe, expect, it } from 'vitest';
import { decide, policyFor, STAGES, stage } from './stages.ts';
import { sweep, told } from './sweep.ts';

/** Stages that say nothing here that another does not say as well. */
const ALIKE: readonly string[] = [
  'plain config',
  'config of many, second',
  'retired config',
  'curve launch v1',
];

describe('a recorded stage, whole and with one thing changed', () => {
  it.each(STAGES.filter((name) => !ALIKE.includes(name)))('%s', async (name) => {
    const honest = told(decide(stage(name), policyFor(name)));
    const rows = new Map<string, string[]>();
    for (const { what, decision } of sweep(name)) {
      const text = told(decision);
      const said = text === honest ? 'the same' : text;
      rows.set(said, [...(rows.get(said) ?? []), what]);
    }
    const text = [...rows].map(([said, whats]) => `${whats.join('\n')}\n  ${said}\n`).join('\n');
    await expect(`As recorded\n  ${honest}\n\n${text}`).toMatchFileSnapshot(`approved/${name}.txt`);
  });
});
