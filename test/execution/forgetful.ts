/** A chain port that forgets what landed: its sends are lost on the way back, and no status of them is ever known. */
import type { Chain } from '../../src/rpc/types.ts';

export interface Forgetful {
  readonly wrap: (chain: Chain) => Chain;
  /** Signatures that landed and that this port knows nothing of. */
  readonly forgotten: Set<string>;
  /** Sends of forgotten transactions, hex. */
  readonly sends: Set<string>;
  /** From now on it tells what it knows. */
  remember(): void;
}

/** Forgets every transaction `which` picks. */
export function forgetful(which: (bytes: Uint8Array) => boolean): Forgetful {
  const forgotten = new Set<string>();
  const sends = new Set<string>();
  let forgets = true;
  return {
    forgotten,
    sends,
    remember: () => {
      forgets = false;
    },
    wrap: (port) => ({
      ...port,
      send: async (bytes) => {
        const answer = await port.send(bytes);
        if (!forgets || !which(bytes)) return answer;
        sends.add(Buffer.from(bytes).toString('hex'));
        if (answer.outcome === 'accepted') forgotten.add(answer.signature);
        return { outcome: 'unclear', reason: 'lost' };
      },
      statuses: async (signatures) => {
        const { slot, value } = await port.statuses(signatures);
        const known = (signature = '') => !forgets || !forgotten.has(signature);
        return { slot, value: value.map((status, i) => (known(signatures[i]) ? status : undefined)) };
      },
    }),
  };
}
