import { statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noteOf } from '../../src/ledger/notes.ts';
import { type HomeLedger, type LedgerPlace, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { forEachDatabase } from './databases.ts';
import {
  fill,
  handClock,
  newFile,
  sampleDecision,
  sampleInput,
  samplePlan,
  sampleQuestion,
  spending,
} from './samples.ts';

describe('the ledger file', () => {
  it('is readable by its owner only and holds no descriptor before use', async () => {
    const file = newFile();
    const ledger = openLedger({ file, clock: handClock() });
    expect(() => statSync(file)).toThrow();
    await noteOf(ledger, 'x');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await ledger.close();
  });
});

forEachDatabase(({ newPlace, tamper }) => {
  let place: LedgerPlace;
  let clock: ReturnType<typeof handClock>;
  let ledger: HomeLedger;
  beforeEach(async () => {
    place = await newPlace();
    clock = handClock();
    ledger = openLedger({ ...place, clock });
  });
  afterEach(() => ledger.close());

  describe('the decision record', () => {
    it('is intact if nothing was changed', async () => {
      await ledger.recordDecision(sampleInput(samplePlan(), 'swap', sampleDecision()));
      expect(await ledger.verifyDecisions()).toMatchObject({ rows: 1 });
      expect(await ledger.verifyDecisions()).not.toHaveProperty('brokenAt');
    });

    it.each([
      ['a changed effect', "UPDATE decisions SET effect = 'deny' WHERE sequence = 3", 3],
      ['a changed body', "UPDATE decisions SET body = replace(body, 'A', 'B') WHERE sequence = 2", 2],
      [
        'changed inputs',
        "UPDATE decision_inputs SET inputs = replace(inputs, 'A', 'B') WHERE sequence = 4",
        4,
      ],
      ['a removed row', 'DELETE FROM decisions WHERE sequence = 2', 2],
      ['a removed tail', 'DELETE FROM decisions WHERE sequence = 5', 5],
      ['a forged row', 'UPDATE decisions SET hash = body WHERE sequence = 5', 5],
    ])('reports %s', async (_, sql, brokenAt) => {
      await fill(ledger, clock);
      await tamper(place, sql);
      expect(await ledger.verifyDecisions()).toMatchObject({ brokenAt });
      await expect(ledger.setNote('probe', '')).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
    });
  });

  it('yields no approval whose stored question was changed', async () => {
    const times = { createdAt: clock.at, expiresAt: clock.at + 600_000 };
    const question = sampleQuestion(samplePlan(), [spending('one', 60n)], { id: 'approval', ...times });
    const { id } = await ledger.askApproval(question);
    await ledger.close();
    await tamper(place, `UPDATE approvals SET body = replace(body, '"pending"', '"approved"')`);
    await expect(ledger.rows('approvals', { id })).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });
});
