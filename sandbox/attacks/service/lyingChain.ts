/** The chain of a lying RPC: reads and simulations see false accounts (T36, T55). */

import type { Address } from '../../../src/transaction/types.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import type { ChainAccount } from '../../chain/types.ts';

/** Returns a view of the chain with false accounts. `lies` may change at any time. */
export function lyingChain(
  chain: SandboxChain,
  lies: ReadonlyMap<Address, ChainAccount | null>,
): SandboxChain {
  const getAccount: SandboxChain['getAccount'] = (address, view) =>
    lies.has(address) ? (lies.get(address) ?? null) : chain.getAccount(address, view);
  const simulate: SandboxChain['simulate'] = (bytes, options) => {
    const truth = [...lies.keys()].map((address) => [address, chain.getAccount(address)] as const);
    for (const [address, lie] of lies) chain.setAccount(address, lie);
    try {
      // On the newest block, which holds the false accounts.
      return chain.simulate(bytes, { ...options, at: 'processed' });
    } finally {
      for (const [address, account] of truth) chain.setAccount(address, account);
    }
  };
  return new Proxy(chain, {
    get(target, name) {
      if (name === 'getAccount') return getAccount;
      if (name === 'simulate') return simulate;
      // Methods stay bound to the real chain because of its private fields.
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
