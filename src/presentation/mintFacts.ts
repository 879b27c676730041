/** What a token is, from our own RPC: how much of it there is, who may make more or freeze it, and who holds most of it. */
import { decimalText } from '../base/words.ts';
import { readFact } from '../landing/readback/findings.ts';
import { type MintState, mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import { metadata } from '../programs/tokenMetadata/accounts.ts';
import { metadataAddress } from '../programs/tokenMetadata/addresses.ts';
import { ChainError } from '../rpc/errors.ts';
import type { AccountFact, Chain, HolderReader } from '../rpc/types.ts';
import { cleanText, TEXT_CAPS } from '../service/untrusted.ts';
import type { Address } from '../transaction/types.ts';

/** One of the largest holders. */
export type Holder = {
  /** Who may move it; a pool or a program's address as well as a person's wallet. */
  owner: Address;
  /** Whole tokens. */
  amount: string;
  /** Part of the supply in basis points, rounded down. */
  shareBps: number;
};

/** A mint and who holds it. Amounts are in whole tokens; name and symbol are what the token's maker wrote. */
export interface MintFacts {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  name?: string;
  symbol?: string;
  supply: string;
  supplyRaw: string;
  /** May make more of it; `null`: no key may. */
  mintAuthority: Address | null;
  /** May freeze what wallets hold; `null`: no key may. */
  freezeAuthority: Address | null;
  /** May rename it; absent where it has no metadata. */
  updateAuthority?: Address | null;
  /** Token-2022 extensions, such as a transfer fee or a permanent delegate. */
  extensions: readonly string[];
  /** The largest holders, largest first. Absent where the RPC does not say. */
  holders?: Holder[];
}

const SHOWN_HOLDERS = 10;
const ALL_BPS = 10_000n;

/** Reads a mint; `undefined` for an account that is none. Rejects with `ChainError` when the RPC cannot be asked. */
export async function readMintFacts(
  chain: Pick<Chain, 'accounts'> & HolderReader,
  mint: Address,
): Promise<MintFacts | undefined> {
  const [account, named] = (await chain.accounts([mint, metadataAddress(mint)], 'confirmed')).value;
  const state = mintOf(account);
  if (account === undefined || state === undefined) return undefined;
  const written = namesOf(state, named);
  const holders = await holdersOf(chain, mint, state);
  return {
    mint,
    tokenProgram: account.owner,
    decimals: state.decimals,
    ...written,
    supply: decimalText(state.supply, state.decimals),
    supplyRaw: String(state.supply),
    mintAuthority: state.mintAuthority ?? null,
    freezeAuthority: state.freezeAuthority ?? null,
    extensions: state.extensions,
    ...(holders === undefined ? {} : { holders }),
  };
}

/** Name, symbol and who may change them, from the token's metadata account, else from the mint itself. */
function namesOf(state: MintState, named: AccountFact | undefined) {
  const read = readFact(named, metadata);
  const found = 'fields' in read ? read.fields : state.metadata;
  if (found === undefined) return {};
  const name = cleanText(found.name, TEXT_CAPS.name).text.trim();
  const symbol = cleanText(found.symbol, TEXT_CAPS.symbol).text.trim();
  return {
    ...(name === '' ? {} : { name }),
    ...(symbol === '' ? {} : { symbol }),
    updateAuthority: found.updateAuthority ?? null,
  };
}

/** The largest holders. Many RPCs do not answer this for a token with very many accounts. */
async function holdersOf(
  chain: Pick<Chain, 'accounts'> & HolderReader,
  mint: Address,
  { decimals, supply }: MintState,
): Promise<Holder[] | undefined> {
  try {
    const { value } = await chain.largestAccounts(mint, 'confirmed');
    const held = value.filter(({ amount }) => amount > 0n).slice(0, SHOWN_HOLDERS);
    const accounts = (
      await chain.accounts(
        held.map(({ address }) => address),
        'confirmed',
      )
    ).value;
    return held.map(({ address, amount }, index) => ({
      owner: tokenAccountOf(accounts[index])?.owner ?? address,
      amount: decimalText(amount, decimals),
      shareBps: supply === 0n ? 0 : Number((amount * ALL_BPS) / supply),
    }));
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
