/** Outputs by simulation: quotes simulate the transaction instead of using a formula. */

import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { transactionErrorSentence } from '../../chain/errors.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import { compileDraft, type Draft } from './compile.ts';

/** Returns the base units that a draft adds to a token account. Throws 400 with the runtime's reason if it fails. */
export function broughtBy(service: ServiceContext, draft: Draft, account: Address): bigint {
  const { onchain } = service;
  const { bytes } = compileDraft(draft, onchain.lifetime());
  const { err, logs, accounts } = onchain.chain.simulate(bytes, { sigVerify: false, accounts: [account] });
  if (err !== null) {
    throw badRequest(`this would fail: ${transactionErrorSentence(err)} ${logs.slice(-2).join(' ')}`.trim());
  }
  const after = accounts[0];
  return (after ? readTokenAccount(after.data).amount : 0n) - onchain.balance(account);
}
