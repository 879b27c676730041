/** Token data from our own RPC: supply, mint and freeze authority, and the largest holders. */
import { decimalText, percent, SOL_DECIMALS } from '../base/format.ts';
import { curveOf } from '../execution/deciding/pools.ts';
import { readFact } from '../execution/readback/findings.ts';
import { pool } from '../programs/dammV2/accounts.ts';
import { knownPoolAddresses } from '../programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../programs/dbc/accounts.ts';
import { type MintState, mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import { metadata } from '../programs/tokenMetadata/accounts.ts';
import { metadataAddress } from '../programs/tokenMetadata/addresses.ts';
import { ChainError } from '../rpc/errors.ts';
import type { AccountFact, Chain, HolderReader } from '../rpc/types.ts';
import { cleanText, TEXT_CAPS } from '../service/untrusted.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/** One of the largest holders. */
export type Holder = {
  /** The owner that may move it: a wallet, a pool or another program address. */
  owner: Address;
  /** Whole tokens. */
  amount: string;
  /** Share of the supply in basis points, rounded down. */
  shareBps: number;
};

/** A mint and its largest holders. Amounts are in whole tokens; name and symbol are chosen by the token's creator. */
export interface MintFacts {
  mint: Address;
  tokenProgram: Address;
  decimals: number;
  name?: string;
  symbol?: string;
  supply: string;
  supplyRaw: string;
  /** May mint more; `null`: no key may. */
  mintAuthority: Address | null;
  /** May freeze token accounts; `null`: no key may. */
  freezeAuthority: Address | null;
  /** May change name and symbol; absent without metadata. */
  updateAuthority?: Address | null;
  /** Token-2022 extensions, such as a transfer fee or a permanent delegate. */
  extensions: readonly string[];
  /** The largest holders, largest first. Absent if the RPC does not return them. */
  holders?: Holder[];
  /** Market of the token. Absent if no curve or known pool was found. */
  market?: Market;
}

/** The market of a token, read from the chain alone. */
export type Market = {
  /** A bonding curve, or a pool of DAMM v2. */
  venue: 'curve' | 'pool';
  pool: Address;
  quoteMint: Address;
  /** Quote tokens for one whole token, without fees. Absent if the decimals of the quote are unknown. */
  price?: string;
  /** Progress of the curve to graduation: the share of its target already raised. */
  progress?: string;
};

const SHOWN_HOLDERS = 10;
/** Decimal places of a price. */
const PRICE_DIGITS = 15;
const ALL_BPS = 10_000n;

/** Reads a mint. Returns `undefined` for any other account. Rejects with `ChainError` when the RPC is unavailable. */
export async function readMintFacts(
  chain: Pick<Chain, 'accounts' | 'programAccounts'> & HolderReader,
  mint: Address,
): Promise<MintFacts | undefined> {
  const [account, named] = (await chain.accounts([mint, metadataAddress(mint)], 'confirmed')).value;
  const state = mintOf(account);
  if (account === undefined || state === undefined) return undefined;
  const written = namesOf(state, named);
  const holders = await holdersOf(chain, mint, state);
  const market = await marketOf(chain, mint, state.decimals);
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
    ...(market === undefined ? {} : { market }),
  };
}

/** Returns the curve a mint trades on, otherwise the first of its known SOL pools. */
async function marketOf(
  chain: Pick<Chain, 'accounts' | 'programAccounts'>,
  mint: Address,
  decimals: number,
): Promise<Market | undefined> {
  const [curve, config] = await curveOf(chain, mint, new Map());
  const pools = knownPoolAddresses(mint, WSOL_MINT);
  const addresses = [...(curve === undefined || config === undefined ? [] : [curve, config]), ...pools];
  const { value } = await chain.accounts(addresses, 'confirmed');
  const found = new Map(value.map((account) => [account.address, account]));
  const traded = readFact(found.get(curve ?? ''), virtualPool);
  const terms = readFact(found.get(config ?? ''), poolConfig);
  if (curve !== undefined && 'fields' in traded && 'fields' in terms && traded.fields.isMigrated === 0) {
    const { quoteMint, migrationQuoteThreshold: goal } = terms.fields;
    const raised = goal === 0n ? ALL_BPS : (traded.fields.quoteReserve * ALL_BPS) / goal;
    const price = await priceIn(chain, quoteMint, traded.fields.sqrtPrice, decimals);
    const progress = percent(Number(raised < ALL_BPS ? raised : ALL_BPS));
    return { venue: 'curve', pool: curve, quoteMint, ...price, progress };
  }
  for (const at of pools) {
    const held = readFact(found.get(at), pool);
    if (!('fields' in held)) continue;
    const { tokenAMint, tokenBMint, sqrtPrice } = held.fields;
    // A pool's price is that of its first token in its second.
    const root = tokenAMint === mint ? sqrtPrice : ONE_ROOT ** 2n / sqrtPrice;
    const quoteMint = tokenAMint === mint ? tokenBMint : tokenAMint;
    return { venue: 'pool', pool: at, quoteMint, ...(await priceIn(chain, quoteMint, root, decimals)) };
  }
  return undefined;
}

/** One, as a square root of a price with 64 fractional bits. */
const ONE_ROOT = 1n << 64n;

/** Returns the price of a whole token from its square root in base units. */
async function priceIn(
  chain: Pick<Chain, 'accounts'>,
  quoteMint: Address,
  root: bigint,
  decimals: number,
): Promise<{ price?: string }> {
  const [account] = quoteMint === WSOL_MINT ? [] : (await chain.accounts([quoteMint], 'confirmed')).value;
  const quoted = quoteMint === WSOL_MINT ? SOL_DECIMALS : mintOf(account)?.decimals;
  if (quoted === undefined) return {};
  const scaled = (root ** 2n * 10n ** BigInt(PRICE_DIGITS + decimals)) / 10n ** BigInt(quoted);
  return { price: decimalText(scaled / ONE_ROOT ** 2n, PRICE_DIGITS) };
}

/** Returns name, symbol and update authority from the token's metadata account, otherwise from the mint. */
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

/** Returns the largest holders. Many RPCs do not support this for tokens with very many accounts. */
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
