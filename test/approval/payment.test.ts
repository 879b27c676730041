/**
 * The question about a payment from a real home: recipient, exact amount, net amount of a token with a transfer fee,
 * and memo. The page, the terminal and a client's dialog are generated from the same list.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { budgetOf } from '../../sandbox/service/build/compile.ts';
import { createAta, mintTo } from '../../sandbox/service/build/tokens.ts';
import type { SendRequest } from '../../src/builders/send.ts';
import { factsOf } from '../../src/page/questionFacts.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { QuestionFact } from '../../src/presentation/question/questionFacts.ts';
import { pendingViews } from '../../src/presentation/question/readView.ts';
import { approvalLines } from '../../src/presentation/question/textLines.ts';
import { associatedTokenAddress } from '../../src/transaction/derive.ts';
import { Home } from '../execution/home.ts';
import { testKey } from '../transaction/keys.ts';

const friend = testKey('friend').address;
const stranger = testKey('stranger').address;

const asking = (file: PolicyFile): PolicyFile => ({
  ...file,
  addressBook: [{ label: 'friend', address: friend }],
  rules: [
    ...file.rules.filter(({ operation }) => operation !== 'send'),
    { id: 'pay', operation: 'send', effect: 'require_approval', recipient: 'any', why: 'a test' },
  ],
});

let home: Home;
beforeEach(async () => {
  home = await Home.start({ policy: asking });
  home.sandbox.advanceSlots(4);
});
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});

const requestOf = (more: Partial<SendRequest> = {}): SendRequest => ({
  wallet: home.wallet,
  to: friend,
  amountRaw: '5000000',
  ...more,
});

/** Gives the wallet a balance of a token, by symbol. */
function giveToken(symbol: string) {
  const { service } = home.sandbox;
  const quote = [...service.quotes.values()].find((each) => each.symbol === symbol);
  const token = service.asset(quote?.mint ?? '');
  const { sponsor, quoteAuthority } = service.keys;
  const account = associatedTokenAddress(home.wallet, token.mint, token.tokenProgram);
  service.onchain.land({
    format: 'v0',
    feePayer: sponsor.address,
    instructions: [
      createAta(sponsor.address, home.wallet, token),
      mintTo(token.tokenProgram, token.mint, account, quoteAuthority.address, 10_000_000n),
    ],
    budget: budgetOf(100_000),
    signers: [sponsor, quoteAuthority],
  });
  home.sandbox.advanceSlots(4);
  return token;
}

/** Asks. Returns the facts, the lines of the terminal and the dialog, and the page. */
async function askPayment(request: SendRequest) {
  const { plan } = await home.plans.build('send', request);
  expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'approval_required' });
  const [view, ...others] = await pendingViews(home.ledger);
  if (view === undefined || others.length > 0) throw new Error('there is one question');
  const flat = (text: string) => text.replaceAll(/\s+/g, ' ');
  return {
    facts: view.facts,
    terminal: flat(approvalLines(view, 0).join(' ')),
    page: flat(`${factsOf(view.facts)}`),
  };
}

const texts = (facts: readonly QuestionFact[], kind: QuestionFact['kind']): string[] =>
  facts.flatMap((fact) => (fact.kind === kind && 'lines' in fact ? fact.lines.map(({ text }) => text) : []));

describe('the question about a payment', () => {
  it('T114 begins with the recipient and the exact amount, shows the memo beside it, and names no fee to the recipient', async () => {
    const { facts, terminal, page } = await askPayment(requestOf({ memo: 'thanks “for\u202e all”' }));
    expect(facts.map(({ kind }) => kind)).toEqual([
      'what',
      'control',
      'final',
      'leaves',
      'arrives',
      'price',
      'costs',
      'terms',
      'later',
      'halfway',
    ]);
    const pays = `Pays exactly 0.005 SOL to friend (${friend}).`;
    expect(texts(facts, 'what')).toEqual([pays, "With the words “thanks 'for all'”, which anyone can read."]);
    expect(texts(facts, 'costs').join(' ')).not.toMatch(/Sells|Service fee/);
    expect(texts(facts, 'final')).toEqual(['A payment cannot be undone.']);
    for (const shown of [terminal, page]) {
      expect(shown).toContain(pays);
      expect(shown.indexOf(pays)).toBeLessThan(shown.indexOf('Control'));
      expect(shown).not.toMatch(/Sells|Service fee/);
    }
  });

  it('warns with the full address if the recipient is not in the address book', async () => {
    const { facts } = await askPayment(requestOf({ to: stranger }));
    expect(facts[0]).toMatchObject({
      lines: [{ tone: 'warn', text: `Pays exactly 0.005 SOL to ${stranger} (not in your address book).` }],
    });
  });

  it('shows the received amount of a token with a transfer fee', async () => {
    const token = giveToken('TAXQ');
    const { facts, terminal, page } = await askPayment(
      requestOf({ tokenMint: token.mint, amountRaw: '1000000' }),
    );
    const [pays, arrives] = texts(facts, 'what');
    expect(pays).toMatch(RegExp(`^Pays exactly 1 .* to friend \\(${friend}\\)\\.$`));
    expect(arrives).toMatch(/^At least 0\.\d+ .* of it arrives/);
    for (const shown of [terminal, page]) expect(shown).toContain(token.mint);
    expect(terminal).toContain(arrives);
    expect(texts(facts, 'costs').join(' ')).toMatch(/opened for friend \(\w+…\w+\), and is theirs/);
  });

  it('mentions no transfer fee if the token has none', async () => {
    const token = giveToken('USDC');
    const { facts } = await askPayment(requestOf({ tokenMint: token.mint, amountRaw: '2500000' }));
    expect(texts(facts, 'what')).toHaveLength(1);
    expect(texts(facts, 'what')[0]).toMatch(/^Pays exactly 2\.5 /);
  });
});
