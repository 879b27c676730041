/**
 * Our own RPC over the model chain: several nodes behind one address, each with its own lag in slots, over a network
 * that drops, delays and repeats requests and loses answers. A lying node reports that it is current and knows no
 * signature.
 */
import { ChainError } from '../../src/rpc/errors.ts';
import type { AccountFact, Chain, Commitment } from '../../src/rpc/types.ts';
import type { ModelAccount } from './modelAccounts.ts';
import { DEPTH, type ModelChain } from './modelChain.ts';
import type { Random } from './random.ts';
import type { VirtualTime } from './time.ts';
import { FEE } from './transactions.ts';

export interface RpcFaults {
  /** The request never arrives. */
  drop: number;
  /** The request arrives, the answer does not. */
  lost: number;
  /** A send is rejected in the answer and still forwarded. */
  refuse: number;
  /** A send arrives twice, or long after it was sent. */
  repeat: number;
  late: number;
  delayMs: number;
  lagSlots: number;
  /** Chance that the status of a known signature is empty. */
  forget: number;
}

export const CALM: RpcFaults = {
  drop: 0,
  lost: 0,
  refuse: 0,
  repeat: 0,
  late: 0,
  delayMs: 20,
  lagSlots: 0,
  forget: 0,
};

export interface RpcWorld {
  readonly chain: ModelChain;
  readonly time: VirtualTime;
  readonly random: Random;
  readonly accounts: ReadonlyMap<string, ModelAccount>;
  /** Called on every send, before anything else. */
  sending(bytes: Uint8Array): void;
  trace(event: string): void;
}

const unreachable = () => new ChainError('RPC_UNREACHABLE', 'The RPC cannot be reached.');

export function modelRpc(world: RpcWorld, faults: RpcFaults): Chain {
  const { chain, time, random, trace } = world;
  const node = () => chain.tip() - (faults.lagSlots === 0 ? 0 : random.whole(0, faults.lagSlots));
  const at = (view: number, commitment: Commitment) => view - DEPTH[commitment];

  async function call<T>(name: string, answer: () => T): Promise<T> {
    const delay = random.whole(1, faults.delayMs);
    await time.wait(delay);
    if (random.chance(faults.drop)) {
      trace(`${name} dropped`);
      await time.wait(2_000);
      throw unreachable();
    }
    const value = answer();
    await time.wait(delay);
    if (random.chance(faults.lost)) {
      trace(`${name} lost`);
      throw unreachable();
    }
    trace(name);
    return value;
  }
  const fresh = (slot: number, minimum = 0) => {
    if (slot < minimum) throw new ChainError('RPC_BEHIND', 'The node is behind.');
    return slot;
  };
  const account = (address: string, slot: number): AccountFact => {
    const { effects = [], owner = address, data = '' } = world.accounts.get(address) ?? {};
    const exists = effects.length > 0 && effects.every((effect) => chain.landed(effect, slot).length > 0);
    return { address, exists, lamports: '1', owner, executable: false, data: exists ? data : '' };
  };

  const touchedBy = (effect: string): string[] =>
    [...world.accounts].flatMap(([address, { effects }]) => (effects.includes(effect) ? [address] : []));

  return {
    genesisHash: async () => chain.genesis,
    head: (commitment, minimum) =>
      call('head', () => {
        const slot = fresh(at(node(), commitment), minimum);
        return { slot, blockHeight: chain.block(slot).height };
      }),
    latestBlockhash: (commitment) =>
      call('latest', () => {
        const slot = at(node(), commitment);
        const { blockhash, height } = chain.block(slot);
        return { slot, value: { blockhash, lastValidBlockHeight: height + 150 } };
      }),
    isBlockhashValid: (blockhash, commitment, minimum) =>
      call('valid', () => {
        const slot = fresh(at(node(), commitment), minimum);
        return { slot, value: chain.isValid(blockhash, slot) };
      }),
    accounts: (addresses, commitment) =>
      call('accounts', () => {
        const slot = at(node(), commitment);
        return { slot, value: addresses.map((address) => account(address, slot)) };
      }),
    tokenAccounts: async () => ({ slot: chain.tip(), value: [] }),
    rent: async () => ({ perByte: 1n, overheadBytes: 1 }),
    simulate: async () => ({ status: 'not_yet' }),
    send: async (bytes) => {
      world.sending(bytes);
      if (random.chance(faults.late)) {
        // Queued, possibly past its blockhash's lifetime.
        time.at(random.whole(1_000, 90_000), () => chain.receive(bytes));
        return { outcome: 'unclear', reason: 'lost' };
      }
      return call('send', () => {
        const { signature } = chain.receive(bytes);
        if (random.chance(faults.repeat)) time.at(random.whole(100, 20_000), () => chain.receive(bytes));
        if (random.chance(faults.refuse)) {
          return { outcome: 'refused', reason: 'preflight', blockhashNotFound: random.chance(0.5) };
        }
        if (chain.landings.has(signature)) return { outcome: 'already_processed' };
        return { outcome: 'accepted', signature };
      });
    },
    statuses: (signatures) =>
      call('statuses', () => {
        const slot = node();
        const value = signatures.map((signature) => {
          const landing = chain.landings.get(signature);
          if (landing === undefined || landing.slot > slot) return undefined;
          if (random.chance(faults.forget)) return undefined;
          const depth = slot - landing.slot;
          const commitment =
            depth >= DEPTH.finalized ? 'finalized' : depth >= DEPTH.confirmed ? 'confirmed' : 'processed';
          return { slot: landing.slot, error: landing.error, commitment } as const;
        });
        return { slot, value };
      }),
    landed: (signature) =>
      call('landed', () => {
        const landing = chain.landings.get(signature);
        if (landing === undefined || landing.slot > at(node(), 'confirmed')) return undefined;
        const { act, slot, error } = landing;
        const feeOf = (address: string) => (address === act.payer ? FEE : 0n);
        const paid = (error === null ? BigInt(act.lamports) : 0n) + feeOf(act.wallet);
        return {
          slot,
          error,
          feeLamports: FEE,
          accounts: [act.wallet, ...touchedBy(act.effect)],
          lamportsBefore: [10n ** 12n],
          lamportsAfter: [10n ** 12n - paid],
          tokensBefore: [],
          tokensAfter: [],
        };
      }),
  };
}
