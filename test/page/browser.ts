/** Chromium for the page's tests, and a served page over a home with an approval request. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { createAnswering } from '../../src/answering/answering.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { createPageChannel, type PageChannel } from '../../src/page/channel.ts';
import type { Mode } from '../../src/plan/types.ts';
import { homeWithQuestion, type QuestionHome } from '../approval/samples.ts';
import { HANGS_MS } from '../eventually.ts';

const CANDIDATES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** Returns the browser's path; `undefined`, with a printed reason, if there is none. */
export function chromiumPath(): string | undefined {
  const found = CANDIDATES.find((path) => path !== undefined && existsSync(path));
  if (found === undefined) {
    process.stderr.write(
      'No Chromium here: the page is not tested in a browser. Set CHROMIUM to its path.\n',
    );
  }
  return found;
}

export const launchBrowser = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: HANGS_MS });

export interface ServedHome extends QuestionHome {
  readonly home: string;
  readonly channel: PageChannel;
  /** Plans resumed after approval. */
  readonly approved: ApprovalRow[];
}

export interface ServeOptions {
  readonly mode?: Mode;
  readonly ownerPublicKey?: () => Promise<string | undefined>;
  readonly open?: (file: string) => boolean;
}

/** Serves the page of a home with one question. */
export async function serveHome(home: string, options: ServeOptions = {}): Promise<ServedHome> {
  const { mode = 'sandbox', ownerPublicKey = async () => undefined, open = () => true } = options;
  const questionHome = await homeWithQuestion(home, mode);
  const { ledger, clock, policy } = questionHome;
  const approved: ApprovalRow[] = [];
  const channel = createPageChannel({
    mode,
    home,
    env: {},
    ledger,
    ownerPublicKey,
    answering: createAnswering({ home, ledger, ownerPublicKey }),
    policy: async () => policy,
    now: clock.now,
    onApproved: (row) => approved.push(row),
    open,
  });
  return { ...questionHome, home, channel, approved };
}

/** Opens the page like a user, through the launch file. */
export async function enter(
  browser: Browser,
  served: ServedHome,
  look: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ colorScheme: 'light', ...look });
  context.setDefaultTimeout(HANGS_MS);
  const page = await context.newPage();
  await page.goto(`file://${await served.channel.launch()}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  return page;
}

/** Measures the contrast of every text against its actual background, by the WCAG formula. */
export const CONTRASTS = `(() => {
  const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => {
    const f = (v) => ((v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const ground = (node) => {
    for (let each = node; each; each = each.parentElement) {
      const colour = parse(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !node.checkVisibility() || node.closest('script, .skip')) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(ground(node))];
    found.push((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05));
  }
  return found;
})()`;
