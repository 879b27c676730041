/**
 * The exact transaction a stage would be signed as: the service's bytes, with a fresh blockhash where the stage
 * allows one, and the checks that need no chain, service or person.
 */

import { DecodedStage } from '../../plan/decodedStage.ts';
import type { Stage } from '../../plan/types.ts';
import type { Chain } from '../../rpc/types.ts';
import { withBlockhash } from '../../transaction/signatures.ts';

/**
 * Returns the stage with a fresh blockhash if the stage allows one and has no signatures yet; otherwise the stage
 * unchanged.
 */
export async function freshStage(stage: Stage, chain: Chain): Promise<Stage> {
  if (stage.refresh !== 'blockhash') return stage;
  const transaction = stage.transaction.decoded;
  if (transaction === undefined || transaction.signatures.some((signature) => signature !== null))
    return stage;
  const { value } = await chain.latestBlockhash('confirmed');
  const { bytes } = withBlockhash(transaction, value.blockhash);
  return { ...stage, transaction: DecodedStage.ofBytes(bytes) };
}
