/**
 * `countersign wallet remove NAME`: deletes a wallet's key from the secret store. What the key controls is lost
 * afterwards, so the command checks the chain and the ledger first, and the user types the wallet's name.
 */
import { sol } from '../../../presentation/history/changes.ts';
import { createChain } from '../../../rpc/chain.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';
import { canHoldLedger } from '../../../runtime/ledgerPlace.ts';
import {
  chooseWallet,
  type HomeWallet,
  homeWallets,
  removeWallet,
} from '../../../secrets/wallets/wallets.ts';
import { type CommandInput, textOption } from '../../command.ts';
import { balanceOf } from '../../money/balance.ts';
import { placeOf, withLedger } from '../../records/place.ts';
import { storeOf } from '../owner.ts';

export async function removeCommand(input: CommandInput): Promise<number> {
  const { options, terminal, words } = input;
  const name = words[1] ?? textOption(options, 'wallet');
  if (name === undefined)
    throw new SetupError(
      'Which wallet?',
      'countersign wallet remove LABEL_OR_ADDRESS; see `countersign wallet list`.',
    );
  const store = storeOf(input, true);
  const wallets = await homeWallets(store);
  const wallet = chooseWallet(wallets, name);
  if (wallet === undefined) return 1;
  if (wallet.isDefault && wallets.length > 1)
    throw new SetupError(
      `${wallet.label ?? wallet.address} is the default of this home.`,
      'Make another one the default first: `countersign wallet default NAME`.',
    );
  await requireSettled(input, wallet);
  const held = await heldBy(input, wallet);
  terminal.tell(held.words);
  terminal.tell(
    `The key of ${wallet.address} is deleted for good. Only a backup that contains it can restore it.`,
  );
  await confirm(input, wallet, held.isEmpty);
  await removeWallet(store, wallet.address);
  terminal.print(wallet.address);
  terminal.tell(
    'Removed. Restart servers of this home; take it out of policies and of the principals file that name it.',
  );
  return 0;
}

/** Throws while a signed transaction is not settled: it may still land. */
async function requireSettled(input: CommandInput, { address }: HomeWallet): Promise<void> {
  if (!canHoldLedger(placeOf(input))) return;
  const [open] = await withLedger(input, (ledger) => ledger.rows('journal', { open: true, wallet: address }));
  if (open === undefined) return;
  throw new SetupError(
    `A transaction that this wallet signed is not final yet: ${open.planId}.`,
    'Let a server of this home settle it, then run this again; see `countersign plans`.',
  );
}

interface Held {
  readonly words: string;
  /** Whether the chain shows an empty wallet. */
  readonly isEmpty: boolean;
}

async function heldBy({ options }: CommandInput, { address }: HomeWallet): Promise<Held> {
  const rpcUrl = textOption(options, 'rpc-url');
  if (rpcUrl === undefined)
    return { words: 'Its holdings are unknown: pass `--rpc-url URL` to read them.', isEmpty: false };
  const chain = createChain({ rpcUrl });
  const { lamports, tokens } = await balanceOf(chain, address);
  const isEmpty = lamports === '0' && tokens.length === 0;
  if (isEmpty) return { words: 'It holds no SOL and no token account.', isEmpty };
  const accounts =
    tokens.length === 0 ? '' : ` and ${tokens.length} token account${tokens.length === 1 ? '' : 's'}`;
  return {
    words: `It holds ${sol(BigInt(lamports))}${accounts}, which are lost with the key. \`countersign wallet empty ADDRESS --wallet ${address}\` sends them elsewhere first. What it may still earn (fees, vaults, rights) is lost too.`,
    isEmpty,
  };
}

/** Asks the user to type the label or address; a script may remove only a wallet that is empty on chain. */
async function confirm(
  { options, terminal }: CommandInput,
  { label, address }: HomeWallet,
  isEmpty: boolean,
): Promise<void> {
  if (options.yes === true) {
    if (isEmpty) return;
    throw new SetupError(
      'Without a prompt only a wallet that is empty on chain is removed.',
      'Pass `--rpc-url URL`, or run it in a terminal without --yes.',
    );
  }
  const typed = await terminal.ask(`Type ${label ?? address} to delete its key:`, {
    or: 'Run it in a terminal, or pass `--yes` with `--rpc-url URL` for a wallet that is empty.',
  });
  if (typed.trim() !== (label ?? address))
    throw new SetupError('Nothing was removed.', 'That was another text.');
}
