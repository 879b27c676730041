/** Payments and the differences stated in a refusal (T111, T112): the recorded payments, one change at a time. */
import { describe, expect, it } from 'vitest';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import {
  LOOKUP_TABLE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  WSOL_MINT,
} from '../../src/transaction/programs.ts';
import { account, tokenAccount } from './accountFacts.ts';
import { instructionOf, withAccounts, withArgs, without, withRequest } from './recorded/edits.ts';
import { ATTACKER, decide, policyFor, stage, WALLET } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const ofSol = stage('payment of SOL');
const ofUsdc = stage('payment of USDC');
const opening = stage('payment of USDC, new account');
const ofTaxed = stage('payment of a taxed token');
const policy = policyFor('payment');
const decisionText = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policy));
const to = String(ofSol.plan.request.to);
const usdc = String(ofUsdc.plan.request.tokenMint);
const lacks = (label: string) => `REQUEST_MISMATCH: partThere ${label} (0 times; allowed 1 times)`;
const differs = (label: string) => `REQUEST_MISMATCH: matchesRequest ${label}`;
const seeing = (inputs: DecisionInputs, one: AccountFact): DecisionInputs => ({
  ...inputs,
  accounts: [...inputs.accounts.filter(({ address }) => address !== one.address), one],
});

describe('a payment', () => {
  it.each([ofSol, ofUsdc, opening, ofTaxed])('needs approval and nothing else: %#', (inputs) => {
    expect(decisionText(inputs)).toMatch(/^require_approval/);
    expect(decide(inputs, policy).reasonCodes).toEqual(['APPROVAL_REQUIRED']);
  });

  it('is exactly the requested amount, in units of its asset', () => {
    expect(decisionText(withRequest(ofSol, { amountRaw: '5000001' }))).toContain(
      differs('amount (0.005 SOL; allowed 0.005000001 SOL)'),
    );
    expect(decisionText(withRequest(ofUsdc, { amountRaw: '99999' }))).toMatch(
      /matchesRequest amount \(0\.1 of 8mCPVE…; allowed 0\.099999 of 8mCPVE…\)/,
    );
  });

  it('is requested in full: to an address, of a positive amount, of SOL or a token other than wrapped SOL', () => {
    const none = `${differs('askedPayment')}\n`;
    for (const request of [
      { to: undefined },
      { to: 'no address' },
      { amountRaw: '0' },
      { amountRaw: undefined },
      { tokenMint: WSOL_MINT },
    ])
      for (const inputs of [ofSol, ofUsdc]) {
        expect(decisionText(withRequest(inputs, request))).toContain(none);
        expect(decide(withRequest(inputs, request), policy).recipients).toEqual([]);
      }
  });

  it('occurs once, with the requested memo', () => {
    expect(decisionText(without(ofSol, 'system.transfer'))).toContain(lacks('payment'));
    expect(decisionText(without(opening, 'memo.memo'))).toContain(lacks('memo'));
    expect(decisionText(withArgs(opening, 'memo.memo', { text: 'other words' }))).toContain(
      differs('memo (a text of 11 characters; allowed a text of 6 characters)'),
    );
    expect(decisionText(withRequest(opening, { memo: undefined }))).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('is of the requested asset: SOL is not a token, and a token is not SOL', () => {
    expect(decisionText(withRequest(ofSol, { tokenMint: usdc }))).toContain(
      differs('token (a text of 3 characters; allowed 8mCPVE…)'),
    );
    expect(decisionText(withRequest(ofUsdc, { tokenMint: undefined }))).toContain('UNEXPECTED_INSTRUCTION');
  });
});

describe('the recipient of a payment', () => {
  const refused = 'REQUEST_MISMATCH: recipientIsWallet';

  it('is a wallet other than the payer', () => {
    expect(decisionText(withRequest(ofSol, { to: WALLET }))).toContain(
      `${refused} (WALLET, an account of ${SYSTEM_PROGRAM})`,
    );
    const derived = associatedTokenAddress(to, usdc, TOKEN_PROGRAM);
    expect(decisionText(withRequest(ofSol, { to: derived }))).toContain(`${refused} (`);
  });

  it.each([
    ['a program', { executable: true }],
    ['an account that holds data', { data: 'AAAA' }],
    ['an account of another program', { owner: LOOKUP_TABLE_PROGRAM }],
  ])('is not %s', (_, change) => {
    for (const inputs of [ofSol, ofUsdc]) {
      expect(decisionText(seeing(inputs, account(to)))).not.toContain(refused);
      const owner = 'owner' in change ? change.owner : SYSTEM_PROGRAM;
      const shown = summaryOf(decide(seeing(inputs, account(to, change)), policy));
      expect(shown).toContain(refused);
      expect(shown).toMatch(new RegExp(`\\(${to.slice(0, 6)}…, an account of ${owner.slice(0, 6)}`));
    }
  });

  it('may be an unknown wallet', () => {
    const unknown = { ...ofSol, accounts: ofSol.accounts.filter(({ address }) => address !== to) };
    expect(decisionText(unknown)).not.toContain(refused);
  });
});

describe('the accounts of a token payment', () => {
  const theirs = associatedTokenAddress(to, usdc, TOKEN_PROGRAM);
  const { source } = instructionOf(ofUsdc, 'token.transferChecked').accounts;

  it("are the wallet's, moved by its own key, and the recipient's", () => {
    expect(source.address).toBe(associatedTokenAddress(WALLET, usdc, TOKEN_PROGRAM));
    expect(decisionText(withAccounts(ofUsdc, 'token.transferChecked', { authority: ATTACKER }))).toContain(
      differs('payer'),
    );
    expect(decisionText(withAccounts(ofUsdc, 'token.transferChecked', { destination: ATTACKER }))).toContain(
      differs(`payee (ATTACKER; allowed ${theirs.slice(0, 6)}…)`),
    );
  });

  it('are of the token and the recipient as on chain, and not frozen', () => {
    const shown = (change: object) =>
      decisionText(seeing(ofUsdc, tokenAccount(theirs, { mint: usdc, owner: to, ...change })));
    const wrong = (owner: string) => differs(`payeeAccount (${owner}; allowed ${to.slice(0, 6)}…)`);
    expect(shown({})).not.toContain('payeeAccount');
    expect(shown({ owner: ATTACKER })).toContain(wrong('ATTACKER'));
    expect(shown({ mint: ATTACKER })).toContain(wrong(`${to.slice(0, 6)}…`));
    expect(shown({ frozen: true })).toContain(wrong(`${to.slice(0, 6)}…`));
  });

  it('are created for the recipient and the token only, paid by the wallet', () => {
    const made = (roles: Record<string, string>) =>
      decisionText(withAccounts(opening, 'associatedToken.createIdempotent', roles));
    expect(made({ owner: ATTACKER })).toContain(differs('newAccountOwner (ATTACKER; allowed '));
    expect(made({ mint: ATTACKER })).toContain(differs('newAccountToken (ATTACKER; allowed '));
    expect(made({ associatedToken: ATTACKER })).toMatch(/UNEXPECTED_INSTRUCTION|newAccount \(ATTACKER/);
    expect(made({ payer: ATTACKER })).toContain('UNEXPECTED_INSTRUCTION');
  });
});
