/** Foreign instructions in the guards' place, and weaker guards, are refused. */
import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { accountList } from '../../src/transaction/accounts.ts';
import {
  ATTACKER,
  accountsOf,
  changed,
  closable,
  decided,
  delegated,
  ending,
  enforced,
  guarded,
  mustGuard,
  SWAP,
  wireOf,
} from './guarded.ts';
import { rewritten, STAGES, stage, WALLET } from './recorded/stages.ts';

describe('appended bytes are refused for', () => {
  const inputs = stage(SWAP);
  const [mine] = accountsOf(inputs);
  const { account, program } = { account: mine?.account ?? '', program: mine?.program ?? '' };
  const loaded = accountList(wireOf(inputs), inputs.tables);
  /** A token account of another key that the swap writes to. */
  const other = inputs.accounts.find((fact) => {
    const state = tokenAccountOf(fact);
    const isWritten = loaded.some(({ address, writable }) => writable && address === fact.address);
    return isWritten && fact.owner === program && state !== undefined && state.owner !== WALLET;
  });
  const foreign = other?.address ?? '';
  const revoke = (source: string) =>
    encodeInstruction('token.revoke', { program, accounts: { source, owner: WALLET } });
  const setAuthority = (
    owned: string,
    authorityType: 'closeAccount' | 'accountOwner',
    newAuthority: string | null,
  ) =>
    encodeInstruction('token.setAuthority', {
      program,
      accounts: { owned, authority: WALLET },
      args: { authorityType, newAuthority },
    });
  const transfer = (source: string, destination: string, amount: bigint) =>
    encodeInstruction('token.transfer', {
      program,
      accounts: { source, destination, authority: WALLET },
      args: { amount },
    });
  const pay = (to: string, lamports: bigint) =>
    encodeInstruction('system.transfer', { accounts: { from: WALLET, to }, args: { lamports } });
  const own = [revoke(account), setAuthority(account, 'closeAccount', null)];

  const HOSTILE: readonly (readonly [string, readonly EncodedInstruction[]])[] = [
    ['a transfer to another account', [...own, transfer(account, foreign, 1n)]],
    ['SOL for another account', [...own, transfer(account, account, 1n), pay(foreign, 1n)]],
    ['another owner', [revoke(account), setAuthority(account, 'accountOwner', ATTACKER)]],
    [
      'another key that may close the account',
      [revoke(account), setAuthority(account, 'closeAccount', ATTACKER)],
    ],
    [
      'an account of another key',
      [revoke(foreign), setAuthority(foreign, 'closeAccount', null), transfer(foreign, foreign, 1n)],
    ],
    ['a transfer that a delegate could have signed', [transfer(account, account, 1n)]],
    ['a transfer without one of both rights taken away', [revoke(account), transfer(account, account, 1n)]],
    ['guards out of order', [pay(WALLET, 1n), ...own]],
    ['a transfer of nothing', [...own, transfer(account, account, 0n)]],
    ['two proofs of one account', [...own, transfer(account, account, 1n), transfer(account, account, 2n)]],
    [
      'an instruction of another kind',
      [encodeInstruction('token.syncNative', { program, accounts: { account } })],
    ],
  ];
  it.each(HOSTILE)('%s', (_, instructions) => {
    const found = decided(ending(inputs, instructions), SWAP);
    expect([found.effect, found.reasonCodes]).toEqual([
      'deny',
      expect.arrayContaining(['UNEXPECTED_INSTRUCTION']),
    ]);
  });

  it('revoked rights that the account had before', () => {
    for (const change of [delegated, closable]) {
      const had = changed(inputs, account, change);
      expect(decided(ending(had, [...own, transfer(account, account, 1n)]), SWAP).effect).toBe('deny');
    }
  });

  it('a part of the staged transaction, counted as guards', () => {
    const seen = mustGuard(inputs, SWAP);
    const more = { ...seen, guards: { count: seen.guards.count + 1 } };
    const fewer = { ...seen, guards: { count: seen.guards.count - 1 } };
    for (const each of [more, fewer]) expect(decided(each, SWAP).effect).toBe('deny');
  });

  it('guards behind a transaction other than the staged one, though valid alone', () => {
    const budget = rewritten(inputs, (list) => list, {
      budget: [
        encodeInstruction('computeBudget.setComputeUnitLimit', { accounts: {}, args: { units: 390_000 } }),
      ],
    });
    const { stage: other } = budget;
    const siblings = inputs.siblings.map((each) => ({ ...each, stage: other }));
    expect(decided({ ...mustGuard(inputs, SWAP), siblings }, SWAP).effect).toBe('deny');
  });

  const first =
    (change: (one: EncodedInstruction) => Partial<EncodedInstruction>) => (seen: DecisionInputs) =>
      rewritten(seen, (list) => list.map((one, i) => (i === 0 ? { ...one, ...change(one) } : one)));
  const accounts = (change: (all: EncodedInstruction['accounts']) => EncodedInstruction['accounts']) =>
    first((one) => ({ accounts: change(one.accounts) }));
  const each = (change: (one: EncodedInstruction['accounts'][number]) => object) =>
    accounts((all) => all.map((one) => ({ ...one, ...change(one) })));
  const list =
    (change: (all: readonly EncodedInstruction[]) => readonly EncodedInstruction[]) =>
    (seen: DecisionInputs) =>
      rewritten(seen, change);
  const signing = each(() => ({ signer: true }));
  const STAGED: readonly (readonly [string, (seen: DecisionInputs) => DecisionInputs])[] = [
    ['other data', first(({ data }) => ({ data: Uint8Array.of(...data, 0) }))],
    ['another program', first(() => ({ programAddress: ATTACKER }))],
    ['an account less', accounts((all) => all.slice(0, -1))],
    ['an account more', accounts((all) => [...all, ...all.slice(-1)])],
    ['two accounts exchanged', accounts((all) => all.toReversed())],
    [
      'other addresses of the same kind',
      each(({ address, signer, writable }) => ({ address: signer || writable ? address : ATTACKER })),
    ],
    ['one that may be written to', each(() => ({ writable: true }))],
    ['one that has to sign', signing],
    ['an instruction less', list((all) => all.slice(1))],
    ['the last instruction less', list((all) => all.slice(0, -1))],
    ['instructions in another order', list((all) => all.toReversed())],
    ['twice as many instructions', list((all) => [...all, ...all, ...all])],
  ];
  it.each(STAGED)('guards behind a transaction other than the staged one: %s', (_, change) => {
    const seen = mustGuard(inputs, SWAP);
    const { stage: other } = change(inputs);
    const found = decided({ ...seen, siblings: [{ stage: other, status: 'ready' }] }, SWAP);
    expect(found.reasonCodes).toEqual(['UNEXPECTED_INSTRUCTION']);
    const refused = found.checks.filter(({ ok }) => !ok);
    expect(refused.map(({ id }) => id)).toEqual(['instructionBelongs']);
    expect(decided(seen, SWAP).effect).toBe('allow');
  });

  it('guards behind the staged transaction with one more signer', () => {
    const found = decided(signing(mustGuard(inputs, SWAP)), SWAP);
    expect(found.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toContain('instructionBelongs');
  });

  it('guards of a stage outside the plan', () => {
    expect(decided({ ...mustGuard(inputs, SWAP), siblings: [] }, SWAP).effect).toBe('deny');
  });

  it('guards of a stage with a declared hash or another signer', () => {
    const seen = mustGuard(inputs, SWAP);
    const declared = { messageSha256: wireOf(inputs).messageSha256 };
    const siblings = inputs.siblings.map((each) => ({ ...each, stage: { ...each.stage, declared } }));
    expect(decided({ ...seen, siblings }, SWAP).effect).toBe('deny');
    expect(guarded({ ...inputs, stage: { ...inputs.stage, declared } }, SWAP)).toBeUndefined();
    const config = STAGES.find((name) => stage(name).plan.operation === 'config') ?? '';
    expect(guarded(stage(config), config)).toBeUndefined();
  });

  it('guards that prove less than promised only by reporting the bound as not enforced', () => {
    const found = decided(ending(inputs, [...own, transfer(account, account, 1n), pay(WALLET, 1n)]), SWAP);
    expect([found.effect, enforced(found)]).toEqual(['allow', []]);
  });
});
