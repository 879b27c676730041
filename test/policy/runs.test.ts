/** Effects of a plan's other stages: tables it sets up itself, undecodable stages, a tip for the whole run. */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { plus, withRequest } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, stage, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const token = stage('custody token');
const withTip = stage('config v0');
const decisionText = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policyFor('')));

describe('stages beside the decided one', () => {
  const unsupported = 'LOOKUP_TABLE_UNRESOLVED, availability: stagesReadable (1 cannot)';

  it("are decoded with the plan's own tables before the chain shows them", () => {
    expect(token.tables.length).toBeGreaterThan(0);
    const early: DecisionInputs = { ...token, tables: [] };
    expect(decisionText(token)).toMatch(/^allow/);
    expect(decisionText(early)).toBe(decisionText(token));
    const alone: DecisionInputs = {
      ...early,
      siblings: early.siblings.filter(({ stage }) => stage.id !== 'lut_setup'),
    };
    expect(decisionText(alone)).toContain(unsupported);
  });

  it('that are unsupported are counted, those of earlier builds too', () => {
    const broken = token.siblings.map((each) =>
      each.stage.id === 'launch'
        ? { ...each, stage: { ...each.stage, transaction: new DecodedStage('AAAA') } }
        : each,
    );
    expect(decisionText({ ...token, siblings: broken })).toContain(unsupported);
    expect(decisionText({ ...token, earlierStages: [new DecodedStage('AAAA')] })).toContain(unsupported);
    expect(decisionText({ ...token, siblings: broken, earlierStages: [new DecodedStage('AAAA')] })).toContain(
      '(2 cannot)',
    );
  });
});

describe('a tip', () => {
  const pays = (to: string, lamports: bigint) =>
    encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });

  it('is exactly the offered amount of SOL, to the named wallet', () => {
    expect(decisionText(withRequest(withTip, { tipLamports: 2_000_000 }))).toContain(
      'matchesRequest tip (0.001 SOL; allowed 0.002 SOL)',
    );
    expect(decisionText(withRequest(withTip, { tipWallet: ATTACKER }))).toContain(
      'matchesRequest tipWallet (G8u1Rh…; allowed ATTACKER)',
    );
  });

  it('is requested by a wallet and an amount together, and paid once', () => {
    for (const request of [{ tipWallet: undefined }, { tipLamports: undefined }, { tipLamports: 0 }])
      expect(decisionText(withRequest(withTip, request))).toContain('UNEXPECTED_INSTRUCTION');
    expect(decisionText(plus(withTip, pays(String(withTip.plan.request.tipWallet), 1_000_000n)))).toContain(
      'UNEXPECTED_INSTRUCTION',
    );
  });
});
