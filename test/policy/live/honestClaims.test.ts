/** Deployer claims without a token in the request: through a temporary wSOL account, or in a token of any mint. */

import { describe, expect, it } from 'vitest';
import { closeAccount, createAta } from '../../../sandbox/service/build/tokens.ts';
import type { DecisionInputs } from '../../../src/policy/decide/types.ts';
import { USER_VAULT_PROGRAM } from '../../../src/programs/feeShare/userVault.ts';
import { type EncodedInstruction, encodeInstruction } from '../../../src/programs/instructions.ts';
import type { AccountFact } from '../../../src/rpc/types.ts';
import { associatedTokenAddress } from '../../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import { missing, tokenAccount } from '../accountFacts.ts';
import { keyNamed } from '../people.ts';
import { simulationOf } from '../recorded/edits.ts';
import { ATTACKER, decide, policyWith, rewritten, stage, WALLET } from '../recorded/stages.ts';
import { summaryOf } from '../recorded/sweep.ts';

const recorded = stage('deployer claim');
const [SPONSOR = ''] = recorded.stage.transaction.read().staticAccounts;
const USDC = String(stage('swap of USDC').quote?.quote.inputMint);
const sol = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
const usdc = { mint: USDC, tokenProgram: TOKEN_PROGRAM, decimals: 6 };
const OURS = associatedTokenAddress(WALLET, WSOL_MINT, TOKEN_PROGRAM);
const DOLLARS = associatedTokenAddress(WALLET, USDC, TOKEN_PROGRAM);
const OTHER = keyNamed('other account').address;

const claims = (user: string, mint: string) =>
  encodeInstruction('userVault.claimFromUserVault', {
    accounts: { user, payer: SPONSOR, mint, tokenProgram: TOKEN_PROGRAM },
    args: {},
  });
const closes = (account: string, destination: string) =>
  closeAccount(TOKEN_PROGRAM, account, destination, WALLET);

interface Shown {
  readonly before: readonly AccountFact[];
  readonly after: readonly AccountFact[];
}

/** The recorded claim built of these instructions, with these accounts before and after. */
function by(made: readonly EncodedInstruction[], shown: Shown = { before: [], after: [] }): DecisionInputs {
  const inputs = rewritten(recorded, () => made);
  const simulation = simulationOf(inputs);
  const named = [...new Set(made.flatMap((each) => each.accounts.map(({ address }) => address)))];
  const beside = (known: DecisionInputs['accounts'], first: DecisionInputs['accounts']) => {
    const seen = [
      ...first,
      ...known.filter((each) => !first.some(({ address }) => address === each.address)),
    ];
    const unseen = named.filter((address) => seen.every((each) => each.address !== address));
    return [...seen, ...unseen.map((address) => missing(address))];
  };
  const mint = stage('swap of USDC').accounts.filter(({ address }) => address === USDC);
  return {
    ...inputs,
    programs: [...(inputs.programs ?? []), { address: USER_VAULT_PROGRAM, deployedSlot: 7 }],
    accounts: beside(inputs.accounts, [...mint, ...shown.before]),
    simulation: {
      ...simulation,
      before: beside(simulation.before, shown.before),
      after: beside(simulation.after, shown.after),
    },
  };
}

const decisionText = (made: readonly EncodedInstruction[], shown?: Shown): string =>
  summaryOf(decide(by(made, shown), policyWith()));
const keeps = (account: AccountFact): Shown => ({ before: [account], after: [account] });

describe('a claim through a temporary wSOL account', () => {
  const opens = createAta(SPONSOR, WALLET, sol);

  it('is allowed if the service or the wallet opens the account', () => {
    expect(decisionText([opens, claims(WALLET, WSOL_MINT), closes(OURS, WALLET)])).toMatch(/^allow: .*exact/);
    const own = createAta(WALLET, WALLET, sol);
    expect(decisionText([own, claims(WALLET, WSOL_MINT), closes(OURS, WALLET)])).toMatch(/^allow: .*exact/);
  });

  it('is allowed beside an unsupported program', () => {
    const inputs = rewritten(recorded, (list) => [opens, ...list, closes(OURS, WALLET)]);
    expect(summaryOf(decide(inputs))).toMatch(/^allow/);
    const away = rewritten(recorded, (list) => [opens, ...list, closes(OURS, ATTACKER)]);
    expect(summaryOf(decide(away))).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('is refused if the account closes to a stranger or to the service', () => {
    for (const to of [ATTACKER, SPONSOR]) {
      const away = decisionText([opens, claims(WALLET, WSOL_MINT), closes(OURS, to)]);
      expect(away).toContain('UNEXPECTED_INSTRUCTION');
      expect(away).toContain('UNDECLARED_LOSS');
    }
  });

  it('closes no other account of the wallet with a balance', () => {
    for (const mint of [WSOL_MINT, USDC]) {
      const held = tokenAccount(OTHER, { mint, owner: WALLET, amount: 7n });
      expect(decisionText([opens, claims(WALLET, WSOL_MINT), closes(OTHER, WALLET)], keeps(held))).toContain(
        'UNEXPECTED_INSTRUCTION',
      );
    }
  });
});

describe('a claim in a token that no request names', () => {
  const opens = createAta(SPONSOR, WALLET, usdc);
  const arrives: Shown = {
    before: [missing(DOLLARS)],
    after: [tokenAccount(DOLLARS, { mint: USDC, owner: WALLET, amount: 5n })],
  };

  it("is allowed into the wallet's associated account, simulated or not", () => {
    expect(decisionText([opens, claims(WALLET, USDC)], arrives)).toMatch(/^allow: .*exact/);
    expect(decisionText([claims(WALLET, WSOL_MINT), claims(WALLET, USDC)])).not.toContain('REQUEST_MISMATCH');
  });

  it("is refused from a stranger's vault, and opens no account for one", () => {
    expect(decisionText([opens, claims(ATTACKER, USDC)], arrives)).toContain('REQUEST_MISMATCH');
    const theirs = createAta(WALLET, ATTACKER, usdc);
    expect(decisionText([opens, theirs, claims(WALLET, USDC)], arrives)).toContain('UNEXPECTED_INSTRUCTION');
  });

  it("is refused into a stranger's account", () => {
    const account = associatedTokenAddress(ATTACKER, USDC, TOKEN_PROGRAM);
    const own = claims(WALLET, USDC);
    const elsewhere = own.accounts.map((each) =>
      each.address === DOLLARS ? { ...each, address: account } : each,
    );
    expect(decisionText([opens, { ...own, accounts: elsewhere }], arrives)).toContain('INSTRUCTION_MISFIT');
  });

  it('opens no account of a token without a claim', () => {
    expect(decisionText([opens, claims(WALLET, WSOL_MINT)])).toContain('UNEXPECTED_INSTRUCTION');
  });
});
