/** Comparison of an executed plan: stated, rehearsed and actual movements side by side, with a count of differences. */
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor/doctor.ts';
import { historyCommand } from '../../src/cli/money/history.ts';
import { movesIn } from '../../src/ledger/plans/recordedMoves.ts';
import { comparedWords } from '../../src/presentation/history/rehearsed.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import { run } from '../cli/terminal.ts';
import { eventually } from '../eventually.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { keyNamed } from '../policy/people.ts';
import { KINDS } from './kinds.ts';
import { rehearsalOf } from './scene.ts';

/** Executes a launch into a pool with a changed rehearsal. Returns the output of history and doctor. */
async function executed(change: (fact: RehearsalFact) => RehearsalFact) {
  const home = await Home.start();
  onTestFinished(() => ended(home));
  const rehearse = rehearsalOf(home);
  const on = home.again({ deps: { rehearse: async (plan, own) => change(await rehearse(plan, own)) } });
  onTestFinished(() => on.close());
  const request = await KINDS['launch into a direct pool']?.(home);
  if (request === undefined) throw new Error('no request');
  const { plan } = await on.build(...request);
  const planId = plan?.planId ?? '';
  expect(await on.submit(planId, 50)).toMatchObject({ status: 'complete' });
  home.sandbox.advanceSlots(40);
  await eventually(async () => expect(movesIn(await on.ledger.rows('journal', { planId }))).toHaveLength(3));
  const at = { home: dirname(home.file), columns: 400 };
  const { plans } = JSON.parse((await run(historyCommand, { ...at, options: { json: true } })).out);
  const shown = (await run(historyCommand, at)).out;
  const doctor = JSON.parse((await run(doctorCommand, { ...at, options: { live: true, json: true } })).out);
  return {
    entry: plans.find((each: { planId: string }) => each.planId === planId),
    text: shown.split('\n\n').find((each) => each.includes(planId)) ?? '',
    finding: doctor.findings.find(({ what: label }: { what: string }) => label === 'rehearsals'),
  };
}

test('a plan that moved the rehearsed amounts reports so, and nothing is counted', async () => {
  const { entry, text, finding } = await executed((fact) => fact);
  expect(entry).toMatchObject({ asked: expect.any(String), rehearsed: { differs: false } });
  // Actual movements exclude the network fee.
  const units = (of: { asset: string; units: string }[]) =>
    Object.fromEntries(of.map(({ asset, units }) => [asset, BigInt(units)]));
  const { SOL: moved = 0n, ...tokens } = units(entry.changes);
  expect(units(entry.rehearsed.changes)).toEqual({ SOL: moved - BigInt(entry.feeLamports), ...tokens });
  expect(text).toMatch(/what[\s\S]*moved[\s\S]*rehearsed/);
  expect(finding).toMatchObject({ ok: true, detail: expect.stringMatching(/^1 .* 0 /) });
});

test('a plan that moved other amounts reports both, and is counted', async () => {
  const { entry, text, finding } = await executed((fact) =>
    fact.status === 'done'
      ? {
          ...fact,
          stages: fact.stages.map((stage, i) =>
            i === 0 ? { ...stage, changes: [{ asset: 'SOL', by: '-7000000000' }] } : stage,
          ),
        }
      : fact,
  );
  expect(entry.rehearsed.differs).toBe(true);
  expect(text).toMatch(/moved +-0\.\d+ SOL[\s\S]*-7\.\d+ SOL/);
  expect(finding).toMatchObject({ ok: true, detail: expect.stringMatching(/^1 .* 1 /) });
});

test('states base units for a token whose decimals are unknown', () => {
  const MINT = keyNamed('mint').address;
  const rehearsed = new Map([[MINT, 5_000_000n]]);
  const compared = { slot: 7, differs: true, rehearsed };
  expect(comparedWords(compared, new Map())).toContain('+5,000,000 base units of token');
  expect(comparedWords(compared, new Map([[MINT, { decimals: 6 }]]))).toContain(`+5 of ${MINT}`);
});
