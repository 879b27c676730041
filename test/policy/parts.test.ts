/** Parts of a decision: account owners, the program entry that admits an instruction, and classes of recipients. */
import { describe, expect, it } from 'vitest';
import { type DecisionContext, isOwnTokenAccount } from '../../src/policy/decide/decisionContext.ts';
import { isOfClass, labelled } from '../../src/policy/decide/recipients.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { admitting } from '../../src/policy/decide/unsupported/entries.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { Instruction } from '../../src/programs/instructions.ts';
import { mintOf, tokenAccountOf } from '../../src/programs/token/accounts.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { account, mint as mintAccount, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed, unsupportedProgram } from './people.ts';
import { instructionsOf, policyWith, stage, VENUE, WALLET } from './recorded/stages.ts';

describe('an account', () => {
  const [place, token, other] = ['place', 'token', 'other'].map((name) => keyNamed(name).address) as [
    string,
    string,
    string,
  ];
  const held = tokenAccount(place, { mint: token, owner: WALLET });

  it('is a token account or a mint by its program and data', () => {
    expect(tokenAccountOf(held)?.owner).toBe(WALLET);
    expect(tokenAccountOf({ ...held, owner: TOKEN_2022_PROGRAM })?.owner).toBe(WALLET);
    expect(tokenAccountOf({ ...held, owner: SYSTEM_PROGRAM })).toBeUndefined();
    expect(tokenAccountOf({ ...held, exists: false })).toBeUndefined();
    expect(tokenAccountOf({ ...held, data: 'AAAA' })).toBeUndefined();
    expect(tokenAccountOf(undefined)).toBeUndefined();
    expect(mintOf(held)).toBeUndefined();
    expect(mintOf(mintAccount(token, { mintAuthority: other }))?.mintAuthority).toBe(other);
    expect(tokenAccountOf(mintAccount(token, {}))).toBeUndefined();
  });

  it('is ours by its chain state, else by its address', () => {
    const c = (...accounts: readonly (typeof held)[]) =>
      ({
        wallet: WALLET,
        own: new Set([WALLET]),
        accounts: new Map(accounts.map((each) => [each.address, each])),
      }) as unknown as DecisionContext;
    const associated = associatedTokenAddress(WALLET, token, TOKEN_PROGRAM);
    const own = (of: DecisionContext, address: string, mint = token) =>
      isOwnTokenAccount(of, address, mint, TOKEN_PROGRAM);
    expect(own(c(held), place)).toBe(true);
    expect(own(c(held), place, other)).toBe(false);
    expect(own(c(tokenAccount(associated, { mint: token, owner: other })), associated)).toBe(false);
    expect(own(c(), associated)).toBe(true);
    expect(own(c(missing(associated)), associated)).toBe(true);
    expect(own(c(account(associated)), associated)).toBe(false);
    expect(own(c(), place)).toBe(false);
  });
});

it('an instruction is allowed if it is unsupported and an entry of its program names it for the operation', () => {
  const swap = stage('swap with an unsupported program');
  const [unsupported] = instructionsOf(swap).filter(
    (each) => each.kind === 'unknown' && each.program === VENUE,
  );
  const [known] = instructionsOf(stage('swap of SOL'));
  if (unsupported?.kind !== 'unknown' || known === undefined) throw new Error('nothing unsupported');
  const other = keyNamed('another program').address;
  const exact = { address: VENUE, binding: 'exact' } as const;
  const admitted = (
    programs: PolicyFile['programs'],
    instruction: Instruction = unsupported,
    { plan, stage: { kind } }: Pick<DecisionInputs, 'plan' | 'stage'> = swap,
  ) => {
    const { policy } = policyWith((file) => ({ programs: [...file.programs, ...programs] }));
    return admitting(instruction, policy, { plan, stage: { ...swap.stage, kind } }) !== undefined;
  };
  const venue = unsupportedProgram(VENUE, { operations: ['swap'] });
  expect(admitted([venue])).toBe(true);
  expect(admitted([exact, unsupportedProgram(other)])).toBe(false);
  expect(admitted([])).toBe(false);
  expect(admitted([unsupportedProgram(VENUE, { operations: ['config', 'launch'] })])).toBe(false);
  expect(admitted([unsupportedProgram(VENUE, { instructions: ['02', '0101'] })])).toBe(false);
  expect(admitted([unsupportedProgram(VENUE, { instructions: [] })])).toBe(false);
  expect(admitted([unsupportedProgram(VENUE, { operations: [] })])).toBe(false);
  expect(admitted([unsupportedProgram(VENUE, { instructions: ['02'] }), venue])).toBe(true);
  const begins = { ...unsupported, data: Uint8Array.of(1, 1, 7) };
  expect(admitted([unsupportedProgram(VENUE, { instructions: ['0101'] })], begins)).toBe(true);
  expect(admitted([venue], { ...unsupported, program: TOKEN_PROGRAM })).toBe(false);
  expect(admitted([venue], known)).toBe(false);
  const table = { ...swap, stage: { ...swap.stage, kind: 'lookup_table_setup' as const } };
  expect(admitted([venue], unsupported, table)).toBe(false);
});

it('a recipient class covers wallets, wallets and the address book, or any address', () => {
  const [friend, stranger] = [keyNamed('friend').address, keyNamed('stranger').address];
  const { index } = policyWith(() => ({ addressBook: [{ label: 'friend', address: friend }] }));
  const classes = ['own', 'addressBook', 'any'] as const;
  expect(classes.map((each) => isOfClass(index, WALLET, each))).toEqual([true, true, true]);
  expect(classes.map((each) => isOfClass(index, friend, each))).toEqual([false, true, true]);
  expect(classes.map((each) => isOfClass(index, stranger, each))).toEqual([false, false, true]);
  const recipients = [WALLET, friend, stranger].map((address) => ({ address, role: 'recipient' as const }));
  expect(labelled(recipients, index).map(({ label }) => label)).toEqual(['agent', 'friend', undefined]);
});
