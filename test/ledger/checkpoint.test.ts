/** T80: the ledger checkpoint, which identifies the ledger of a home's signatures and its extent. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointFile, readCheckpoint } from '../../src/ledger/checkpoint/checkpointFile.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import {
  clock,
  LOST,
  newHome,
  open,
  overwrite,
  putBack,
  remove,
  sign,
  signedHome,
  storeLike,
} from './damagedHomes.ts';
import { NETWORK, WALLET } from './samples.ts';

describe('T80 the ledger checkpoint', () => {
  it('is created with the first signature: the files of a home that never signed may be deleted', async () => {
    const home = newHome();
    const ledger = open(home);
    await ledger.setNote('probe', '');
    await ledger.setNote('quote', '{}');
    await ledger.close();
    expect(existsSync(checkpointFile(home))).toBe(false);
    remove(home);
    const again = open(home);
    await sign(again);
    await again.close();
    expect(readCheckpoint(checkpointFile(home))).toMatchObject({
      ledger: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  it('is not kept for a temporary ledger', async () => {
    const home = newHome();
    const ledger = openLedger({ home, clock });
    await sign(ledger);
    await ledger.close();
    remove(home);
    const again = openLedger({ home, clock });
    await sign(again);
    await again.close();
  });

  it('lowered or cut by hand is detected before the next signature', async () => {
    const { home, older } = await signedHome('closed');
    const whole = readFileSync(checkpointFile(home));
    const stored = readCheckpoint(checkpointFile(home));
    if (stored === undefined || stored === 'damaged') throw new Error('no mark');
    const lowered = JSON.stringify({ ...stored, count: 1 }).padEnd(1024);
    for (const bytes of [Buffer.from(lowered), whole.subarray(0, 40), Buffer.alloc(0)]) {
      overwrite(checkpointFile(home), bytes);
      putBack(older, home);
      const ledger = open(home);
      await expect(sign(ledger)).rejects.toMatchObject(LOST);
      await ledger.close();
    }
  });

  it('keeps its other slot if a power failure cuts one off', async () => {
    const { home } = await signedHome('closed');
    const bytes = readFileSync(checkpointFile(home));
    const newest = readCheckpoint(checkpointFile(home));
    for (const at of [0, 512]) {
      const torn = Buffer.from(bytes);
      torn.fill(0, at + 30, at + 512);
      overwrite(checkpointFile(home), torn);
      const left = readCheckpoint(checkpointFile(home));
      if (left === undefined || left === 'damaged' || newest === undefined || newest === 'damaged')
        throw new Error('no mark is left');
      expect(newest.count - left.count).toBeLessThanOrEqual(1);
      const ledger = open(home);
      await sign(ledger);
      await ledger.close();
      overwrite(checkpointFile(home), readFileSync(checkpointFile(home)));
    }
  });

  it('never falls back when two processes write in turn', async () => {
    const home = newHome();
    const [one, two] = [open(home), open(home)];
    let newest = 0;
    for (const ledger of [one, two, one, one, two, two, one]) {
      await sign(ledger);
      const checkpoint = readCheckpoint(checkpointFile(home));
      if (checkpoint === undefined || checkpoint === 'damaged') throw new Error('no mark');
      expect(checkpoint.count).toBeGreaterThan(newest);
      newest = checkpoint.count;
    }
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps the last signature of each of two processes until no signature is open', async () => {
    const home = newHome();
    const [one, two] = [open(home), open(home)];
    const signed = () => {
      const checkpoint = readCheckpoint(checkpointFile(home));
      return checkpoint === undefined || checkpoint === 'damaged' ? 'no mark' : checkpoint.lastSigned;
    };
    await sign(one, 1, { deadHeight: 500 });
    await sign(two, 1, { deadHeight: 400 });
    expect(signed()).toEqual([{ network: NETWORK, deadHeight: 500 }]);
    await sign(two, 1, { network: 'another', deadHeight: 90 });
    await one.setNote('x', 'y');
    await two.setNote('x', 'z');
    await sign(one, 1, { deadHeight: 450 });
    expect(signed()).toEqual(
      expect.arrayContaining([
        { network: NETWORK, deadHeight: 500 },
        { network: 'another', deadHeight: 90 },
      ]),
    );
    await Promise.all([one.close(), two.close()]);
    expect(signed()).toHaveLength(2);
  });

  it('records that no signature of a home is open any more', async () => {
    const home = newHome();
    const ledger = open(home);
    const lease = await ledger.lease({ wallet: WALLET, holder: 'signer' }, 1e9);
    await sign(ledger, 1);
    const [row] = await ledger.rows('journal', { open: true });
    if (row === undefined || lease === undefined) throw new Error('nothing was signed');
    await ledger.journalMove(row.signature, 'finalized', { lease, slot: 7 });
    await ledger.journalMove(row.signature, 'finalized', { settled: { actual: [] } });
    await ledger.close();
    expect(readCheckpoint(checkpointFile(home))).toMatchObject({ lastSigned: [] });
  });

  it('and ledger removed together are missed if the secret store remembers them', async () => {
    for (const kind of ['file', 'keychain'] as const) {
      const secrets = storeLike(kind);
      const home = newHome();
      const ledger = open(home, secrets);
      await sign(ledger);
      await ledger.close();
      const older = newHome();
      cpSync(home, older, { recursive: true });
      const reopened = open(home, secrets);
      await sign(reopened);
      await reopened.close();
      for (const name of readdirSync(home)) rmSync(join(home, name));
      const empty = open(home, secrets);
      await expect(sign(empty)).rejects.toMatchObject(LOST);
      await empty.close();
    }
  });

  it('recreated by hand does not match the seal in the secret store', async () => {
    const secrets = storeLike('file');
    const home = newHome();
    const ledger = open(home, secrets);
    await sign(ledger);
    await ledger.close();
    for (const name of readdirSync(home)) rmSync(join(home, name));
    const other = open(home, storeLike('file'));
    await sign(other);
    await other.close();
    const again = open(home, secrets);
    await expect(sign(again)).rejects.toMatchObject(LOST);
    await again.close();
  });

  it('whose seal was not written before the process died is not a loss', async () => {
    const secrets = storeLike('file');
    const home = newHome();
    const dies = { ...secrets, set: () => Promise.reject(new Error('killed')) };
    const ledger = open(home, dies);
    await expect(sign(ledger)).rejects.toThrow('killed');
    await ledger.close();
    const again = open(home, secrets);
    await sign(again);
    await again.close();
  });
});
