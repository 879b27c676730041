/** Methods about accounts and tokens. */
import bs58 from 'bs58';
import { TOKEN_PROGRAMS } from '../../../src/transaction/programs.ts';
import { mint, tokenAccount } from '../../chain/runtime/layouts.ts';
import type { ChainAccount } from '../../chain/types.ts';
import { encodeAccount, tokenAmount } from '../encode.ts';
import { invalidParams } from '../errors.ts';
import { type RpcNode, withContext } from '../node.ts';
import { addressIn, booleanIn, type Config, configIn, integerIn } from '../params.ts';
import type { Methods } from './method.ts';

const MAX_ACCOUNTS = 100;
const MAX_FILTERS = 4;
/** Accounts `getTokenLargestAccounts` lists. */
const LARGEST = 20;

export const accountMethods: Methods = {
  getBalance: (params, node) => {
    const slot = node.view(params.config(1));
    return withContext(slot, node.chain.getAccount(params.address(0), slot)?.lamports ?? 0n);
  },
  getAccountInfo: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    return withContext(slot, encodedAt(node, slot, config)(params.address(0)));
  },
  getMultipleAccounts: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    const encode = encodedAt(node, slot, { encoding: 'base64', ...config });
    return withContext(slot, params.addresses(0, MAX_ACCOUNTS).map(encode));
  },
  getProgramAccounts: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    const matches = filterOf(config.filters);
    const found = [...node.chain.programAccounts(params.address(0), slot)]
      .filter(([, account]) => matches(account.data))
      .map(([pubkey, account]) => ({ pubkey, account: encodeFound(node, slot, config, account) }));
    return booleanIn(config.withContext, 'withContext') ? withContext(slot, found) : found;
  },
  getTokenAccountsByOwner: (params, node) => {
    const config = params.config(2);
    const slot = node.view(config);
    const owner = params.address(0);
    const { programs, ofMint } = tokenFilter(params.config(1));
    const found = programs
      .flatMap((program) => [...node.chain.programAccounts(program, slot)])
      .filter(([, account]) => {
        const token = tokenAccount(account);
        return token?.owner === owner && (ofMint === undefined || token.mint === ofMint);
      });
    return withContext(
      slot,
      found.map(([pubkey, account]) => ({ pubkey, account: encodeFound(node, slot, config, account) })),
    );
  },
  getTokenAccountBalance: (params, node) => {
    const slot = node.view(params.config(1));
    const token = tokenAccount(node.chain.getAccount(params.address(0), slot));
    if (token === undefined) throw invalidParams('Invalid param: not a Token account');
    const decimals = mint(node.chain.getAccount(token.mint, slot))?.decimals ?? 0;
    return withContext(slot, tokenAmount(token.amount, decimals));
  },
  getTokenLargestAccounts: (params, node) => {
    const slot = node.view(params.config(1));
    const address = params.address(0);
    const minted = mint(node.chain.getAccount(address, slot));
    if (minted === undefined) throw invalidParams('Invalid param: not a Token mint');
    const held = TOKEN_PROGRAMS.flatMap((program) => [...node.chain.programAccounts(program, slot)]).flatMap(
      ([at, account]) => {
        const token = tokenAccount(account);
        return token?.mint === address ? [{ at, amount: token.amount }] : [];
      },
    );
    held.sort((one, other) => (one.amount < other.amount ? 1 : one.amount > other.amount ? -1 : 0));
    return withContext(
      slot,
      held
        .slice(0, LARGEST)
        .map(({ at, amount }) => ({ address: at, ...tokenAmount(amount, minted.decimals) })),
    );
  },
  getTokenSupply: (params, node) => {
    const slot = node.view(params.config(1));
    const minted = mint(node.chain.getAccount(params.address(0), slot));
    if (minted === undefined) throw invalidParams('Invalid param: not a Token mint');
    return withContext(slot, tokenAmount(minted.supply, minted.decimals));
  },
};

/** An encoder of accounts as one view shows them. */
export function encodedAt(node: RpcNode, slot: number, config: Config): (address: string) => unknown {
  return (address) => encodeFound(node, slot, config, node.chain.getAccount(address, slot));
}

function encodeFound(node: RpcNode, slot: number, config: Config, account: ChainAccount | null): unknown {
  return encodeAccount(account, config, (address) => node.chain.getAccount(address, slot));
}

function tokenFilter(filter: Config): { programs: readonly string[]; ofMint: string | undefined } {
  if (filter.mint !== undefined) return { programs: TOKEN_PROGRAMS, ofMint: addressIn(filter.mint, 'mint') };
  const program = addressIn(filter.programId, 'programId');
  if (!TOKEN_PROGRAMS.includes(program)) throw invalidParams('Invalid param: unrecognized Token program id');
  return { programs: [program], ofMint: undefined };
}

/** The test that `dataSize` and `memcmp` filters make together. */
function filterOf(filters: unknown): (data: Uint8Array) => boolean {
  if (filters === undefined || filters === null) return () => true;
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: filters must be an array.');
  if (filters.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const tests = filters.map((item) => {
    const filter = configIn(item, 'filter');
    if (filter.dataSize !== undefined) {
      const size = integerIn(filter.dataSize, 'dataSize');
      return (data: Uint8Array) => data.length === size;
    }
    const { offset, bytes, encoding } = configIn(filter.memcmp, 'memcmp');
    const from = integerIn(offset, 'memcmp.offset');
    if (typeof bytes !== 'string') throw invalidParams('Invalid params: memcmp.bytes must be a string.');
    const wanted = Buffer.from(encoding === 'base64' ? Buffer.from(bytes, 'base64') : decodedBase58(bytes));
    return (data: Uint8Array) => wanted.equals(data.subarray(from, from + wanted.length));
  });
  return (data) => tests.every((test) => test(data));
}

function decodedBase58(text: string): Uint8Array {
  const bytes = text.length <= 175 ? bs58.decodeUnsafe(text) : undefined;
  if (bytes === undefined)
    throw invalidParams('Invalid param: memcmp.bytes is not base58 of at most 128 bytes.');
  return bytes;
}
