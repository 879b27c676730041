/** The lines of every recorded stage, as approved in approved/lines.txt: every act has a line or a reason for none. */
import { expect, it } from 'vitest';
import { linesOfAct } from '../../src/statement/acts.ts';
import { statementOf } from '../../src/statement/aggregate.ts';
import { lineText } from '../../src/statement/rename.ts';
import { stageFrom } from '../../src/statement/view.ts';
import { policyAskingFor, STAGES, stage, stated, WALLET } from '../policy/recorded/stages.ts';
import { shortened } from '../policy/recorded/sweep.ts';
import { FakeChain, SCOPE } from './chain.ts';

/** The statement of a recorded stage as a whole run. */
function statementAt(name: string): string[] {
  const lines = stageFrom(stated(stage(name), policyAskingFor(name)).statement);
  const stages = [{ ...lines, state: 'this' as const }];
  const run = { scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [] };
  return statementOf(run).lines.map((line) => `  ${shortened(lineText(line))}`);
}

it('every recorded stage has the approved lines', async () => {
  const texts = STAGES.map((name) => `${name}\n${statementAt(name).join('\n')}\n`);
  await expect(texts.join('\n')).toMatchFileSnapshot('approved/lines.txt');
});

it('every recorded act yields lines, or a reason for none', () => {
  const seen = STAGES.flatMap((name) => {
    const { stage: each, tables, plan } = stage(name);
    const held = new Map(tables.map(({ table, addresses }) => [table, addresses]));
    const { readings, acts } = each.transaction.resolve({ tables: held, off: new Set() });
    const calls = readings.map(({ program }) => ({ program, acts: [] }));
    const of = {
      wallet: WALLET,
      feePayer: WALLET,
      fee: 1n,
      calls,
      payees: new Map(),
      otherwise: 'payment' as const,
      fixed: new Set<string>(),
    };
    expect(plan.wallet).toBe(WALLET);
    return acts.map((act) => [act.act, linesOfAct(act, 'program', of, new FakeChain())] as const);
  });
  expect(seen.filter(([, lines]) => typeof lines !== 'string' && lines.length === 0)).toEqual([]);
  const without = seen.filter(([, lines]) => typeof lines === 'string').map(([act]) => act);
  expect([...new Set(without)].sort()).toEqual(['computeBudget', 'nothing', 'transfer']);
});
