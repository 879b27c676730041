/** `countersign wallet label NAME LABEL` and `wallet default NAME`: set a wallet's label and the default wallet. */
import { SetupError } from '../../../runtime/backends/backend.ts';
import {
  chooseWallet,
  type HomeWallet,
  homeWallets,
  labelWallet,
  makeDefault,
  walletWords,
} from '../../../secrets/wallets/wallets.ts';
import type { CommandInput } from '../../command.ts';
import { storeOf } from '../owner.ts';

/** Notice after a change of labels. */
const RESTART =
  'Restart servers of this home: running ones keep the secrets they opened, and labels in a principals file keep their wallets.';

export async function labelCommand(input: CommandInput): Promise<number> {
  const [, name, label] = input.words;
  if (name === undefined || label === undefined)
    throw new SetupError(
      'Name the wallet and its new label.',
      'countersign wallet label LABEL_OR_ADDRESS NEW_LABEL',
    );
  return changed(input, name, (store, { address }) => labelWallet(store, address, label));
}

export async function defaultCommand(input: CommandInput): Promise<number> {
  const [, name] = input.words;
  if (name === undefined)
    throw new SetupError('Which wallet is the default?', 'countersign wallet default LABEL_OR_ADDRESS');
  return changed(input, name, (store, { address }) => makeDefault(store, address));
}

async function changed(
  input: CommandInput,
  name: string,
  change: (store: ReturnType<typeof storeOf>, wallet: HomeWallet) => Promise<void>,
): Promise<number> {
  const store = storeOf(input, true);
  const wallet = chooseWallet(await homeWallets(store), name);
  if (wallet === undefined) return 1;
  await change(store, wallet);
  const now = (await homeWallets(store)).find(({ address }) => address === wallet.address) ?? wallet;
  input.terminal.print(walletWords(now));
  input.terminal.tell(RESTART);
  return 0;
}
