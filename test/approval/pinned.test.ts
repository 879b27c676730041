/**
 * Two builds of one expected outcome have the same digest. A question shows the build it was asked about, whatever was
 * decided later about the other.
 */
import { describe, expect, it } from 'vitest';
import { jsonDigest } from '../../src/base/canonicalJson.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ExpectedOutcome } from '../../src/policy/decide/operations/expectedOutcome.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { handClock, sampleInput, sampleStatement } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { approvalDecision, askAbout, launchPlan, QUESTION_TIME, samplePolicy, WALLET } from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
const expectedOutcome: ExpectedOutcome = {
  maxOut: [{ asset: 'SOL', amount: '500000000' }],
  maxDeposits: '20000000',
  baseMint: MINT,
  claimers: [{ wallet: WALLET, bps: 10_000 }],
  manager: WALLET,
  token: { mint: MINT, uri: 'https://example.com/once.json' },
};

const CHANGES = [{ asset: 'SOL', out: '500000000', in: '0' }];

/** One build of the launch, with its own bytes and token name. */
function build(name: string, used: string): Decision {
  return approvalDecision(samplePolicy(), {
    messageSha256: jsonDigest(name),
    expectedOutcome,
    changes: CHANGES,
    statement: sampleStatement(CHANGES, '5000', [
      { id: 'names', source: 'transaction', mint: MINT, name, symbol: 'ONE', uri: '', mutable: false },
    ]),
    limits: [{ limitId: 'sol-day', amount: '500000000', usedBefore: used, max: '2000000000' }],
  });
}

async function askAfterRounds(rounds: number) {
  const clock = handClock(QUESTION_TIME);
  const ledger = openLedger({ home: temporaryHome(), clock });
  const policy = samplePolicy();
  const plan = launchPlan('sandbox');
  const shown = build('One', '100000000');
  const row = await askAbout(ledger, policy, plan, [{ id: 'LAUNCH', decision: shown }]);
  for (let round = 0; round < rounds; round++) {
    clock.at += 1_000;
    const decision = build('Other', '900000000');
    await ledger.recordDecision({ ...sampleInput(plan, 'LAUNCH', decision), purpose: 'preview' });
  }
  const view = await readApprovalView(ledger, row.id, policy);
  if (view === undefined) throw new Error('no view');
  return { shown, view };
}

describe('a question about a run rebuilt after the question', () => {
  it('shows hash and limits of the build the question is about', async () => {
    const { shown, view } = await askAfterRounds(1);
    expect(view.stages.find(({ id }) => id === 'LAUNCH')?.messageSha256?.hex).toBe(shown.messageSha256);
    expect(view.limits).toMatchObject([{ before: '0.1 SOL', after: '0.60002 SOL' }]);
  });

  it('shows that build even after more rebuilds than one read returns', async () => {
    const { shown, view } = await askAfterRounds(230);
    expect(view.stages.find(({ id }) => id === 'LAUNCH')?.messageSha256?.hex).toBe(shown.messageSha256);
    expect(view.read).toBe(true);
  });
});
