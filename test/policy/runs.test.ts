/** Effects of a plan's other stages: tables it sets up itself, undecodable stages, a tip for the whole run. */

import { describe, expect, it } from 'vitest';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { decisionText, finds } from './recorded/attacking.ts';
import { plus, withRequest } from './recorded/edits.ts';
import { ATTACKER, stage, WALLET } from './recorded/stages.ts';

const token = stage('custody token');
const withTip = stage('config v0');

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
    finds(alone, unsupported);
  });

  it('that are unsupported are counted, those of earlier builds too', () => {
    const broken = token.siblings.map((each) =>
      each.stage.id === 'launch'
        ? { ...each, stage: { ...each.stage, transaction: new DecodedStage('AAAA') } }
        : each,
    );
    finds({ ...token, siblings: broken }, unsupported);
    finds({ ...token, earlierStages: [new DecodedStage('AAAA')] }, unsupported);
    finds({ ...token, siblings: broken, earlierStages: [new DecodedStage('AAAA')] }, '(2 cannot)');
  });
});

describe('a tip', () => {
  const pays = (to: string, lamports: bigint) =>
    encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });

  it('is exactly the offered amount of SOL, to the named wallet', () => {
    finds(
      withRequest(withTip, { tipLamports: 2_000_000 }),
      'matchesRequest tip (0.001 SOL; allowed 0.002 SOL)',
    );
    finds(
      withRequest(withTip, { tipWallet: ATTACKER }),
      'matchesRequest tipWallet (G8u1Rh…; allowed ATTACKER)',
    );
  });

  it('is requested by a wallet and an amount together, and paid once', () => {
    for (const request of [{ tipWallet: undefined }, { tipLamports: undefined }, { tipLamports: 0 }])
      finds(withRequest(withTip, request), 'UNEXPECTED_INSTRUCTION');
    finds(plus(withTip, pays(String(withTip.plan.request.tipWallet), 1_000_000n)), 'UNEXPECTED_INSTRUCTION');
  });
});
