/** The first purchase of a token unknown to this home (T183). */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { tokenAccount } from './accountFacts.ts';
import { approvalOfStage, approvedView, coverage, withLines } from './approving.ts';
import { keyNamed, load } from './people.ts';
import { decide, policyFor, policyWith, stage, WALLET } from './recorded/stages.ts';

const buy = stage('swap on a curve');
const MINT = String(buy.quote?.quote.outputMint);
const fee = decide(buy).recipients.find(({ role }) => role === 'payment')?.address ?? '';

/** The inputs of a live server. No public profile names a treasury; without one the fee asks by itself. */
const live = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
  serviceAddresses: [{ label: 'treasury', address: fee }],
});
const askChecks = ({ checks }: Decision) => checks.filter(({ ok, code }) => !ok && code === 'FIRST_PURCHASE');
const withFirstPurchase = (firstPurchase: 'ask' | 'allow') =>
  policyWith(({ rules }) => ({
    rules: rules.map((rule) => (rule.operation === 'swap' ? { ...rule, firstPurchase } : rule)),
  }));

describe('a first purchase', () => {
  it('asks in live mode, with the mint, unless the token was bought or launched here', () => {
    const first = decide(live(buy));
    expect(first).toMatchObject({
      effect: 'require_approval',
      class: 'policy',
      reasonCodes: ['APPROVAL_REQUIRED', 'FIRST_PURCHASE'],
    });
    expect(askChecks(first)[0]?.params).toEqual({ mint: MINT });
    expect(decide(live({ ...buy, held: true })).effect).toBe('allow');
  });

  it('requires approval even if the wallet has received some of the token', () => {
    const dust = tokenAccount(keyNamed('dust').address, { mint: MINT, owner: WALLET, amount: 1n });
    expect(askChecks(decide(live({ ...buy, accounts: [...buy.accounts, dust] })))).toHaveLength(1);
  });

  it('does not ask about a listed token, nor about SOL', () => {
    const listed = policyWith(({ tokens }) => ({ tokens: { ...tokens, mints: ['SOL', MINT] } }));
    expect(decide(live(buy), listed).effect).toBe('allow');
    const sale = stage('swap for SOL');
    expect(sale.quote?.quote.outputMint).toBe(WSOL_MINT);
    expect(askChecks(decide(live(sale)))).toEqual([]);
  });

  it('asks if the rule says so, and on a local chain only then', () => {
    expect(decide(live(buy), withFirstPurchase('allow')).effect).toBe('allow');
    expect(askChecks(decide(live(buy), withFirstPurchase('ask')))).toHaveLength(1);
    expect(decide(buy).effect).toBe('allow');
    expect(decide({ ...live(buy), localRpc: true }).effect).toBe('allow');
    expect(askChecks(decide(buy, withFirstPurchase('ask')))).toHaveLength(1);
  });

  it('asks under the trader template, and under the sandbox template on a public network', () => {
    const network = GENESIS['mainnet-beta'] ?? '';
    const inputs = { ...live(buy), network, plan: { ...live(buy).plan, network } };
    for (const name of ['trader', 'sandbox'] as const) {
      const policy = load(policyTemplate(name, { wallet: WALLET, network }));
      expect(askChecks(decide(inputs, policy)), name).toHaveLength(1);
      expect(askChecks(decide({ ...inputs, held: true }, policy)), name).toEqual([]);
    }
  });

  it('is covered by its approval when rebuilt', () => {
    const first = live(buy);
    const policy = policyFor('');
    const approval = approvalOfStage(first, policy);
    expect(evaluate(first, policy, approvedView(decide(first), first)).effect).toBe('allow');
    expect(coverage(approval, first, policy)).toEqual({ covered: true });
    // An approval of a swap that was no first purchase does not cover a first purchase.
    const without = withLines(approval, (line) => (line.id === 'asks' ? undefined : line));
    expect(coverage(without, first, policy)).toMatchObject({ covered: false, line: 'asks' });
  });
});

it('is a rule condition with two allowed values', () => {
  const rule = (firstPurchase: string) => () =>
    load({
      ...policyTemplate('trader', { wallet: WALLET, network: 'devnet' }),
      rules: [Object({ id: 'trade', operation: 'swap', effect: 'allow', firstPurchase, why: 'a test' })],
    });
  expect(rule('ask')).not.toThrow();
  expect(rule('never')).toThrow();
});
