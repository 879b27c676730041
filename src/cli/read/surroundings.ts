/** What our own RPC shows of a transaction's accounts, and of the accounts that say who earns from a launch in it. */
import { attempt } from '../../base/attempt.ts';
import { positionAddress } from '../../programs/dammV2/addresses.ts';
import { feeShareConfigAddress } from '../../programs/feeShare/addresses.ts';
import { readLookupTable } from '../../programs/lookupTable/accounts.ts';
import { readMint } from '../../programs/token/accounts.ts';
import { chainView, NO_VIEW, type View } from '../../programs/view.ts';
import type { AccountFact, Chain } from '../../rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address, DecodedTransaction, LookupTableContent } from '../../transaction/types.ts';
import { accountsOf, explain } from './explain.ts';

/** An account that exists. */
export interface SeenAccount {
  /** The program that owns it. */
  readonly owner: Address;
  readonly data: Uint8Array;
  readonly lamports: bigint;
}

/** Asks for one account: `null` is one that does not exist, `undefined` one about which nothing is known. */
export type AccountAt = (address: Address) => SeenAccount | null | undefined;

export interface Surroundings {
  readonly tables: readonly LookupTableContent[];
  readonly view: View;
  readonly decimals: (mint: Address) => number | undefined;
  readonly accountAt: AccountAt;
  /** The accounts that exist, as the RPC answered, and the slot of the newest answer. */
  readonly accounts: readonly AccountFact[];
  readonly slot?: number;
}

/** Without an RPC: only the bytes are known. */
export const NOTHING_KNOWN: Surroundings = {
  tables: [],
  view: NO_VIEW,
  decimals: () => undefined,
  accountAt: () => undefined,
  accounts: [],
};

/** Asks the RPC. Rejects with a ChainError when it does not answer. */
export async function lookAround(chain: Chain, transaction: DecodedTransaction): Promise<Surroundings> {
  const wanted = transaction.lookups.map(({ table }) => table);
  const found = wanted.length === 0 ? [] : (await chain.accounts(wanted, 'confirmed')).value;
  const tables = found.flatMap((account) => tableOf(account));
  const { value, ...read } = await chain.accounts(accountsOf(transaction, tables), 'confirmed');
  let { slot } = read;
  const seen = new Map(value.map((account) => [account.address, account]));
  const more = notNamed(transaction, tables).filter((address) => !seen.has(address));
  if (more.length > 0) {
    const others = await chain.accounts(more, 'confirmed');
    for (const account of others.value) seen.set(account.address, account);
    slot = others.slot;
  }
  const accounts = [...seen.values()];
  return { tables, ...seenIn(accounts), accounts: accounts.filter(({ exists }) => exists), slot };
}

/** What no instruction names: who earns from the pools a transaction opens, positions whose NFT it moves. */
function notNamed(transaction: DecodedTransaction, tables: readonly LookupTableContent[]): Address[] {
  return explain(transaction, tables, NO_VIEW).instructions.flatMap(({ acts }) =>
    acts.flatMap((act) => {
      if (act.act === 'createPool') return [feeShareConfigAddress(act.base, act.quote)];
      const isNft = act.act === 'transfer' && act.amount === 1n;
      return isNft && act.asset !== undefined && act.asset !== 'SOL' ? [positionAddress(act.asset)] : [];
    }),
  );
}

function seenIn(accounts: readonly AccountFact[]): Pick<Surroundings, 'accountAt' | 'view' | 'decimals'> {
  const byAddress = new Map<Address, SeenAccount | null>(
    accounts.map(({ address, exists, owner, data, lamports }) => [
      address,
      exists ? { owner, data: Buffer.from(data, 'base64'), lamports: BigInt(lamports) } : null,
    ]),
  );
  const accountAt: AccountAt = (address) => byAddress.get(address);
  return {
    accountAt,
    view: chainView((address) => accountAt(address) ?? undefined),
    decimals: (mint) => {
      const account = accountAt(mint);
      if (!account || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
      return attempt(() => readMint(account.data))?.decimals;
    },
  };
}

function tableOf(account: AccountFact): LookupTableContent[] {
  if (account.owner !== LOOKUP_TABLE_PROGRAM) return [];
  const state = attempt(() => readLookupTable(Buffer.from(account.data, 'base64')));
  return state === undefined ? [] : [{ table: account.address, addresses: state.addresses }];
}
