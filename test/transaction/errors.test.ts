import { expect, test } from 'vitest';
import { REASON_CODES } from '../../src/policy/decide/types.ts';
import { type ReasonLike, TransactionError } from '../../src/transaction/errors.ts';

test('every code is a policy reason code, so that a refusal becomes a decision unchanged', () => {
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
