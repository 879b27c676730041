/** A question shows the decisions it was made from, even if their record was overwritten since (T133). */
import { join } from 'node:path';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { askPerson } from '../../src/approval/approvals.ts';
import { runPartsOf } from '../../src/approval/run.ts';
import { jsonDigest } from '../../src/base/canonicalJson.ts';
import { deflate, inflate } from '../../src/ledger/sqlite/deflated.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { handClock, sampleInput, sampleStatement } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import {
  approvalDecision,
  launchLines,
  launchPlan,
  QUESTION_TIME,
  STRANGER,
  samplePolicy,
  TREASURY,
  TTL_MS,
} from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';

/** The mint account with these decimals. */
function mintAccount(decimals: number): DecisionInputs['accounts'][number] {
  const data = Buffer.alloc(82);
  data.writeBigUInt64LE(1_000_000_000_000n, 36);
  data[44] = decimals;
  data[45] = 1;
  return {
    address: MINT,
    exists: true,
    lamports: '1461600',
    owner: TOKEN_PROGRAM,
    executable: false,
    data: data.toString('base64'),
  };
}

const TAKEN = [{ asset: MINT, out: '5000000000', in: '0' }];

/** A question about an unsupported stage that spends tokens and names a stranger. */
async function askQuestion() {
  const [folder, clock, policy] = [temporaryHome(), handClock(QUESTION_TIME), samplePolicy()];
  const ledger = openLedger({ home: folder, clock });
  const plan = launchPlan('sandbox');
  await ledger.storePlan(plan);
  const sample = sampleInput(plan, 'LAUNCH', approvalDecision(policy, {}));
  const inputs: DecisionInputs = { ...sample.inputs, accounts: [mintAccount(6)] };
  const decision = approvalDecision(policy, {
    binding: 'effects',
    inputsDigest: jsonDigest(inputs),
    changes: TAKEN,
    statement: sampleStatement(TAKEN, '5000', launchLines({ [STRANGER]: 10_000 }, STRANGER)),
    recipients: [{ address: STRANGER, role: 'claimer' }],
  });
  await ledger.recordDecision({ ...sample, inputs, decision, purpose: 'preview' });
  const stages = [{ id: 'LAUNCH', decision }];
  const row = await askPerson(ledger, {
    plan,
    run: runPartsOf(plan, policy.hash, stages),
    ttlMs: TTL_MS,
    channels: [],
    holds: async () => true,
  });
  const shown = async () => JSON.stringify((await readApprovalView(ledger, row.id, policy))?.facts);
  /** Overwrites a column of the only decision, as text. */
  const write = (table: string, column: string, change: (text: string) => string) => {
    const db = new Libsql(join(folder, 'ledger.db'));
    const [text] = db.prepare(`SELECT ${column} FROM ${table}`).pluck().all();
    db.prepare(`UPDATE ${table} SET ${column} = ?`).run(deflate(change(inflate(String(text)))));
    db.close();
  };
  return { shown, write };
}

describe('a question', () => {
  it('shows the decision and observed values from the time of the question', async () => {
    const { shown } = await askQuestion();
    expect(await shown()).toContain(STRANGER);
    expect(await shown()).toContain('"number":"5,000"');
  });

  it('T133 ignores a recipient inserted into the decision record', async () => {
    const { shown, write } = await askQuestion();
    write('decisions', 'body', (text) => text.replaceAll(STRANGER, TREASURY));
    expect(await shown()).not.toContain(TREASURY);
  });

  it('T133 ignores decimals inserted beside the decision', async () => {
    const { shown, write } = await askQuestion();
    const [was, is] = [6, 12].map((decimals) => mintAccount(decimals).data);
    write('decision_inputs', 'inputs', (text) => text.replaceAll(was ?? '', is ?? ''));
    expect(await shown()).not.toContain('"number":"0.005"');
  });
});
