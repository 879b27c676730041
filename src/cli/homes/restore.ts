/**
 * `countersign restore DIR`: restores a home from a backup folder. Everything is checked and written beside the home
 * first, then put in place as a whole. A moved home continues; any other requires `countersign ledger accept` before
 * it signs.
 */
import { randomBytes } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { several } from '../../base/format.ts';
import { checkHome } from '../../ledger/sqlite/place.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { POLICY_NAME } from './backupWords.ts';
import { digestOf, type Manifest, readManifest, writeManifest } from './manifest.ts';
import { noteMove, signedElsewhere } from './otherCopy.ts';
import { noteRestored, restoredFolder, restoredTo } from './restored.ts';

const USAGE = 'countersign restore DIR, with --home NEW where another home is already there';

export const restoreCommand: Command = async (input) => {
  const { words, home, env, terminal } = input;
  const [named] = words;
  if (named === undefined) throw new SetupError('Which backup?', USAGE);
  const folder = resolve(named);
  const manifest = existsSync(folder) ? readManifest(folder) : undefined;
  if (manifest === undefined) {
    throw new SetupError(
      `${folder} is not a complete backup.`,
      'Name the folder that `countersign backup` printed.',
    );
  }
  requireEmpty(home);
  const notes = restoredFolder(env, process.platform, homedir());
  if (manifest.moved) {
    requireFirst(manifest, notes, home);
    await requireOnlyCopy(input);
  }
  const next = `${home}.restoring-${randomBytes(3).toString('hex')}`;
  try {
    copyAll(folder, next, manifest);
    if (manifest.moved) {
      await requireNotElsewhere(input, next, manifest);
      noteMove(next, manifest.madeAt);
      noteRestored(notes, manifest, home);
      writeManifest(folder, { ...manifest, restoredTo: home });
    }
    if (existsSync(home)) rmSync(home, { recursive: true });
    renameSync(next, home);
    if (manifest.moved) writeManifest(folder, { ...manifest, restoredTo: home, finished: true });
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
  terminal.print(home);
  const has = (path: string) => manifest.files.some((file) => file.path === path);
  if (has(POLICY_NAME)) terminal.tell(`The policy is ${join(home, POLICY_NAME)}.`);
  if (manifest.moved) {
    terminal.tell('It continues with the limits, approvals and history of the other home.');
    terminal.tell(
      'Two machines cannot see each other: a second home from a copy of this folder would spend the whole limit as well. Delete the folder and its copies now.',
    );
    terminal.tell('`countersign doctor` checks the chain for signatures of another copy.');
  } else if (has('ledger.db')) {
    terminal.tell('Signatures made after the backup are missing, so nothing is signed yet.');
    terminal.tell('Next: `countersign ledger accept`, with the owner key.');
  }
  terminal.tell('`countersign doctor` checks it; `countersign setup --write` names it to your clients.');
  return 0;
};

/** Throws if a moved backup was already restored, according to the folder or to this user's notes on its copies. */
function requireFirst(manifest: Manifest, notes: string, home: string): void {
  const here = manifest.finished === true || manifest.restoredTo !== home ? manifest.restoredTo : undefined;
  const noted = restoredTo(notes, manifest);
  // An interrupted restore continues in its original folder.
  const copied = noted !== home || manifest.restoredTo === undefined ? noted : undefined;
  const first = here ?? copied;
  if (first === undefined) return;
  throw new SetupError(
    `This home was restored already, to ${first}.`,
    'Two homes would each spend its limits. Move that one with `countersign backup --move`.',
  );
}

/**
 * Asks the user to confirm that no other copy exists, since a copy restored on another machine leaves no trace here.
 */
async function requireOnlyCopy({ terminal, options }: CommandInput): Promise<void> {
  if (options.yes === true) return;
  terminal.tell(
    'A moved home continues in one place. Two homes from two copies of this folder would each spend the whole limit.',
  );
  const answer = await terminal.ask('Was another copy of this folder restored, on any machine? (yes or no)', {
    or: 'Pass `--yes` if this is the only copy that is restored.',
    choices: { yes: 'nothing is restored here', no: 'this is the only one' },
  });
  if (answer !== 'no')
    throw new SetupError('Nothing was restored.', 'Use the home that was restored from the other copy.');
}

/** Throws if the wallets signed anything since the move, by the chain of the given RPC. */
async function requireNotElsewhere(
  { options, terminal }: CommandInput,
  next: string,
  { madeAt }: Manifest,
): Promise<void> {
  const rpcUrl = textOption(options, 'rpc-url');
  if (rpcUrl === undefined) return;
  const signed = await signedElsewhere(next, rpcUrl, madeAt);
  if (signed.length > 0) {
    throw new SetupError(
      `Its wallet signed ${several(signed.length, 'transaction')} after the move: another copy of this home is in use, or another program has the key.`,
      `The last one is ${signed[0]}. Use that home. Without --rpc-url the chain is not asked.`,
    );
  }
  terminal.tell('The chain shows no signature of another copy of this home.');
}

/** Throws if the target folder is not empty. */
function requireEmpty(home: string): void {
  checkHome(home);
  if (!existsSync(home) || readdirSync(home).length === 0) return;
  throw new SetupError(`${home} is not empty.`, 'Restore into a new folder: `--home DIR`.');
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
        `${from} was changed after the backup.`,
        'Copy the folder again from where it was made.',
      );
    }
  }
}
