/**
 * Accounts that price a swap independently of its quote: pools derived from its two mints, and the curves that
 * created them.
 */
import { knownPoolAddresses } from '../../programs/dammV2/addresses.ts';
import { DBC_PROGRAM } from '../../programs/dbc/addresses.ts';
import { ChainError } from '../../rpc/errors.ts';
import type { Chain } from '../../rpc/types.ts';
import { addressFromBytes, isAddress } from '../../transaction/base58.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { GatherInput } from '../ports.ts';

/**
 * Returns addresses of pools and curves that may trade the quoted pair; some may not exist. Empty without a stored
 * quote.
 */
export async function pricingAccounts(
  chain: Chain,
  { quote }: GatherInput,
  known: Curves,
): Promise<readonly Address[]> {
  const { inputMint, outputMint } = quote?.quote ?? {};
  if (!isMint(inputMint) || !isMint(outputMint)) return [];
  const curves = await Promise.all(
    [inputMint, outputMint].filter((mint) => mint !== WSOL_MINT).map((mint) => curveOf(chain, mint, known)),
  );
  return [...knownPoolAddresses(inputMint, outputMint), ...curves.flat()];
}

const isMint = (value: unknown): value is Address => typeof value === 'string' && isAddress(value);

/** Byte offsets in a curve's pool account: its config and the mint it created. */
const [CONFIG_AT, BASE_MINT_AT] = [72, 136];
const ADDRESS_BYTES = 32;

/** Curve accounts by the mint they created; empty for a mint without a curve. */
export type Curves = Map<Address, Promise<readonly Address[]>>;

/**
 * Returns the pool and config of the curve that created a mint; empty if there is none or the RPC does not support
 * searches.
 */
export function curveOf(
  chain: Pick<Chain, 'programAccounts'>,
  mint: Address,
  known: Curves,
): Promise<readonly Address[]> {
  const before = known.get(mint);
  if (before !== undefined) return before;
  const search = searchCurve(chain, mint).catch((error: unknown) => {
    known.delete(mint);
    if (error instanceof ChainError) return [];
    throw error;
  });
  known.set(mint, search);
  return search;
}

async function searchCurve(
  chain: Pick<Chain, 'programAccounts'>,
  mint: Address,
): Promise<readonly Address[]> {
  const at = { offset: BASE_MINT_AT, address: mint };
  const pools = (await chain.programAccounts?.(DBC_PROGRAM, at, CONFIG_AT + ADDRESS_BYTES)) ?? [];
  return pools.flatMap(({ address, data }) => {
    const bytes = Buffer.from(data, 'base64').subarray(CONFIG_AT);
    return bytes.length < ADDRESS_BYTES ? [] : [address, addressFromBytes(bytes)];
  });
}
