/** What a person and an agent read about a check that did not hold: what is wrong, never the name of the check as if it held. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explain, remedy } from '../../src/policy/decide/explain.ts';
import { EVERY_ASSET, MATCHES_REQUEST, simulatedCheck, TERMS } from '../../src/policy/decide/reasons.ts';
import { type Check, REASON_CODES, type ReasonCode } from '../../src/policy/decide/types.ts';
import { FAULTS } from '../../src/policy/decide/words/faults.ts';
import { WALLET } from './recorded/stages.ts';

const DECIDE = join(import.meta.dirname, '../../src/policy/decide');
const source = readdirSync(DECIDE, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('faults.ts'))
  .map((file) => readFileSync(join(DECIDE, file), 'utf8'))
  .join('\n');
const found = (pattern: RegExp): string[] => [...source.matchAll(pattern)].map(([, name = '']) => name);

const told = (check: Partial<Check>) => ({
  operation: 'swap',
  check: { check: '', ok: false, ...check },
  ruleId: undefined,
});

/** Every check that the source names beside its code. */
const made = REASON_CODES.flatMap((code): [ReasonCode, string][] =>
  [
    ...found(new RegExp(`'${code}',\\s*'([a-z][^']+)'`, 'g')),
    ...found(new RegExp(`'${code}',\\s*simulatedCheck\\('([^']+)'`, 'g')).map(simulatedCheck),
  ].map((name) => [code, name]),
);
const elsewhere: [ReasonCode, string][] = [
  ...found(/expectAmount\(c, list, '([^']+)'/g).map((name): [ReasonCode, string] => [
    'REQUEST_MISMATCH',
    name,
  ]),
  ...found(/checkLoss\(c, '([^']+)'/g).map((name): [ReasonCode, string] => [
    'UNDECLARED_LOSS',
    simulatedCheck(name),
  ]),
  ...[...Object.values(TERMS), EVERY_ASSET].map((name): [ReasonCode, string] => ['LIMIT_EXCEEDED', name]),
];
/** Names of what differs between bytes and request: things, such as "tip wallet". */
const things = found(/(?:exactly|same|inWords|amountIs|atMost|clause)\(\s*'([^']+)'/g);

describe('the name of a check', () => {
  it('says what should be true, so no sentence shows it where it does not hold', () => {
    expect(made.length + elsewhere.length).toBeGreaterThan(70);
    for (const [code, check] of [...made, ...elsewhere])
      expect(explain(code, told({ check, code })), `${code} ${check}`).not.toContain(
        check.replace(/^.*: /, ''),
      );
  });

  it('is the name of a thing where bytes are compared with the request', () => {
    expect(things.length).toBeGreaterThan(80);
    const claim = /^(?!.* that ).* (?:is|are|can|comes|gets|gives) /;
    const question = /^(?:who|what|where|how|whose) /;
    expect(things.filter((thing) => claim.test(thing) && !question.test(thing))).toEqual([]);
    for (const wrong of found(/wrong: '([^']+)'/g)) {
      const check = `${MATCHES_REQUEST}${wrong}`;
      expect(explain('REQUEST_MISMATCH', told({ check })), wrong).not.toContain(wrong);
    }
  });

  it('has a sentence of its own only while such a check is made', () => {
    const parts = Object.keys(FAULTS).map((name) => name.replace(/^.*: /, ''));
    expect(parts.filter((name) => !source.includes(`'${name}'`) && !source.includes(`}${name}\``))).toEqual(
      [],
    );
  });
});

it('what a person can do about it fits what is wrong', () => {
  const about = (check: string) => remedy('NO_RULE', told({ check }));
  expect(about('wallet is one of the policy')).toBe(
    'A person can add the wallet to "wallets" in the policy file.',
  );
  expect(about('token is one of the policy')).toBe(
    'A person can add the token to tokens.mints in the policy file.',
  );
  expect(about('within the hours of a rule')).toMatch(/^Ask again within those hours/);
  expect(about('a rule covers this')).toBe('A person can add a rule for "swap" to the policy file.');
});

it('a recipient that no rule allows is named with its role and with who is allowed', () => {
  const of = (role: string, allowed: string) =>
    explain('RECIPIENT_NOT_ALLOWED', told({ check: `${role} is allowed`, observed: WALLET, allowed }));
  expect(of('claimer', 'own')).toBe(
    `No rule of the policy allows this earner: ${WALLET}; only wallets of the policy are allowed.`,
  );
  expect(of('recipient', 'addressBook')).toBe(
    `No rule of the policy allows this recipient: ${WALLET}; only wallets and the address book of the policy are allowed.`,
  );
});

it('a part that the plan lacks is said to be missing', () => {
  const check = { check: `${MATCHES_REQUEST}launch`, observed: '0 times', allowed: '1 times' };
  expect(explain('REQUEST_MISMATCH', told(check))).toBe(
    'The plan lacks a part of the swap: launch (found 0 times; needed 1 times).',
  );
});

it('least amounts are not called allowed', () => {
  const check = { check: simulatedCheck('what was promised arrives'), observed: '1 SOL', allowed: '2 SOL' };
  expect(explain('UNDECLARED_LOSS', told(check))).toBe(
    'The simulation shows that less would arrive than was promised (1 SOL; at least: 2 SOL).',
  );
  expect(
    explain('NO_RULE', told({ check: 'within the hours of a rule', allowed: '09:00 to 17:00 UTC' })),
  ).toBe('It is outside the hours in which a rule of the policy allows this (allowed: 09:00 to 17:00 UTC).');
});

it('every such sentence, and what can be done, reads as it was read and approved: explained/faults.txt', async () => {
  const codeOf = new Map([...elsewhere, ...made].map(([code, check]) => [check, code]));
  const lines = Object.keys(FAULTS).map((check) => {
    const code = codeOf.get(check) ?? 'REQUEST_MISMATCH';
    const about = told({ check, code, observed: 'this', allowed: 'that' });
    return [check, explain(code, about), remedy(code, about)].filter(Boolean).join('\n  ');
  });
  await expect(`${lines.join('\n\n')}\n`).toMatchFileSnapshot('explained/faults.txt');
});
