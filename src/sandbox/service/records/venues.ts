/** Where tokens trade: pools as token accounts of the pool's authority, priced from what they hold. */

import { LAUNCH_DECIMALS } from '../../../contract/constants.ts';
import { CONFIG_TYPE_IDS, CONFIG_TYPES, DEFAULT_CONFIG_TYPE } from '../../../contract/index.ts';
import { TOKEN_2022_PROGRAM } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { ata, type TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';
import type { Venue } from '../state.ts';
import type { PricedPool } from './pricing.ts';

/** Whole tokens launched when the config type does not fix the supply. */
const SUPPLY = 1_000_000_000n;
/** Virtual quote reserve of a new pool, in dollars. */
const VIRTUAL_USD = 4_500;
export const CUSTODY_FEE_BPS = 200;

/** Quote units a new pool counts beside its real ones, so that it has a price before its first trade. */
export function virtualQuoteOf({ quotes }: ServiceContext, quote: TokenAsset): bigint {
  const usd = quotes.get(quote.mint)?.usd ?? 1;
  return BigInt(Math.round(VIRTUAL_USD / usd)) * 10n ** BigInt(quote.decimals);
}

/** Everything about a venue that follows from the token and what it is quoted in. */
export function venueOf(
  service: ServiceContext,
  baseMint: Address,
  quoteMint: Address,
  what:
    | { readonly kind: 'custody'; readonly feeClaimer: Address; readonly partner?: Address }
    | { readonly kind: 'damm_v2_direct' | 'dbc'; readonly configKey: Address; readonly configType: string },
): Venue {
  const { keys } = service;
  const quote = service.asset(quoteMint);
  const authority = keys.poolAuthority(baseMint).address;
  const type = what.kind === 'custody' ? DEFAULT_CONFIG_TYPE : what.configType;
  const config = CONFIG_TYPES[CONFIG_TYPE_IDS.find((id) => id === type) ?? DEFAULT_CONFIG_TYPE];
  const common = {
    baseMint,
    baseTokenProgram: TOKEN_2022_PROGRAM,
    pool: keys.pool(baseMint).address,
    authority,
    baseVault: ata(authority, { mint: baseMint, tokenProgram: TOKEN_2022_PROGRAM }),
    quoteVault: ata(authority, quote),
    quoteMint,
    quoteTokenProgram: quote.tokenProgram,
    virtualQuote: virtualQuoteOf(service, quote),
    supply: BigInt(config.supply ?? SUPPLY) * 10n ** BigInt(LAUNCH_DECIMALS),
  };
  if (what.kind === 'custody') {
    const { kind, feeClaimer, partner } = what;
    const feeVault = keys.feeVault(common.pool).address;
    return {
      kind,
      ...common,
      feeBps: CUSTODY_FEE_BPS,
      feeVault,
      feeClaimer,
      ...(partner ? { partner } : {}),
    };
  }
  const { kind, configKey } = what;
  return {
    kind,
    ...common,
    feeBps: config.feeBpsBefore,
    feeVault: keys.feeVault(configKey).address,
    configKey,
  };
}

/** Venues that are on chain. */
export function openVenues(service: ServiceContext): Venue[] {
  const launched = [...service.state.launches.values()].flatMap((launch) =>
    // Asking for the status is what finds the venue of a launch that has landed since.
    service.state.launchStatusOf(launch) !== 'PRE_LAUNCH' && launch.venue !== undefined ? [launch.venue] : [],
  );
  return [...launched, ...service.state.pairs];
}

/** Where one token trades for another. Throws 400 when nowhere. */
export function venueFor(service: ServiceContext, inputMint: Address, outputMint: Address): Venue {
  const found = openVenues(service).find(
    ({ baseMint, quoteMint }) =>
      (baseMint === outputMint && quoteMint === inputMint) ||
      (baseMint === inputMint && quoteMint === outputMint),
  );
  if (found === undefined) throw badRequest('no route between inputMint and outputMint');
  return found;
}

/** A venue with its reserves read from the chain. */
export function pricedPool(service: ServiceContext, venue: Venue): PricedPool {
  const { onchain } = service;
  const realQuote = onchain.balance(venue.quoteVault);
  return {
    base: service.asset(venue.baseMint),
    quote: service.asset(venue.quoteMint),
    reserves: { base: onchain.balance(venue.baseVault), quote: realQuote + venue.virtualQuote, realQuote },
    feeBps: venue.feeBps,
  };
}
