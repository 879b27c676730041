/** Commands whose passphrases cost a millisecond instead of 0.7 s of CPU. `init.test.ts` pays the whole cost. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMAND } from './harness.ts';

const folder = join(dirname(COMMAND), 'chunks');
/** The chunk that holds the encryption. */
const chunk = readdirSync(folder)
  .map((name) => join(folder, name))
  .find((file) => /\bsetScryptWorkFactor\(\w+\)\{/.test(readFileSync(file, 'utf8')));
if (chunk === undefined) throw new Error('no chunk of the built command encrypts under a passphrase');
const hook = pathToFileURL(join(import.meta.dirname, 'cheapCommand.mjs'));
hook.searchParams.set('chunk', pathToFileURL(chunk).href);

/** For the environment of a command. */
export const CHEAP_PASSPHRASES = { NODE_OPTIONS: `--import=${hook.href}` };
