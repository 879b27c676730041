/** Backup of a home with keys in the system keychain, restored on a machine without that keychain. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupCommand } from '../../src/cli/homes/backup.ts';
import { restoreCommand } from '../../src/cli/homes/restore.ts';
import { walletCommand } from '../../src/cli/keys/wallet.ts';
import { systemClock } from '../../src/clock.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { keeperOf } from '../../src/runtime/backends/checkpointKeeper.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { openStore, readStoreRecord, setUpStore } from '../../src/secrets/stores/chooseStore.ts';
import { secretNames } from '../../src/secrets/stores/store.ts';
import { missing, type SecretService, startSecretService } from '../secrets/secretService.ts';
import { run } from './terminal.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';
const SERVICE = 'https://service.example';
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

describe.skipIf(missing.length > 0)('a home with keys in a real keychain', () => {
  let service: SecretService;
  let files: string;
  /** Another machine: no keychain, another folder for data. */
  let elsewhere: Record<string, string>;
  beforeAll(async () => {
    service = await startSecretService();
    files = mkdtempSync(join(tmpdir(), 'keychain-backup-'));
    elsewhere = {
      XDG_DATA_HOME: join(files, 'another machine'),
      DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
      COUNTERSIGN_PASSPHRASE: PASSPHRASE,
    };
  });
  afterAll(async () => {
    rmSync(files, { recursive: true, force: true });
    await service.end();
  });

  /** Creates a home with a wallet, an API key and a ledger sealed with a keychain key. */
  async function home(name: string): Promise<{ home: string; wallet: string }> {
    const at = join(files, name);
    const { env } = service;
    const made = await run(walletCommand, {
      home: at,
      env,
      words: ['create'],
      options: { 'secret-store': 'keychain' },
    });
    expect([made.error, made.err]).toEqual([undefined, expect.stringContaining('in the keychain store')]);
    const store = await setUpStore({ home: at, env });
    await store.set(secretNames.apiKey(SERVICE), Secret.fromText('an-api-key-of-this-test'));
    const ledger = openLedger({ home: at, clock: systemClock, keeper: keeperOf(store) });
    await ledger.freeze('kept');
    await ledger.close();
    return { home: at, wallet: made.out };
  }

  it('backs up the keychain secrets as an encrypted file, and lists its contents, the key locations and the next steps', async () => {
    const { home: first, wallet } = await home('first');
    const [out, other] = [join(files, 'backup'), join(files, 'second')];
    const made = await run(backupCommand, {
      home: first,
      env: service.env,
      words: [out],
      typed: [PASSPHRASE, PASSPHRASE],
    });
    expect([made.error, made.code, made.prompts]).toEqual([
      undefined,
      0,
      ['Passphrase of the secret file: (hidden)', 'The same again: (hidden)'],
    ]);
    const output = oneLine(made.err);
    expect(output).toContain(
      `Contents: the ledger, the API key for ${SERVICE}, the key of wallet ${wallet}. Not included: the policy.`,
    );
    expect(output).toContain('The keys are an encrypted file now, under the passphrase you chose.');
    const record = readStoreRecord(first);
    expect(output).toContain(
      `The keychain of this machine holds them too, in entries named countersign-${record?.id}.`,
    );
    expect(output).toContain('`countersign secrets migrate keychain`');
    for (const name of readdirSync(out)) {
      expect(readFileSync(join(out, name)).includes(PASSPHRASE)).toBe(false);
      expect(readFileSync(join(out, name)).includes('an-api-key-of-this-test')).toBe(false);
    }
    // The first home still works from its keychain.
    expect((await run(walletCommand, { home: first, env: service.env, words: ['show'] })).out).toBe(wallet);

    const restored = await run(restoreCommand, { home: other, env: elsewhere, words: [out] });
    expect([restored.error, restored.code]).toEqual([undefined, 0]);
    expect((await run(walletCommand, { home: other, env: elsewhere, words: ['show'] })).out).toBe(wallet);
    const store = openStore({ home: other, env: elsewhere });
    expect((await store.get(secretNames.apiKey(SERVICE)))?.expose()).toBe('an-api-key-of-this-test');
    const wrong = { ...elsewhere, COUNTERSIGN_PASSPHRASE: 'another velvet canyon mosaic' };
    expect((await run(walletCommand, { home: other, env: wrong, words: ['show'] })).error).toMatchObject({
      code: 'WRONG_PASSPHRASE',
    });
  });

  it('is moved with its ledger seal, and tells the owner to delete the remaining keychain entries', async () => {
    const { home: first, wallet } = await home('moving');
    const [out, other] = [join(files, 'moved'), join(files, 'arrived')];
    const made = await run(backupCommand, {
      home: first,
      env: service.env,
      words: [out],
      options: { move: true },
      typed: [PASSPHRASE, PASSPHRASE],
    });
    expect([made.error, made.code]).toEqual([undefined, 0]);
    expect(oneLine(made.err)).toContain('Delete those entries here once the other home works.');
    const restored = await run(restoreCommand, {
      home: other,
      env: elsewhere,
      words: [out],
      options: { yes: true },
    });
    expect([restored.error, restored.code]).toEqual([undefined, 0]);
    expect((await run(walletCommand, { home: other, env: elsewhere, words: ['show'] })).out).toBe(wallet);
    const store = openStore({ home: other, env: elsewhere });
    const ledger = openLedger({ home: other, clock: systemClock, keeper: keeperOf(store) });
    expect(await ledger.damage()).toBe(undefined);
    expect(await frozenFor(ledger)).toMatchObject({ reason: 'kept' });
    await ledger.close();
    const old = openLedger({ home: first, clock: systemClock });
    await expect(old.freeze('again')).rejects.toMatchObject({ code: 'LEDGER_LOST' });
    await old.close();
  });

  it('without keys is backed up completely, and the backup reports that it contains none', async () => {
    const first = join(files, 'empty');
    await setUpStore({ home: first, env: service.env, requested: 'keychain' });
    const out = join(files, 'empty backup');
    const made = await run(backupCommand, { home: first, env: service.env, words: [out] });
    expect([made.error, made.code]).toEqual([undefined, 0]);
    expect(made.err).toContain('It contains no keys: the keychain store of this home holds none.');
    expect(made.err).not.toContain('encrypted');
    const restored = await run(restoreCommand, {
      home: join(files, 'empty home'),
      env: elsewhere,
      words: [out],
    });
    expect(restored.error).toBe(undefined);
  });
});
