/** `countersign audit verify` over several decision chains: intact, or the damaged row and the next step. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { copyLedger } from '../../src/cli/homes/copy.ts';
import { auditCommand } from '../../src/cli/records/audit.ts';
import { ledgerFile } from '../../src/ledger/ledgerFile.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import { handClock, sampleDecision, sampleInput, samplePlan } from '../ledger/samples.ts';
import { tamper } from '../ledger/tamper.ts';
import { run } from './terminal.ts';

let home: string;
let clock: ReturnType<typeof handClock>;
/** Four decisions: of anna, of bela, of no principal, of anna. */
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'chains-'));
  clock = handClock();
  const ledger = openLedger({ home, clock });
  for (const [index, principal] of ['anna', 'bela', undefined, 'anna'].entries()) {
    const plan = samplePlan({ planId: `plan-${index}`, intentKey: `${index}`.repeat(64) });
    const own = principal === undefined ? ledger : tenantLedger(ledger, { principal: principal });
    await own.recordDecision(sampleInput(plan, 'swap', sampleDecision()));
  }
  await ledger.close();
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const verify = (options = {}, of = home) => run(auditCommand, { home: of, words: ['verify'], options });
const said = async (): Promise<{ code: number; out: string }> => {
  const { code, out } = await verify();
  return { code: code ?? -1, out: out.replace(/\s+/g, ' ') };
};
const TO_DO = 'Stop signing under this ledger, keep it unchanged, and compare it with an earlier backup.';

describe('audit verify', () => {
  it('reports that all chains are intact', async () => {
    expect(await said()).toEqual({ code: 0, out: 'The 3 chains of 4 decisions are whole.' });
    expect(JSON.parse((await verify({ json: true })).out)).toMatchObject({ rows: 4, chains: 3 });
  });

  it.each([
    [
      'a changed row',
      "UPDATE decisions SET effect = 'deny' WHERE sequence = 4",
      'The record breaks at decision-4: the row was changed.',
      'It is row 2 of the chain of anna.',
    ],
    [
      'a removed decision',
      'DELETE FROM decisions WHERE sequence = 2',
      'The record breaks at decision-2: the row is missing or was inserted later.',
      'It is row 1 of the chain of bela.',
    ],
    [
      'a decision moved to the chain of another principal',
      "UPDATE chain_rows SET chain = 'principal:bela' WHERE sequence = 4",
      'The record breaks at row 2 of the chain of anna: the row is missing or was inserted later.',
    ],
    [
      'a missing chain',
      `DELETE FROM decisions WHERE sequence = 2; DELETE FROM chain_rows WHERE chain = 'principal:bela';
       DELETE FROM meta WHERE key = 'head principal:bela'`,
      'The record breaks at row 1 of the chain of bela: the row is missing or was inserted later.',
    ],
    [
      'a removed chain start',
      "DELETE FROM chain_rows WHERE begins = 'principal:bela'",
      "The record breaks at row 2 of the home's chain: the row is missing or was inserted later.",
    ],
  ])('names %s and the remedy', async (_, sql, ...sentences) => {
    tamper(ledgerFile(home), sql);
    const { code, out } = await said();
    expect(code).toBe(1);
    for (const sentence of [...sentences, TO_DO]) expect(out).toContain(sentence);
    expect(out).not.toContain('chains of 4 decisions');
  });

  it('reports all chains of a copied ledger as intact', async () => {
    const other = mkdtempSync(join(home, 'copy-'));
    await copyLedger(home, ledgerFile(other), { clock, place: other, moved: false, live: false });
    expect((await verify({}, other)).out).toContain('The 3 chains of 4 decisions are whole.');
  });
});
