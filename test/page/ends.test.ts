/** Ends of a question on the page, in a real Chromium: displayed outcome, and notifications of the next question. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cancelPlan } from '../../src/execution/sending/cancelled.ts';
import { askAbout, askAboutTrade, launchDecisions, launchPlan, TTL_MS } from '../approval/samples.ts';
import { HANGS_MS } from '../eventually.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { chromiumPath, enter, launchBrowser, type ServedHome, serveHome } from './browser.ts';

const executable = chromiumPath();

describe.skipIf(executable === undefined)('a question on the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executable ?? '');
  });
  afterAll(() => browser.close());

  async function question(look = {}): Promise<{ home: ServedHome; page: Page }> {
    const home = await serveHome(temporaryHome());
    onTestFinished(async () => {
      await home.channel.close();
      await home.ledger.close();
    });
    const page = await enter(browser, home, look);
    onTestFinished(() => page.context().close());
    await page.locator(`#${home.row.id}`).click();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    return { home, page };
  }

  it('is denied with a reason, typed by keyboard, which the ledger keeps for the agent', async () => {
    const { home, page } = await question();
    await page.getByText('Reason', { exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Your reason, shown to the agent').fill('Ask for half.');
    await page.keyboard.press('Enter');
    await page.getByText('with your reason: “Ask for half.”').waitFor();
    expect(await home.ledger.rows('approvals', { id: home.row.id })).toMatchObject([
      { state: 'denied', reason: 'Ask for half.' },
    ]);
  });

  it('approves similar plans too if a number is given, and revokes that with a button', async () => {
    const home = await serveHome(temporaryHome());
    onTestFinished(async () => {
      await home.channel.close();
      await home.ledger.close();
    });
    const row = await askAboutTrade(home.ledger);
    const page = await enter(browser, home, { viewport: { width: 390, height: 844 } });
    onTestFinished(() => page.context().close());
    await page.locator(`#${row.id}`).click();
    await page.getByText('Approve similar plans too').click();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/like-phone.png` });
    await page.getByLabel('How many more').fill('x');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('alert').getByText('number of plans').waitFor();
    await page.getByText('Approve similar plans too').click();
    await page.getByLabel('How many more').fill('2');
    await page.getByLabel('In total').fill('0.15');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('0.15 SOL in total').waitFor();
    if (process.env.SHOTS)
      await page.screenshot({ path: `${process.env.SHOTS}/like-granted.png`, fullPage: true });
    expect(await askAboutTrade(home.ledger, 'sandbox', 'plan-like')).toMatchObject({ channel: 'grant' });
    await page.getByRole('button', { name: 'Ask me again each time' }).click();
    await page.getByText('You ended it').waitFor();
    expect(await askAboutTrade(home.ledger, 'sandbox', 'plan-later')).toMatchObject({ state: 'pending' });
  });

  it('has unique accessible names, so that each label names one control', async () => {
    const { page } = await question();
    const ids = await page.evaluate(`[...document.querySelectorAll('[id]')].map(({ id }) => id)`);
    expect(ids).toEqual([...new Set(ids as string[])]);
  });

  it('shows why an approved plan was not executed, also after a reload', async () => {
    const { home, page } = await question();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('You approved').waitFor();
    await home.ledger.setPlanNote(home.plan.planId, { status: 'failed', code: 'QUOTE_EXPIRED' });
    await page.getByText('so nothing was traded').waitFor();
    // A reload after a form submits nothing: the address is the question's own.
    await page.reload();
    await page.getByText('so nothing was traded').waitFor();
    expect(home.approved).toHaveLength(1);
    expect(new URL(page.url()).pathname).toMatch(/approval\/approval-[0-9a-f]+$/);
  });

  it('loses its buttons and shows the reason if the agent cancels the plan', async () => {
    const { home, page } = await question();
    await cancelPlan(home.ledger, home.plan.planId);
    await page.getByText('The plan was cancelled').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All approvals' }).click();
    await page.getByRole('heading', { name: 'No open questions' }).waitFor();
  });

  it('that has expired shows its expiry and cannot be answered', async () => {
    const { home, page } = await question();
    await page.route(/\?live$/, () => undefined);
    home.clock.at += TTL_MS;
    await page.getByRole('button', { name: 'Approve' }).click();
    await page
      .getByRole('alert')
      .getByText(/expired at \d{4}-\d\d-\d\d .* without an answer/)
      .waitFor();
    expect(home.approved).toEqual([]);
  });

  it('cannot be answered once the server is gone, and explains how to reopen the page', async () => {
    const { home, page } = await question();
    await home.channel.close();
    await page.getByRole('alert').getByText('countersign open').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
  });

  it('shows the number of open questions in the tab title, and a notification for a new one', async () => {
    const { home, page } = await question({ permissions: ['notifications'] });
    expect(await page.title()).toMatch(/^\(1\) /);
    await page.evaluate(
      `window.shown = []; window.Notification = class { static permission = 'granted'; constructor(...a) { window.shown.push(a); } };`,
    );
    const { policy, ledger } = home;
    const more = launchPlan('sandbox', { planId: 'plan-2', intentKey: 'another intent' });
    await askAbout(ledger, policy, more, launchDecisions(policy));
    await expect.poll(() => page.title(), { timeout: HANGS_MS }).toMatch(/^\(2\) /);
    const shown = JSON.stringify(await page.evaluate('window.shown'));
    expect(shown).toContain('Countersign has a question');
    // Text visible to others contains no details of the question.
    expect(shown).not.toMatch(/SOL|plan-2|approval-|Launch/);
    await ledger.answerApproval(home.row.id, { state: 'denied', channel: 'command' });
    await expect.poll(() => page.title(), { timeout: HANGS_MS }).toMatch(/^\(1\) /);
    expect(await page.evaluate('window.shown.length')).toBe(1);
  });

  it('requests notifications by a button only, which disappears once answered', async () => {
    const { page } = await question();
    await page.evaluate(
      `window.asked = 0; window.Notification = class { static permission = 'default';
        static async requestPermission() { window.asked += 1; Notification.permission = 'denied'; } };`,
    );
    const button = page.getByRole('button', { name: 'Show a desktop notification for each new question' });
    await page.evaluate('mayAsk()');
    expect(await page.evaluate('window.asked')).toBe(0);
    await button.click();
    await button.waitFor({ state: 'hidden' });
    expect(await page.evaluate('window.asked')).toBe(1);
  });
});
