/** Lowers the passphrase cost of commands from 0.7 s of CPU to a millisecond. `init --yes` in `init.test.ts` uses the full cost. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMAND } from './harness.ts';

const folder = join(dirname(COMMAND), 'chunks');
/** Chunk with the encryption code. */
const chunk = readdirSync(folder)
  .map((name) => join(folder, name))
  .find((file) => /\bsetScryptWorkFactor\(\w+\)\{/.test(readFileSync(file, 'utf8')));
if (chunk === undefined) throw new Error('no chunk of the built command encrypts under a passphrase');
const hook = pathToFileURL(join(import.meta.dirname, 'cheapCommand.mjs'));
hook.searchParams.set('chunk', pathToFileURL(chunk).href);

/** Environment variables for a command. */
export const CHEAP_PASSPHRASES = { NODE_OPTIONS: `--import=${hook.href}` };
