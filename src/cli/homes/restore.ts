/**
 * `countersign restore DIR`: a home from a backup folder. Everything is checked and written beside the home first, and put
 * in place as a whole. A home that was moved goes on; any other needs `countersign ledger accept` before it signs.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { digestOf, type Manifest, readManifest, writeManifest } from '../../ledger/backup/manifest.ts';
import { checkHome } from '../../ledger/sqlite/place.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command } from '../command.ts';
import { POLICY_NAME } from './backup.ts';

const USAGE = 'countersign restore DIR, with --home NEW where another home is already there';

export const restoreCommand: Command = async ({ words, home, terminal }) => {
  const [named] = words;
  if (named === undefined) throw new SetupError('Which backup?', USAGE);
  const folder = resolve(named);
  const manifest = existsSync(folder) ? readManifest(folder) : undefined;
  if (manifest === undefined) {
    throw new SetupError(
      `${folder} is no whole backup.`,
      'Name the folder that `countersign backup` printed.',
    );
  }
  requireEmpty(home);
  const isDone = manifest.finished === true || manifest.restoredTo !== home;
  if (manifest.moved && manifest.restoredTo !== undefined && isDone) {
    throw new SetupError(
      `This home was restored already, to ${manifest.restoredTo}.`,
      'Two homes would each spend its limits. Move that one with `countersign backup --move`.',
    );
  }
  const next = `${home}.restoring-${randomBytes(3).toString('hex')}`;
  try {
    copyAll(folder, next, manifest);
    if (manifest.moved) writeManifest(folder, { ...manifest, restoredTo: home });
    if (existsSync(home)) rmSync(home, { recursive: true });
    renameSync(next, home);
    if (manifest.moved) writeManifest(folder, { ...manifest, restoredTo: home, finished: true });
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  terminal.print(home);
  const has = (path: string) => manifest.files.some((file) => file.path === path);
  if (has(POLICY_NAME)) terminal.tell(`The policy is ${join(home, POLICY_NAME)}.`);
  if (manifest.moved)
    terminal.tell('It goes on where the other home stopped: limits, approvals and history.');
  else if (has('ledger.db')) {
    terminal.tell('What was signed after the backup is not in it, so nothing is signed yet.');
    terminal.tell(
      'Next: `countersign ledger accept --live --rpc-url URL --policy FILE`, with the owner key.',
    );
  }
  terminal.tell('`countersign doctor` checks it; `countersign setup --write` names it to your clients.');
  return 0;
};

/** Refuses where anything is already there. */
function requireEmpty(home: string): void {
  checkHome(home);
  if (!existsSync(home) || readdirSync(home).length === 0) return;
  throw new SetupError(`There is something in ${home} already.`, 'Restore into a new folder: `--home DIR`.');
}

function copyAll(folder: string, next: string, { files }: Manifest): void {
  mkdirSync(next, { recursive: true, mode: 0o700 });
  for (const { path, sha256 } of files) {
    const from = join(folder, path);
    const to = join(next, path);
    if (!existsSync(from))
      throw new SetupError(`${from} is missing.`, 'Copy the whole folder of the backup.');
    mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
    copyFileSync(from, to);
    chmodSync(to, 0o600);
    if (digestOf(to) !== sha256) {
      throw new SetupError(
        `${from} is not as it was backed up.`,
        'Copy the folder again from where it was made.',
      );
    }
  }
}
