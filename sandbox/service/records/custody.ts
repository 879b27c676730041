/** Custodies of launched pools, read from their accounts: claimers and uncollected fees. */
import { addressFromBytes } from '../../../src/transaction/base58.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { CUSTODY_PROGRAM } from '../../programs/addresses.ts';
import { type CustodyTerms, collectHeldFees, custodyAddress } from '../../programs/custody.ts';
import type { PoolTokens } from '../../programs/dammV2.ts';
import type { ServiceContext } from '../context.ts';
import type { Launch } from '../state.ts';
import { earnedBy, heldBy, tokensOf } from './pools.ts';

/** Offsets in a custody account: five keys, the partner, and the partner's share. The layout is the sandbox's own. */
const [KEYS_AT, PARTNER_AT, BPS_AT] = [40, 168, 200];
const NO_PARTNER = '11111111111111111111111111111111';

/** Returns the terms of a pool's custody; `undefined` if there is none. */
export function custodyTerms(service: ServiceContext, pool: Address): CustodyTerms | undefined {
  const account = service.onchain.account(custodyAddress(pool));
  if (account === null || account.owner !== CUSTODY_PROGRAM) return undefined;
  const data = Buffer.from(account.data);
  const key = (at: number) => addressFromBytes(data.subarray(at, at + 32));
  const partner = key(PARTNER_AT);
  return {
    treasuryNft: key(KEYS_AT),
    claimerNft: key(KEYS_AT + 32),
    treasury: key(KEYS_AT + 64),
    feeClaimer: key(KEYS_AT + 96),
    ...(partner === NO_PARTNER ? {} : { partner: { wallet: partner, bps: data.readUInt16LE(BPS_AT) } }),
  };
}

/** A token whose positions are in custody. */
export interface CustodyToken {
  readonly launch: Launch;
  readonly tokens: PoolTokens;
  readonly terms: CustodyTerms;
  /** The token account of the fee claimer's NFT, if the claimer holds it. */
  readonly nftAccount?: Address;
  /** Uncollected quote units of the fee claimer's position, for the claimer and the partner. */
  readonly uncollected: { readonly claimer: bigint; readonly partner: bigint };
}

export function custodyTokens(service: ServiceContext): CustodyToken[] {
  return [...service.state.launches.values()].flatMap((launch) => {
    if (service.state.launchStatusOf(launch) === 'PRE_LAUNCH' || launch.venue?.kind !== 'custody') return [];
    const { venue } = launch;
    const terms = custodyTerms(service, venue.pool);
    if (terms === undefined) return [];
    const quote = { mint: venue.quoteMint, tokenProgram: venue.quoteTokenProgram };
    const tokens = tokensOf(launch.tokenMint, quote);
    const nftAccount = heldBy(service, terms.claimerNft, terms.feeClaimer);
    const earned = earnedBy(service, tokens, terms.claimerNft);
    if (nftAccount !== undefined) {
      return [{ launch, tokens, terms, nftAccount, uncollected: { claimer: earned, partner: 0n } }];
    }
    const partner = (earned * BigInt(terms.partner?.bps ?? 0)) / 10_000n;
    return [{ launch, tokens, terms, uncollected: { claimer: earned - partner, partner } }];
  });
}

/** Collects the fees of the claimer's position into the vaults of claimer and partner. The sponsor pays. */
export function collect(
  service: ServiceContext,
  { tokens, terms, uncollected, nftAccount }: CustodyToken,
): void {
  if (nftAccount !== undefined || uncollected.claimer + uncollected.partner === 0n) return;
  const { sponsor } = service.keys;
  service.onchain.landBy(sponsor, [collectHeldFees(sponsor.address, tokens, terms, terms.claimerNft)]);
}
