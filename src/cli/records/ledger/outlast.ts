/**
 * Before a lost ledger is replaced, nothing signed under it may be able to land any more, since it would count toward
 * no limit (T80). The home's ledger checkpoint contains the deadline; without one, the maximum is waited.
 */
import { several } from '../../../base/format.ts';
import type { CheckpointKeeper } from '../../../ledger/checkpoint/checkpointFile.ts';
import { type ReadCheckpoint, sealFits } from '../../../ledger/checkpoint/checkpointFile.ts';
import type { Chain } from '../../../rpc/types.ts';
import { SetupError } from '../../../runtime/backends/backend.ts';

/** Blocks after which a signature of unknown height cannot land any more (C-BUNDLE-10). */
const MAX_BLOCKS = 151;
const LOOK_MS = 1000;

export interface Outlasting {
  readonly chain: Pick<Chain, 'head'>;
  /** The chain's genesis hash. */
  readonly network: string;
  readonly checkpoint: ReadCheckpoint;
  readonly keeper: Pick<CheckpointKeeper, 'vouched'>;
  readonly tell: (line: string) => void;
  readonly sleep: (ms: number) => Promise<void>;
}

/**
 * Waits until no earlier signature can land any more. Ignores a checkpoint that is missing or not authenticated by a
 * key of the secret store. Rejects with a `SetupError` if a signature may still land on another network, with a
 * `ChainError` when the RPC is unavailable.
 */
export async function outlast({
  chain,
  network,
  checkpoint,
  keeper,
  tell,
  sleep,
}: Outlasting): Promise<void> {
  const { key } = await keeper.vouched();
  const isVouched =
    checkpoint !== undefined && checkpoint !== 'damaged' && key !== undefined && sealFits(checkpoint, key);
  const open = isVouched ? checkpoint.lastSigned : undefined;
  const elsewhere = open?.find((signed) => signed.network !== network);
  if (elsewhere !== undefined) {
    throw new SetupError(
      `Something this home signed for the network ${elsewhere.network} may still land, and the RPC is on ${network}.`,
      'Give the RPC and the policy of that network, or put the newest ledger.db back.',
    );
  }
  if (open?.length === 0) return;
  let { blockHeight } = await chain.head('confirmed');
  const dead = open?.[0]?.deadHeight ?? blockHeight + MAX_BLOCKS;
  if (blockHeight > dead) return;
  tell(`Something signed may still land: waiting for ${several(dead - blockHeight + 1, 'block')}.`);
  while (blockHeight <= dead) {
    await sleep(LOOK_MS);
    ({ blockHeight } = await chain.head('confirmed'));
  }
}
