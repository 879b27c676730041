/** What our own RPC shows of a transaction's accounts: lookup tables, token accounts, decimals of mints. */
import { readLookupTable } from '../../programs/lookupTable/accounts.ts';
import { readMint, readTokenAccount } from '../../programs/token/accounts.ts';
import type { View } from '../../programs/view.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address, DecodedTransaction, LookupTableContent } from '../../transaction/types.ts';
import { accountsOf } from './explain.ts';

export interface Surroundings {
  readonly tables: readonly LookupTableContent[];
  readonly view: View;
  readonly decimals: (mint: Address) => number | undefined;
}

/** Without an RPC: only the bytes are known. */
export const NOTHING_KNOWN: Surroundings = {
  tables: [],
  view: { tokenAccount: () => undefined },
  decimals: () => undefined,
};

/** Asks the RPC. Rejects with a ChainError when it does not answer. */
export async function lookAround(chain: Chain, transaction: DecodedTransaction): Promise<Surroundings> {
  const wanted = transaction.lookups.map(({ table }) => table);
  const found = wanted.length === 0 ? [] : (await chain.accounts(wanted, 'confirmed')).value;
  const tables = found.flatMap((account) => tableOf(account));
  const { value } = await chain.accounts(accountsOf(transaction, tables), 'confirmed');
  return { tables, ...seenIn(value) };
}

function seenIn(accounts: readonly AccountFact[]): Pick<Surroundings, 'view' | 'decimals'> {
  const holdings = new Map<Address, { mint: Address; owner: Address }>();
  const decimals = new Map<Address, number>();
  for (const account of accounts) {
    if (!account.exists || !TOKEN_PROGRAMS.includes(account.owner)) continue;
    const data = Buffer.from(account.data, 'base64');
    const held = attempt(() => readTokenAccount(data));
    if (held !== undefined) holdings.set(account.address, { mint: held.mint, owner: held.owner });
    const mint = attempt(() => readMint(data));
    if (mint !== undefined) decimals.set(account.address, mint.decimals);
  }
  return {
    view: { tokenAccount: (address) => holdings.get(address) },
    decimals: (mint) => decimals.get(mint),
  };
}

function tableOf(account: AccountFact): LookupTableContent[] {
  if (account.owner !== LOOKUP_TABLE_PROGRAM) return [];
  const state = attempt(() => readLookupTable(Buffer.from(account.data, 'base64')));
  return state === undefined ? [] : [{ table: account.address, addresses: state.addresses }];
}

/** The value, or `undefined` for data of another type. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
