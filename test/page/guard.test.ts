/** Guards of the page (T62), tested with plain HTTP requests that no browser sends. */
import { statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { launchFilePath } from '../../src/page/http/launchFile.ts';
import { openerFor, openInBrowser } from '../../src/page/http/openBrowser.ts';
import { withOwner } from '../approval/owner.ts';
import { askAboutTrade } from '../approval/samples.ts';
import { eventually } from '../eventually.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { type ServedHome, type ServeOptions, serveHome } from './browser.ts';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends one request with exactly these headers; `fetch` does not allow a forged Host or Origin. */
function send(
  url: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      { method: options.method ?? 'GET', headers: options.headers ?? {} },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    call.on('error', reject);
    call.end(options.body);
  });
}

/** Follows the redirect after a form. */
const followed = (
  { headers }: Answer,
  { origin, cookie }: { origin: string; cookie: string },
): Promise<Answer> => send(`${origin}${headers.location ?? ''}`, { headers: { cookie } });

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

async function opened(options: ServeOptions = {}, home = temporaryHome()) {
  const served = await serveHome(home, options);
  onTestFinished(async () => {
    await served.channel.close();
    await served.ledger.close();
  });
  const launchFile = await readFile(await served.channel.launch(), 'utf8');
  const enter = /action="([^"]+)"/.exec(launchFile)?.[1] ?? '';
  const token = /name="token" value="([^"]+)"/.exec(launchFile)?.[1] ?? '';
  const { origin } = new URL(enter);
  const base = enter.replace(/enter$/, '');
  return { ...served, launchFile, enter, token, origin, base };
}

async function signedIn(options: ServeOptions = {}, folder = temporaryHome()) {
  const home = await opened(options, folder);
  const { enter, token, origin } = home;
  const answer = await send(enter, {
    method: 'POST',
    headers: { ...FORM, origin: 'null' },
    body: `token=${token}`,
  });
  const cookie = (answer.headers['set-cookie']?.[0] ?? '').split(';', 1)[0] ?? '';
  const own = { ...FORM, origin, cookie };
  const approve = `${home.base}approval/${home.row.id}/approve`;
  const form = `digest=${home.row.approvalDigest}`;
  return { ...home, answer, cookie, own, approve, form };
}

const state = async ({ ledger, row }: ServedHome) =>
  (await ledger.rows('approvals', { id: row.id }))[0]?.state;

describe('the file that opens the page', () => {
  it('is readable by its user only, with the token in its content and not in its address', async () => {
    const { home, token, enter } = await opened();
    expect(statSync(launchFilePath(home)).mode & 0o777).toBe(0o600);
    expect(token.length).toBeGreaterThanOrEqual(43);
    expect(enter).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\/enter$/);
  });

  it('opens the page once for its token', async () => {
    const { answer, enter, token, base, cookie } = await signedIn();
    expect(answer.status).toBe(200);
    expect(answer.headers['set-cookie']?.[0]).toMatch(
      /^countersign=[\w-]{43}; Path=\/[\w-]{22}\/; HttpOnly; SameSite=Strict$/,
    );
    expect((await send(base, { headers: { cookie } })).status).toBe(200);
    const again = await send(enter, {
      method: 'POST',
      headers: { ...FORM, origin: 'null' },
      body: `token=${token}`,
    });
    expect([again.status, again.headers['set-cookie']]).toEqual([401, undefined]);
  });

  it('refuses a wrong token, an old one and a replaced one', async () => {
    const { enter, token, clock, channel } = await opened();
    const reopen = async (body: string) =>
      (await send(enter, { method: 'POST', headers: { ...FORM, origin: 'null' }, body })).status;
    expect(await reopen('')).toBe(401);
    expect(await reopen(`token=${token.slice(0, -1)}`)).toBe(401);
    expect(await reopen(`token=${'A'.repeat(token.length)}`)).toBe(401);
    await channel.launch();
    expect(await reopen(`token=${token}`)).toBe(401);
    const fresh = await readFile(await channel.launch(), 'utf8');
    clock.at += 10 * 60_000;
    expect(await reopen(`token=${/name="token" value="([^"]+)"/.exec(fresh)?.[1]}`)).toBe(401);
  });

  it('closes after hours without a visitor', async () => {
    const { base, cookie, clock } = await signedIn();
    clock.at += 8 * 3_600_000;
    expect((await send(base, { headers: { cookie } })).status).toBe(401);
  });
});

/** Honest request with one defect. */
interface Wrong {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  /** Expected status; by default a refusal. */
  readonly status?: number;
}
const STRANGER = 'https://stranger.example';
const LONG = 'x'.repeat(10_000);

/** Sends the honest request with the defect applied. */
function sendWrong(
  honest: { url: string; headers: Record<string, string>; body: string },
  { method = 'POST', path, headers = {}, body = honest.body }: Wrong,
): Promise<Answer> {
  const url = path === undefined ? honest.url : new URL(path, honest.url).href;
  const sent = Object.entries({ ...honest.headers, ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return send(url, { method, headers: Object.fromEntries(sent), ...(method === 'POST' ? { body } : {}) });
}

const OTHER_HOSTS = (port: string): string[] => [
  'stranger.example',
  `stranger.example:${port}`,
  `localhost:${port}`,
  '127.0.0.1',
  `[::1]:${port}`,
  `127.0.0.1.stranger.example:${port}`,
];
const OTHER_ORIGINS = (own: string): (string | undefined)[] => [
  STRANGER,
  'http://127.0.0.1:1',
  `${own}.example`,
  own.replace('127.0.0.1', 'localhost'),
  own.replace('http:', 'https:'),
  'file://',
  '',
  undefined,
];

describe('an invalid request', () => {
  it('to answer changes nothing, and the valid one is accepted', async () => {
    const home = await signedIn();
    const { own, approve: url, form: body, origin, cookie, base } = home;
    const { port, pathname } = new URL(url);
    const honest = { url, headers: { ...own, 'sec-fetch-site': 'same-origin' }, body };
    const cookies = [undefined, '', 'countersign=', `countersign=${'A'.repeat(43)}`, `${cookie}x`];
    const wrongs: Wrong[] = [
      ...OTHER_HOSTS(port).map((host) => ({ headers: { host } })),
      ...[...OTHER_ORIGINS(origin), 'null'].map((from) => ({ headers: { origin: from } })),
      ...['same-site', 'cross-site', 'x'].map((site) => ({ headers: { 'sec-fetch-site': site } })),
      ...['OPTIONS', 'PUT', 'DELETE', 'HEAD', 'PATCH'].map((method) => ({ method })),
      { body: `${body}&x=${LONG}` },
      { headers: { 'transfer-encoding': 'chunked' } },
      ...cookies.map((other) => ({ headers: { cookie: other }, status: 401 })),
      { path: pathname.replace(/^\/[^/]+/, '/AAAAAAAAAAAAAAAAAAAAAA'), status: 404 },
      { path: pathname.replace(/approve$/, 'agree'), status: 404 },
      { path: pathname.replace('approval-', 'approval-x'), status: 303 },
      ...['text/plain', 'application/json', 'multipart/form-data; boundary=x'].map((type) => ({
        ...{ headers: { 'content-type': type }, status: 303 },
      })),
      ...['', 'digest=', `digest=${'0'.repeat(64)}`].map((other) => ({ body: other, status: 303 })),
    ];
    for (const wrong of wrongs) {
      const { status, headers, body: message } = await sendWrong(honest, wrong);
      expect([wrong, status]).toEqual([wrong, wrong.status ?? 403]);
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
      expect(headers).toMatchObject({ 'x-frame-options': 'DENY', 'cache-control': 'no-store' });
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(message).not.toContain('Launch');
      expect(await state(home), JSON.stringify(wrong)).toBe('pending');
    }
    // Read-only pages are refused to others, too.
    const reads: Record<string, string>[] = [
      { origin: STRANGER },
      { 'sec-fetch-site': 'cross-site' },
      { host: 'stranger.example' },
    ];
    for (const headers of reads)
      expect((await send(base, { headers: { cookie, ...headers } })).status).toBe(403);
    expect((await sendWrong(honest, {})).status).toBe(303);
    expect(await state(home)).toBe('approved');
  });

  it('to open the page opens no session and leaves the token usable by the valid one', async () => {
    const { enter: url, token, origin } = await opened();
    const { port } = new URL(url);
    const honest = {
      url,
      headers: { ...FORM, origin: 'null', 'sec-fetch-site': 'cross-site' },
      body: `token=${token}`,
    };
    const wrongs: Wrong[] = [
      ...OTHER_HOSTS(port).map((host) => ({ headers: { host } })),
      ...OTHER_ORIGINS(origin).map((from) => ({ headers: { origin: from } })),
      ...['GET', 'PUT', 'OPTIONS'].map((method) => ({ method })),
      { body: `token=${token}&x=${LONG}` },
      { headers: { 'content-type': 'text/plain' }, status: 401 },
      ...['', 'token=', `token=${token}A`, `token=${token.slice(1)}`].map((body) => ({ body, status: 401 })),
    ];
    for (const wrong of wrongs) {
      const { status, headers } = await sendWrong(honest, wrong);
      expect([wrong, status]).toEqual([wrong, wrong.status ?? 403]);
      expect(headers['set-cookie']).toBeUndefined();
    }
    const taken = await sendWrong(honest, {});
    expect([taken.status, taken.headers['set-cookie']?.length]).toEqual([200, 1]);
    expect((await sendWrong(honest, {})).status).toBe(401);
  });
});

describe('other paths', () => {
  it('reveal nothing to guessed requests', async () => {
    const { origin, cookie } = await signedIn();
    // The plain address opens the page in the browser and contains none of it.
    expect((await send(`${origin}/`, { headers: { cookie } })).body).not.toContain('Launch');
    for (const path of ['/approval/x', '/AAAAAAAAAAAAAAAAAAAAAA/', '/../x']) {
      const answer = await send(`${origin}${path}`, { headers: { cookie } });
      expect(answer.status).toBe(404);
      expect(answer.body).not.toContain('Launch');
    }
  });
});

describe('an answer through the page', () => {
  it('applies to the displayed approval', async () => {
    const home = await signedIn();
    const { own, approve, form } = home;
    const other = await send(approve, { method: 'POST', headers: own, body: `digest=${'0'.repeat(64)}` });
    expect((await followed(other, home)).body).toContain('not the one that was shown');
    expect(await state(home)).toBe('pending');
    const taken = await send(approve, { method: 'POST', headers: own, body: form });
    expect(taken.status).toBe(303);
    expect(await state(home)).toBe('approved');
    const second = await send(approve, { method: 'POST', headers: own, body: form });
    expect((await followed(second, home)).body).toMatch(/This was already approved on the page at \d{4}/);
  });

  it('with a grant is listed among the limits with its use, and is revoked there', async () => {
    const home = await signedIn();
    const { ledger, clock, base, own, cookie } = home;
    const { id, approvalDigest } = await askAboutTrade(ledger);
    const limits = async () =>
      (await send(`${base}limits`, { headers: { cookie } })).body
        .replaceAll(/<[^>]+>/g, ' ')
        .replaceAll(/\s+/g, ' ');
    expect(await limits()).not.toContain('approved in advance');
    const grant = { times: 3, asset: 'SOL', total: '250000000', until: clock.at + 86_400_000, worseBps: 100 };
    await ledger.answerApproval(id, { state: 'approved', channel: 'page', grant });
    expect(await askAboutTrade(ledger, 'sandbox', 'plan-like')).toMatchObject({ channel: 'grant' });
    expect(await limits()).toMatch(
      RegExp(
        `advance .*Plans used 1 of 3 Amount used 0\\.1\\d* of 0\\.25 SOL Ends .* Revoke .*countersign deny ${id}`,
      ),
    );
    const url = `${base}approval/${id}/deny`;
    await send(url, { method: 'POST', headers: own, body: `digest=${approvalDigest}` });
    expect(await limits()).not.toContain('approved in advance');
    expect(await askAboutTrade(ledger, 'sandbox', 'plan-later')).toMatchObject({ state: 'pending' });
  });

  it('is never given by GET', async () => {
    const home = await signedIn();
    const { base, cookie, approve } = home;
    for (const url of [approve, `${base}freeze`, `${base}unfreeze`])
      expect((await send(url, { headers: { cookie } })).status).toBe(404);
    expect([await state(home), await frozenFor(home.ledger)]).toEqual(['pending', undefined]);
  });

  it('T57 that lifts a freeze lifts no later one, which the page had not shown', async () => {
    const { base, own, cookie, ledger, clock } = await signedIn();
    await ledger.freeze('A person froze signing.');
    const newest = async () => {
      const { body } = await send(base, { headers: { cookie } });
      return /name="newest" value="(\d+)"/.exec(body)?.[1] ?? '';
    };
    const lift = (body: string) => send(`${base}unfreeze`, { method: 'POST', headers: own, body });
    const shown = await newest();
    clock.at += 1_000;
    await ledger.freeze('Too many transactions were denied for security.', 'anna');
    await lift('');
    expect(await frozenFor(ledger)).toBeDefined();
    await lift(`newest=${shown}`);
    expect(await ledger.rows('freezes', {})).toMatchObject([{ principal: 'anna' }]);
    await lift(`newest=${await newest()}`);
    expect(await ledger.rows('freezes', {})).toEqual([]);
  });

  it('with a wrong owner passphrase is refused once, beside the question, which stays open', async () => {
    const keyed = temporaryHome();
    const ownerPublicKey = await withOwner(keyed);
    const home = await signedIn({ mode: 'live', ownerPublicKey }, keyed);
    const { approve, form, own, base, cookie } = home;
    const wrong = () => send(approve, { method: 'POST', headers: own, body: `${form}&passphrase=wrong` });
    const first = await wrong();
    expect(first.status).toBe(303);
    const shown = await followed(first, home);
    expect(shown.body).toContain('does not open the owner key');
    expect(shown.body).toContain('Type the owner passphrase again');
    expect(shown.body).toContain('id="approve"');
    expect(shown.body).not.toContain('Run the command');
    // A reload submits nothing again and does not repeat the message.
    expect((await followed(first, home)).body).not.toContain('does not open the owner key');
    await wrong();
    // The waiting time is displayed.
    expect((await followed(await wrong(), home)).body).toMatch(/next attempt is possible in \d+ s/);
    expect(await state(home)).toBe('pending');
    // Requests of the page's script at its current address.
    const question = `${base}approval/${home.row.id}`;
    const news = await send(`${question}?live`, { headers: { cookie } });
    expect([news.status, news.body.includes('data-live="actions"')]).toEqual([200, true]);
  });

  it('is never cached, framed or read by another site, and runs only its own script', async () => {
    const { base, cookie } = await signedIn();
    const [first, second] = [
      await send(base, { headers: { cookie } }),
      await send(base, { headers: { cookie } }),
    ];
    expect(first.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'referrer-policy': 'same-origin',
    });
    const policy = String(first.headers['content-security-policy']);
    expect(policy).toMatch(/^default-src 'none'; style-src 'nonce-[^']+'; script-src 'nonce-[^']+'/);
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(policy).not.toBe(second.headers['content-security-policy']);
    expect(first.body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });
});

describe('the page as a channel', () => {
  it('does not exist in live mode without an owner key, and does with one', async () => {
    const home = temporaryHome();
    const bare = await serveHome(home, { mode: 'live' });
    expect(await bare.channel.available()).toBe(false);
    const keyed = temporaryHome();
    const ownerPublicKey = await withOwner(keyed);
    expect(await (await serveHome(keyed, { mode: 'live', ownerPublicKey })).channel.available()).toBe(true);
    const locked = async () => {
      throw new Error('locked');
    };
    expect(await (await serveHome(keyed, { mode: 'live', ownerPublicKey: locked })).channel.available()).toBe(
      false,
    );
    const unknown = await serveHome(keyed, { mode: 'live', ownerPublicKey: async () => undefined });
    expect(await unknown.channel.available()).toBe(false);
  });

  it('opens the browser with the launch file only, and not again while or shortly after a visitor is present', async () => {
    const files: string[] = [];
    const home = await signedIn({ open: (file) => files.push(file) > 0 });
    const { channel, row, clock, base, cookie } = home;
    await channel.ask(row.id);
    expect(files).toEqual([]);
    clock.at += 60_000;
    await channel.ask(row.id);
    expect(files).toEqual([launchFilePath(home.home)]);
    clock.at += 30_000;
    await channel.ask(row.id);
    expect(files).toHaveLength(1);
    clock.at += 30_000;
    await send(base, { headers: { cookie } });
    await channel.ask(row.id);
    expect(files).toHaveLength(1);
    clock.at += 60_000;
    await channel.ask(row.id);
    expect(files).toHaveLength(2);
  });

  it("uses the platform's opener, and none if disabled or without a display", () => {
    const open = (platform: NodeJS.Platform, env = {}) => openerFor(platform, env, '/home/me/approve.html');
    expect(open('darwin')).toEqual({ command: 'open', args: ['/home/me/approve.html'] });
    expect(open('linux', { DISPLAY: ':0' })).toEqual({
      command: 'xdg-open',
      args: ['/home/me/approve.html'],
    });
    expect(open('win32')?.args.at(-1)).toBe('/home/me/approve.html');
    expect(open('linux')).toBeUndefined();
    expect(open('darwin', { COUNTERSIGN_NO_BROWSER: '1' })).toBeUndefined();
  });

  it.runIf(process.platform === 'linux')('passes no secret to the browser (T61)', async () => {
    const folder = temporaryHome();
    const seen = join(folder, 'seen');
    writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nenv > ${seen}.new && mv ${seen}.new ${seen}\n`, {
      mode: 0o700,
    });
    const secrets = {
      COUNTERSIGN_PASSPHRASE: 'canary-1',
      PGPASSWORD: 'canary-2',
      COUNTERSIGN_LEDGER: 'canary-3',
    };
    const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':0', XDG_SESSION_TYPE: 'x11', ...secrets };
    expect(openInBrowser(join(folder, 'approve.html'), env)).toBe(true);
    const inherited = await eventually(() => readFile(seen, 'utf8'));
    expect(inherited).toContain('XDG_SESSION_TYPE=x11');
    expect(inherited).not.toContain('canary');
  });

  it('removes its launch file on close', async () => {
    const home = await opened();
    await home.channel.close();
    await expect(readFile(launchFilePath(home.home))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
