/**
 * The seven question kinds of the built product in a real Chromium and on the command line: the required facts are
 * above the button on a phone and in 60 columns, and each question is answered by keyboard alone.
 *
 * With `COUNTERSIGN_PICTURES=1` it writes the pictures of the documentation (docs/images/question-*.png).
 */
import { statSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { chromiumPath, launchBrowser } from '../page/browser.ts';
import { keyNamed } from '../policy/people.ts';
import { type OpenQuestion, Product, STRANGER, TREASURY } from './askingProduct.ts';

const executable = chromiumPath();
const PHONE = { width: 390, height: 844 };
/** Size limit of pictures, which are part of every clone. */
const MAX_PICTURE_BYTES = 140_000;

type Kind =
  | 'unusual'
  | 'control'
  | 'leaves'
  | 'arrives'
  | 'price'
  | 'costs'
  | 'terms'
  | 'claimers'
  | 'final'
  | 'later'
  | 'halfway'
  | 'open'
  | 'exposed';

/** Required text by fact. `what`: the token and its name. */
type Must = Readonly<Partial<Record<Kind | 'what', readonly RegExp[]>>>;

const NAMED_BY_AGENT = [/“Once” \(ONCE\)/, /name given by the agent/];
const NO_CONTROL = /No stranger gains control/;
const ONE_TRANSACTION = [/A transaction lands completely or not at all/];
const CODE = /The key .+ can replace the code of /;

const CONFIG: Must = {
  what: NAMED_BY_AGENT,
  control: [/Your wallet can change who earns/, NO_CONTROL],
  leaves: [/at most [\d.]+ SOL/],
  arrives: [/nothing has to arrive/],
  costs: [/Deposits at most [\d.]+ SOL/, /Network fees: at most/],
  claimers: [
    /25% to the deployer, your wallet/,
    /60%.*your wallet/,
    /40%.*[Nn]ot in your address book/,
    RegExp(STRANGER),
  ],
  final: [/can be changed later by your wallet/],
  later: [CODE],
  halfway: ONE_TRANSACTION,
};
const LAUNCH: Must = {
  what: [/“Once” \(ONCE\)/, /name chosen by the agent/],
  control: [/Your wallet can change who earns/],
  leaves: [/at most 0\.5\d+ SOL/],
  arrives: [/at least [\d,.]+ “ONCE”/],
  price: [/1 SOL buys at least [\d,.]+ (million )?“ONCE”/],
  costs: [
    /Traded: at most 0\.5 SOL/,
    /Fee for the token's name: at most/,
    /Deposits at most/,
    /Network fees: at most/,
  ],
  terms: [/A trade costs 2%/, /locked for good/],
  claimers: [/25% to the deployer, who paid/, /60%.*your wallet/, /40%.*[Nn]ot in your address book/],
  final: [/A launch cannot be undone/],
  later: [CODE],
  halfway: [/It is 3 transactions\. Landed steps stay: the token may lack pool or claimers/],
};
const SPLIT: Must = {
  what: [/“Once” \(ONCE\)/, /name chosen by its creator/],
  control: [NO_CONTROL],
  leaves: [/at most [\d.]+ SOL/],
  claimers: [/0% → 50%.*treasury/, /40%.*[Nn]ot in your address book/, /60% → 10%.*your wallet/],
  final: [/The old shares are replaced/],
  later: [CODE],
  halfway: ONE_TRANSACTION,
};
const SWAP: Must = {
  what: [/“Once” \(ONCE\)/, /name chosen by its creator/],
  control: [NO_CONTROL],
  leaves: [/at most 0\.05\d+ SOL/],
  arrives: [/at least [\d,.]+ “ONCE”/],
  price: [
    /1 SOL buys at least [\d,.]+ (million )?“ONCE”/,
    /Price impact [\d.]+%, slippage at most 1%, by the service's quote/,
  ],
  costs: [
    /Traded: at most 0\.0\d+ SOL/,
    /Service fee: at most [\d.]+ SOL to \w{32,44}/,
    /Network fees: at most/,
  ],
  final: [/A swap cannot be undone/],
  later: [CODE],
  halfway: ONE_TRANSACTION,
};
const SEND: Must = {
  what: [
    RegExp(`Pays exactly 0\\.005 SOL to treasury \\(${TREASURY}\\)`),
    /With the words “thanks”, which anyone can read/,
  ],
  control: [NO_CONTROL],
  leaves: [/at most 0\.00\d+ SOL/],
  arrives: [/nothing has to arrive/],
  costs: [/Network fees: at most/],
  final: [/A payment cannot be undone/],
  halfway: ONE_TRANSACTION,
};
const CLAIM: Must = {
  what: [/“Once” \(ONCE\)/],
  control: [NO_CONTROL],
  leaves: [/nothing/],
  arrives: [/at least 0\.0\d+ SOL/],
  final: [/cannot be claimed again/],
  later: [CODE],
  halfway: [/It is 2 transactions/, /claimed amounts are in your wallet, the rest can be claimed later/],
};
const UNSUPPORTED: Must = {
  what: [/“Moth” \(MOTH\)/, /requested, not verified/, /Not all of it can be decoded/],
  control: [/an unsupported program may give control to another address/],
  leaves: [/at most [\d.]+ SOL.*requested, not verified/],
  arrives: [/at least [\d,.]+ “MOTH” \w+…\w+.*requested, not verified/],
  final: [/A launch cannot be undone/],
  halfway: [/Landed steps stay/],
  exposed: [/is unsupported: it could take all SOL of your wallet \([\d.]+ SOL\)/],
};

/** Facts visible without scrolling: subject, beneficiaries, irreversible effects, outflows and inflows. */
const FIRST: readonly string[] = ['what', 'unusual', 'exposed', 'control', 'final', 'leaves', 'arrives'];

/** Returns a fact's text without line breaks. */
const flat = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

describe.skipIf(executable === undefined)('a question on the built page', () => {
  let product: Product;
  let browser: Browser;
  let page: Page;
  const once = { mint: '', uri: '', unverified: '' };
  beforeAll(async () => {
    product = await Product.start();
    browser = await launchBrowser(executable ?? '');
    Object.assign(once, await product.token('Once', 'ONCE'));
  });
  afterAll(async () => {
    await browser?.close();
    await product?.stop();
  });

  async function look({ approvalId }: OpenQuestion, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    page ??= await product.enter(browser, { viewport: PHONE });
    await page.emulateMedia({ colorScheme });
    await page.goto(`${page.url().replace(/(approval|history|limits)\b.*/, '')}approval/${approvalId}`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
  }

  /** Takes a documentation picture if requested; checks its size in any case. */
  async function picture(name: string): Promise<void> {
    const path = `docs/images/question-${name}.png`;
    const taken = await page.screenshot(process.env.COUNTERSIGN_PICTURES === '1' ? { path } : {});
    expect(taken.length).toBeLessThan(MAX_PICTURE_BYTES);
    expect(statSync(path).size).toBeLessThan(MAX_PICTURE_BYTES);
  }

  const approveColour = (): Promise<string> =>
    page.evaluate('getComputedStyle(document.getElementById("approve")).backgroundColor');

  /** Checks the text of every fact; the first ones are above the button without scrolling. */
  async function expectOnPhone(must: Must): Promise<void> {
    expect(
      await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
    ).toBe(false);
    const bar = (await page.getByRole('group', { name: 'Your answer' }).boundingBox())?.y ?? 0;
    expect(bar).toBeGreaterThan(PHONE.height / 2);
    for (const [kind, words] of Object.entries(must)) {
      const fact = page.locator(`[data-fact="${kind}"]`);
      const said = flat(await fact.innerText());
      for (const word of words) expect(said).toMatch(word);
      if (!FIRST.includes(kind)) continue;
      const box = await fact.boundingBox();
      const bottom = (box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0);
      expect(bottom, `${kind} ends above the button`).toBeLessThanOrEqual(bar + 1);
    }
  }

  /** Checks the same in a terminal of 60 columns, before the answer prompt. */
  async function expectInTerminal({ approvalId }: OpenQuestion, must: Must): Promise<string> {
    const { out, err } = await product.command('approve', approvalId);
    expect(out).toBe('');
    const [shown = ''] = err.split('This asks "Type yes');
    for (const line of shown.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(60);
    const text = flat(shown);
    for (const word of Object.values(must).flat()) expect(text).toMatch(word);
    return shown;
  }

  /** Answers by keyboard alone. */
  async function press(button: 'approve' | 'deny'): Promise<void> {
    const focused = () => page.evaluate('document.activeElement.id');
    for (let presses = 0; (await focused()) !== button; presses++) {
      if (presses > 40) throw new Error(`the keyboard does not reach ${button}`);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page
      .getByText(button === 'approve' ? 'You approved' : 'You denied')
      .first()
      .waitFor();
  }

  const steps: [string, () => Promise<void>][] = [];
  const step = (name: string, run: () => Promise<void>) => steps.push([name, run]);

  step('config: says who earns what, who can change it, and what stays', async () => {
    const question = await product.config(once.mint, [
      [product.wallet, 6_000],
      [STRANGER, 4_000],
    ]);
    await look(question);
    await picture('split-2');
    await expectOnPhone(CONFIG);
    await expectInTerminal(question, CONFIG);
    await press('approve');
    await product.landed(question);
  });

  step('config of a hundred: no stranger with one percent is folded away, and the page ends', async () => {
    const crowd = await product.token('Crowd', 'CROWD');
    const strangers = Array.from({ length: 99 }, (_, i) => keyNamed(`claimer ${i}`).address);
    const question = await product.config(crowd.mint, [
      [product.wallet, 100],
      ...strangers.map((address) => [address, 100] as const),
    ]);
    await look(question);
    await picture('split-100');
    await expectOnPhone({
      what: [/“Crowd” \(CROWD\)/],
      control: [/Your wallet can change who earns/],
      leaves: [/at most [\d.]+ SOL/],
      claimers: [/100 wallets earn\. 99 of them are not in your address book: 99% together/],
    });
    const bar = await page.getByRole('group', { name: 'Your answer' }).elementHandle();
    for (const address of strangers) {
      const short = `${address.slice(0, 4)}…${address.slice(-4)}`;
      const shown = page.locator('[data-fact] li:visible').filter({ hasText: RegExp(`${address}|${short}`) });
      expect(await shown.count(), address).toBe(1);
    }
    const above =
      'bar => [...document.querySelectorAll("[data-fact]")].every((each) => each.compareDocumentPosition(bar) & 4)';
    expect(await page.evaluate(`(${above})(document.querySelector('.bar'))`)).toBe(true);
    expect(bar).not.toBeNull();
    const height = Number(
      await page.evaluate('document.querySelector("[data-fact=more]").getBoundingClientRect().bottom'),
    );
    expect(height).toBeLessThan(3 * PHONE.height);
    const text = flat(await expectInTerminal(question, {}));
    for (const address of strangers)
      expect(text).toMatch(RegExp(`1% +(not in your address book +)?${address}`));
    await press('deny');
  });

  step(
    'launch with a first buy: says what it costs, what arrives, and that it cannot be taken back',
    async () => {
      const question = await product.launch(once, feeShareConfigAddress(once.mint, WSOL_MINT));
      await look(question, 'dark');
      await picture('launch');
      await expectOnPhone(LAUNCH);
      await expectInTerminal(question, LAUNCH);
      await press('approve');
      await product.landed(question);
      await product.final(question);
    },
  );

  step('changed split: shows each share beside the one before', async () => {
    const question = await product.split(once.mint, [
      [product.wallet, 1_000],
      [TREASURY, 5_000],
      [STRANGER, 4_000],
    ]);
    await look(question);
    await expectOnPhone(SPLIT);
    await expectInTerminal(question, SPLIT);
    await press('deny');
  });

  step('swap: says price, impact, fees, and until when the quote holds', async () => {
    const question = await product.swap(once.mint, '50000000');
    await look(question);
    await picture('swap');
    await expectOnPhone(SWAP);
    await page.getByText(/This quote holds for \d+ s/).waitFor();
    const text = await expectInTerminal(question, SWAP);
    expect(flat(text)).toMatch(
      /This quote holds for \d+ s\. After that a new quote inside the same bounds is taken/,
    );
    await press('approve');
    await product.landed(question);
  });

  step('payment: says first who is paid exactly how much, and nothing of a fee to them', async () => {
    const question = await product.send(TREASURY, '5000000', 'thanks');
    await look(question);
    await expectOnPhone(SEND);
    expect(await expectInTerminal(question, SEND)).not.toMatch(/Traded|Service fee/);
    await press('approve');
    await product.landed(question);
  });

  step('claim: says what arrives, and that nothing leaves', async () => {
    const question = await product.claim(once.mint);
    await look(question);
    await picture('claim');
    await expectOnPhone(CLAIM);
    await expectInTerminal(question, CLAIM);
    await press('approve');
    await product.landed(question);
  });

  step('something unsupported: says what is exposed, and marks what is only asked for', async () => {
    const question = await product.unsupported(await product.token('Moth', 'MOTH'));
    await look(question, 'dark');
    await picture('unsupported');
    await expectOnPhone(UNSUPPORTED);
    await expectInTerminal(question, UNSUPPORTED);
    once.unverified = await approveColour();
    await press('deny');
  });

  step('first purchase of a token: says before anything else what is unusual', async () => {
    const mint = await product.neverBought();
    const question = await product.swap(mint, '50000000');
    await look(question);
    const must: Must = {
      unusual: [RegExp(`never bought .*${mint.slice(0, 4)}…${mint.slice(-4)}`)],
      leaves: [/at most 0\.05/],
      arrives: [/at least/],
    };
    await expectOnPhone(must);
    await expectInTerminal(question, must);
    await press('deny');
  });

  step('no countdown stands where a screen reader announces changes by itself', async () => {
    const question = await product.swap(once.mint, '60000000');
    await look(question, 'dark');
    expect(await approveColour()).not.toBe(once.unverified);
    expect(await page.locator('[data-until]').count()).toBe(2);
    const announced =
      '[role=status] [data-until], [role=alert] [data-until], [aria-live] [data-until], [role=timer]';
    expect(await page.locator(announced).count()).toBe(0);
    await press('deny');
  });

  it('of each kind shows the key facts above the button and can be answered by keyboard alone', async () => {
    // One wallet for all steps: the launched token is split, bought and claimed from.
    for (const [name, run] of steps) {
      await run().catch((error: unknown) => {
        throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, {
          cause: error,
        });
      });
    }
  });
});
