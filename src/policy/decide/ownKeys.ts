/** Our wallets, with a search for their keys in account data. */
import type { AccountFact } from '../../rpc/types.ts';
import { addressBytes } from '../../transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** The wallets of the policy, this home and the plan. */
export class OwnKeys extends Set<Address> {
  #middles: readonly { readonly key: readonly string[]; readonly text: readonly string[] }[] | undefined;

  /**
   * Whether an account's data contains one of the keys, as bytes or, for Token-2022 metadata, as base58 text. Searches the
   * base64 data without decoding it, which is much faster.
   */
  standIn({ data, owner }: AccountFact): boolean {
    this.#middles ??= [...this].map((address) => {
      return { key: middlesOf(addressBytes(address)), text: middlesOf(Buffer.from(address)) };
    });
    const isIn = (middle: string) => data.includes(middle);
    return this.#middles.some(
      ({ key, text }) => key.some(isIn) || (owner === TOKEN_2022_PROGRAM && text.some(isIn)),
    );
  }
}

/**
 * Returns the base64 forms of a key's middle bytes, for each offset of the key within a base64 group of three bytes: at
 * offset 0, 1 or 2, the first whole group starts at byte 0, 2 or 1 of the key.
 */
const middlesOf = (bytes: Uint8Array): readonly string[] =>
  [0, 2, 1].map((skip) => Buffer.from(bytes.subarray(skip, skip + 30)).toString('base64'));
