/** Missing native runtime: the chain reports an actionable error (F54). */
import { expect, test } from 'vitest';
import { createChain } from '../../../sandbox/chain/chain.ts';
import { ChainError } from '../../../sandbox/chain/errors.ts';

test('F54 a native runtime that does not load is one clear error with a remedy', async () => {
  // Overrides the platform's binary in the loader.
  process.env.NAPI_RS_NATIVE_LIBRARY_PATH = '/nonexistent/litesvm.node';
  const failure = await createChain({ clock: 'manual' }).catch((error) => error);
  expect(failure).toBeInstanceOf(ChainError);
  expect(failure.code).toBe('UNAVAILABLE');
  expect(failure.message).toMatch(/cannot run on .*litesvm.*--live/);
});
