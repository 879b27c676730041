/**
 * T80: backup and restore of a home. A moved home continues elsewhere and is retired here; a plain restore requires the
 * owner key.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { backupCommand } from '../../src/cli/homes/backup.ts';
import { restoreCommand } from '../../src/cli/homes/restore.ts';
import { ownerCommand } from '../../src/cli/keys/owner.ts';
import { walletCommand } from '../../src/cli/keys/wallet.ts';
import { systemClock } from '../../src/clock.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { openOwnerKey } from '../../src/secrets/keys/ownerKey.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { OWNER_PASSPHRASE } from '../approval/owner.ts';
import { eventually } from '../eventually.ts';
import { signedHome } from '../ledger/damagedHomes.ts';
import { run } from './terminal.ts';
import { swap, tradingHome } from './tradingHome.ts';

let files: string;
/** Separate machine: location of the notes about restored backups. */
let machine: { XDG_DATA_HOME: string };
beforeEach(() => {
  files = mkdtempSync(join(tmpdir(), 'backup-'));
  machine = { XDG_DATA_HOME: join(files, 'data') };
});
afterEach(() => rmSync(files, { recursive: true, force: true }));

it('T80 a moved home continues where the first stopped, limits included; the first refuses to sign and names the new place', async () => {
  const { open, command, home, chain } = await tradingHome();
  const [out, other] = [join(files, 'moved'), join(files, 'home')];
  const first = open();
  expect([await swap(first), await swap(first)]).toEqual(['complete', 'complete']);
  // A transaction that landed and is not final would be settled in the wrong home.
  expect((await command(['backup', out], undefined, { move: true })).error).toMatchObject({
    code: 'STATE_CONFLICT',
  });
  expect(existsSync(out)).toBe(false);
  const ledger = openLedger({ home, clock: systemClock });
  await eventually(async () => {
    chain.advanceSlots(10);
    expect(await ledger.rows('journal', { open: true })).toEqual([]);
  });
  await ledger.close();
  await first.close();

  const made = await command(['backup', out], undefined, { move: true });
  expect([made.error, made.code, made.out]).toEqual([undefined, 0, out]);
  const copy = join(files, 'copy');
  cpSync(out, copy, { recursive: true });
  for (const name of readdirSync(out)) expect(statSync(join(out, name)).mode & 0o077).toBe(0);

  const old = open();
  expect(await swap(old)).toBe('LEDGER_LOST');
  expect((await old.callTool('get_status')).structuredContent).toMatchObject({
    ledger: expect.stringContaining(`This home was moved on`),
  });
  expect(JSON.stringify((await old.callTool('get_status')).structuredContent)).toContain(out);
  await old.close();
  // Records remain readable; no owner key makes this home sign again.
  expect((await command(['history'])).out).toContain('Swap tokens: landed');
  const accepted = await command(['ledger', 'accept'], [OWNER_PASSPHRASE]);
  expect(accepted.error).toMatchObject({ message: expect.stringContaining('was moved on') });
  expect((await command(['backup'], undefined, { move: true })).error).toMatchObject({
    message: expect.stringContaining('was moved already'),
  });

  // The other copy may have been restored elsewhere: the user is asked, or passes `--yes` without a terminal.
  expect((await command(['restore', out], undefined, {}, other)).error).toMatchObject({
    hint: expect.stringContaining('--yes'),
  });
  expect((await command(['restore', out], ['perhaps', 'yes'], {}, other)).error).toMatchObject({
    hint: expect.stringContaining('restored from the other copy'),
  });
  expect(existsSync(other)).toBe(false);
  const restored = await command(['restore', out], ['no'], {}, other);
  expect([restored.error, restored.code]).toEqual([undefined, 0]);
  expect(restored.err).toContain('no signature of another copy of this home');
  expect(existsSync(join(other, 'owner-key.age'))).toBe(true);
  const next = open(other);
  expect(await swap(next)).toBe('complete');
  expect(await swap(next)).toBe('LIMIT_EXCEEDED');
  await next.close();
  expect((await command(['history'], undefined, {}, other)).out).toMatch(/plans +3 landed/);
  expect(await command(['audit', 'verify'], undefined, {}, other)).toMatchObject({ code: 0 });

  // A second home from the same backup, or a copy of it, would spend the limits a second time.
  const second = join(files, 'second');
  for (const folder of [out, copy]) {
    const twice = await command(['restore', folder], ['no'], {}, second);
    expect(twice.error).toMatchObject({
      message: expect.stringContaining(`was restored already, to ${other}`),
    });
  }
  // Another machine has no notes, but the chain shows the first copy's signatures.
  const elsewhere = { XDG_DATA_HOME: join(files, 'another machine') };
  const seen = await command(['restore', copy], ['no'], {}, second, elsewhere);
  expect(seen.error).toMatchObject({
    message: expect.stringMatching(/^Its wallet signed 1 transaction after the move/),
  });
  expect(existsSync(second)).toBe(false);
  expect(existsSync(home)).toBe(true);

  // Without an RPC both homes sign, and each finds the other's transactions on chain later.
  const checked = async (at: string) =>
    (await command(['doctor'], undefined, {}, at)).out.replace(/\s+/g, ' ');
  expect(await checked(other)).toContain('ok other copy no signature since this home was moved here');
  const offline = { yes: true, 'rpc-url': undefined };
  const twin = await command(['restore', copy], undefined, offline, second, elsewhere);
  expect([twin.error, twin.err]).toEqual([
    undefined,
    expect.stringContaining('Two machines cannot see each other'),
  ]);
  expect(await checked(second)).toContain('MISS other copy the wallet signed 1 transaction since the move');
  const seconds = open(second);
  expect(await swap(seconds)).toBe('complete');
  await seconds.close();
  expect(await checked(other)).toContain('MISS other copy the wallet signed 1 transaction since the move');

  // The first home stays retired when its ledger and the checkpoint beside it are gone.
  for (const name of ['ledger.db', 'ledger.db-wal', 'high-water-mark']) {
    rmSync(join(home, name), { force: true });
    expect((await command(['ledger', 'accept'], [OWNER_PASSPHRASE])).error).toMatchObject({
      code: 'LEDGER_LOST',
      message: expect.stringContaining('was moved on'),
    });
    const emptied = open();
    expect(await swap(emptied)).toBe('LEDGER_LOST');
    await emptied.close();
  }
  expect(existsSync(join(home, 'ledger.db'))).toBe(false);
});

it('T80 a plain backup signs nothing until the owner key accepts the ledger, and counts every limit as used then', async () => {
  const { open, command, chain } = await tradingHome();
  const [out, other] = [join(files, 'plain'), join(files, 'home')];
  const first = open();
  expect(await swap(first)).toBe('complete');
  expect(await command(['backup', out])).toMatchObject({ error: undefined, code: 0, out });
  // The home continues; the backup does not contain this swap.
  expect(await swap(first)).toBe('complete');
  await first.close();
  chain.advanceSlots(200);

  expect(await command(['restore', out], undefined, {}, other)).toMatchObject({
    error: undefined,
    code: 0,
    err: expect.stringContaining('countersign ledger accept'),
  });
  const restored = open(other);
  expect(await swap(restored)).toBe('LEDGER_LOST');
  // Restore waits until signatures made after the backup have expired; blocks are produced meanwhile.
  const blocks = setInterval(() => chain.advanceSlots(40), 50);
  const ran = await command(['ledger', 'accept'], [OWNER_PASSPHRASE], {}, other);
  clearInterval(blocks);
  expect(ran).toMatchObject({ error: undefined, code: 0 });
  expect(await swap(restored)).toBe('LIMIT_EXCEEDED');
  await restored.close();
});

it('restores keys from an encrypted file and refuses a modified folder', async () => {
  const env = { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };
  const [home, out, other] = [join(files, 'first'), join(files, 'backup'), join(files, 'second')];
  const created = await run(walletCommand, { home, env, words: ['create'] });
  expect(await run(backupCommand, { home, env, words: [out] })).toMatchObject({
    error: undefined,
    code: 0,
  });
  for (const name of readdirSync(out)) {
    expect(readFileSync(join(out, name)).includes(env.COUNTERSIGN_PASSPHRASE)).toBe(false);
  }

  const broken = join(files, 'broken');
  cpSync(out, broken, { recursive: true });
  appendFileSync(join(broken, 'secrets.age'), 'x');
  expect((await run(restoreCommand, { home: other, words: [broken] })).error).toMatchObject({
    message: expect.stringContaining('was changed after the backup'),
  });
  rmSync(join(broken, 'secrets.age'));
  expect((await run(restoreCommand, { home: other, words: [broken] })).error).toMatchObject({
    message: expect.stringContaining('is missing'),
  });
  expect(readdirSync(files).sort()).toEqual(['backup', 'broken', 'first']);
  expect((await run(restoreCommand, { home, words: [out] })).error).toMatchObject({
    message: expect.stringContaining('is not empty'),
  });
  expect((await run(restoreCommand, { home: other, words: [files] })).error).toMatchObject({
    message: expect.stringContaining('is not a complete backup'),
  });

  expect(await run(restoreCommand, { home: other, words: [out] })).toMatchObject({
    error: undefined,
    code: 0,
  });
  const shown = await run(walletCommand, { home: other, env, words: ['show'] });
  expect(shown.out).toBe(created.out);
});

it('is refused while a signed transaction may still land, and for an empty home', async () => {
  const { home } = await signedHome('closed');
  const ledger = openLedger({ home, clock: systemClock });
  expect(await ledger.rows('journal', { open: true })).not.toEqual([]);
  await ledger.close();
  const moved = await run(backupCommand, {
    home,
    env: { COUNTERSIGN_SECRET_STORE: 'env' },
    words: [join(files, 'moved')],
    options: { move: true, 'secret-store': 'env' },
  });
  expect(moved.error).toMatchObject({ code: 'STATE_CONFLICT' });
  expect((await run(backupCommand, { home: join(files, 'none') })).error).toMatchObject({
    message: expect.stringContaining('There is nothing to back up'),
  });
});

it('resumes an interrupted move only at the destination it was begun for', async () => {
  const [home, place] = [join(files, 'home'), join(files, 'moved')];
  const ledger = openLedger({ home, clock: systemClock });
  await ledger.freeze('kept');
  await ledger.retire(place);
  await expect(ledger.freeze('again')).rejects.toMatchObject({ code: 'LEDGER_LOST' });
  await ledger.close();
  const elsewhere = await run(backupCommand, {
    home,
    words: [join(files, 'other')],
    options: { move: true },
  });
  expect(elsewhere.error).toMatchObject({ message: expect.stringContaining('was moved already') });
  expect((await run(backupCommand, { home, options: {} })).error).toMatchObject({
    message: expect.stringContaining('was moved already'),
  });
  expect(await run(backupCommand, { home, options: { move: true } })).toMatchObject({ code: 0, out: place });

  const other = join(files, 'second');
  const restore = { words: [place], env: machine, options: { yes: true } };
  expect(await run(restoreCommand, { ...restore, home: other })).toMatchObject({ code: 0 });
  const restored = openLedger({ home: other, clock: systemClock });
  expect(await restored.damage()).toBe(undefined);
  expect(await frozenFor(restored)).toMatchObject({ reason: 'kept' });
  await restored.close();

  // Once restored, there is one home: neither the folder nor the first home allows another, even after removal.
  renameSync(other, join(files, 'put away'));
  expect((await run(restoreCommand, { ...restore, home: other })).error).toMatchObject({
    message: expect.stringContaining('was restored already'),
  });
  rmSync(place, { recursive: true });
  expect((await run(backupCommand, { home, options: { move: true } })).error).toMatchObject({
    message: expect.stringContaining('was moved already'),
  });
});

it('a home without signatures restores on several hosts, each with wallet, owner key and a sealed ledger', async () => {
  const env = { ...machine, COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' };
  const [first, out] = [join(files, 'first'), join(files, 'backup')];
  const made = await run(walletCommand, {
    ...{ home: first, env, words: ['create'], options: { 'secret-store': 'file' } },
  });
  const typed = [OWNER_PASSPHRASE, OWNER_PASSPHRASE];
  const owner = await run(ownerCommand, { home: first, env, words: ['create'], typed });
  expect((await run(backupCommand, { home: first, env, words: [out] })).code).toBe(0);
  for (const name of ['host-1', 'host-2']) {
    const home = join(files, name);
    expect((await run(restoreCommand, { home, env, words: [out] })).code).toBe(0);
    expect((await run(ownerCommand, { home, env, words: ['show'] })).out).toBe(owner.out);
    const key = await openOwnerKey({ home, passphrase: Secret.fromText(OWNER_PASSPHRASE) });
    expect(key.publicKey).toBe(owner.out);
    expect((await run(walletCommand, { home, env, words: ['list'] })).out).toContain(made.out);
  }
  // Key without a store that vouches for it.
  const alone = join(files, 'alone');
  await run(walletCommand, { home: alone, env, words: ['create'], options: { 'secret-store': 'file' } });
  cpSync(join(first, 'owner-key.age'), join(alone, 'owner-key.age'));
  const shown = await run(ownerCommand, { home: alone, env, words: ['show'], typed: [OWNER_PASSPHRASE] });
  expect([shown.code, shown.out, shown.err]).toEqual([
    0,
    owner.out,
    expect.stringContaining('docs/fleet.md'),
  ]);
});
