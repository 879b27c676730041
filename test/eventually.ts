/** Polling for asynchronous effects. */
import { vi } from 'vitest';

/** Timeout for hangs only, above any slow machine's duration. */
export const HANGS_MS = 300_000;

/** Repeats `check` until it passes. Fails with its last error on timeout. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: HANGS_MS });
