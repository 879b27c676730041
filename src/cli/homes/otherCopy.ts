/**
 * Detects whether a moved home is also in use elsewhere: whether its wallets signed transactions after the move that
 * its ledger does not contain. Read from the chain, the only trace of a backup copy restored on another machine
 * (T80).
 */
import { join } from 'node:path';
import { several } from '../../base/format.ts';
import { systemClock } from '../../clock.ts';
import { openLedger } from '../../ledger/sqlite/sqlite.ts';
import type { Plan } from '../../plan/types.ts';
import { createChain } from '../../rpc/chain.ts';
import { createHistory, type PastTransaction, type WalletHistory } from '../../rpc/history.ts';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { Address } from '../../transaction/types.ts';
import { decodeWire } from '../../transaction/wire.ts';
import { bad, good } from '../doctor/finding.ts';

const PAGE = 500;
const NAME = 'restored.json';

/** Records when (milliseconds) the home was moved here; `doctor` checks the chain from then on. */
export function noteMove(home: string, at: number): void {
  writePrivateFile(join(home, NAME), Buffer.from(`${JSON.stringify({ movedAt: at })}\n`));
}

/** Returns when this home was moved here; `undefined` if it was not, or the note is unreadable. */
function movedAt(home: string): number | undefined {
  const bytes = readPrivateFile(join(home, NAME), 4_096)?.bytes;
  const found = bytes === undefined ? null : /"movedAt":(\d+)/.exec(new TextDecoder().decode(bytes));
  return found === null ? undefined : Number(found[1]);
}

/** Returns `doctor` findings on whether another copy of a moved home signs; empty if the home was not moved here. */
export async function otherCopyFindings(home: string, rpcUrl: string | undefined) {
  const since = movedAt(home);
  if (since === undefined || rpcUrl === undefined) return [];
  const what = 'other copy';
  try {
    const signed = await signedElsewhere(home, rpcUrl, since);
    if (signed.length === 0) {
      return [good(what, 'no signature since this home was moved here')];
    }
    const detail = `the wallet signed ${several(signed.length, 'transaction')} since the move that this home does not know: another copy of the backup is in use, or another program has the key`;
    return [bad(what, detail, `countersign freeze, then find out who signed ${signed[0]}`)];
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown error';
    return [bad(what, `cannot be checked: ${why}`, 'check the RPC address')];
  }
}

/** Returns signatures of the home's wallets since a time (milliseconds) that its ledger does not contain. */
export async function signedElsewhere(home: string, rpcUrl: string, since: number): Promise<string[]> {
  const network = await createChain({ rpcUrl }).genesisHash();
  const history = createHistory({ rpcUrl });
  const { wallets, known } = await heldBy(home, network);
  const found: string[] = [];
  for (const wallet of wallets) {
    for (const each of await history.since(wallet, since)) {
      if (!known.has(each.signature) && (await isSignedBy(history, wallet, each))) found.push(each.signature);
    }
  }
  return [...new Set(found)];
}

/** Returns the wallets of a home on a network, and every signature it made. */
async function heldBy(home: string, network: string) {
  const ledger = openLedger({ home, clock: systemClock });
  try {
    const plans: Plan[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await ledger.rows('plans', { limit: PAGE, offset });
      plans.push(...page);
      if (page.length < PAGE) break;
    }
    const wallets = plans.filter((plan) => plan.network === network).map(({ wallet }) => wallet);
    const known = new Set((await ledger.rows('journal', {})).map(({ signature }) => signature));
    return { wallets: new Set<Address>(wallets), known };
  } finally {
    await ledger.close();
  }
}

/**
 * Returns whether the wallet itself signed: anyone may name it by paying it. Unreadable transactions count as signed.
 */
async function isSignedBy(
  history: WalletHistory,
  wallet: Address,
  { signature }: PastTransaction,
): Promise<boolean> {
  const shown = await history.landed(signature);
  if (shown === undefined) return true;
  try {
    const { numRequiredSignatures, staticAccounts } = readTransaction(
      decodeWire(shown.transaction, 'base64'),
    );
    return staticAccounts.slice(0, numRequiredSignatures).includes(wallet);
  } catch {
    return shown.landed.accounts[0] === wallet;
  }
}
