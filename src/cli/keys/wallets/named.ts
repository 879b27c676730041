/** The wallet given by `--wallet`: any address, or the label of a wallet of this home. */
import { SetupError } from '../../../runtime/backends/backend.ts';
import { readStoreRecord } from '../../../secrets/stores/chooseStore.ts';
import { isLabel } from '../../../secrets/wallets/label.ts';
import { chooseWallet, type HomeWallet, homeWallets } from '../../../secrets/wallets/wallets.ts';
import { isAddress } from '../../../transaction/base58.ts';
import type { Address } from '../../../transaction/types.ts';
import { type CommandInput, textOption } from '../../command.ts';
import { storeOf } from '../owner.ts';

/** Returns whether a secret store was chosen; otherwise there is no passphrase to ask for. */
export const hasStore = ({ home, env, options }: CommandInput): boolean =>
  readStoreRecord(home) !== undefined ||
  (textOption(options, 'secret-store') ?? env.COUNTERSIGN_SECRET_STORE) === 'env';

/** Returns the wallets of this home; empty if no store was chosen yet. */
export const walletsHere = async (input: CommandInput): Promise<readonly HomeWallet[]> =>
  hasStore(input) ? homeWallets(storeOf(input, true)) : [];

/** Resolves an address or label of this home. Throws for any other text. */
export async function addressOf(input: CommandInput, name: string): Promise<Address> {
  if (isAddress(name)) return name;
  if (!isLabel(name))
    throw new SetupError('That is neither an address nor a label.', 'See `countersign wallet list`.');
  const found = chooseWallet(await walletsHere(input), name);
  if (found === undefined) throw new SetupError('There is no wallet in this home.', 'Name an address.');
  return found.address;
}

/** Returns the wallet given by `--wallet`, if any. */
export async function walletOption(input: CommandInput): Promise<Address | undefined> {
  const name = textOption(input.options, 'wallet');
  return name === undefined ? undefined : addressOf(input, name);
}
