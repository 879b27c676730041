/**
 * `countersign backup [DIR] [--move]`: saves a home to a folder: ledger, encrypted keys, owner key and policy. With
 * `--move`, signing in this home ends, and the home restored from the folder continues.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { systemClock } from '../../clock.ts';
import { checkpointFile } from '../../ledger/checkpoint/checkpointFile.ts';
import { hasLedger, ledgerFile } from '../../ledger/ledgerFile.ts';
import { openLedger } from '../../ledger/sqlite/sqlite.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { keeperOf } from '../../runtime/backends/checkpointKeeper.ts';
import { readPolicyFile } from '../../runtime/policyFile.ts';
import { ownerKeyPath } from '../../secrets/keys/ownerKey.ts';
import { writePrivateFile } from '../../secrets/privateFile.ts';
import { secretPartsOfUrl } from '../../secrets/redaction/urlSecrets.ts';
import {
  newStoreId,
  readStoreRecord,
  storeRecordPath,
  writeStoreRecord,
} from '../../secrets/stores/chooseStore.ts';
import { createFileStore, secretFilePath } from '../../secrets/stores/fileStore.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { storeOf } from '../keys/owner.ts';
import { requireFile } from '../records/place.ts';
import { changeSettings, readSettings } from '../settings.ts';
import { passphrasePrompt } from '../terminal.ts';
import { type Copied, copySummary, OWNER_NAME, POLICY_NAME, SECRETS_NAME } from './backupWords.ts';
import { copyLedger, finishMove, retiredOf } from './copy.ts';
import { digestOf, readManifest, writeManifest } from './manifest.ts';

export const backupCommand: Command = async (input) => {
  requireFile(input);
  const { home, options, terminal } = input;
  const moved = options.move === true;
  const record = readStoreRecord(home);
  if (record === undefined && !hasLedger(home)) {
    throw new SetupError(
      `There is nothing to back up in ${home}.`,
      'Name the home folder with `--home DIR`.',
    );
  }
  const place = await placeOf(input, moved);
  const policy = await policyText(input);
  if (existsSync(place) && readdirSync(place).length > 0) {
    throw new SetupError(`${place} is not empty.`, 'Name a new folder: `countersign backup DIR`.');
  }
  // Before a move ends signing: an unwritable folder changes nothing.
  makeFolder(place);
  let end: (() => void) | undefined;
  let copied: Copied;
  try {
    end = moved ? await retireHome(input, place) : undefined;
    chmodSync(place, 0o700);
    copied = await fill(input, place, { moved, policy });
    if (moved) await finishMove(home, systemClock);
  } catch (error) {
    // Removes an incomplete backup; a move is continued by running the command again.
    rmSync(place, { recursive: true, force: true });
    throw error;
  } finally {
    end?.();
  }
  terminal.print(place);
  for (const line of copySummary(copied, record, moved)) terminal.tell(line);
  return 0;
};

/** Creates a folder and its parents one by one: Node's recursion does not end in a file system such as /proc. */
function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let at = path; !existsSync(at) && dirname(at) !== at; at = dirname(at)) missing.unshift(at);
  for (const each of missing) mkdirSync(each, { mode: 0o700 });
}

/** Returns the backup folder. An interrupted move continues with its original folder. */
async function placeOf({ home, words }: CommandInput, moved: boolean): Promise<string> {
  const [named] = words;
  const retired = await retiredOf(home, systemClock);
  if (retired?.why !== 'moved') {
    const day = new Date(systemClock.now()).toISOString().slice(0, 10);
    return resolve(named ?? `countersign-backup-${day}-${randomBytes(3).toString('hex')}`);
  }
  const { place } = retired;
  const other = named !== undefined && resolve(named) !== place;
  if (!moved || other || retired.done || (existsSync(place) && readManifest(place) !== undefined)) {
    throw new SetupError(
      `This home was moved already, with the backup in ${place}.`,
      'Back up the home that was restored from it.',
    );
  }
  rmSync(place, { recursive: true, force: true });
  return place;
}

async function policyText({ options }: CommandInput): Promise<string | undefined> {
  const path = textOption(options, 'policy');
  if (path === undefined) return undefined;
  const file = await readPolicyFile(path);
  if ('problem' in file)
    throw new SetupError(`${path}: ${file.problem}`, 'Correct it, or leave --policy away.');
  return file.text;
}

/** Ends signing in this home, before anything is copied. */
async function retireHome(input: CommandInput, place: string): Promise<() => void> {
  const { home } = input;
  if (!hasLedger(home)) {
    throw new SetupError(
      'This home has recorded nothing yet, so there is nothing to move.',
      'Back it up with `countersign backup`, restore that, and delete the keys here.',
    );
  }
  if ((await retiredOf(home, systemClock))?.why === 'moved') return () => undefined;
  const store =
    readStoreRecord(home) === undefined && !existsSync(checkpointFile(home))
      ? undefined
      : storeOf(input, true);
  const ledger = openLedger({
    home,
    clock: systemClock,
    ...(store === undefined ? {} : { keeper: keeperOf(store) }),
  });
  try {
    const damage = await ledger.damage();
    if (damage !== undefined) throw damage;
    await ledger.retire(place);
  } finally {
    await ledger.close();
  }
  return () => store?.lock();
}

/** Copies everything into the folder, the manifest last. */
async function fill(
  input: CommandInput,
  place: string,
  { moved, policy }: { readonly moved: boolean; readonly policy: string | undefined },
): Promise<Copied> {
  const { home } = input;
  const files: string[] = [];
  const add = (name: string, from: string) => {
    if (!existsSync(from)) return;
    copyFileSync(from, join(place, name));
    files.push(name);
  };
  if (existsSync(ledgerFile(home))) {
    await copyLedger(home, join(place, 'ledger.db'), {
      clock: systemClock,
      place,
      moved,
      live: readStoreRecord(home) !== undefined,
    });
    files.push('ledger.db');
  }
  if (moved) add('high-water-mark', checkpointFile(home));
  const secrets = await copySecrets(input, place);
  files.push(...secrets.files);
  add(OWNER_NAME, ownerKeyPath(home));
  if (policy !== undefined) {
    writePrivateFile(join(place, POLICY_NAME), Buffer.from(policy));
    files.push(POLICY_NAME);
  }
  if (copySettings(home, place, policy !== undefined)) files.push('settings.json');
  writeManifest(place, {
    version: 1,
    id: randomBytes(16).toString('hex'),
    madeAt: systemClock.now(),
    moved,
    home,
    files: files.map((path) => ({ path, sha256: digestOf(join(place, path)) })),
  });
  return { files, secrets: secrets.secrets };
}

/** Copies the settings, with the backup's policy, without URLs that contain a key. */
function copySettings(home: string, place: string, hasPolicy: boolean): boolean {
  const plain = Object.entries(readSettings(home)).filter(
    ([name, value]) =>
      !['policy', 'ledger', 'webhook'].includes(name) &&
      !(name.endsWith('url') && typeof value === 'string' && secretPartsOfUrl(value).length > 0),
  );
  if (plain.length === 0) return false;
  const policy = hasPolicy ? { policy: join(place, POLICY_NAME) } : {};
  changeSettings(place, { ...Object.fromEntries(plain), ...policy });
  return true;
}

/** Copies the secrets as an encrypted file: the home's own, or a new one with the keychain's secrets. */
async function copySecrets(input: CommandInput, place: string): Promise<Copied> {
  const { home, env, terminal } = input;
  const record = readStoreRecord(home);
  if (record === undefined || record.kind === 'env') return { files: [] };
  if (record.kind === 'file') {
    if (!existsSync(secretFilePath(home))) return { files: [] };
    copyFileSync(secretFilePath(home), secretFilePath(place));
    copyFileSync(storeRecordPath(home), storeRecordPath(place));
    return { files: [SECRETS_NAME, 'secret-store.json'] };
  }
  const from = storeOf(input, true);
  const names = await from.list();
  if (names.length === 0) return { files: [] };
  terminal.tell(
    'The keys are in the keychain. In the backup they are a file, under a passphrase you choose now.',
  );
  const to = createFileStore({
    home: place,
    env,
    ...(terminal.interactive ? { prompt: passphrasePrompt(terminal) } : {}),
  });
  const written: string[] = [];
  try {
    for (const name of names) {
      const secret = await from.get(name);
      if (secret === undefined) continue;
      await to.set(name, secret).finally(() => secret.wipe());
      written.push(name);
    }
  } finally {
    from.lock();
    to.lock();
  }
  writeStoreRecord(place, { version: 1, kind: 'file', id: newStoreId() });
  return { files: [SECRETS_NAME, 'secret-store.json'], secrets: written };
}
