/** A name that an agent gave a token appears only in questions about plans of the agent's own principal (T123). */
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tokenNote } from '../../src/plan/notes.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { handClock } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { askAbout, launchDecisions, launchPlan, QUESTION_TIME, samplePolicy } from './samples.ts';

const MINT = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';

/** Returns the question about a plan of one principal after an agent of another principal named the token. */
async function questionTexts(planOf: string | undefined, namedBy: string | undefined): Promise<string> {
  const ledger = openLedger({ home: temporaryHome(), clock: handClock(QUESTION_TIME) });
  const policy = samplePolicy();
  const plan = launchPlan('sandbox', planOf === undefined ? {} : { principal: planOf });
  await ledger.setNote(tokenNote(MINT, namedBy), JSON.stringify({ name: 'Once', symbol: 'ONCE' }));
  const { id } = await askAbout(ledger, policy, plan, launchDecisions(policy));
  const shown = JSON.stringify((await readApprovalView(ledger, id, policy))?.facts);
  await ledger.close();
  return shown;
}

describe('a question about a launch', () => {
  it.each([undefined, 'maker'])(
    'shows the token name that an agent of the same principal used',
    async (principal) => {
      expect(await questionTexts(principal, principal)).toContain('Once');
    },
  );

  it.each([
    ['maker', 'launcher'],
    ['maker', undefined],
    [undefined, 'maker'],
  ])('T123 of %s does not show the token name that the agent of %s used', async (planOf, namedBy) => {
    const shown = await questionTexts(planOf, namedBy);
    expect(shown).toContain(MINT);
    expect(shown).not.toContain('Once');
  });
});
