/** Waiting for what other parts of the program do by themselves. */
import { vi } from 'vitest';

/** A timeout only tells what hangs from what is slow: no machine may be so slow that it passes. */
export const HANGS_MS = 300_000;

/** Repeats `check` until it holds, and fails with its last error when it never does. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: HANGS_MS });
