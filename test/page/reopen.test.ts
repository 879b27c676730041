/** Reopening the page: `countersign open`, and the plain address without a secret (T86). */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCommand } from '../../src/cli/approvals/open.ts';
import { pendingCommand } from '../../src/cli/approvals/pending.ts';
import { launchFilePath, readHandle } from '../../src/page/http/launchFile.ts';
import { run } from '../cli/terminal.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { serveHome } from './browser.ts';

/** Creates a home with an open question; `files`: addresses opened in the browser. */
async function openHome() {
  const files: string[] = [];
  const served = await serveHome(temporaryHome(), { open: (file) => files.push(file) > 0 });
  onTestFinished(async () => {
    await served.channel.close();
    await served.ledger.close();
  });
  await served.channel.ask(served.row.id);
  return { ...served, files, address: served.channel.address() ?? '' };
}
const env = { COUNTERSIGN_NO_BROWSER: '1' };

/** Follows the launch file like a browser. Returns the page's status. */
async function through(home: string): Promise<number> {
  const launchFile = readFileSync(launchFilePath(home), 'utf8');
  const target = /action="([^"]+)"/.exec(launchFile)?.[1] ?? '';
  const token = /name="token" value="([^"]+)"/.exec(launchFile)?.[1] ?? '';
  const body = new URLSearchParams({ token });
  return (await fetch(target, { method: 'POST', headers: { origin: 'null' }, body })).status;
}

describe('countersign open', () => {
  it("prints a new file that opens the running server's page, on every run", async () => {
    const { home } = await openHome();
    for (let times = 0; times < 3; times++) {
      const ran = await run(openCommand, { home, env });
      expect(ran).toMatchObject({ code: 0, out: launchFilePath(home) });
      expect(statSync(launchFilePath(home)).mode & 0o777).toBe(0o600);
      expect(await through(home)).toBe(200);
      expect(existsSync(launchFilePath(home))).toBe(false);
    }
    expect((await run(pendingCommand, { home })).err).toContain('countersign open');
  });

  it('reports that no server has a page, or that the server that had one has stopped', async () => {
    const none = await run(openCommand, { home: temporaryHome(), env });
    expect(none.error).toMatchObject({ message: 'No running server of this home has an approval page.' });
    const { home, channel } = await openHome();
    const kept = readFileSync(join(home, 'page.json'));
    await channel.close();
    expect(readHandle(home)).toBeUndefined();
    // A killed server leaves its file and its launch file.
    writeFileSync(join(home, 'page.json'), kept, { mode: 0o600 });
    writeFileSync(launchFilePath(home), 'left behind', { mode: 0o600 });
    const dead = await run(openCommand, { home, env });
    expect(dead.error).toMatchObject({ message: expect.stringContaining('has stopped') });
    expect(existsSync(launchFilePath(home))).toBe(false);
  });

  it('sends its key to loopback only and reads no file that others can write', async () => {
    const { home } = await openHome();
    const handle = readHandle(home);
    expect(statSync(join(home, 'page.json')).mode & 0o777).toBe(0o600);
    const written = (origin: string, mode: number) => {
      const path = join(home, 'page.json');
      writeFileSync(path, JSON.stringify({ ...handle, origin }), { mode });
      return readHandle(home);
    };
    for (const origin of ['http://example.com', 'http://127.0.0.1:80@example.com', 'https://127.0.0.1:1'])
      expect(written(origin, 0o600)).toBeUndefined();
  });

  it('gets no launch file for a wrong key or for a request from a web page', async () => {
    const { home } = await openHome();
    const { origin, base, key } = readHandle(home) ?? { origin: '', base: '', key: '' };
    const reopen = async (given: string, from: string) =>
      (
        await fetch(`${origin}${base}reopen`, {
          method: 'POST',
          headers: { origin: from },
          body: new URLSearchParams({ key: given }),
        })
      ).status;
    await run(openCommand, { home, env });
    const before = readFileSync(launchFilePath(home), 'utf8');
    expect(await reopen(key.slice(1), origin)).toBe(401);
    expect(await reopen('', origin)).toBe(401);
    expect(await reopen(key, 'https://example.com')).toBe(403);
    expect(readFileSync(launchFilePath(home), 'utf8')).toBe(before);
    for (const name of readdirSync(home).filter((each) => each !== 'page.json'))
      expect(readFileSync(join(home, name)).toString('latin1')).not.toContain(key);
  });
});

describe("the page's base address", () => {
  /** Browser headers for an address opened by a user. */
  const opened = { headers: { 'sec-fetch-site': 'none' } };

  it("contains no secret, shows nothing, and opens the page in the person's browser", async () => {
    const { home, address, files, clock } = await openHome();
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    files.length = 0;
    const answer = await fetch(address, opened);
    const text = await answer.text();
    expect(text).toContain('Opening your approvals');
    expect(text).not.toMatch(/SOL|Launch|token=|approval-/);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(files).toEqual([launchFilePath(home)]);
    expect(await through(home)).toBe(200);
    // Repeated visits do not open more windows.
    await fetch(address, opened);
    expect(files).toHaveLength(1);
    clock.at += 10_000;
    await fetch(address, opened);
    expect(files).toHaveLength(2);
  });

  it('opens nothing for another program or a link on another site before the person presses the button', async () => {
    const { address, files } = await openHome();
    files.length = 0;
    expect(await (await fetch(address)).text()).toContain('Open them');
    expect(files).toEqual([]);
    const linked = await fetch(address, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(await linked.text()).toContain('Open them');
    expect(files).toEqual([]);
    const forged = await fetch(address, { method: 'POST', headers: { origin: 'https://example.com' } });
    expect(forged.status).toBe(403);
    expect(files).toEqual([]);
    const pressed = await fetch(address, { method: 'POST', headers: { origin: new URL(address).origin } });
    expect(await pressed.text()).toContain('Opening your approvals');
    expect(files).toHaveLength(1);
  });
});
