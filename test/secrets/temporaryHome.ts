// Home folder for one test, removed afterwards.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** Creates an empty folder with mode 0700. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Low scrypt cost for tests, in the same format. */
export const TEST_WORK_FACTOR = 8;

/** Runs `work` and returns the thrown error; fails if there is none. */
export async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

/** Creates a folder for all tests of a file, removed by the caller. */
export function temporaryFolder(): { path: string; write(name: string, text: string): void; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
  return {
    path,
    write: (name, text) => writeFileSync(join(path, name), text),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
