/**
 * Writes the pictures of the list of approvals for the documents, and the icon of the bundles from its drawing:
 * `node scripts/run.mjs scripts/screenshots.ts`.
 * Everything on them is made here; no service and no wallet is involved. Pictures of questions: test/e2e/questions.test.ts.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createOwnerKey, ownerPublicKey } from '../src/secrets/keys/ownerKey.ts';
import { Secret } from '../src/secrets/secret.ts';
import { createMemoryStore } from '../src/secrets/stores/store.ts';
import { chromiumPath, enter, launchBrowser, serveHome } from '../test/page/browser.ts';

const executable = chromiumPath();
if (executable === undefined) process.exit(1);
const folder = process.argv[2] ?? 'docs/images';
mkdirSync(folder, { recursive: true });
const home = mkdtempSync(join(tmpdir(), 'countersign-pictures-'));
const browser = await launchBrowser(executable);
try {
  const store = createMemoryStore();
  await createOwnerKey({
    home,
    passphrase: Secret.fromText('only for these pictures'),
    store,
    workFactor: 8,
  });
  const served = await serveHome(home, { mode: 'live', ownerPublicKey: () => ownerPublicKey(store) });
  const wide = { viewport: { width: 1000, height: 900 }, timezoneId: 'UTC' };
  const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, timezoneId: 'UTC' };
  const list = async (name: string, look: Parameters<typeof enter>[2], fullPage = true) => {
    const page = await enter(browser, served, look);
    await page.screenshot({ path: join(folder, `approvals-${name}.png`), fullPage });
    await page.context().close();
  };
  await list('light', wide);
  await list('dark', { ...wide, colorScheme: 'dark' });
  await list('phone', phone, false);
  await served.ledger.freeze('Too many transactions were denied for security.');
  const page = await enter(browser, served, wide);
  await page.screenshot({ path: join(folder, 'approvals-frozen.png'), fullPage: true });
  const drawing = await browser.newPage({ viewport: { width: 512, height: 512 } });
  await drawing.setContent(`<style>* { margin: 0 }</style>${readFileSync('docs/images/icon.svg', 'utf8')}`);
  await drawing.screenshot({ path: join(folder, 'icon.png'), omitBackground: true });
  await served.channel.close();
  await served.ledger.close();
} finally {
  await browser.close();
  rmSync(home, { recursive: true, force: true });
}
