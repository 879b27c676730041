/** Methods about accounts and tokens. */
import bs58 from 'bs58';
import { TOKEN_PROGRAMS } from '../../../src/transaction/programs.ts';
import { mint, tokenAccount } from '../../chain/runtime/layouts.ts';
import { encodeAccount, tokenAmount } from '../encode.ts';
import { invalidParams } from '../errors.ts';
import { withContext } from '../node.ts';
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
    return withContext(slot, encodeAccount(node.chain.getAccount(params.address(0), slot), config));
  },
  getMultipleAccounts: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    const encoded = { encoding: 'base64', ...config };
    const encode = (address: string) => encodeAccount(node.chain.getAccount(address, slot), encoded);
    return withContext(slot, params.addresses(0, MAX_ACCOUNTS).map(encode));
  },
  getProgramAccounts: (params, node) => {
    const config = params.config(1);
    const slot = node.view(config);
    const matches = filterOf(config.filters);
    const found = [...node.chain.programAccounts(params.address(0), slot)]
      .filter(([, account]) => matches(account.data))
      .map(([pubkey, account]) => ({ pubkey, account: encodeAccount(account, config) }));
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
      found.map(([pubkey, account]) => ({ pubkey, account: encodeAccount(account, config) })),
    );
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
};

function tokenFilter(filter: Config): { programs: readonly string[]; ofMint: string | undefined } {
  if (filter.mint !== undefined) return { programs: TOKEN_PROGRAMS, ofMint: addressIn(filter.mint, 'mint') };
  const program = addressIn(filter.programId, 'programId');
  if (!TOKEN_PROGRAMS.includes(program)) throw invalidParams('Invalid param: unrecognized Token program id');
  return { programs: [program], ofMint: undefined };
}

/** The test that `memcmp` filters in base58 make together. */
function filterOf(filters: unknown): (data: Uint8Array) => boolean {
  if (filters === undefined || filters === null) return () => true;
  if (!Array.isArray(filters)) throw invalidParams('Invalid params: filters must be an array.');
  if (filters.length > MAX_FILTERS) throw invalidParams(`Too many filters provided; max ${MAX_FILTERS}`);
  const tests = filters.map((item) => {
    const { offset, bytes } = configIn(configIn(item, 'filter').memcmp, 'memcmp');
    const from = integerIn(offset, 'memcmp.offset');
    if (typeof bytes !== 'string') throw invalidParams('Invalid params: memcmp.bytes must be a string.');
    const wanted = Buffer.from(decodedBase58(bytes));
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
