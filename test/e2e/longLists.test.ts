/**
 * Lists of ten thousand rows through the built command: unpaginated service answers, a wallet's token accounts, and the
 * ledger's plans.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { ledgerFile } from '../../src/ledger/ledgerFile.ts';
import { storePlan } from '../../src/ledger/plans/runs.ts';
import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import { MAX_TEXT_BYTES } from '../../src/server/render.ts';
import { samplePlan } from '../ledger/samples.ts';
import { type LocalServer, ok, startServer as serveLocally } from '../service/localServer.ts';
import { LISTS, many, ROWS, walk } from '../tools/longLists.ts';
import {
  createHome,
  type Fields,
  liveEnvironment,
  type McpProcess,
  object,
  type SandboxProcess,
  someAddress,
  startSandbox,
  startServer,
  type TestWallet,
} from './harness.ts';
import { runHere } from './inProcess.ts';
import { EVERY_TOOLSET } from './scene.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';

let sandbox: SandboxProcess;
let wallet: TestWallet;
let server: McpProcess;
let service: LocalServer;
let rpc: LocalServer;
/** Payload of every service answer. */
let payload: unknown;
/** Number of accounts requested from the RPC. */
let requestCount = 0;

/** Encodes an initialised token account with an amount. */
function accountBytes(amount: number): string {
  const bytes = Buffer.alloc(165);
  bytes.fill(amount % 251, 0, 32);
  bytes.writeBigUInt64LE(BigInt(amount), 64);
  bytes[108] = 1;
  return bytes.toString('base64');
}

beforeAll(async () => {
  sandbox = await startSandbox();
  wallet = createHome();
  const addresses = many(() => ({ pubkey: someAddress() })).map((row) => String(Object(row).pubkey));
  // The list is sorted by address, independent of the RPC's order.
  const held = addresses.toSorted().map((pubkey, amount) => ({
    pubkey,
    account: {
      ...{ lamports: 2_039_280, owner: TOKEN_PROGRAM, executable: false, rentEpoch: 0, space: 165 },
      data: [accountBytes(amount), 'base64'],
    },
  }));
  service = await serveLocally((_, response) => ok(response, payload));
  rpc = await serveLocally(async ({ body }, response) => {
    const { id, method, params } = object(JSON.parse(body.toString('utf8')));
    response.setHeader('content-type', 'application/json');
    const [first, filter] = Array.isArray(params) ? params : [];
    if (Array.isArray(first)) requestCount += first.length;
    if (method === 'getTokenAccountsByOwner') {
      const value = object(filter).programId === TOKEN_PROGRAM ? held.toReversed() : [];
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { context: { slot: 1 }, value } }));
      return;
    }
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(sandbox.rpcUrl, { method: 'POST', headers, body: new Uint8Array(body) });
    response.end(await answer.text());
  });
  const env = { ...liveEnvironment(wallet, sandbox), COUNTERSIGN_ROOT_URL: service.origin };
  const policy = `${wallet.home}/policy.json`;
  const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
  const made = await runHere([...init, '--rpc-url', sandbox.rpcUrl], env);
  if (made.code !== 0) throw new Error(made.err);
  const where = ['--root-url', service.origin, '--rpc-url', rpc.origin, '--policy', policy];
  server = await startServer(['--live', ...where, '--toolsets', EVERY_TOOLSET], env);
});
afterAll(async () => {
  await server.stop();
  await service.close();
  await rpc.close();
  sandbox.stop();
});

/** Requests a page. Returns its text, which must be bounded like the structure. */
async function page(name: string, args: Fields): Promise<string> {
  const { isError, text, data } = await server.call(name, args);
  expect(isError, text).toBe(false);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_TEXT_BYTES);
  expect(text).not.toContain('cut here');
  expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThanOrEqual(2 * MAX_TEXT_BYTES);
  return text;
}

describe('lists of ten thousand rows over a real server', () => {
  // The other lists are paged in test/tools/pages.test.ts, by the same code.
  it.each(LISTS.slice(0, 2))('%s %j', async (name, args, _, id, answer) => {
    payload = answer;
    await walk((offset) => page(name, { ...args, offset }), id);
  });

  it.each([{}, { detail: true }])('get_wallet %j looks up only the mints of the page', async (more) => {
    payload = {};
    requestCount = 0;
    let pages = 0;
    await walk((offset) => {
      pages += 1;
      return page('get_wallet', { ...more, offset });
    }, 'amountRaw');
    expect(requestCount).toBeLessThanOrEqual(pages * 300);
  });

  it('list_plans and get_activity include the value of ten thousand token accounts', async () => {
    const network = String(await sandbox.rpc('getGenesisHash'));
    const now = Date.now();
    const database = await openDatabase(ledgerFile(wallet.home), systemClock);
    // Oldest first, as in real use, in one transaction: single writes would each wait for the disk.
    await database.write(async (db) => {
      for (let i = ROWS - 1; i >= 0; i -= 1) {
        const planId = `plan-${String(i).padStart(8, '0')}`;
        const about = { network, wallet: wallet.address, mode: 'live', createdAt: now - i } as const;
        await storePlan(db, samplePlan({ planId, ...about }), undefined, false);
      }
    });
    await database.close();
    const numbered = (text: string) => text.replaceAll(/^- (?:planId )?plan-(\d+)/gm, '- planId $1');
    await walk(async (offset) => numbered(await page('list_plans', { limit: 100, offset })), 'planId');
    await walk(async (offset) => {
      const text = await page('get_activity', { detail: true, offset, worth: offset === 0 });
      const [happened = '', pending = ''] = numbered(text).split(/^pending: \d+$/m);
      // All plans are open, so both lists contain them.
      expect(pending).toContain(happened.split('\n').findLast((row) => row.startsWith('- planId')));
      return happened.replace(' · more.happened ', ' · more ');
    }, 'planId');
  });
});
