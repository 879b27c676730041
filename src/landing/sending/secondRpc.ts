/** What counts as landed: what our RPC shows at `confirmed`, and a second one, where there is one, as well (F35). */
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
