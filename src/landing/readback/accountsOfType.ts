/** Accounts of one type among many, without fetching the others whole: programs and pools can be large. */
import { type AccountLayout, isOfType } from '../../programs/account.ts';
import type { Chain } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';
import { readFact } from './findings.ts';

/** An account and its fields. */
export interface Typed<F> {
  readonly address: Address;
  readonly fields: F;
}

/** Those of the addresses that hold an account of this type and can be read. Rejects with `ChainError`. */
export async function accountsOfType<F>(
  chain: Chain,
  addresses: readonly Address[],
  layout: AccountLayout<string, F>,
): Promise<Typed<F>[]> {
  const unique = [...new Set(addresses)];
  if (unique.length === 0) return [];
  const begins = await chain.accounts(unique, 'confirmed', layout.discriminator.length);
  const likely = begins.value
    .filter(({ owner, data }) => isOfType(layout, { owner, data: Buffer.from(data, 'base64') }))
    .map(({ address }) => address);
  if (likely.length === 0) return [];
  const { value } = await chain.accounts(likely, 'confirmed');
  return value.flatMap((account) => {
    const read = readFact(account, layout);
    return 'fields' in read ? [{ address: account.address, fields: read.fields }] : [];
  });
}
