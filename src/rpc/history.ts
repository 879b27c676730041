/** The transactions of a wallet that an RPC knows. */
import { type Clock, systemClock } from '../clock.ts';
import type { Address } from '../transaction/types.ts';
import { ChainError } from './errors.ts';
import { createJsonRpc, type RpcFetch } from './jsonRpc.ts';
import { count, errorText, fields, landedTransaction, list, text } from './read.ts';
import type { LandedTransaction } from './types.ts';

/** One transaction that names a wallet, newest first in a listing. */
export interface PastTransaction {
  readonly signature: string;
  readonly slot: number;
  /** The chain's error; `null` when it succeeded. */
  readonly error: string | null;
  /** Milliseconds since the epoch; absent where the RPC does not say. */
  readonly time?: number;
}

export interface WalletHistory {
  /** Every transaction of a wallet from a time on, at `confirmed`. Those without a time are among them. */
  since(wallet: Address, from: number): Promise<PastTransaction[]>;
  /** What a transaction did, with its bytes in base64; `undefined` when the RPC does not have it. */
  landed(signature: string): Promise<{ landed: LandedTransaction; transaction: string } | undefined>;
}

/** `getSignaturesForAddress` gives at most so many. */
const PAGE = 1000;

export function createHistory(options: { rpcUrl: string; fetch?: RpcFetch; clock?: Clock }): WalletHistory {
  const { rpcUrl: url, fetch, clock = systemClock } = options;
  const rpc = createJsonRpc({ url, fetch, clock });
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const outcome = await rpc(method, params);
    if (outcome.ok) return outcome.result;
    const { code } = outcome.refusal;
    throw new ChainError('RPC_REFUSED', `The RPC refused ${method} (error ${code}).`, code);
  };
  const transaction = (signature: string, encoding: 'json' | 'base64') =>
    ask('getTransaction', [
      signature,
      { commitment: 'confirmed', encoding, maxSupportedTransactionVersion: 1 },
    ]);
  return {
    since: async (wallet, from) => {
      const found: PastTransaction[] = [];
      for (let before: string | undefined; ; ) {
        const page = list(
          await ask('getSignaturesForAddress', [
            wallet,
            { commitment: 'confirmed', limit: PAGE, ...(before === undefined ? {} : { before }) },
          ]),
          'signatures',
        ).map(past);
        for (const each of page) {
          if (each.time !== undefined && each.time < from) return found;
          found.push(each);
        }
        before = page.at(-1)?.signature;
        if (page.length < PAGE || before === undefined) return found;
      }
    },
    landed: async (signature) => {
      const landed = landedTransaction(await transaction(signature, 'json'));
      if (landed === undefined) return undefined;
      const [bytes] = list(
        fields(await transaction(signature, 'base64'), 'transaction').transaction,
        'bytes',
      );
      return { landed, transaction: text(bytes, 'transaction bytes') };
    },
  };
}

function past(value: unknown): PastTransaction {
  const { signature, slot, err, blockTime } = fields(value, 'signature');
  return {
    signature: text(signature, 'signature'),
    slot: count(slot, 'slot'),
    error: errorText(err),
    ...(typeof blockTime === 'number' ? { time: count(blockTime, 'block time') * 1000 } : {}),
  };
}
