/** Next steps after an exceeded limit: waiting is suggested only where waiting helps. */

import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { explain, nextOfRefusal, remedyOf } from '../../src/presentation/decisions/explain.ts';
import { NOTHING_USED } from '../policy/people.ts';
import { policyWith, stage } from '../policy/recorded/stages.ts';

const decided = (name: Parameters<typeof stage>[0], file: Partial<PolicyFile>, used = {}) =>
  evaluate(
    stage(name),
    policyWith(() => file),
    { ...NOTHING_USED, used },
  );
const WAIT = /[Ww]ait for its window/;

describe('the next step of LIMIT_EXCEEDED', () => {
  it('suggests a better price if a first buy exceeds the highest value of a launch rule', () => {
    const decision = decided('bare curve launch', {
      rules: [
        {
          id: 'r',
          operation: 'launch',
          effect: 'allow',
          why: 'test',
          maxFirstBuyValue: [{ quote: 'SOL', max: '1' }],
        },
      ],
    });
    expect(decision.reasonCodes[0]).toBe('LIMIT_EXCEEDED');
    expect(nextOfRefusal(decision)).toMatch(/^Ask again for a better price/);
    expect(nextOfRefusal(decision)).not.toMatch(WAIT);
    expect(remedyOf(decision)).toMatch(/^Ask again for a better price/);
  });

  it('refers to the owner if no limit names the asset', () => {
    const decision = decided('swap of SOL', { limits: [] });
    expect(decision.reasonCodes[0]).toBe('LIMIT_EXCEEDED');
    expect(nextOfRefusal(decision)).toMatch(/^Tell the person: no limit of the policy names this asset/);
    expect(remedyOf(decision)).toBe('A person can add a limit for this asset to the policy file.');
  });

  it('waits for the window if a used-up limit would have room again', () => {
    const decision = decided(
      'swap of SOL',
      { limits: [{ id: 'day', asset: 'SOL', window: { rolling: '24h' }, max: '1000000000' }] },
      { day: '999999999' },
    );
    expect(decision.reasonCodes[0]).toBe('LIMIT_EXCEEDED');
    expect(explain(decision)).toContain('(0.999999999 SOL used and ');
    expect(nextOfRefusal(decision)).toMatch(WAIT);
  });
});
