// A fresh home folder for one test, removed afterwards.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** An empty folder with mode 0700. */
export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** The scrypt cost of tests: the format is the same, guessing is cheap. */
export const TEST_WORK_FACTOR = 8;

/** Runs `work` and returns what it threw; fails when it threw nothing. */
export async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

/** A folder for all tests of a file, removed by the caller. */
export function temporaryFolder(): { path: string; write(name: string, text: string): void; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'countersign-secrets-'));
  return {
    path,
    write: (name, text) => writeFileSync(join(path, name), text),
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}
