/** The `doctor` rows on wallets: whether the key opens, and the balance. No key leaves the store or is shown. */
import { sol } from '../../presentation/history/changes.ts';
import type { Chain } from '../../rpc/types.ts';
import { SecretError } from '../../secrets/errors.ts';
import { proveWallet } from '../../secrets/keys/wallet.ts';
import type { SecretStore } from '../../secrets/stores/store.ts';
import { type HomeWallet, homeWallets, walletWords } from '../../secrets/wallets/wallets.ts';
import { balanceOf, ENOUGH } from '../init/funding.ts';
import { bad, type Finding } from './finding.ts';

/** A wallet, and why its key is unusable, if so. */
export interface SeenWallet extends HomeWallet {
  readonly problem?: { readonly message: string; readonly hint: string } | undefined;
}

/** Opens the key of each wallet once and drops it. */
export async function seeWallets(store: SecretStore): Promise<SeenWallet[]> {
  const seen: SeenWallet[] = [];
  for (const wallet of await homeWallets(store)) {
    try {
      await proveWallet(store, wallet.address);
      seen.push(wallet);
    } catch (error) {
      if (!(error instanceof SecretError)) throw error;
      seen.push({ ...wallet, problem: error });
    }
  }
  return seen;
}

/** `chain` is absent if no RPC answers, which another row reports. */
export async function walletFindings(
  wallets: readonly SeenWallet[],
  chain: Chain | undefined,
): Promise<Finding[]> {
  const rows: Finding[] = [];
  for (const wallet of wallets) {
    const { problem, address } = wallet;
    const money = chain === undefined ? undefined : await moneyOf(chain, address);
    const parts = [
      problem === undefined ? 'its key opens' : problem.message,
      ...(money === undefined ? [] : [money.words]),
    ];
    rows.push({
      what: 'wallet',
      ok: problem === undefined && money?.next === undefined,
      detail: `${walletWords(wallet)}: ${parts.join('; ')}`,
      next: problem?.hint ?? money?.next,
    });
  }
  if (wallets.length > 1 && wallets.every(({ isDefault }) => !isDefault))
    rows.push(bad('wallet', 'no default, so each call must name one', 'countersign wallet default NAME'));
  return rows;
}

/** Returns a wallet's balance, and the next step if it is too low for a first plan. */
async function moneyOf(chain: Chain, address: string): Promise<{ words: string; next?: string }> {
  try {
    const lamports = await balanceOf(chain, address);
    if (lamports >= ENOUGH) return { words: `it has ${sol(lamports)}` };
    return {
      words: `it has ${sol(lamports)}, and a first plan with its fees and deposits may need ${sol(ENOUGH)}`,
      next: `send SOL to ${address}; on a test chain \`countersign init\` asks its faucet`,
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return { words: `its balance cannot be read: ${why}`, next: 'check the RPC address' };
  }
}
