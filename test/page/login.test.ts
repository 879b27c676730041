/** `countersign login page` in a real Chromium, against the sandbox's service: what a person pastes goes one way. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { loginOnPage } from '../../src/cli/keys/login/loginPage.ts';
import { loginCommand } from '../../src/cli/keys/login.ts';
import { LOGIN_LAUNCH_FILE, launchFilePath } from '../../src/page/http/launchFile.ts';
import { openStore } from '../../src/secrets/stores/chooseStore.ts';
import { secretNames } from '../../src/secrets/stores/store.ts';
import { type Ran, run } from '../cli/terminal.ts';
import { type SandboxProcess, startSandbox } from '../e2e/harness.ts';
import { HANGS_MS } from '../eventually.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { chromiumPath, launchBrowser } from './browser.ts';

const executable = chromiumPath();
const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic', COUNTERSIGN_NO_BROWSER: '1' };
const FORM = 'application/x-www-form-urlencoded';

const keyOf = async (home: string, rootUrl: string): Promise<string | undefined> =>
  (await openStore({ home, env, rootUrl }).get(secretNames.apiKey(rootUrl)))?.expose();

/** Every byte under a folder, as text. */
const everything = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${name}\n${readFileSync(join(parentPath, name), 'latin1')}`)
    .join('\n');

interface Started {
  readonly home: string;
  readonly ended: Promise<Ran>;
  /** The launch file, once it is there. */
  readonly launchFile: string;
}

/** Starts the command and waits for its launch file. */
async function start(rootUrl: string, home = temporaryHome(), options = {}): Promise<Started> {
  const ended = run(loginCommand, {
    home,
    env,
    words: ['page'],
    options: { 'root-url': rootUrl, ...options },
  });
  const launchFile = launchFilePath(home, LOGIN_LAUNCH_FILE);
  await expect.poll(() => existsSync(launchFile)).toBe(true);
  return { home, ended, launchFile };
}

/** What the launch file holds: where its token goes, and the token. */
function behind(launchFile: string): { enter: string; token: string; base: string; origin: string } {
  const text = readFileSync(launchFile, 'utf8');
  const enter = /action="([^"]+)"/.exec(text)?.[1] ?? '';
  const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? '';
  return { enter, token, base: enter.replace(/enter$/, ''), origin: new URL(enter).origin };
}

const post = (url: string, body: string, headers: Record<string, string>): Promise<Response> =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': FORM, ...headers } });

/** A session without a browser: the cookie and the origin that its requests carry. */
async function session(launchFile: string) {
  const { enter, token, base, origin } = behind(launchFile);
  const answer = await post(enter, `token=${token}`, { origin });
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
  return { base, origin, token, enter, own: { origin, cookie } };
}

let sandbox: SandboxProcess;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

describe.skipIf(executable === undefined)('the login page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser(executable ?? '');
  });
  afterAll(() => browser.close());

  async function open(launchFile: string, look: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ colorScheme: 'dark', ...look });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(HANGS_MS);
    const page = await context.newPage();
    await page.goto(`file://${launchFile}`);
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    return page;
  }

  it('takes a pasted token by keyboard alone, stores a key that works, and shows neither', async () => {
    const { home, ended, launchFile } = await start(sandbox.rootUrl);
    expect(statSync(launchFile).mode & 0o777).toBe(0o600);
    const page = await open(launchFile);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    expect(existsSync(launchFile)).toBe(false);
    expect(await page.getByLabel('Login token (JWT)').getAttribute('type')).toBe('password');
    expect(await page.getByRole('region', { name: 'The key' }).textContent()).toMatch(
      new RegExp(`${sandbox.rootUrl}.*countersign.*the file store`, 's'),
    );

    await page.keyboard.insertText(` ${sandbox.jwt} `);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Save');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Key stored' }).waitFor();
    const shown = await page.content();
    const { code, error, out, told } = await ended;

    expect([code, error]).toEqual([0, undefined]);
    const keyId = /^API key (\S+) for \S+ is in the file store\.$/.exec(out)?.[1] ?? '';
    expect(await page.getByRole('region', { name: 'The key' }).textContent()).toContain(keyId);
    const key = (await keyOf(home, sandbox.rootUrl)) ?? '';
    const read = await fetch(`${sandbox.rootUrl}/api/v1/token-launch/feed`, {
      headers: { 'x-api-key': key },
    });
    expect(read.status).toBe(200);
    for (const secret of [sandbox.jwt, key, sandbox.jwt.split('.')[2] ?? ''])
      expect(`${shown}${out}${told}${asked.join()}${everything(home)}`).not.toContain(secret);
    await expect(fetch(page.url())).rejects.toThrow('fetch failed');
  });

  it('says what is wrong with a text that is no token, stores nothing, and takes the next one', async () => {
    const { home, ended, launchFile } = await start(sandbox.rootUrl);
    const page = await open(launchFile);
    const field = page.getByLabel('Login token (JWT)');
    await field.fill('not-a-token-but-private');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The token is not a JWT: it needs three parts').waitFor();
    expect(await field.inputValue()).toBe('');
    expect(await page.content()).not.toContain('not-a-token-but-private');
    expect(await keyOf(home, sandbox.rootUrl)).toBeUndefined();

    // One the service itself refuses.
    const stranger = sandbox.jwt.replace(/[^.]+$/, 'c3RyYW5nZXI');
    await field.fill(stranger);
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/service/i);
    expect(await page.content()).not.toContain(stranger);
    expect(await keyOf(home, sandbox.rootUrl)).toBeUndefined();

    await field.fill(sandbox.jwt);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Key stored' }).waitFor();
    const { out, told } = await ended;
    expect(await keyOf(home, sandbox.rootUrl)).toBeDefined();
    expect(`${out}${told}${everything(home)}`).not.toMatch(/not-a-token-but-private|c3RyYW5nZXI/);
  });

  it('fits a narrow screen in the dark, and says when another key was replaced', async () => {
    const { home } = await start(sandbox.rootUrl).then(async (first) => {
      const { base, own } = await session(first.launchFile);
      await post(base, new URLSearchParams({ jwt: sandbox.jwt }).toString(), own);
      await first.ended;
      return first;
    });
    const before = await keyOf(home, sandbox.rootUrl);
    const { ended, launchFile } = await start(sandbox.rootUrl, home);
    const page = await open(launchFile, { viewport: { width: 320, height: 640 } });
    const wide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
    expect(await page.evaluate(wide)).toBe(false);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(18, 19, 17)');
    await page.getByLabel('Login token (JWT)').fill(sandbox.jwt);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('It replaces the key that was there').waitFor();
    expect(await page.evaluate(wide)).toBe(false);
    expect((await ended).told).toContain('restart servers');
    expect(await keyOf(home, sandbox.rootUrl)).not.toBe(before);
  });
});

describe('the login page, without a browser', () => {
  /** Ends a command that waits, with a token. */
  async function finish(own: Record<string, string>, base: string, ended: Promise<Ran>): Promise<Ran> {
    const answer = await post(base, new URLSearchParams({ jwt: sandbox.jwt }).toString(), own);
    expect(answer.status).toBe(200);
    return ended;
  }

  it('opens for the token of its launch file once, and for no other', async () => {
    const { home, ended, launchFile } = await start(sandbox.rootUrl);
    const { enter, token, base, origin } = behind(launchFile);
    const wrong = await post(enter, `token=${'A'.repeat(token.length)}`, { origin });
    expect([wrong.status, wrong.headers.get('set-cookie')]).toEqual([401, null]);
    const jwt = new URLSearchParams({ jwt: sandbox.jwt }).toString();
    expect((await post(base, jwt, { origin })).status).toBe(401);
    expect((await post(base, jwt, { origin, cookie: 'countersign=guess' })).status).toBe(401);
    expect(await keyOf(home, sandbox.rootUrl)).toBeUndefined();
    const { own } = await session(launchFile);
    expect((await post(enter, `token=${token}`, { origin })).status).toBe(401);
    await finish(own, base, ended);
  });

  it('refuses another site and another host, and is kept nowhere', async () => {
    const { home, ended, launchFile } = await start(sandbox.rootUrl);
    const { base, own } = await session(launchFile);
    const jwt = new URLSearchParams({ jwt: sandbox.jwt }).toString();
    for (const origin of ['https://stranger.example', 'null'])
      expect((await post(base, jwt, { ...own, origin })).status).toBe(403);
    expect((await fetch(base.replace('127.0.0.1', 'localhost'), { headers: own })).status).toBe(403);
    expect(await keyOf(home, sandbox.rootUrl)).toBeUndefined();
    const shown = await fetch(base, { headers: own });
    expect(shown.headers.get('cache-control')).toBe('no-store');
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'");
    await finish(own, base, ended);
  });

  it('makes one key when the form is sent twice, and names none that holds a secret', async () => {
    let made = 0;
    const key = 'bags_prod_secret_key_1234567890';
    const server = createServer((request, response) => {
      request.resume().on('end', () => {
        made += 1;
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ success: true, response: { apiKey: { key, keyId: key } } }));
      });
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo; // listening on a port, never a pipe
    const { ended, launchFile } = await start(`http://127.0.0.1:${port}`);
    const { base, own } = await session(launchFile);
    const jwt = new URLSearchParams({ jwt: sandbox.jwt }).toString();
    const answers = await Promise.all([post(base, jwt, own), post(base, jwt, own)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const { code, out } = await ended;
    expect([code, made]).toEqual([0, 1]);
    expect(`${out}${await answers[0].text()}`).not.toContain(key);
  });

  it('ends by itself and removes its file when no token is pasted', async () => {
    const home = temporaryHome();
    const told: string[] = [];
    const waiting = loginOnPage({
      home,
      env,
      origin: sandbox.rootUrl,
      keyName: 'countersign',
      storedIn: 'file',
      save: () => Promise.reject(new Error('no question was expected')),
      now: Date.now,
      tell: (line) => told.push(line),
      openMs: 1,
    });
    await expect(waiting).rejects.toMatchObject({
      message: 'No login token was pasted into the page in time.',
      hint: expect.stringContaining('Nothing was stored'),
    });
    expect(told).toEqual([`Open ${launchFilePath(home, LOGIN_LAUNCH_FILE)} in a browser.`]);
    expect(readdirSync(home)).toEqual([]);
  });

  it('is one way to log in at a time', async () => {
    const options = { 'root-url': sandbox.rootUrl };
    for (const words of [
      ['page', '/tmp/token'],
      ['signature', '/tmp/token'],
      ['/tmp/token', 'page'],
    ]) {
      const { error } = await run(loginCommand, { home: temporaryHome(), env, words, options });
      expect(error).toMatchObject({ message: 'One login at a time.' });
    }
  });
});
