import { expect, test } from 'vitest';
import { REASON_CODES } from '../../src/policy/decide/types.ts';
import { type ReasonLike, TransactionError } from '../../src/transaction/errors.ts';

test('every code is one of the policy’s reason codes, so that a refusal becomes a decision as it is', () => {
  const codes: Record<ReasonLike, true> = {
    NONCANONICAL_BYTES: true,
    FORMAT_MISMATCH: true,
    LOOKUP_TABLE_UNRESOLVED: true,
    COSIGNATURE_INVALID: true,
    SIGNERS_MISMATCH: true,
    REPLAY: true,
  };
  expect(REASON_CODES).toEqual(expect.arrayContaining(Object.keys(codes)));
  expect(new TransactionError('REPLAY', 'why')).toMatchObject({
    name: 'TransactionError',
    code: 'REPLAY',
    message: 'why',
  });
});
