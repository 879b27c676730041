/** Wallets that a principals file names and the home does not have: they are left out, and that is said. */
import { listWords } from '../../base/format.ts';
import { type HomeWallet, walletCalled } from '../../secrets/wallets/wallets.ts';
import type { PrincipalEntry } from './file.ts';

export interface Lacking {
  readonly principal: string;
  /** As the file names them: addresses or labels. At least one. */
  readonly wallets: readonly string[];
}

/** One for each principal that names a wallet the home does not have, in the order of the file. */
export const lackingIn = (
  entries: readonly Pick<PrincipalEntry, 'name' | 'wallets'>[],
  wallets: readonly HomeWallet[],
): Lacking[] =>
  entries
    .map(({ name, wallets: named }) => ({
      principal: name,
      wallets: named === 'all' ? [] : named.filter((each) => walletCalled(wallets, each) === undefined),
    }))
    .filter(({ wallets: lacking }) => lacking.length > 0);

/** For a log line or an error. */
export const lackingWords = ({ principal, wallets }: Lacking): string =>
  `The principal ${principal} names ${wallets.length === 1 ? 'the wallet' : 'the wallets'} ${listWords(wallets)}, which this home does not have.`;
