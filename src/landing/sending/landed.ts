/**
 * What counts as landed: what our RPC shows at `confirmed`, and a second one, where there is one, as well (F35). And how
 * that, or the proof that it never will, is written down.
 */
import type { JournalRow, Lease, Ledger } from '../../ledger/types.ts';
import type { Chain, SignatureStatus } from '../../rpc/types.ts';
import type { LandingDeps } from '../ports.ts';

export type Landed = Pick<SignatureStatus, 'slot' | 'error'>;

/** The landings of some signatures, each `undefined` until every RPC that is asked shows it. */
export async function landedStatuses(
  { chain, secondChain }: Pick<LandingDeps, 'chain' | 'secondChain'>,
  signatures: readonly string[],
): Promise<(Landed | undefined)[]> {
  const { value } = await chain.statuses(signatures);
  return Promise.all(
    signatures.map(async (signature, i) => {
      const status = value[i];
      if (status === undefined || status.commitment === 'processed') return undefined;
      return secondChain === undefined || (await secondRpcHas(secondChain, signature)) ? status : undefined;
    }),
  );
}

/** One RPC may lie about a landing, so both must know of it. A second RPC that cannot be asked is left out. */
export async function secondRpcHas(second: Chain, signature: string): Promise<boolean> {
  try {
    const { value } = await second.statuses([signature]);
    return value[0] !== undefined && value[0].commitment !== 'processed';
  } catch {
    return true;
  }
}

/** Writes down a landing: `confirmed`, or `failed` with the chain's error. */
export const recordLanding = (
  ledger: Pick<Ledger, 'journalMove'>,
  { signature }: Pick<JournalRow, 'signature'>,
  { slot, error }: Landed,
): Promise<void> =>
  error === null
    ? ledger.journalMove(signature, 'confirmed', { slot })
    : ledger.journalMove(signature, 'failed', { slot, detail: error });

/** Writes down that a signature is proven dead, and gives back what was reserved for it. */
export async function declareDead(
  ledger: Pick<Ledger, 'journalMove' | 'release'>,
  { signature }: Pick<JournalRow, 'signature'>,
  lease: Lease,
): Promise<void> {
  await ledger.journalMove(signature, 'expired', { lease });
  await ledger.release({ signature });
}
