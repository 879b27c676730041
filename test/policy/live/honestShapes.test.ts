/** Honest transactions that the contract does not describe: matched, or asked about if a stranger gains something. */
import { describe, expect, it } from 'vitest';
import { systemTransfer } from '../../../sandbox/service/build/tokens.ts';
import type { Decision, DecisionInputs } from '../../../src/policy/decide/types.ts';
import { DAMM_V2_PROGRAM, tokenBadgeAddress } from '../../../src/programs/dammV2/addresses.ts';
import { poolConfig } from '../../../src/programs/dbc/accounts.ts';
import { DBC_PROGRAM } from '../../../src/programs/dbc/addresses.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { JITO_TIP_ACCOUNTS } from '../../../src/programs/solana/system.ts';
import { SYSTEM_PROGRAM } from '../../../src/transaction/programs.ts';
import { withFields } from '../accountFacts.ts';
import { keyNamed } from '../people.ts';
import { plus, withRaw } from '../recorded/edits.ts';
import { ATTACKER, decide, policyFor, policyWith, stage, WALLET } from '../recorded/stages.ts';

/** The simulation with the keys that a changed stage adds to the recorded one. */
function watched({ simulation, ...inputs }: DecisionInputs): DecisionInputs {
  if (simulation.status !== 'done') return { ...inputs, simulation };
  const missing = [ATTACKER, FRESH, ...JITO_TIP_ACCOUNTS].filter((address) =>
    simulation.before.every((each) => each.address !== address),
  );
  const more = missing.map((address) => ({ ...EMPTY, address }));
  const [before, after] = [simulation.before, simulation.after].map((each) => [...each, ...more]);
  return { ...inputs, simulation: { ...simulation, before: before ?? [], after: after ?? [] } };
}

const [TIP_ACCOUNT = ''] = JITO_TIP_ACCOUNTS;
const FRESH = keyNamed('fresh account').address;
const EMPTY = { exists: false, lamports: '0', owner: SYSTEM_PROGRAM, data: '', executable: false };

const judged = (name: string, inputs: DecisionInputs, policy = policyFor(name)): Decision =>
  decide(watched(inputs), policy);
const askChecks = ({ checks }: Decision) =>
  checks.filter(({ ok, code }) => !ok && code !== 'APPROVAL_REQUIRED');
const failed = ({ checks }: Decision) => checks.flatMap(({ ok, code }) => (ok ? [] : [code]));

describe('an unrequested tip to a block builder', () => {
  it('asks in a config, naming the address, and counts as spent', () => {
    const was = judged('plain config', stage('plain config'));
    const is = judged(
      'plain config',
      plus(stage('plain config'), systemTransfer(WALLET, TIP_ACCOUNT, 10_000n)),
    );
    expect(is.effect).toBe('require_approval');
    expect(JSON.stringify(askChecks(is))).toContain(TIP_ACCOUNT);
    const spent = ({ changes }: Decision) => BigInt(changes.find(({ asset }) => asset === 'SOL')?.out ?? 0);
    expect(spent(is) - spent(was)).toBe(10_000n);
  });

  it('is refused twice, and to any other address', () => {
    const twice = [systemTransfer(WALLET, TIP_ACCOUNT, 1n), systemTransfer(WALLET, TIP_ACCOUNT, 2n)];
    expect(judged('plain config', plus(stage('plain config'), ...twice)).effect).toBe('deny');
    const other = plus(stage('plain config'), systemTransfer(WALLET, ATTACKER, 10_000n));
    expect(judged('plain config', other).effect).toBe('deny');
  });
});

/** Index of the creator among the accounts of a curve's pool. */
const CREATOR = 2;
const createdBy = (creator: string) =>
  withRaw(stage('bare curve launch'), DBC_PROGRAM, 0, (each) => ({
    ...each,
    accounts: each.accounts.map((one, at) => (at === CREATOR ? { ...one, address: creator } : one)),
  }));

describe('a key of the service as the creator of a curve pool', () => {
  const named = (label: string) =>
    policyWith((file) => ({ ...file, addressBook: [{ label, address: ATTACKER }] }));

  it('asks, naming the key, unless the address book or the profile knows it', () => {
    const stranger = judged('bare curve launch', createdBy(ATTACKER));
    expect(askChecks(stranger)).toContainEqual(
      expect.objectContaining({ code: 'PARTY_UNKNOWN', id: 'poolCreator', observed: ATTACKER }),
    );
    expect(stranger.effect).toBe('require_approval');
    const known = judged('bare curve launch', createdBy(ATTACKER), named('launcher'));
    expect(failed(known)).not.toContain('PARTY_UNKNOWN');
    const serviceAddresses = [{ label: 'tokenCreationAuthority', address: ATTACKER }];
    const profiled = judged('bare curve launch', { ...createdBy(ATTACKER), serviceAddresses });
    expect(failed(profiled)).not.toContain('PARTY_UNKNOWN');
  });

  it('asks about a known key if the curve holds back supply for it', () => {
    const serviceAddresses = [{ label: 'tokenCreationAuthority', address: ATTACKER }];
    const holding = (inputs: DecisionInputs): DecisionInputs => ({
      ...inputs,
      accounts: inputs.accounts.map((each) =>
        each.address === inputs.plan.request.configKey
          ? withFields(poolConfig, each, ({ lockedVestingConfig }) => ({
              lockedVestingConfig: { ...lockedVestingConfig, cliffUnlockAmount: 1_000_000n },
            }))
          : each,
      ),
    });
    const asked = (creator: string) =>
      askChecks(judged('bare curve launch', { ...holding(createdBy(creator)), serviceAddresses }));
    const about = expect.objectContaining({ code: 'PARTY_UNKNOWN', id: 'poolCreator' });
    expect(asked(ATTACKER)).toContainEqual(about);
    expect(asked(WALLET)).not.toContainEqual(about);
  });
});

describe('a pool as the public client creates it', () => {
  const launch = stage('direct launch');
  const badged = (badge: (mint: string) => string) =>
    withRaw(launch, DAMM_V2_PROGRAM, 0, (each: EncodedInstruction) => {
      const mints = each.accounts.map(({ address }) => address);
      const pair = [String(launch.plan.request.tokenMint), String(launch.plan.request.quoteMint)];
      const ordered = pair.toSorted((a, b) => mints.indexOf(a) - mints.indexOf(b));
      return {
        ...each,
        accounts: [
          ...each.accounts,
          ...ordered.map((mint) => ({ address: badge(mint), signer: false, writable: false })),
        ],
      };
    });

  it('may name the badges of both mints, and nothing else, after its accounts', () => {
    expect(failed(judged('direct launch', badged(tokenBadgeAddress)))).toEqual(
      failed(judged('direct launch', launch)),
    );
    expect(
      failed(
        judged(
          'direct launch',
          badged(() => ATTACKER),
        ),
      ),
    ).toContain('INSTRUCTION_MISFIT');
  });
});
