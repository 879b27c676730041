/** Gives each run of the tests a temporary folder of its own, and removes it when the run ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest calls it once before the first worker starts, and the returned function after the last has ended. */
export default function setup(): () => void {
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
