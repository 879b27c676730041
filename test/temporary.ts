/** Everything tests put in the temporary folder is in one folder of the run, which is gone when it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest calls it once before the first worker starts, and what it returns after the last. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'cs-test-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
