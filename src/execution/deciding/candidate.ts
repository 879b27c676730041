/**
 * The exact transaction a stage is about to be signed as: the service's bytes, with a fresh blockhash where the
 * stage is allowed one, and what can be said about them without asking a chain, a service or a person.
 */

import { DecodedStage } from '../../plan/decodedStage.ts';
import type { Stage } from '../../plan/types.ts';
import type { Chain } from '../../rpc/types.ts';
import { withBlockhash } from '../../transaction/signatures.ts';

/** The stage with a fresh blockhash, where it carries no foreign signature and may have one; else as it is. */
export async function freshStage(stage: Stage, chain: Chain): Promise<Stage> {
  if (stage.refresh !== 'blockhash') return stage;
  const transaction = stage.transaction.decoded;
  if (transaction === undefined || transaction.signatures.some((signature) => signature !== null))
    return stage;
  const { value } = await chain.latestBlockhash('confirmed');
  const { bytes } = withBlockhash(transaction, value.blockhash);
  return { ...stage, transaction: DecodedStage.ofBytes(bytes) };
}
