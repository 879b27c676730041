/** What our own RPC shows of a transaction's accounts: lookup tables, token accounts, decimals of mints. */
import { readLookupTable } from '../../programs/lookupTable/accounts.ts';
import { readMint } from '../../programs/token/accounts.ts';
import { chainView, NO_VIEW, type View } from '../../programs/view.ts';
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
  view: NO_VIEW,
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
  const byAddress = new Map(
    accounts
      .filter(({ exists }) => exists)
      .map(({ address, owner, data }) => [address, { owner, data: Buffer.from(data, 'base64') }] as const),
  );
  return {
    view: chainView((address) => byAddress.get(address)),
    decimals: (mint) => {
      const account = byAddress.get(mint);
      if (account === undefined || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
      return attempt(() => readMint(account.data))?.decimals;
    },
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
