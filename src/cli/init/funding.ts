/**
 * Funds a new wallet: checks its balance, requests SOL from a test chain's faucet, or waits until the user has sent
 * some.
 */
import { systemClock } from '../../clock.ts';
import { isPublicNetwork } from '../../policy/file/networks.ts';
import { sol } from '../../presentation/history/changes.ts';
import { createChain } from '../../rpc/chain.ts';
import { createJsonRpc } from '../../rpc/jsonRpc.ts';
import type { Chain } from '../../rpc/types.ts';
import type { Address } from '../../transaction/types.ts';
import { type CommandInput, textOption } from '../command.ts';

/** Lamports below which a first plan is likely to fail for lack of deposits and fees. */
export const ENOUGH = 100_000_000n;
const FAUCET_LAMPORTS = 10_000_000_000;
const LOOK_MS = 500;
const LOOKS = 40;

/**
 * Prints the wallet's balance. A local chain is asked for play money; on a public one the user is asked to send some.
 */
export async function fund(input: CommandInput, wallet: Address): Promise<void> {
  const { options, terminal } = input;
  const rpcUrl = textOption(options, 'rpc-url') ?? '';
  const chain = createChain({ rpcUrl });
  const balance = await balanceOf(chain, wallet);
  if (balance >= ENOUGH) {
    terminal.tell(`${wallet} has ${sol(balance)}.`);
    return;
  }
  if (!isPublicNetwork(await chain.genesisHash()) && (await fromFaucet(rpcUrl, chain, wallet))) {
    terminal.tell(`${wallet} has ${sol(await balanceOf(chain, wallet))}, from the faucet of this chain.`);
    return;
  }
  terminal.tell(
    `${wallet} has ${sol(balance)}. Fees and deposits are paid in SOL: send it ${sol(ENOUGH)} or more.`,
  );
  terminal.tell('Send only what the limits of the policy may spend; the rest is safer elsewhere.');
  if (options.yes === true || !terminal.interactive) return;
  for (;;) {
    const answer = await terminal.ask('Press Enter once it is sent, or type "later":');
    if (/^l/i.test(answer.trim())) return;
    const now = await balanceOf(chain, wallet);
    terminal.tell(`${wallet} has ${sol(now)}.`);
    if (now >= ENOUGH) return;
  }
}

/** Returns the lamports of a wallet at `confirmed`. */
export async function balanceOf(chain: Chain, wallet: Address): Promise<bigint> {
  const { value } = await chain.accounts([wallet], 'confirmed');
  return BigInt(value[0]?.lamports ?? '0');
}

/** Returns whether the chain's faucet sent play money. */
async function fromFaucet(rpcUrl: string, chain: Chain, wallet: Address): Promise<boolean> {
  const rpc = createJsonRpc({ url: rpcUrl });
  const signature = await rpc('requestAirdrop', [wallet, FAUCET_LAMPORTS]).catch(() => undefined);
  if (signature?.ok !== true) return false;
  const { signal } = new AbortController();
  for (let look = 0; look < LOOKS; look++) {
    if ((await balanceOf(chain, wallet)) >= ENOUGH) return true;
    await systemClock.sleep(LOOK_MS, signal);
  }
  return false;
}
