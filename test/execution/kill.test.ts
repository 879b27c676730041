import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, start } from '../ledger/processes.ts';
import { passWithTransactions } from '../slots.ts';
import { Home } from './home.ts';
import { landed } from './homes.ts';
import { configRequest } from './requests.ts';

let victim: string;
beforeAll(async () => {
  victim = await bundle('execution/victim.ts');
});
afterAll(() => rmSync(dirname(victim), { recursive: true }));

describe('kill -9', () => {
  // The five points of docs/architecture.md, and the journal state left by the dead process.
  it.each([
    ['1 after the decision, before anything is reserved', 'decided', undefined],
    ['2 after signing, before the journal row', 'signed', undefined],
    ['3 after the journal row, before the send (F38)', 'journaled', 'signed'],
    ['4 after the send, before its answer is known (F39)', 'sent', 'sent'],
    ['5 after it landed, before it is final', 'landed', 'confirmed'],
  ])('%s: the next process executes it once', async (_, point, left) => {
    const home = await Home.withoutMarket({ sandbox: { slotMs: 100 } });
    // The killed process cannot drive the chain: enough slots pass for confirmation, not for finality.
    passWithTransactions(home.sandbox, 3);
    try {
      const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
      const id = plan?.planId ?? '';
      const { wallet, rootUrl, rpcUrl, apiKey, genesisHash } = home.place;
      const place = { rootUrl, rpcUrl, apiKey, genesisHash, address: wallet.address };
      const secretKey = Array.from(wallet.secretKey);
      const args = [victim, JSON.stringify({ ...place, secretKey }), home.file, id, point];
      const { child, finished } = start(process.execPath, args);
      await Promise.race([
        once(child.stdout ?? child, 'data'),
        finished.then(({ stderr }) => Promise.reject(new Error(stderr))),
      ]);
      child.kill('SIGKILL');
      await finished;
      expect((await home.ledger.rows('journal', { planId: id })).map(({ state }) => state)).toEqual(
        left === undefined ? [] : [left],
      );
      expect(await home.ledger.rows('journal', { open: true })).toHaveLength(left === undefined ? 0 : 1);

      // The lease of the dead process has not expired; other processes do not wait for it.
      expect(await home.submit(id)).toMatchObject({ status: 'complete' });
      expect(home.signatures).toBe(left === undefined ? 1 : 0);
      const rows = await home.ledger.rows('journal', { planId: id });
      expect(rows).toHaveLength(1);
      const ours = landed(home).filter(({ err }) => err === null);
      expect(ours.map(({ signature }) => signature)).toEqual([rows[0]?.signature]);
      await home.plans.idle();
      expect(await home.ledger.rows('journal', { open: true })).toEqual([]);
    } finally {
      await home.close();
      await home.sandbox.close();
    }
  });
});
