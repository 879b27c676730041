/** Wallets named by a principals file that the home does not have: they are ignored and reported. */
import { listWords } from '../../base/format.ts';
import { type HomeWallet, walletCalled } from '../../secrets/wallets/wallets.ts';
import type { PrincipalEntry } from './file.ts';

export interface Lacking {
  readonly principal: string;
  /** As written in the file: addresses or labels. At least one. */
  readonly wallets: readonly string[];
}

/** Returns one entry per principal that names a missing wallet, in the order of the file. */
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

/** Formats an entry for a log line or error. */
export const lackingWords = ({ principal, wallets }: Lacking): string =>
  `The principal ${principal} names ${wallets.length === 1 ? 'the wallet' : 'the wallets'} ${listWords(wallets)}, which this home does not have.`;
