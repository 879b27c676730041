/** Freeze counting of denials: an unlisted program counts once, whatever other faults accompany it (T59). */
import { describe, expect, it } from 'vitest';
import { freezeKey } from '../../src/policy/decide/reasons.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';
import { plus } from './recorded/edits.ts';
import { ATTACKER, decide, rewritten, stage, WALLET } from './recorded/stages.ts';

const swap = stage('swap of SOL');
const program = keyNamed('a program the service has begun to use').address;
const call = (byte: number) => ({ programAddress: program, accounts: [], data: Uint8Array.of(byte) });
const key = (inputs: DecisionInputs) => {
  const decision = decide(inputs);
  expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
  return freezeKey(decision);
};

describe('denials beside an unlisted program', () => {
  it('count once, however many messages call it and whatever it takes', () => {
    expect(key(plus(swap, call(1)))).toBe(`program ${program}`);
    expect(key(plus(swap, call(2)))).toBe(`program ${program}`);
    expect(key(rewritten(swap, (list) => [...list.slice(0, 2), call(3)]))).toBe(`program ${program}`);
  });

  const attacks = {
    'pays a stranger': encodeInstruction('system.transfer', {
      accounts: { from: WALLET, to: ATTACKER },
      args: { lamports: 5_000_000_000n },
    }),
    'closes an account in favour of a stranger': encodeInstruction('token.closeAccount', {
      accounts: {
        account: associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM),
        destination: ATTACKER,
        owner: WALLET,
      },
      args: {},
    }),
    'hands the wallet over': encodeInstruction('system.assign', {
      accounts: { account: WALLET },
      args: { owner: ATTACKER },
    }),
  };

  it.each(Object.entries(attacks))('count separately if an instruction also %s', (_, attack) => {
    const [one, two] = [1, 2].map((byte) => plus(plus(swap, call(byte)), attack));
    if (one === undefined || two === undefined) throw new Error('two messages');
    expect(key(one)).toBe(decide(one).messageSha256);
    expect(key(one)).not.toBe(key(two));
  });
});
