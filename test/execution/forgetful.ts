/** Chain port that forgets landed transactions: answers to sends are lost, and statuses are unknown. */
import type { Chain } from '../../src/rpc/types.ts';

export interface Forgetful {
  readonly wrap: (chain: Chain) => Chain;
  /** Landed signatures unknown to this port. */
  readonly forgotten: Set<string>;
  /** Sends of forgotten transactions, hex. */
  readonly sends: Set<string>;
  /** Restores the forgotten statuses. */
  remember(): void;
}

/** Creates a port that forgets every transaction matched by `which`. */
export function forgetful(matches: (bytes: Uint8Array) => boolean): Forgetful {
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
        if (!forgets || !matches(bytes)) return answer;
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
