/** History, spending and limits on the page, in a real Chromium: a day of ten plans. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { systemClock } from '../../src/clock.ts';
import { movesIn } from '../../src/ledger/plans/recordedMoves.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { createPageChannel, type PageChannel } from '../../src/page/channel.ts';
import { explorerLink, explorerProblem } from '../../src/page/history/explorer.ts';
import { queue } from '../../src/page/queue.ts';
import { inputsDigest } from '../../src/policy/decide/decisionInputs.ts';
import { parsePolicy } from '../../src/policy/file/file.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import { activityIn } from '../../src/presentation/history/past.ts';
import { pendingViews } from '../../src/presentation/question/readView.ts';
import { embeddedPolicy } from '../../src/review/templates/embedded.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { homeWithQuestion, stage } from '../approval/samples.ts';
import { type Day, removeDay, tenPlans } from '../cli/money/tenPlans.ts';
import { HANGS_MS } from '../eventually.ts';
import { handClock, sampleDecision, sampleInput, samplePlan } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { CONTRASTS, chromiumPath, launchBrowser } from './browser.ts';

const executable = chromiumPath();
const PHONE = { width: 390, height: 844 };
const EXPLORER = 'https://explorer.invalid/tx/{signature}';

describe.skipIf(executable === undefined)('history pages', () => {
  let browser: Browser;
  let day: Day;
  const channels: PageChannel[] = [];
  beforeAll(async () => {
    browser = await launchBrowser(executable ?? '');
    day = await tenPlans();
  });
  afterAll(async () => {
    await Promise.all(channels.map((channel) => channel.close()));
    await browser.close();
    await removeDay(day);
  });

  /** Opens the page of the day's home like a user. */
  async function open(
    place: 'History' | 'Limits',
    { look = {}, explorer }: { look?: BrowserContextOptions; explorer?: string } = {},
  ): Promise<{ page: Page; requests: string[] }> {
    const { home, folder } = day;
    const parsed = parsePolicy(
      JSON.stringify(embeddedPolicy({ wallet: home.wallet, network: home.sandbox.genesisHash })),
    );
    const ownerPublicKey = async () => undefined;
    const channel = createPageChannel({
      mode: 'sandbox',
      home: folder,
      env: {},
      ledger: home.ledger,
      ownerPublicKey,
      answering: createAnswering({ home: folder, ledger: home.ledger, ownerPublicKey }),
      policy: async () => ('errors' in parsed ? undefined : parsed),
      now: systemClock.now,
      explorer,
      open: () => true,
    });
    channels.push(channel);
    const context = await browser.newContext({ colorScheme: 'light', ...look });
    context.setDefaultTimeout(HANGS_MS);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`file://${await channel.launch()}`);
    await page.getByRole('link', { name: place }).click();
    await page.getByRole('heading', { level: 1, name: place }).waitFor();
    return { page, requests };
  }
  const textOfPlan = async (page: Page, name: string): Promise<string> =>
    ((await page.locator(`[id="${day.plans[name]}"]`).textContent()) ?? '').replace(/\s+/g, ' ');

  it('show for each of ten plans its time, summary, outcome, amounts and reason', async () => {
    const { page } = await open('History');
    expect(await page.getByRole('listitem').count()).toBe(10);
    const expectations: [string, RegExp][] = [
      [
        'config 2',
        /^Set up who shares the fees ?landed .+: 2 wallets earn; at most 0\.\d+ SOL leaves SOL ?−0\.\d+ SOL/,
      ],
      [
        'swapped',
        /^Swap tokens ?landed at most 0\.1\d* SOL leaves; at least [\d.]+ token \w+…\w+ arrives SOL ?−0\.[\d]+ SOL ?\w+ ?\+[\d,.]+ ?Fee, 1 transaction ?0\.0\d+ SOL/,
      ],
      [
        'launched',
        /^Launch a token ?landed “\w+”.*: .*at most 0\.\d+ SOL leaves.* SOL ?−0\.\d+ SOL.*Fee, \d transactions/,
      ],
      [
        'too much',
        /^Swap tokens ?denied swap of 3 SOL for \w+ A limit would be exceeded: limit sol-tx \(3\.\d+ SOL; allowed: 2 SOL\)/,
      ],
      [
        'said no',
        /^Launch a token ?denied .*at most 0\.\d+ SOL leaves.* A person was asked and denied this\./,
      ],
      [
        'failed',
        /^Swap tokens ?failed at most 0\.11\d* SOL leaves.* "Swap" landed and failed \(instruction \d of it: error 1 of its program\).*Moved ?nothing ?Fee, 1 transaction/,
      ],
      ['lost', /^Swap tokens ?expired .*0\.12\d* SOL.*quote/],
      ['unanswered', /^Launch a token ?expired .*leaves.* The question expired/],
    ];
    for (const [name, words] of expectations) {
      expect(await textOfPlan(page, name)).toMatch(words);
      expect(await textOfPlan(page, name)).toMatch(/\d\d:\d\d/);
    }
    expect(await textOfPlan(page, 'lost')).not.toContain('Fee');
  });

  it("sum to the chain's balances, to the lamport", async () => {
    const { page } = await open('History');
    const sums = page.getByRole('region', { name: 'All together' });
    expect(await sums.textContent()).toMatch(/4 landed.*3 denied.*2 expired.*1 failed/s);
    const amount = async (name: string): Promise<bigint> => {
      const row = sums.locator('div', { has: page.getByText(name, { exact: true }) }).locator('dd');
      const text = ((await row.textContent()) ?? '').replaceAll(',', '');
      const [, sign, whole = '', part = ''] = /([+−]?)(\d+)\.?(\d*)/.exec(text) ?? [];
      return BigInt(`${sign === '−' ? '-' : ''}${whole}${part.padEnd(9, '0')}`);
    };
    const left = (await amount('SOL')) - (await amount('Network fees'));
    expect((day.before.get('SOL') ?? 0n) + left).toBe(day.after.get('SOL'));
  });

  it('find plans by text, outcome and signature, and report that none matches', async () => {
    const { page } = await open('History');
    const find = async (text: string, ended = ''): Promise<number> => {
      await page.getByRole('searchbox', { name: 'Search' }).fill(text);
      await page.getByLabel('Ended').selectOption(ended);
      await page.getByRole('button', { name: 'Find' }).click();
      await page.waitForURL((url) => url.searchParams.get('q') === text);
      return page.getByRole('listitem').count();
    };
    expect(await find('swap')).toBe(5);
    expect(await find('SWAP  limit')).toBe(2);
    expect(await find('', 'failed')).toBe(1);
    expect(await page.getByLabel('Ended').inputValue()).toBe('failed');
    const [moved] = movesIn(await day.home.ledger.rows('journal', { planId: day.plans.swapped ?? '' }));
    expect(await find(moved?.signature ?? 'none')).toBe(1);
    expect(await find('"><b id=x>')).toBe(0);
    expect(await page.locator('b#x').count()).toBe(0);
    await page.getByText('No plan in this period matches.').waitFor();
  });

  it('link transactions to the configured explorer, to none on a sandbox otherwise, and request nothing from it', async () => {
    const { page, requests: asked } = await open('History', { explorer: EXPLORER });
    const [moved] = movesIn(await day.home.ledger.rows('journal', { planId: day.plans.swapped ?? '' }));
    const link = page.getByRole('link', { name: `Transaction ${moved?.signature} in the explorer` });
    expect(await link.getAttribute('href')).toBe(`https://explorer.invalid/tx/${moved?.signature}`);
    expect(await link.getAttribute('rel')).toContain('noreferrer');
    expect(asked.filter((url) => !/^(file:|http:\/\/127\.0\.0\.1:)/.test(url))).toEqual([]);
    const without = await open('History');
    expect(await without.page.getByRole('link', { name: /in the explorer/ }).count()).toBe(0);
  });

  it('show the use and the remainder of each limit', async () => {
    const { page } = await open('Limits');
    const limit = page.getByRole('region', { name: 'sol-day' });
    expect(await limit.textContent()).toMatch(
      /At most 100 SOL in any 24 hours.*Used ?0\.\d+ SOL.*Left ?99\.\d+ SOL/s,
    );
    expect(await limit.getByRole('img', { name: /% used$/ }).count()).toBe(1);
  });

  it.each(['History', 'Limits'] as const)(
    '%s is readable in dark and light mode and fits a phone',
    async (place) => {
      for (const colorScheme of ['dark', 'light'] as const) {
        const { page } = await open(place, { look: { colorScheme, viewport: PHONE }, explorer: EXPLORER });
        for (const each of await page.locator('summary').all()) await each.click();
        const contrasts = await page.evaluate(CONTRASTS);
        expect(Math.min(...(contrasts as number[]))).toBeGreaterThanOrEqual(4.5);
        expect(
          await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
        ).toBe(false);
      }
    },
  );
});

describe('explorer links', () => {
  it('are the standard ones on public networks, none elsewhere, and can be disabled', () => {
    const mainnet = GENESIS['mainnet-beta'] ?? '';
    expect(explorerLink('sig', mainnet, undefined)).toBe('https://explorer.solana.com/tx/sig');
    expect(explorerLink('sig', mainnet, 'none')).toBeUndefined();
    expect(explorerLink('sig', mainnet, 'https://mine.example/{signature}/x')).toBe(
      'https://mine.example/sig/x',
    );
    expect(explorerLink('sig', 'a sandbox', undefined)).toBeUndefined();
  });

  it('refuse an address without a signature placeholder or with another scheme', () => {
    expect(explorerProblem('https://explorer.example/')).toContain('{signature}');
    expect(explorerProblem('javascript:alert("{signature}")')).toContain('http or https');
    expect(explorerLink('sig', 'x', 'javascript:alert("{signature}")')).toBeUndefined();
    expect(explorerProblem('none')).toBeUndefined();
  });
});

describe('the queue', () => {
  it('groups several questions of one plan under its name; a single question is not grouped', async () => {
    const { ledger } = await homeWithQuestion(temporaryHome());
    onTestFinished(() => ledger.close());
    const [view] = await pendingViews(ledger);
    if (view === undefined) throw new Error('no question');
    const single = `${queue('/p/', [view], 0)}`;
    expect(single).not.toContain('questions of one plan');
    const other = { ...view, id: 'approval-other', planId: 'plan-other' };
    const text = `${queue('/p/', [view, other, { ...view, id: 'approval-second' }], 0)}`;
    expect(text.match(/2 questions of one plan/g)).toHaveLength(1);
    const ids = [...text.matchAll(/href="\/p\/approval\/([\w-]+)"/g)].map(([, id]) => id);
    expect(ids).toEqual([view.id, 'approval-second', 'approval-other']);
  });
});

it('shows amounts of a plan without effect in the decimals read by a decision', async () => {
  const ledger = openLedger({ home: temporaryHome(), clock: handClock(0) });
  onTestFinished(() => ledger.close());
  const mint = 'FdYq9oaR1TT1LUdbPxM2pmNsRcUq6wsvoGmRKoXtXKKq';
  const data = Buffer.alloc(82);
  data.set([9, 1], 44);
  const account = { address: mint, exists: true, lamports: '1', owner: TOKEN_PROGRAM, executable: false };
  const plan = samplePlan({ operation: 'swap', stages: [stage('swap', 'swap')] });
  const input = sampleInput(
    plan,
    'swap',
    sampleDecision({
      changes: [
        { asset: 'SOL', out: '1000000000', in: '0' },
        { asset: mint, out: '0', in: '2500000000' },
      ],
    }),
  );
  const inputs = { ...input.inputs, accounts: [{ ...account, data: data.toString('base64') }] };
  const decision = { ...input.decision, inputsDigest: inputsDigest(inputs) };
  await ledger.storePlan(plan);
  await ledger.recordDecision({ ...input, inputs, decision, purpose: 'preview' });
  const { all } = await activityIn(ledger, { from: 0, until: Number.MAX_SAFE_INTEGER });
  expect(all[0]?.asked).toMatch(/1\.\d+ SOL leaves; at least 2\.5 token FdYq…XKKq arrives/);
});
