/** Finds accounts of one type among many without fetching the others in full: programs and pools can be large. */
import { type AccountLayout, isOfType } from '../../programs/account.ts';
import type { Chain } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';
import { readFact } from './findings.ts';

/** An account, the program that owns it, and its fields. */
export interface Typed<F> {
  readonly address: Address;
  readonly program: Address;
  readonly fields: F;
}

/**
 * Returns the readable accounts of this type among the addresses, owned by the layout's program or, with `any`, by
 * any program that uses the layout. Rejects with `ChainError`.
 */
export async function accountsOfType<F>(
  chain: Chain,
  addresses: readonly Address[],
  layout: AccountLayout<string, F>,
  program: 'own' | 'any' = 'own',
): Promise<Typed<F>[]> {
  const ownerOf = (owner: Address) => (program === 'any' ? layout.program : owner);
  const unique = [...new Set(addresses)];
  if (unique.length === 0) return [];
  const begins = await chain.accounts(unique, 'confirmed', layout.discriminator.length);
  const likely = begins.value
    .filter(({ owner, data }) =>
      isOfType(layout, { owner: ownerOf(owner), data: Buffer.from(data, 'base64') }),
    )
    .map(({ address }) => address);
  if (likely.length === 0) return [];
  const { value } = await chain.accounts(likely, 'confirmed');
  return value.flatMap((account) => {
    const { address, owner } = account;
    const read = readFact({ ...account, owner: ownerOf(owner) }, layout);
    return 'fields' in read ? [{ address, program: owner, fields: read.fields }] : [];
  });
}
