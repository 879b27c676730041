/**
 * Reads a token's decimals and symbol by mint from our own RPC. Both rarely change, so they are cached; a symbol is
 * untrusted text and proves nothing.
 */

import { decimalText, SOL_DECIMALS } from '../base/format.ts';
import { remember } from '../base/remember.ts';
import { readFact } from '../execution/readback/findings.ts';
import { mintOf } from '../programs/token/accounts.ts';
import { metadata } from '../programs/tokenMetadata/accounts.ts';
import { metadataAddress } from '../programs/tokenMetadata/addresses.ts';
import type { AccountFact, Chain } from '../rpc/types.ts';
import { cleanText, TEXT_CAPS } from '../service/untrusted.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/** Token data from its mint and metadata. */
export interface TokenFacts {
  readonly decimals: number;
  /** Chosen by the token's creator; cleaned and cut. */
  readonly symbol?: string;
}

/** An amount of one asset in results. */
export interface ShownAmount {
  /** `SOL` (native and wrapped as one) or a mint. */
  asset: string;
  /** Untrusted text, chosen by the token's creator. */
  symbol?: string;
  /** In whole units, exact, signed if it is a change; absent if decimals are unknown. */
  amount?: string;
  /** Base units, with the same sign. */
  raw: string;
}

const SOL: TokenFacts = { decimals: SOL_DECIMALS, symbol: 'SOL' };

/** Reads and caches tokens of one chain. */
export interface TokenReader {
  /** Returns token data by mint, without unreadable mints. Rejects with `ChainError` when the RPC is unavailable. */
  facts(mints: readonly Address[]): Promise<ReadonlyMap<Address, TokenFacts>>;
  /** Formats amounts with decimals and symbols; without the RPC these are omitted. */
  amounts(
    assets: Iterable<readonly [asset: string, units: bigint]>,
    signed?: 'signed',
  ): Promise<ShownAmount[]>;
}

/** One RPC call reads at most 100 accounts; a token takes two. */
const MINTS_AT_ONCE = 50;

export function createTokenReader(chain: Pick<Chain, 'accounts'>): TokenReader {
  const known = new Map<Address, TokenFacts>();

  async function facts(mints: readonly Address[]): Promise<ReadonlyMap<Address, TokenFacts>> {
    const wanted = [...new Set(mints)];
    const missing = wanted.filter((mint) => mint !== WSOL_MINT && !known.has(mint));
    for (let at = 0; at < missing.length; at += MINTS_AT_ONCE) {
      const some = missing.slice(at, at + MINTS_AT_ONCE);
      const { value } = await chain.accounts([...some, ...some.map(metadataAddress)], 'confirmed');
      some.forEach((mint, index) => {
        const found = readToken(value[index], value[some.length + index]);
        if (found !== undefined) remember(known, mint, found);
      });
    }
    return new Map(
      wanted.flatMap((mint) => {
        const found = mint === WSOL_MINT ? SOL : known.get(mint);
        return found === undefined ? [] : [[mint, found] as const];
      }),
    );
  }

  return {
    facts,
    amounts: async (assets, signed) => {
      const all = [...assets];
      const mints = all.map(([asset]) => asset).filter((asset) => asset !== 'SOL');
      const found = await facts(mints).catch(() => known);
      return all.map(([asset, units]) => shownAmount(asset, units, found, signed));
    },
  };
}

/** Formats one amount. `facts` by mint; `signed` prefixes positive amounts with a plus. */
export function shownAmount(
  asset: string,
  units: bigint,
  facts: ReadonlyMap<Address, TokenFacts>,
  signed?: 'signed',
): ShownAmount {
  const isSol = asset === 'SOL' || asset === WSOL_MINT;
  const token = isSol ? SOL : facts.get(asset);
  const sign = signed !== undefined && units > 0n ? '+' : '';
  return {
    asset: isSol ? 'SOL' : asset,
    ...(token?.symbol === undefined || isSol ? {} : { symbol: token.symbol }),
    ...(token === undefined ? {} : { amount: `${sign}${decimalText(units, token.decimals)}` }),
    raw: `${sign}${units}`,
  };
}

/** Decodes a mint and its metadata account; `undefined` for any other account. */
function readToken(mint: AccountFact | undefined, named: AccountFact | undefined): TokenFacts | undefined {
  const state = mintOf(mint);
  if (state === undefined) return undefined;
  const read = readFact(named, metadata);
  const written = 'fields' in read ? read.fields.symbol : state.metadata?.symbol;
  const symbol = written === undefined ? '' : cleanText(written, TEXT_CAPS.symbol).text.trim();
  return { decimals: state.decimals, ...(symbol === '' ? {} : { symbol }) };
}
