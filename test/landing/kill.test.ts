import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundle, start } from '../ledger/processes.ts';
import { Home } from './home.ts';
import { landed } from './homes.ts';
import { configRequest } from './requests.ts';

let victim: string;
beforeAll(async () => {
  victim = await bundle('landing/victim.ts');
});
afterAll(() => rmSync(dirname(victim), { recursive: true }));

describe('kill -9', () => {
  it.each([
    ['after signing, before the journal row', 'signed', 1],
    ['after the journal row, before the send (F38)', 'journaled', 0],
    ['after the send, before its answer is known (F39)', 'sent', 0],
  ])('%s: the next process lands it, once', async (_, point, signsAgain) => {
    const home = await Home.start({ sandbox: { slotMs: 100 } });
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

      // The dead process still holds the lease on paper; no process has to wait for it to expire.
      expect(await home.submit(id)).toMatchObject({ status: 'complete' });
      expect(home.signatures).toBe(signsAgain);
      const rows = await home.ledger.journal({ planId: id });
      expect(rows).toHaveLength(1);
      const ours = landed(home).filter(({ err }) => err === null);
      expect(ours.map(({ signature }) => signature)).toEqual([rows[0]?.signature]);
      await home.landing.idle();
      expect(await home.ledger.openRows({})).toEqual([]);
    } finally {
      await home.close();
      await home.sandbox.close();
    }
  });
});
