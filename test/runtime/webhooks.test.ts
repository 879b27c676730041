/** Webhook notifications: content, recipients, and no disclosure of questions or URLs (T87). */
import { createServer, type IncomingMessage } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { notifyCommand } from '../../src/cli/approvals/notify.ts';
import { surroundings } from '../../src/cli/redactedTerminal.ts';
import { systemClock } from '../../src/clock.ts';
import {
  bodyOf,
  callWebhook,
  createCaller,
  type Fetch,
  readWebhooks,
} from '../../src/runtime/webhooks/webhooks.ts';
import { homeWithQuestion, STRANGER, TREASURY, WALLET } from '../approval/samples.ts';
import { run } from '../cli/terminal.ts';
import { handClock } from '../ledger/samples.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';

const SECRET = 'B0RxY7sZ4kQ1mN8vT2wLpE';

/** Starts a webhook receiver on loopback that records its requests. */
async function receiver(status = 200, headers: Record<string, string> = {}) {
  const got: { path: string; headers: IncomingMessage['headers']; body: string }[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    got.push({ path: request.url ?? '', headers: request.headers, body });
    response.writeHead(status, headers).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return { got, url: `http://127.0.0.1:${port}/${SECRET}` };
}

async function askQuestion() {
  const home = await homeWithQuestion(temporaryHome(), 'live');
  onTestFinished(() => home.ledger.close());
  return home;
}
const PAGE = 'http://127.0.0.1:4711/';
const never: Fetch = () => Promise.reject(new Error('nothing may be asked'));

describe('a question', () => {
  it('is sent with amounts and parties if configured, in a format that every service accepts', async () => {
    const { ledger, row } = await askQuestion();
    const chat = await receiver();
    const messageTexts = async () => [
      'Leaves at most 0.52 SOL',
      '',
      `${STRANGER} earns 25%`,
      ...Array(50).fill('x'.repeat(60)),
    ];
    const parts = { webhooks: [chat.url], ledger, fetch, clock: systemClock, page: () => PAGE };
    const caller = createCaller({ ...parts, says: messageTexts });
    caller.call(row.id);
    await caller.idle();
    const { text, content } = JSON.parse(chat.got[0]?.body ?? '{}');
    expect(content).toBe(text);
    expect(text).toContain(`Leaves at most 0.52 SOL\n${STRANGER} earns 25%\n`);
    expect(text.length).toBeLessThan(2_000);
  });

  it('T87 contains no link, mention or hidden text that a name wrote into it', async () => {
    const { ledger, row } = await askQuestion();
    const chat = await receiver();
    const names = '“<https://evil.example|Approve> [ok] ||” (@everyone <!channel> ~~`*)';
    const says = async () => [names, `At most 0.52 SOL to ${STRANGER} (30% of “A_B”).`];
    const parts = { webhooks: [chat.url], ledger, fetch, clock: systemClock, page: () => PAGE };
    const caller = createCaller({ ...parts, says });
    caller.call(row.id);
    await caller.idle();
    const { text, content, page } = JSON.parse(chat.got[0]?.body ?? '{}');
    expect(content).toBe(text);
    expect(text).toContain(
      '“＜https://evil.example｜Approve＞ ［ok］ ｜｜” (＠everyone ＜!channel＞ ～～｀＊)',
    );
    expect(text).toContain(`At most 0.52 SOL to ${STRANGER} (30% of “A_B”).`);
    expect(page).toBe(PAGE);
  });

  it('is sent once, in one body that each service parses, without its content', async () => {
    const { ledger, row, plan } = await askQuestion();
    const [slack, telegram] = [await receiver(), await receiver()];
    const text = `${slack.url} ${telegram.url}?chat_id=42`;
    const lines: string[] = [];
    const caller = createCaller({
      webhooks: readWebhooks(text),
      ledger,
      fetch,
      clock: systemClock,
      page: () => PAGE,
      log: (line) => lines.push(line),
    });
    for (let times = 0; times < 3; times++) caller.call(row.id);
    await caller.idle();
    expect(lines).toEqual([]);
    const sent = [...slack.got, ...telegram.got];
    expect(sent.map(({ path }) => path)).toEqual([`/${SECRET}`, `/${SECRET}?chat_id=42`]);
    const words =
      'Countersign (live) asks you: Launch a token. Answer by 2026-11-21 12:10:00Z. On the machine it runs on, go to http://127.0.0.1:4711/ or run `countersign open`. Plan plan-live-launch.';
    for (const { body } of sent)
      expect(JSON.parse(body)).toEqual({
        event: 'approval_required',
        text: words,
        content: words,
        approvalId: row.id,
        planId: plan.planId,
        mode: 'live',
        kind: 'Launch a token',
        page: PAGE,
        expiresAt: new Date(row.expiresAt).toISOString(),
      });
    const everything = JSON.stringify(sent);
    for (const private_ of [
      WALLET,
      TREASURY,
      STRANGER,
      '0.52',
      '500000000',
      'previous',
      'treasury',
      row.approvalDigest,
    ])
      expect(everything).not.toContain(private_);
  });

  it('answered meanwhile is not sent, and at most twenty are sent per hour', async () => {
    const { ledger, row } = await askQuestion();
    const { got, url } = await receiver();
    const hour = handClock();
    const lines: string[] = [];
    const parts = { webhooks: readWebhooks(url), fetch, page: () => undefined };
    const stormed = createCaller({
      ...parts,
      ledger: {
        rows: (table, filter) => ledger.rows(table, 'id' in filter ? { ...filter, id: row.id } : filter),
      },
      clock: { ...systemClock, now: hour.now },
      log: (line) => lines.push(line),
    });
    for (let question = 0; question < 25; question++) stormed.call(`approval-${question}`);
    await stormed.idle();
    expect(got).toHaveLength(20);
    expect(lines).toHaveLength(5);
    // T127: hourly limits are per principal.
    stormed.call('approval-of-another', 'bela');
    await stormed.idle();
    expect(got).toHaveLength(21);
    hour.at += 3_600_000;
    stormed.call('approval-later');
    await stormed.idle();
    expect(got).toHaveLength(22);
    await ledger.answerApproval(row.id, { state: 'denied', channel: 'command' });
    const late = createCaller({ ...parts, ledger, clock: systemClock, fetch: never });
    late.call(row.id);
    await late.idle();
  });
});

describe('a webhook that fails', () => {
  const call = {
    approvalId: 'approval-1',
    planId: 'plan-1',
    mode: 'live',
    kind: 'Swap',
    expiresAt: 0,
  } as const;

  it('is logged to standard error without its URL, is not retried, and delays nothing', async () => {
    const { ledger, row } = await askQuestion();
    const broken = await receiver(500);
    const moved = await receiver(302, { location: 'http://127.0.0.1:9/elsewhere' });
    const lines: string[] = [];
    const caller = createCaller({
      webhooks: readWebhooks(`${broken.url} ${moved.url} http://127.0.0.1:9/${SECRET}`),
      ledger,
      fetch,
      clock: systemClock,
      page: () => undefined,
      log: (line) => lines.push(line),
    });
    caller.call(row.id);
    await caller.idle();
    expect(lines.toSorted()).toEqual([
      `Webhook 1 was not notified of ${row.id}: it responded with HTTP 500.`,
      `Webhook 2 was not notified of ${row.id}: it could not be reached.`,
      `Webhook 3 was not notified of ${row.id}: it could not be reached.`,
    ]);
    expect([broken.got.length, moved.got.length]).toEqual([1, 1]);
  });

  it('times out after ten seconds', async () => {
    const waits: number[] = [];
    const clock = {
      now: () => 0,
      sleep: async (ms: number) => {
        waits.push(ms);
      },
    };
    const silent: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    const [webhook] = readWebhooks('https://example.com/x');
    if (webhook === undefined) throw new Error('no webhook');
    expect(await callWebhook(webhook, call, { fetch: silent, clock })).toBe('it timed out after 10 seconds');
    expect(waits).toEqual([10_000]);
  });
});

describe('webhook configuration', () => {
  it.each([
    [SECRET, 'not a complete URL'],
    [`slack=https://example.com/${SECRET}`, 'not a complete URL'],
    [`http://example.com/${SECRET}`, 'must begin with https://'],
    [`file:///etc/${SECRET}`, 'must begin with https://'],
    [`https://me:${SECRET}@example.com/`, 'user name or password'],
    [Array.from({ length: 9 }, () => `https://example.com/${SECRET}`).join(' '), 'more than 8'],
  ])('is refused with the error, without its URL: %#', (text, why) => {
    const refused = (() => {
      try {
        return readWebhooks(text);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toMatchObject({ name: 'SetupError', message: expect.stringContaining(why) });
    expect(JSON.stringify([String(refused), Object(refused)])).not.toContain(SECRET);
  });

  it('is empty by default: nothing is sent', async () => {
    expect([readWebhooks(undefined), readWebhooks(' ')]).toEqual([[], []]);
    const { ledger, row } = await askQuestion();
    const caller = createCaller({
      webhooks: [],
      ledger,
      fetch: never,
      clock: systemClock,
      page: () => undefined,
    });
    caller.call(row.id);
    await caller.idle();
  });

  it('does not print a whole URL, its path or a token in it', () => {
    const url = `https://hooks.slack.com/services/T0001/B0001/${SECRET}`;
    const redactor = surroundings({ webhook: `https://example.com/${SECRET}x ${url}` }, {});
    for (const text of [url, `/services/T0001/B0001/${SECRET}`, `token ${SECRET}`, `webhook ${url}`])
      expect(redactor.redact(`it failed: ${text}!`)).not.toContain(SECRET);
  });

  it('shows the host, also of a webhook without a path and of another server on this machine', () => {
    for (const bare of ['http://127.0.0.1:4567', 'http://127.0.0.1:4567/']) {
      const redactor = surroundings({ webhook: `${bare} ${bare}/${SECRET}` }, {});
      for (const shown of [`serving at ${bare}`, 'open http://127.0.0.1:4567/mcp', 'http://127.0.0.1:45678/'])
        expect(redactor.redact(shown)).toBe(shown);
      expect(redactor.redact(`it failed: http://127.0.0.1:4567/${SECRET}`)).not.toContain(SECRET);
      expect(redactor.redact(`at /${SECRET}?a=b`)).not.toContain(SECRET);
    }
  });

  it("sends no address except the page's, without its secret", () => {
    const body = bodyOf({
      approvalId: 'approval-1',
      planId: 'plan-1',
      mode: 'live',
      kind: 'Swap',
      expiresAt: 0,
      page: PAGE,
    });
    expect(new Set(body.match(/https?:[^\s"]+/g))).toEqual(new Set([PAGE]));
  });
});

describe('countersign notify', () => {
  it('sends a test to each webhook and reports the result without a URL', async () => {
    const [good, bad] = [await receiver(), await receiver(403)];
    const home = temporaryHome();
    const ran = await run(notifyCommand, { home, options: { webhook: `${good.url} ${bad.url}` } });
    expect(ran).toMatchObject({
      code: 1,
      out: 'Webhook 1: told\nWebhook 2: it responded with HTTP 403',
    });
    expect(good.got[0]?.body).toContain('This is a test');
    const none = await run(notifyCommand, { home });
    expect(none.error).toMatchObject({ message: 'No webhook is configured.' });
  });
});
