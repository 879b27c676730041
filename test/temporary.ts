/** Creates a temporary folder for each run of the tests and removes it at the end; warns about a missing build. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest calls it once before the first worker starts, and the returned function after the last has ended. */
export default function setup(): () => void {
  if (!existsSync('dist/countersign.js'))
    process.stderr.write('dist/ is missing: tests that start the command fail. Run `npm run build` first.\n');
  const folder = mkdtempSync(join(tmpdir(), 'cs-test-'));
  process.env.TMPDIR = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
    } catch (error) {
      // A browser or database that is still exiting may write here; every test of the run has already reported.
      process.stderr.write(`The temporary folder of the tests was not removed: ${String(error)}\n`);
    }
  };
}
