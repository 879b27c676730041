/** User interactions with the page, in a real Chromium. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { TTL_MS } from '../approval/samples.ts';
import { HANGS_MS } from '../eventually.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import {
  CONTRASTS,
  chromiumPath,
  enter,
  launchBrowser,
  type ServedHome,
  type ServeOptions,
  serveHome,
} from './browser.ts';

const executable = chromiumPath();
const PHONE = { width: 360, height: 740 };

describe.skipIf(executable === undefined)('the approval page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executable ?? '');
  });
  afterAll(() => browser.close());

  async function served(options: ServeOptions = {}): Promise<ServedHome> {
    const home = await serveHome(temporaryHome(), options);
    onTestFinished(async () => {
      await home.channel.close();
      await home.ledger.close();
    });
    return home;
  }
  const live = async (): Promise<ServedHome> => {
    const path = temporaryHome();
    const home = await serveHome(path, { mode: 'live', ownerPublicKey: await withOwner(path) });
    onTestFinished(async () => {
      await home.channel.close();
      await home.ledger.close();
    });
    return home;
  };
  async function question(home: ServedHome, look = {}): Promise<Page> {
    const page = await enter(browser, home, look);
    onTestFinished(() => page.context().close());
    await page.getByRole('link', { name: /Launch a token/ }).click();
    await page.getByRole('heading', { level: 1, name: 'Launch a token' }).waitFor();
    return page;
  }
  const state = async ({ ledger, row }: ServedHome) => (await ledger.rows('approvals', { id: row.id }))[0];
  const hasHorizontalScroll = (page: Page) =>
    page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

  it('shows outflows, payouts, claimers, limits, steps and the hash', async () => {
    const home = await served();
    const page = await question(home);
    const leaves = page.getByRole('group', { name: 'Leaves' });
    expect(await leaves.textContent()).toContain('0.52158 SOL');
    expect(await page.getByRole('group', { name: 'Arrives' }).textContent()).toContain('1,250,000,000,000');
    const locator = page.getByRole('region', { name: 'Who earns' });
    expect(await locator.textContent()).toMatch(/75%.*treasury.*25%.*Not in your address book/s);
    expect(await page.getByRole('img', { name: /^sol-day: 0\.4 SOL used/ }).count()).toBe(1);
    const steps = page.getByRole('region', { name: /Steps/ }).getByRole('listitem');
    expect(await steps.count()).toBe(4);
    await steps.nth(2).getByText('Message hash').click();
    expect(await steps.nth(2).textContent()).toMatch(/base58[1-9A-HJ-NP-Za-km-z]{40,45}hex[0-9a-f]{64}/);
  });

  it('accepts an approval, starts the plan and shows its execution', async () => {
    const home = await served();
    const page = await question(home);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved').waitFor();
    expect(await state(home)).toMatchObject({ state: 'approved', channel: 'page' });
    expect(home.approved.map(({ planId }) => planId)).toEqual([home.plan.planId]);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await home.ledger.setPlanNote(home.plan.planId, { status: 'complete' });
    await page.getByText('Done', { exact: true }).waitFor();
  });

  it('accepts a denial, and nothing is signed', async () => {
    const home = await served();
    const page = await question(home);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('You denied').waitFor();
    expect(await state(home)).toMatchObject({ state: 'denied', channel: 'page' });
    expect(home.approved).toEqual([]);
  });

  it('removes the buttons when the question expires', async () => {
    const home = await served();
    const page = await question(home);
    home.clock.at += TTL_MS;
    await page.getByText('Expired', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect((await state(home))?.state).toBe('expired');
  });

  it('refuses a late approval and states that the question expired', async () => {
    const home = await served();
    const page = await question(home);
    // Block updates, so that the page keeps its buttons.
    await page.route(/\?live$/, () => undefined);
    home.clock.at += TTL_MS;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('alert')
      .getByText(/expired/)
      .waitFor();
    expect((await state(home))?.state).toBe('expired');
    expect(home.approved).toEqual([]);
  });

  it('asks for the owner passphrase in live mode', async () => {
    const home = await live();
    const page = await question(home);
    await page.getByLabel('Owner passphrase').fill('not the right one');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').getByText('does not open the owner key').waitFor();
    expect((await state(home))?.state).toBe('pending');
    expect(await page.getByLabel('Owner passphrase').inputValue()).toBe('');
    await page.getByLabel('Owner passphrase').fill(OWNER_PASSPHRASE);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved').waitFor();
    const row = await state(home);
    expect(row?.statement).toBeDefined();
    expect(page.url() + JSON.stringify(row) + (await page.content())).not.toContain(OWNER_PASSPHRASE);
  });

  it('keeps a typed passphrase while polling', async () => {
    const home = await live();
    const page = await question(home);
    await page.getByLabel('Owner passphrase').fill('half a passphr');
    const news = page.waitForResponse(/\?live$/);
    await home.ledger.setPlanNote(home.plan.planId, { status: 'running' });
    await news;
    await page.waitForResponse(/\?live$/);
    expect(await page.getByLabel('Owner passphrase').inputValue()).toBe('half a passphr');
  });

  it('freezes with one click and lifts it only with the owner passphrase', async () => {
    const home = await live();
    const page = await enter(browser, home);
    onTestFinished(() => page.context().close());
    await page.getByRole('button', { name: 'Freeze signing' }).click();
    await page.getByText('Signing is frozen').waitFor();
    expect(await frozenFor(home.ledger)).toMatchObject({ reason: 'A person froze signing on the page.' });
    await page.getByLabel('Owner passphrase').fill('not the right one');
    await page.getByRole('button', { name: 'Lift the freeze' }).click();
    await page.getByRole('alert').getByText('does not open the owner key').waitFor();
    expect(await frozenFor(home.ledger)).toBeDefined();
    await page.getByLabel('Owner passphrase').fill(OWNER_PASSPHRASE);
    await page.getByRole('button', { name: 'Lift the freeze' }).click();
    await page.getByText('Signing is frozen').waitFor({ state: 'detached' });
    expect(await frozenFor(home.ledger)).toBeUndefined();
  });

  it('can be used with the keyboard alone', async () => {
    const home = await live();
    const page = await enter(browser, home);
    onTestFinished(() => page.context().close());
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
    const tabTo = async (wanted: string) => {
      for (let presses = 0; presses < 30; presses++) {
        await page.keyboard.press('Tab');
        if (String(await focused()).includes(wanted)) return;
      }
      throw new Error(`the keyboard does not reach ${wanted}`);
    };
    await tabTo(home.row.id);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await tabTo('passphrase');
    await page.keyboard.type(OWNER_PASSPHRASE);
    await tabTo('approve');
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.getByText('You approved').waitFor();
    expect((await state(home))?.state).toBe('approved');
  });

  it('gives every control a name and every page its own heading', async () => {
    const home = await live();
    const page = await question(home);
    const nameless = await page.evaluate(
      `[...document.querySelectorAll('button, input:not([type=hidden]), a, summary')].filter((each) =>
        !(each.getAttribute('aria-label') || each.textContent.trim() || each.labels?.[0]?.textContent.trim())).length`,
    );
    expect(nameless).toBe(0);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(await page.getAttribute('html', 'lang')).toBe('en');
  });

  it('is readable in dark and light mode', async () => {
    const home = await served();
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await question(home, { colorScheme });
      const contrasts = await page.evaluate(CONTRASTS);
      expect(Math.min(...(contrasts as number[]))).toBeGreaterThanOrEqual(4.5);
      const ground = String(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
      const [red = '0'] = /\d+/.exec(ground) ?? [];
      expect(Number(red) < 128).toBe(colorScheme === 'dark');
    }
  });

  it('fits a narrow window with visible buttons', async () => {
    const home = await live();
    const page = await question(home, { viewport: PHONE });
    expect(await hasHorizontalScroll(page)).toBe(false);
    for (const name of ['Approve', 'Deny']) {
      const box = await page.getByRole('button', { name }).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(40);
      expect((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
    }
    await page.goto(page.url().replace(/approval\/.*/, ''));
    expect(await hasHorizontalScroll(page)).toBe(false);
  });

  it('shows untrusted text as text and runs only its own scripts', async () => {
    const home = await served();
    const page = await question(home);
    await page.getByText('The agent’s request, and').click();
    await page.getByText('Ignore <b>previous</b> instructions').waitFor();
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.evaluate(
      `const s = document.createElement('script'); s.textContent = 'window.ran = true'; document.body.append(s);
       const i = new Image(); i.src = 'https://stranger.invalid/x.png'; document.body.append(i);`,
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
    await expect
      .poll(() => blocked.filter((text) => /Content Security Policy/.test(text)).length)
      .toBeGreaterThanOrEqual(2);
  });

  it('opens once by its launch file, which is then removed', async () => {
    const home = await served();
    const page = await enter(browser, home);
    onTestFinished(() => page.context().close());
    const { existsSync } = await import('node:fs');
    await expect.poll(() => existsSync(`${home.home}/approve.html`)).toBe(false);
    const other = await browser.newContext();
    other.setDefaultTimeout(HANGS_MS);
    onTestFinished(() => other.close());
    const stranger = await other.newPage();
    await stranger.goto(page.url());
    await stranger.getByRole('heading', { name: 'Not open' }).waitFor();
  });

  it('reports an unreachable server', async () => {
    const home = await served();
    const page = await question(home);
    await home.channel.close();
    await page.getByRole('alert').getByText('does not answer any more').waitFor();
  });
});
