/** The wallets of this home and a search for their keys in account data. */
import type { AccountFact } from '../../rpc/types.ts';
import { addressBytes } from '../../transaction/base58.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** Every wallet of ours: of the policy, of this home, of the plan. Anything of theirs can be lost. */
export class OwnKeys extends Set<Address> {
  #middles: readonly { readonly key: readonly string[]; readonly text: readonly string[] }[] | undefined;

  /**
   * Whether one of the keys stands anywhere in an account's data: as owner, delegate or authority; in descriptions of
   * Token-2022 also written out as text. Data is searched as base64: decoding it would cost more than all other checks
   * together.
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
 * How the middle of a key looks in base64, for each of the three places a key can begin within a group of three bytes:
 * begun 0, 1 or 2 bytes into one, the first whole group begins 0, 2 or 1 bytes into the key.
 */
const middlesOf = (bytes: Uint8Array): readonly string[] =>
  [0, 2, 1].map((skip) => Buffer.from(bytes.subarray(skip, skip + 30)).toString('base64'));
