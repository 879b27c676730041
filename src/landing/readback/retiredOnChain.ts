/**
 * What the two retired configs (docs/contract.md C-LEGACY-01) really made: the terms of a curve, and who earns by them. How
 * two wallets share what they earn is kept by a program that is not read.
 */
import { textOf } from '../../policy/decide/operations/request.ts';
import { poolConfig } from '../../programs/dbc/accounts.ts';
import { sharedAuthorityAddress } from '../../programs/feeShareV1/addresses.ts';
import type { Chain } from '../../rpc/types.ts';
import { isAddress } from '../../transaction/base58.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { accountsOfType } from './accountsOfType.ts';
import { Findings } from './findings.ts';

/** Compares the terms among the accounts of what landed with the request. Rejects with `ChainError`. */
export async function checkRetired(
  chain: Chain,
  request: Readonly<Record<string, unknown>>,
  touched: readonly Address[],
): Promise<Findings> {
  const found = new Findings();
  const alone = textOf(request, 'launchWallet');
  const [one = '', other = '', base = ''] = ['walletA', 'walletB', 'baseMint'].map((name) =>
    textOf(request, name),
  );
  const [terms, ...more] = await accountsOfType(chain, touched, poolConfig);
  if (terms === undefined || more.length > 0) {
    found.unread.push('terms of the curve (not one among what landed)');
    return found;
  }
  const { fields } = terms;
  found.equal('quote of the curve', fields.quoteMint, textOf(request, 'quoteMint') ?? WSOL_MINT);
  if (alone !== undefined) {
    found.equal('who earns from the curve', fields.feeClaimer, alone);
    found.says.push(`the terms of the curve are ${terms.address}, and they pay ${alone}`);
    return found;
  }
  const shared = [one, other, base].every(isAddress) ? sharedAuthorityAddress(one, other, base) : null;
  found.equal('who earns from the curve', fields.feeClaimer, shared);
  found.lasting = true;
  found.unread.push(
    'how the two wallets share (the retired program that keeps their parts is not read; the terms of the curve pay the two of them)',
  );
  return found;
}
