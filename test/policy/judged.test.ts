/**
 * The deciding check among several failed ones: for an expired transaction, and beside an unlisted program (F29, T59).
 * Hand-made checks that differ in one property.
 */
import { describe, expect, it } from 'vitest';
import { decisive, freezeKey, judged, ownerOf } from '../../src/policy/decide/reasons.ts';
import type { Check, ReasonCode } from '../../src/policy/decide/types.ts';
import type { CheckId } from '../../src/policy/decide/words/names.ts';
import { STAKE_PROGRAM } from '../../src/transaction/programs.ts';
import { keyNamed } from './people.ts';

const failed = (code: ReasonCode, id: CheckId = 'secondRpc', params?: Check['params']): Check => ({
  id,
  ok: false,
  code,
  ...(params === undefined ? {} : { params }),
});
const simulated = (check: Check): Check => ({ ...check, simulated: true });
const [one = '', other = ''] = ['one program', 'another program']
  .map((name) => keyNamed(name).address)
  .sort();
const unlisted = (program = one) => failed('PROGRAM_NOT_ALLOWED', 'programAllowed', { program });
const unlistedOwner = (program = one) => failed('AUTHORITY_CHANGE', 'unlistedOwner', { program });
const keyOf = (...checks: readonly Check[]) => freezeKey({ checks, messageSha256: 'this message' });

describe('denials that count toward a freeze', () => {
  it.each<[string, readonly Check[]]>([
    ['if nothing else failed', []],
    ['if its instructions are unsupported', [failed('INSTRUCTION_UNKNOWN')]],
    [
      'if its own instruction was not expected',
      [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: one })],
    ],
    ['if an instruction is missing', [failed('REQUEST_MISMATCH', 'partThere', { part: 'swap' })]],
    ['if something else does not match', [failed('REQUEST_MISMATCH', 'noStrangerFreezes')]],
    ['if a simulation shows a loss', [simulated(failed('UNDECLARED_LOSS', 'leavesByBytes'))]],
    ['if a rule is missing too', [failed('NO_RULE'), failed('LIMIT_EXCEEDED'), failed('STAGE_ORDER')]],
    ['if one of its accounts names the wallet', [unlistedOwner()]],
  ])('%s', (_, checks) => {
    expect(keyOf(unlisted(), ...checks)).toBe(`program ${one}`);
    expect(keyOf({ ...unlisted(other), ok: true }, ...checks, unlisted())).toBe(`program ${one}`);
  });

  it.each<[string, readonly Check[]]>([
    ['if a supported instruction causes a loss', [failed('UNDECLARED_LOSS', 'nothingGranted')]],
    [
      'if an instruction of another program was not expected',
      [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: other })],
    ],
    ['if an unexpected instruction is not named', [failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs')]],
    [
      'if a supported instruction differs',
      [failed('REQUEST_MISMATCH', 'matchesRequest', { part: 'amount' })],
    ],
    ['if its effect is unknown', [failed('REQUEST_MISMATCH', 'matchesRequest')]],
    ['if a right is granted', [failed('AUTHORITY_CHANGE')]],
    ['if an address resembles a known one', [failed('RECIPIENT_LOOKALIKE')]],
    ['if a security check has no code', [{ id: 'secondRpc', ok: false }]],
  ])('count as their own message %s', (_, checks) => {
    expect(keyOf(unlisted(), ...checks)).toBe('this message');
    // A passed check is no attack.
    const passed = checks.map((check) => ({ ...check, ok: true }));
    expect(keyOf(unlisted(), ...passed)).toBe(`program ${one}`);
  });

  it('count as several, in a fixed order, each once', () => {
    expect(keyOf(unlisted(other), unlisted(one), unlisted(other))).toBe(`program ${one} ${other}`);
    expect(
      keyOf(
        unlisted(other),
        unlisted(one),
        failed('UNEXPECTED_INSTRUCTION', 'instructionBelongs', { program: one }),
      ),
    ).toBe(`program ${one} ${other}`);
    expect(keyOf(unlistedOwner(other), unlisted(one))).toBe(`program ${one} ${other}`);
  });

  it('count as their own message without an unlisted program, or with one that no policy could list', () => {
    expect(keyOf(failed('NO_RULE'))).toBe('this message');
    expect(keyOf()).toBe('this message');
    expect(keyOf(unlisted(STAKE_PROGRAM))).toBe('this message');
    expect(keyOf(failed('PROGRAM_NOT_ALLOWED', 'programAllowed'))).toBe('this message');
    expect(keyOf(failed('PROGRAM_NOT_ALLOWED', 'acceptedCode', { program: one }))).toBe('this message');
  });

  it('count for an account of an unlisted program only if nothing else is wrong', () => {
    expect(keyOf(unlistedOwner())).toBe(`program ${one}`);
    expect(keyOf(unlistedOwner(), failed('NO_RULE'))).toBe(`program ${one}`);
    expect(keyOf(unlistedOwner(), failed('UNDECLARED_LOSS'))).toBe('this message');
    expect(ownerOf(unlistedOwner())).toBe(one);
    expect(ownerOf({ ...unlistedOwner(), ok: true })).toBeUndefined();
    expect(ownerOf(failed('AUTHORITY_CHANGE', 'unlistedOwner'))).toBeUndefined();
    expect(ownerOf(failed('AUTHORITY_CHANGE', 'reach', { program: one }))).toBeUndefined();
  });
});

describe('reasons of an expired transaction', () => {
  const expired: Check = { ...failed('LIFETIME_MISMATCH', 'blockhashAlive'), class: 'availability' };
  const classes = (...checks: readonly Check[]) => judged(checks).map((check) => check.class);
  const codes = (...checks: readonly Check[]) => decisive(judged(checks)).map(({ code }) => code);

  it.each<[string, Check]>([
    ['a comparison with chain accounts', failed('REQUEST_MISMATCH')],
    ['a loss', failed('UNDECLARED_LOSS')],
    ['a table', failed('LOOKUP_TABLE_UNRESOLVED')],
    ['a simulated grant of a right', simulated(failed('AUTHORITY_CHANGE', 'nothingGranted'))],
    ['the code of a program', failed('PROGRAM_NOT_ALLOWED', 'acceptedCode')],
    ['a check without a code', { id: 'secondRpc', ok: false }],
  ])('%s may be out of date and is no attack', (_, check) => {
    expect(classes(check, expired)).toEqual(['availability', 'availability']);
    expect(codes(check, expired)).toEqual(['LIFETIME_MISMATCH']);
    // The same while it can still land.
    expect(classes(check)).toEqual([undefined]);
    expect(decisive([check])).toEqual([check]);
  });

  it.each<[string, Check]>([
    ['a grant in the bytes', failed('AUTHORITY_CHANGE')],
    ['a loss caused by a single instruction', failed('UNDECLARED_LOSS', 'nothingGranted')],
    ['another blockhash than the declared one', failed('LIFETIME_MISMATCH')],
    ['a program the policy does not list', failed('PROGRAM_NOT_ALLOWED', 'programAllowed')],
  ])('%s is unchanged', (_, check) => {
    expect(classes(check, expired)).toEqual([undefined, 'availability']);
    expect(codes(expired, check)).toContain(check.code);
  });

  it('name only its expiry, and reasons that do not depend on time', () => {
    const others = (['NO_RULE', 'LIMIT_EXCEEDED', 'APPROVAL_REQUIRED', 'REPLAY'] as const).map((code) =>
      failed(code),
    );
    expect(classes(...others, expired)).toEqual([undefined, undefined, undefined, undefined, 'availability']);
    expect(codes(...others, expired, failed('SIGNER_UNAVAILABLE'), failed('FROZEN'))).toEqual([
      'FROZEN',
      'LIFETIME_MISMATCH',
      'SIGNER_UNAVAILABLE',
    ]);
    const passed: Check = { id: 'secondRpc', ok: true };
    expect(judged([passed, expired])).toEqual([passed, expired]);
    expect(decisive([passed, expired])).toEqual([expired]);
    // A passed expiry check is not an expiry.
    expect(codes(...others, { ...expired, ok: true })).toHaveLength(4);
  });

  it('excuse nothing if the blockhash differs from the declared one', () => {
    const attack = [failed('LIFETIME_MISMATCH'), failed('REQUEST_MISMATCH'), failed('UNDECLARED_LOSS')];
    expect(classes(...attack)).toEqual([undefined, undefined, undefined]);
    expect(codes(...attack)).toEqual(['LIFETIME_MISMATCH', 'UNDECLARED_LOSS', 'REQUEST_MISMATCH']);
  });
});
