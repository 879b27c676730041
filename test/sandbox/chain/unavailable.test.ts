/** Where the native runtime does not load, the chain says so in words a person can act on (F54). */
import { expect, test } from 'vitest';
import { createChain } from '../../../sandbox/chain/chain.ts';
import { ChainError } from '../../../sandbox/chain/errors.ts';

test('F54 a native runtime that does not load is one clear error, which says what to do', async () => {
  // The loader takes this in place of the platform's own binary.
  process.env.NAPI_RS_NATIVE_LIBRARY_PATH = '/nonexistent/litesvm.node';
  const failure = await createChain({ clock: 'manual' }).catch((error) => error);
  expect(failure).toBeInstanceOf(ChainError);
  expect(failure.code).toBe('UNAVAILABLE');
  expect(failure.message).toMatch(/cannot run on .*litesvm.*--live/);
});
