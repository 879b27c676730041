/** The `Chain` port over plain JSON-RPC, for one RPC that the user chose. */
import { isDeepStrictEqual } from 'node:util';
import { type Clock, systemClock } from '../clock.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../transaction/programs.ts';
import { encodeWire } from '../transaction/wire.ts';
import { ChainError } from './errors.ts';
import {
  createJsonRpc,
  type JsonRpc,
  type JsonRpcOptions,
  type RpcFetch,
  type RpcOutcome,
} from './jsonRpc.ts';
import {
  account,
  count,
  errorText,
  fields,
  landedTransaction,
  list,
  signatureStatus,
  text,
  u64,
  withContext,
} from './read.ts';
import {
  ACCOUNTS_PER_CALL,
  type AccountFact,
  type AtSlot,
  type Chain,
  type Commitment,
  type HolderReader,
  type RentRule,
  type SendOutcome,
  type SimulationFact,
} from './types.ts';

export interface ChainOptions {
  readonly rpcUrl: string;
  readonly fetch?: RpcFetch | undefined;
  /** Milliseconds for one call, its answer included. */
  readonly timeoutMs?: number;
  /** The clock deadlines are measured with. Default: the machine's. */
  readonly clock?: Clock;
}

const STATUSES_PER_CALL = 256;
/** Milliseconds for which the genesis hash and the rent rule are reused. */
const REUSE_MS = 60_000;
/** A search through the accounts of a program is given up after so long. */
const SEARCH_MS = 3_000;
/** How often a simulation is repeated because the chain moved under it. */
const SIMULATION_ATTEMPTS = 6;
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;
const PREFLIGHT_FAILURE = -32002;
const INVALID_PARAMS = -32602;

/** Opens no connection; every call asks the RPC. */
export function createChain(options: ChainOptions): Chain & HolderReader {
  const { clock = systemClock } = options;
  // After a failed call, the next answer may come from another chain.
  const rpc = noticing({ url: options.rpcUrl, ...options }, () => {
    network.forget();
    rent.forget();
  });
  const network = reused(clock, async () => text(await ask('getGenesisHash', []), 'genesis hash'));
  const rent = reused(clock, () =>
    rentRule(async (size) => u64(await ask('getMinimumBalanceForRentExemption', [size]), 'rent')),
  );
  const searching = createJsonRpc({
    url: options.rpcUrl,
    ...options,
    timeoutMs: Math.min(options.timeoutMs ?? SEARCH_MS, SEARCH_MS),
  });
  const ask = async (method: string, params: readonly unknown[]) => result(method, await rpc(method, params));

  const accounts = async (
    addresses: readonly string[],
    commitment: Commitment,
    firstBytes?: number,
  ): Promise<AtSlot<AccountFact[]>> => {
    const slice = firstBytes === undefined ? {} : { dataSlice: { offset: 0, length: firstBytes } };
    const found: AccountFact[] = [];
    let slot = Number.MAX_SAFE_INTEGER;
    for (let start = 0; start < addresses.length; start += ACCOUNTS_PER_CALL) {
      const part = addresses.slice(start, start + ACCOUNTS_PER_CALL);
      const answer = withContext(
        await ask('getMultipleAccounts', [part, { commitment, encoding: 'base64', ...slice }]),
      );
      const values = list(answer.value, 'accounts');
      if (values.length !== part.length) throw new ChainError('RPC_BAD_ANSWER', 'The RPC left accounts out.');
      slot = Math.min(slot, answer.slot);
      for (const [i, address] of part.entries()) found.push(account(address, values[i]));
    }
    if (addresses.length === 0) slot = count(await ask('getSlot', [{ commitment }]), 'slot');
    return { slot, value: found };
  };

  const chain: Chain & HolderReader = {
    genesisHash: (how) => {
      if (how === 'now') network.forget();
      return network.get();
    },

    head: async (commitment, minContextSlot) => {
      const { absoluteSlot, blockHeight } = fields(
        await ask('getEpochInfo', [atLeast(commitment, minContextSlot)]),
        'epoch info',
      );
      return { slot: count(absoluteSlot, 'slot'), blockHeight: count(blockHeight, 'block height') };
    },

    latestBlockhash: async (commitment) => {
      const { slot, value } = withContext(await ask('getLatestBlockhash', [{ commitment }]));
      const { blockhash, lastValidBlockHeight } = fields(value, 'blockhash');
      return {
        slot,
        value: {
          blockhash: text(blockhash, 'blockhash'),
          lastValidBlockHeight: count(lastValidBlockHeight, 'lastValidBlockHeight'),
        },
      };
    },

    isBlockhashValid: async (blockhash, commitment, minContextSlot) => {
      const { slot, value } = withContext(
        await ask('isBlockhashValid', [blockhash, atLeast(commitment, minContextSlot)]),
      );
      if (typeof value !== 'boolean')
        throw new ChainError('RPC_BAD_ANSWER', 'isBlockhashValid is neither true nor false.');
      return { slot, value };
    },

    accounts,

    tokenAccounts: async (owner, commitment) => {
      const found: AccountFact[] = [];
      let slot = Number.MAX_SAFE_INTEGER;
      for (const programId of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
        const answer = withContext(
          await ask('getTokenAccountsByOwner', [owner, { programId }, { commitment, encoding: 'base64' }]),
        );
        slot = Math.min(slot, answer.slot);
        for (const each of list(answer.value, 'token accounts')) {
          const { pubkey, account: value } = fields(each, 'token account');
          found.push(account(text(pubkey, 'token account address'), value));
        }
      }
      return { slot, value: found };
    },

    largestAccounts: async (mint, commitment) => {
      const { slot, value } = withContext(await ask('getTokenLargestAccounts', [mint, { commitment }]));
      return {
        slot,
        value: list(value, 'token accounts').map((each) => {
          const { address, amount } = fields(each, 'token account');
          return { address: text(address, 'token account address'), amount: u64(amount, 'amount') };
        }),
      };
    },

    programAccounts: async (program, { offset, address }, firstBytes) => {
      const found = result(
        'getProgramAccounts',
        await searching('getProgramAccounts', [
          program,
          {
            commitment: 'confirmed',
            encoding: 'base64',
            dataSlice: { offset: 0, length: firstBytes },
            filters: [{ memcmp: { offset, bytes: address } }],
          },
        ]),
      );
      return list(found, 'accounts of a program').map((each) => {
        const { pubkey, account: value } = fields(each, 'account');
        return account(text(pubkey, 'account address'), value);
      });
    },

    rent: () => rent.get(),

    simulate: (...args) => simulate(rpc, accounts, ...args),

    send: async (transaction) => {
      const params = [
        encodeWire(transaction, 'base64'),
        { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: 0 },
      ];
      try {
        return sendOutcome(await rpc('sendTransaction', params));
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return { outcome: 'unclear', reason: error.code };
      }
    },

    statuses: async (signatures) => {
      const found = [];
      let slot = Number.MAX_SAFE_INTEGER;
      for (let start = 0; start < signatures.length; start += STATUSES_PER_CALL) {
        const part = signatures.slice(start, start + STATUSES_PER_CALL);
        const answer = withContext(
          await ask('getSignatureStatuses', [part, { searchTransactionHistory: true }]),
        );
        const values = list(answer.value, 'statuses');
        if (values.length !== part.length)
          throw new ChainError('RPC_BAD_ANSWER', 'The RPC left statuses out.');
        slot = Math.min(slot, answer.slot);
        found.push(...values.map(signatureStatus));
      }
      return { slot, value: found };
    },

    landed: async (signature) =>
      landedTransaction(
        await ask('getTransaction', [
          signature,
          { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 1 },
        ]),
      ),
  };
  return chain;
}

const atLeast = (commitment: Commitment, minContextSlot: number | undefined) =>
  minContextSlot === undefined ? { commitment } : { commitment, minContextSlot };

function result(method: string, outcome: RpcOutcome): unknown {
  if (outcome.ok) return outcome.result;
  const { code } = outcome.refusal;
  if (code === MIN_CONTEXT_SLOT_NOT_REACHED)
    throw new ChainError('RPC_BEHIND', 'The RPC has not reached the slot asked for.', code);
  throw new ChainError('RPC_REFUSED', `The RPC refused ${method} (error ${code}).`, code);
}

/** A caller that tells of every time the node could not be asked. */
function noticing(options: JsonRpcOptions, failed: () => void): JsonRpc {
  const rpc = createJsonRpc(options);
  return (method, params) =>
    rpc(method, params).catch((error: unknown) => {
      failed();
      throw error;
    });
}

/** Reuses the answer of `read` for `REUSE_MS`; a rejected one is read again. */
function reused<T>(clock: Clock, read: () => Promise<T>) {
  let last: { readonly value: Promise<T>; readonly until: number } | undefined;
  return {
    forget: (): void => {
      last = undefined;
    },
    get: (): Promise<T> => {
      if (last !== undefined && clock.now() < last.until) return last.value;
      const current = { value: read(), until: clock.now() + REUSE_MS };
      last = current;
      current.value.catch(() => {
        if (last === current) last = undefined;
      });
      return current.value;
    },
  };
}

/** The rent of public clusters, in lamports per byte. With a higher one, created accounts could lock more (T14). */
const MAX_RENT = { perByte: 6_960n, overheadBytes: 128n };

/** Rent is linear in an account's size; two points give the line. */
async function rentRule(of: (size: number) => Promise<bigint>): Promise<RentRule> {
  const [empty, one] = await Promise.all([of(0), of(1)]);
  const perByte = one - empty;
  if (perByte <= 0n || perByte > MAX_RENT.perByte || empty > perByte * MAX_RENT.overheadBytes)
    throw new ChainError('RPC_BAD_ANSWER', 'The RPC names a rent that no public cluster has.');
  return { perByte, overheadBytes: Number(empty / perByte) };
}

/**
 * Simulates the exact bytes without checking signatures (ours is not made yet) and snapshots the watched accounts
 * on both sides. The RPC gives no snapshot from before, so the accounts are read before the simulation and, unless it
 * was of that very slot, after it: only when nothing moved in between do both sides belong to the same view; otherwise
 * it is done again.
 */
async function simulate(
  rpc: JsonRpc,
  accounts: Chain['accounts'],
  transaction: Uint8Array,
  watch: readonly string[],
  commitment: Commitment,
  read?: AtSlot<readonly AccountFact[]>,
): Promise<SimulationFact> {
  try {
    let before = read ?? (await accounts(watch, commitment));
    for (let attempt = 0; attempt < SIMULATION_ATTEMPTS; attempt += 1) {
      const simulated = await simulateOnce(rpc, transaction, watch, commitment, before);
      // A slot that is confirmed holds still.
      const isOneView = commitment !== 'processed' && watch.length <= ACCOUNTS_PER_CALL;
      if (isOneView && simulated.status === 'done' && simulated.slot === before.slot) return simulated;
      const again = await accounts(watch, commitment);
      if (isDeepStrictEqual(before.value, again.value)) return simulated;
      before = again;
    }
    return { status: 'unavailable', reason: 'the accounts kept changing' };
  } catch (error) {
    if (error instanceof ChainError) return { status: 'unavailable', reason: error.code };
    throw error;
  }
}

async function simulateOnce(
  rpc: JsonRpc,
  transaction: Uint8Array,
  watch: readonly string[],
  commitment: Commitment,
  before: AtSlot<readonly AccountFact[]>,
): Promise<SimulationFact> {
  const outcome = await rpc('simulateTransaction', [
    encodeWire(transaction, 'base64'),
    {
      encoding: 'base64',
      commitment,
      sigVerify: false,
      replaceRecentBlockhash: false,
      minContextSlot: before.slot,
      accounts: { encoding: 'base64', addresses: watch },
    },
  ]);
  if (!outcome.ok)
    return { status: 'unavailable', reason: `the RPC refused it (error ${outcome.refusal.code})` };
  const { slot, value } = withContext(outcome.result);
  const { err, accounts: after, unitsConsumed } = fields(value, 'simulation');
  const error = errorText(err);
  const values = error === null ? list(after, 'simulated accounts') : [];
  if (error === null && values.length !== watch.length) {
    return { status: 'unavailable', reason: 'the RPC left accounts out' };
  }
  return {
    status: 'done',
    slot,
    error,
    ...(typeof unitsConsumed === 'number' ? { unitsConsumed } : {}),
    before: before.value,
    after: error === null ? watch.map((address, i) => account(address, values[i])) : [],
  };
}

/** What a send's answer proves. Only a refusal before execution proves that this send did nothing. */
function sendOutcome(outcome: RpcOutcome): SendOutcome {
  if (outcome.ok) {
    return typeof outcome.result === 'string'
      ? { outcome: 'accepted', signature: outcome.result }
      : { outcome: 'unclear', reason: 'the RPC answered without a signature' };
  }
  const { code, message, data } = outcome.refusal;
  const err = typeof data === 'object' && data !== null && 'err' in data ? errorText(data.err) : null;
  if (err === 'AlreadyProcessed' || /already been processed/i.test(message))
    return { outcome: 'already_processed' };
  if (code === PREFLIGHT_FAILURE || code === INVALID_PARAMS) {
    const reason = err ?? `error ${code}`;
    return { outcome: 'refused', reason, blockhashNotFound: err === 'BlockhashNotFound' };
  }
  return { outcome: 'unclear', reason: `error ${code}` };
}
