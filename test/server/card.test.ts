/**
 * Plan card in a real browser, inside a simulated MCP Apps host: a sandboxed frame without an origin, messages by
 * `postMessage`, and a real server behind it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { select } from '../../src/server/catalogue.ts';
import { Product } from '../e2e/askingProduct.ts';
import { objects, text } from '../e2e/harness.ts';
import { HANGS_MS } from '../eventually.ts';
import { CONTRASTS, chromiumPath, launchBrowser } from '../page/browser.ts';
import { type Fields, object, type Spawned, spawnServer } from './spawned.ts';

const URI = 'ui://countersign/plan';
const APPS = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };
const STATELESS = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
};

async function connected(capabilities: Fields): Promise<Spawned> {
  const server = spawnServer(['--toolsets', 'default,claims']);
  const clientInfo = { name: 'test', version: '1' };
  await server.request('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
  server.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return server;
}

/** Server methods used by the host. */
type Server = Pick<Spawned, 'request'>;

const result = async (asked: Promise<Fields>): Promise<Fields> => object((await asked).result);
const toolsOf = async (asked: Promise<Fields>): Promise<Fields[]> => objects((await result(asked)).tools);
const ask = (server: Server, name: string, args: Fields = {}): Promise<Fields> =>
  result(server.request('tools/call', { name, arguments: args }));

describe('the card is served', () => {
  test('to no host without apps: its list and its resources are unchanged', async () => {
    const other = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } } };
    const plain = select({ toolsets: ['default', 'claims'] }).map((each) => each.tool);
    for (const capabilities of [{}, other]) {
      const server = await connected(capabilities);
      expect(await toolsOf(server.request('tools/list'))).toEqual(plain);
      expect(JSON.stringify(await result(server.request('resources/list')))).not.toContain('ui://');
      const _meta = { ...STATELESS, 'io.modelcontextprotocol/clientCapabilities': capabilities };
      expect(await toolsOf(spawnServer().request('tools/list', { _meta }))).toEqual(
        select({}).map((each) => each.tool),
      );
    }
  });

  test('T200 to hosts with apps, with each tool that returns a plan; an app may follow a plan and call nothing else', async () => {
    const _meta = { ...STATELESS, 'io.modelcontextprotocol/clientCapabilities': APPS };
    const lists = [
      await toolsOf((await connected(APPS)).request('tools/list')),
      await toolsOf(spawnServer(['--toolsets', 'default,claims']).request('tools/list', { _meta })),
    ];
    for (const tools of lists) {
      expect(tools.length).toBeGreaterThan(38);
      for (const { name, _meta: meta, ...tool } of tools) {
        const { resourceUri, visibility } = object(object(meta).ui);
        const answersPlan = 'plan' in object(object(tool.outputSchema).properties);
        expect(resourceUri, text(name)).toBe(answersPlan ? URI : undefined);
        expect(visibility, text(name)).toEqual(name === 'get_plan' ? ['model', 'app'] : ['model']);
      }
      expect(
        tools.filter(({ _meta: meta }) => 'resourceUri' in object(object(meta).ui)).length,
      ).toBeGreaterThan(12);
    }
  });
});

/** Saves pictures for review in the folder of `COUNTERSIGN_SHOTS`. */
async function shoot(page: Page, name: string): Promise<void> {
  const cut = `document.documentElement.scrollHeight - innerHeight`;
  // The frame has its card's height.
  await expect.poll(() => page.frames().at(-1)?.evaluate(cut)).toBeLessThanOrEqual(0);
  const folder = process.env.COUNTERSIGN_SHOTS;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/card-${name}.png`, fullPage: true });
}

const executable = chromiumPath();

/** Host page with a log. `follow` is the host's connection to the server and decides nothing. */
const HOST = `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>body{margin:0;padding:16px;background:#fff}
@media(prefers-color-scheme:dark){body{background:#111}} iframe{border:0;width:100%;height:60px;display:block}</style></head>
<body><iframe sandbox="allow-scripts"></iframe><script>
const frame = document.querySelector('iframe');
window.sent = [];
const reply = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
window.show = (params) => reply({ method: 'ui/notifications/tool-result', params });
window.tell = reply;
window.load = (html) => { frame.srcdoc = html; };
addEventListener('message', async ({ source, data }) => {
  if (source !== frame.contentWindow) return;
  if (data.method === 'ui/notifications/size-changed') { frame.style.height = data.params.height + 'px'; return; }
  window.sent.push(data);
  if (data.method === 'ui/initialize') {
    const theme = matchMedia('(prefers-color-scheme:dark)').matches ? 'dark' : 'light';
    reply({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' },
      hostCapabilities: { openLinks: {}, serverTools: {} },
      hostContext: { theme, locale: 'en-GB', timeZone: 'UTC', containerDimensions: { maxHeight: 4000 } } } });
  } else if (data.method === 'tools/call') {
    reply({ id: data.id, result: await window.callServer(data.params.name, data.params.arguments) });
  } else if (data.id !== undefined && data.method !== undefined) reply({ id: data.id, result: {} });
});
</script></body></html>`;

interface Shown {
  readonly page: Page;
  readonly card: Frame;
  /** Returns requests and notifications of the card, except size changes. */
  sent(): Promise<Fields[]>;
  show(call: Fields): Promise<void>;
  says(words: string | RegExp): Promise<void>;
  /** Addresses requested by the page, except the host page itself. */
  readonly loaded: string[];
}

describe.skipIf(executable === undefined)('the card in a host', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executable ?? '');
  });
  afterAll(() => browser.close());

  async function hosted(server: Server, look: object = {}): Promise<Shown> {
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(HOST);
    });
    await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
    onTestFinished(() => {
      site.close();
      site.closeAllConnections();
    });
    const address = site.address() as AddressInfo; // listening on a port, never a pipe
    const context = await browser.newContext({ colorScheme: 'light', ...look });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(HANGS_MS);
    const page = await context.newPage();
    await page.exposeFunction('callServer', (name: string, args: Fields) => ask(server, name, args));
    await page.goto(`http://127.0.0.1:${address.port}/`);
    const loaded: string[] = [];
    page.on('request', (request) => loaded.push(request.url()));
    const read = await result(server.request('resources/read', { uri: URI }));
    const [resource = {}] = objects(read.contents);
    expect(resource).toMatchObject({ uri: URI, mimeType: 'text/html;profile=mcp-app' });
    await page.evaluate(`window.load(${JSON.stringify(text(resource.text))})`);
    const sent = async (): Promise<Fields[]> => objects(await page.evaluate('window.sent'));
    await expect
      .poll(async () => (await sent()).map(({ method }) => method))
      .toContain('ui/notifications/initialized');
    const card = page.frames().find((each) => each !== page.mainFrame());
    if (card === undefined) throw new Error('no frame');
    return {
      page,
      card,
      sent,
      loaded,
      show: async (call) => {
        await page.evaluate(`window.show(${JSON.stringify(call)})`);
      },
      says: async (words) => {
        await expect.poll(() => card.locator('main').innerText()).toMatch(words);
        expect(await card.locator('main').innerText()).not.toContain('[object');
      },
    };
  }

  const calls = async ({ sent }: Shown): Promise<string[]> =>
    (await sent()).map(({ method, params }) =>
      `${String(method)} ${String(object(params).name ?? '')}`.trim(),
    );

  /** Builds a config that splits fees. */
  async function built(server: Server): Promise<Fields> {
    const { structuredContent: token } = await ask(server, 'create_token_info', {
      ...{ name: 'Card', symbol: 'CARD', description: 'a test', imageUrl: 'https://example.com/a.png' },
    });
    const { structuredContent: wallet } = await ask(server, 'get_wallet');
    const own = object(wallet).address;
    return ask(server, 'create_fee_share_config', {
      ...{ baseMint: object(token).tokenMint, flow: 'damm_v2_direct', claimersArray: [own] },
      ...{ basisPointsArray: [10_000], admin: own },
    });
  }

  test("shows outflows, claimers and the plan's status, and follows it to its end with get_plan only", async () => {
    const server = await connected(APPS);
    const shown = await hosted(server);
    const config = await built(server);
    await shown.show(config);
    await shown.says(/Ready to sign/);
    await shown.says(/Leaves at most\s+0\.\d+ SOL/);
    await shown.says(/Who earns/);
    await shown.says(/100 ?%/);
    await shown.says(/0 of \d/);
    await shoot(shown.page, 'ready');
    const { planId } = object(object(config.structuredContent).plan);
    await ask(server, 'submit_plan', { planId, waitSeconds: 60 });
    await shown.says(/Done/);
    await shown.says(/Left the wallet\s+0\.\d+ SOL/);
    await shoot(shown.page, 'done');
    const seen = new Set(await calls(shown));
    expect([...seen].sort()).toEqual([
      'tools/call get_plan',
      'ui/initialize',
      'ui/notifications/initialized',
    ]);
    // Ended: no further requests.
    const before = (await calls(shown)).length;
    await new Promise((done) => setTimeout(done, 4_000));
    expect(await calls(shown)).toHaveLength(before);
    expect(shown.loaded.filter((url) => url !== 'about:srcdoc')).toEqual([]);
  });

  test("links to the page of a real question and shows the owner's answer", async () => {
    const product = await Product.start();
    onTestFinished(() => product.stop());
    const { server } = product;
    const shown = await hosted(server);
    const { planId } = object(object((await built(server)).structuredContent).plan);
    const submitted = await ask(server, 'submit_plan', { planId, waitSeconds: 30 });
    await shown.show(submitted);
    await shown.says(/Waits for your approval/);
    const { where } = object(object(object(submitted.structuredContent).plan).approval);
    const [url = ''] = /http:[^,]+/.exec(String(where)) ?? [];
    await shown.card.getByRole('button', { name: 'Open the approval page' }).click();
    const opened = async () => (await shown.sent()).find(({ method }) => method === 'ui/open-link')?.params;
    await expect.poll(opened).toEqual({ url });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    await shoot(shown.page, 'asked');
    const denied = await product.command('deny', text(planId), '--reason', 'not <b>today</b>', '--yes');
    expect(denied.code, denied.err).toBe(0);
    await shown.says(/You denied it[\s\S]*not <b>today<\/b>/);
    expect(await shown.card.getByRole('button').count()).toBe(0);
    await shoot(shown.page, 'denied');
  });

  test('shows why a plan was refused and what a person can change', async () => {
    const server = await connected(APPS);
    const shown = await hosted(server);
    const feed = objects(object((await ask(server, 'get_launch_feed')).structuredContent).launches);
    const outputMint = feed.find(({ symbol }) => symbol === 'HARBOR')?.tokenMint;
    const quoted = await ask(server, 'get_swap_quote', {
      inputMint: 'SOL',
      outputMint,
      amount: '20000000000',
    });
    const { requestId } = object(quoted.structuredContent);
    await shown.show(await ask(server, 'create_swap', { requestId }));
    await shown.says(/Denied[\s\S]*Refused[\s\S]*10 SOL[\s\S]*can raise the limit/);
  });

  const hostile = '<img src=x onerror="parent.hacked=1"><script>parent.hacked=1</script>‮LOS';
  const question = (where: string): Fields => ({
    content: [],
    structuredContent: {
      mode: 'live',
      plan: {
        ...{ planId: 'plan-0123456789abcdef', operation: 'send', status: 'approval_required' },
        asked: `Swap 0.5 SOL for at least 12,000 "${hostile}"`,
        expected: {
          leavesAtMost: [{ asset: 'SOL', amount: '0.5024' }],
          arrivesAtLeast: [
            { asset: 'So22222222222222222222222222222222222222222', symbol: hostile, amount: '12000' },
          ],
          returns: '0.00203928',
        },
        says: ['Moving 12,000 of it would move its price by 7.1 %.', hostile],
        claimers: { after: { count: 1, largest: [{ wallet: hostile, share: '100 %' }] } },
        decision: { effect: 'require_approval', reasonCodes: ['PRICE_IMPACT'], explain: hostile },
        approval: { id: 'approval-1', state: 'pending', expiresAt: '2026-11-27T14:05:00.000Z', where },
        stages: [{ id: hostile, kind: 'swap', status: 'ready', note: hostile }],
        next: hostile,
      },
    },
  });
  const PAGE = 'http://127.0.0.1:4711/';

  test.each([
    ['desktop, light', { viewport: { width: 760, height: 900 } }],
    [
      'phone, dark',
      { viewport: { width: 390, height: 844 }, colorScheme: 'dark', hasTouch: true, isMobile: true },
    ],
  ])(
    "%s: T200 a question with hostile names is shown as readable text and links to the owner's page",
    async (name, look) => {
      const shown = await hosted(await connected(APPS), look);
      await shown.show(
        question(`the approval page (${PAGE}, or countersign open), or countersign approve approval-1`),
      );
      await shown.says(/Waits for your approval/);
      await shown.says(/<img src=x/);
      expect(await shown.card.locator('img, a, form, input, iframe, main script').count()).toBe(0);
      expect(await shown.page.evaluate('window.hacked')).toBeUndefined();
      // Nothing is clipped horizontally, and every text has sufficient contrast.
      const [inner, outer] = objects([
        await shown.card.evaluate('({ scroll: document.documentElement.scrollWidth, width: innerWidth })'),
        await shown.page.evaluate('({ scroll: document.documentElement.scrollWidth, width: innerWidth })'),
      ]);
      expect(Number(inner?.scroll)).toBeLessThanOrEqual(Number(inner?.width));
      expect(Number(outer?.scroll)).toBeLessThanOrEqual(Number(outer?.width));
      const contrasts = await shown.card.evaluate<number[]>(CONTRASTS);
      expect(contrasts.length).toBeGreaterThan(10);
      expect(Math.min(...contrasts)).toBeGreaterThanOrEqual(4.5);
      await shoot(shown.page, name.replace(', ', '-'));
      const buttons = shown.card.getByRole('button');
      expect(await buttons.count()).toBe(1);
      await buttons.click();
      await expect.poll(() => calls(shown)).toContain('ui/open-link');
      expect((await shown.sent()).find(({ method }) => method === 'ui/open-link')?.params).toEqual({
        url: PAGE,
      });
      for (const call of await calls(shown))
        expect(call).toMatch(
          /^(ui\/(initialize|open-link|notifications\/initialized)|tools\/call get_plan)$/,
        );
      expect(shown.loaded.filter((url) => url !== 'about:srcdoc')).toEqual([]);
    },
  );

  test('shows no button for an address that is not a web page, listens to the host only, and acknowledges its end', async () => {
    const shown = await hosted(await connected(APPS));
    for (const where of [
      'countersign approve approval-1',
      'javascript:parent.hacked=1',
      'file:///etc/passwd',
    ]) {
      await shown.show(question(where));
      await shown.says(where);
      expect(await shown.card.getByRole('button').count()).toBe(0);
    }
    await shown.card.evaluate(
      `window.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/tool-cancelled', params: {} }, '*')`,
    );
    await shown.page.evaluate(`window.tell({ id: 77, method: 'ui/resource-teardown', params: {} })`);
    await expect
      .poll(async () => (await shown.sent()).find(({ id }) => id === 77))
      .toMatchObject({ result: {} });
    await shown.says(/file:\/\/\/etc\/passwd/);
  });
});
