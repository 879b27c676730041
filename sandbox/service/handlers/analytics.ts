/** Lifetime fees and claims of tokens, earnings of partners and the tokens of a manager, read from the chain. */
import { readAs } from '../../../src/programs/account.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import * as accounts from '../../../src/programs/feeShare/feeAccounts.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { feeShareAuthority, inSol } from '../../programs/feeShare.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { notFound } from '../http/errors.ts';
import { creatorsOf } from '../reads/launches.ts';
import { landedConfig } from '../records/configAccount.ts';
import { custodyTokens } from '../records/custody.ts';
import { claimEvents, earningTokens, partnerAccount } from '../records/fees.ts';
import { marketOf } from '../records/markets.ts';
import { poolAccount } from '../records/pools.ts';
import type { Launch } from '../state.ts';

/** Tokens a leader board lists. */
const MOST = 20;

export const analyticsHandlers = {
  tokenLifetimeFees: (service, { tokenMint }) => String(lifetimeFees(service, launchOf(service, tokenMint))),
  topTokens: (service) =>
    [...service.state.launches.values()]
      .filter((launch) => service.state.launchStatusOf(launch) !== 'PRE_LAUNCH')
      .map((launch) => ({ launch, fees: lifetimeFees(service, launch) }))
      .sort((one, other) => (one.fees < other.fees ? 1 : -1))
      .slice(0, MOST)
      .map(({ launch, fees }) => leader(service, launch, fees)),
  claimStats: (service, { tokenMint }) => {
    const paid = new Map<Address, bigint>();
    const token = earningTokens(service).find(({ pair }) => pair.baseMint === tokenMint);
    for (const { wallet, amount } of token === undefined ? [] : claimEvents(service, token)) {
      paid.set(wallet, (paid.get(wallet) ?? 0n) + amount);
    }
    return creatorsOf(service, tokenMint).map((creator) => ({
      ...creator,
      totalClaimed: String(paid.get(creator.wallet) ?? 0n),
    }));
  },
  partnerStats: (service, { partner }) => stats(service, partner),
  adminTokens: (service, { wallet }) => ({
    tokenMints: [...service.state.configs.keys()].filter(
      (baseMint) => landedConfig(service, baseMint)?.config.manager === wallet,
    ),
  }),
} satisfies Handlers;

function launchOf(service: ServiceContext, tokenMint: Address): Launch {
  const launch = service.state.launches.get(tokenMint);
  if (launch === undefined) throw notFound('No launch with this token mint');
  return launch;
}

/** Returns a token's lifetime fees in base units of its quote: counted by its fee share, and uncollected. */
function lifetimeFees(service: ServiceContext, { tokenMint }: Launch): bigint {
  const shared = earningTokens(service).find(({ pair }) => pair.baseMint === tokenMint);
  if (shared !== undefined) {
    const account = service.onchain.account(feeShareAuthority(shared.pair));
    const fields =
      account && readAs(accounts.feeShareAuthority, { owner: FEE_SHARE_PROGRAM, data: account.data });
    const counted = fields === null || typeof fields === 'string' ? 0n : fields.totalLifetimeAccumulatedFees;
    return counted + shared.uncollected;
  }
  const held = custodyTokens(service).find(({ launch }) => launch.tokenMint === tokenMint);
  return (held && poolAccount(service, held.tokens)?.metrics.totalLpBFee) ?? 0n;
}

function leader(service: ServiceContext, launch: Launch, fees: bigint) {
  const { tokenMint, name, symbol, image } = launch;
  const { decimals } = service.asset(tokenMint);
  const supply = service.onchain.mint(tokenMint)?.supply ?? 0n;
  return {
    token: tokenMint,
    lifetimeFees: String(fees),
    tokenInfo: { id: tokenMint, name, symbol, icon: image, decimals },
    creators: creatorsOf(service, tokenMint),
    tokenSupply: { amount: String(supply), decimals, uiAmount: Number(supply) / 10 ** decimals },
    tokenLatestPrice: { tokenAddress: tokenMint, priceSOL: priceInQuote(service, launch) },
  };
}

/** Returns the price of a whole token in whole quote units. The service shows the price in SOL. */
function priceInQuote(service: ServiceContext, { venue }: Launch): number {
  const found = venue && marketOf(service, venue).price(service);
  if (venue === undefined || found === undefined) return 0;
  const [base, quote] = [service.asset(venue.baseMint), service.asset(venue.quoteMint)];
  return (Number(found.sqrtPrice) / 2 ** 64) ** 2 * 10 ** (base.decimals - quote.decimals);
}

/** Returns a partner's payouts and its unclaimed fees: collected, and its share of uncollected fees. */
function stats(service: ServiceContext, partner: Address) {
  const config = partnerAccount(service, partner, inSol(partner));
  if (config === undefined) throw notFound('No partner config of this wallet');
  const coming = earningTokens(service)
    .filter((token) => token.config.partner === partner)
    .reduce((sum, { uncollected }) => sum + (uncollected * BigInt(config.bps)) / 10_000n, 0n);
  return {
    claimedFees: String(config.totalClaimedFees),
    unclaimedFees: String(config.totalAccumulatedFees + coming),
  };
}
