/** From a policy file of version 1 to version 2: refused until it is upgraded, and nothing new is allowed by that. */
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/policy/file/file.ts';
import { policyTemplate, TEMPLATE_NAMES } from '../../src/policy/file/templates.ts';
import { isVersion1, upgradePolicy } from '../../src/policy/file/upgrade.ts';
import { decide, stage, VENUE, WALLET } from './recorded/stages.ts';

const swap = stage('swap with an unread program');
/** A file as version 1 wrote it. */
const version1 = (name: (typeof TEMPLATE_NAMES)[number]) => {
  const { programs, ...file } = policyTemplate(name, { wallet: WALLET, network: 'devnet' });
  const venue = { address: VENUE, binding: 'effects', label: 'venue', deployedSlot: 7 };
  return { ...file, version: 1, network: swap.network, programs: [...programs, venue] };
};

describe('a policy file of version 1', () => {
  it('is refused with what changed and what to do', () => {
    const parsed = parsePolicy(JSON.stringify(version1('sandbox'), null, 2));
    expect('errors' in parsed && parsed.errors).toEqual([
      {
        line: 2,
        column: expect.any(Number),
        path: 'version',
        message: expect.stringMatching(/every operation.*countersign policy upgrade FILE/),
      },
    ]);
  });

  it.each(TEMPLATE_NAMES)(
    'of the template %s is valid once it is upgraded, with everything else as it was',
    (name) => {
      const old = version1(name);
      if (!isVersion1(old)) throw new Error('not version 1');
      const parsed = parsePolicy(JSON.stringify(upgradePolicy(old)));
      if ('errors' in parsed) throw new Error(JSON.stringify(parsed.errors));
      const { programs, version, ...rest } = parsed.policy;
      expect(version).toBe(2);
      expect(programs.at(-1)).toEqual({
        address: VENUE,
        binding: 'effects',
        label: 'venue',
        operations: [],
        instructions: [],
        atMost: 1,
        deployedSlot: 7,
      });
      expect(rest).toMatchObject({ rules: old.rules, limits: old.limits });
      // What the old file let through unread is refused until a person names it.
      const decision = decide(swap, parsed);
      expect(decision.effect).toBe('deny');
      if (name === 'sandbox') expect(decision.reasonCodes[0]).toBe('INSTRUCTION_UNKNOWN');
    },
  );

  it('is told from one that is not', () => {
    expect(isVersion1(policyTemplate('trader', { wallet: WALLET, network: 'devnet' }))).toBe(false);
    expect([null, 1, 'x', [], { version: '1' }].some(isVersion1)).toBe(false);
    expect(upgradePolicy({ version: 1, programs: 5 })).toEqual({ version: 2, programs: 5 });
  });
});
