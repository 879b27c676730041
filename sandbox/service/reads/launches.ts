/** The launch feed and the creators of a launch (docs/contract.md C-FEED, C-CREATOR), read from the chain. */
import type { Address } from '../../../src/transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { notFound } from '../http/errors.ts';

const FEED_SIZE = 100;

export const launchReadHandlers: Handlers = {
  launchFeed: (service) =>
    [...service.state.launches.values()]
      .reverse()
      .slice(0, FEED_SIZE)
      .map((launch) => {
        const config = service.state.configs.get(launch.tokenMint);
        return {
          name: launch.name,
          symbol: launch.symbol,
          description: launch.description,
          image: launch.image,
          tokenMint: launch.tokenMint,
          status: service.state.launchStatusOf(launch),
          twitter: launch.twitter,
          website: launch.website,
          launchSignature: launch.launchSignature ?? null,
          uri: launch.uri,
          dbcPoolKey: launch.venue?.kind === 'dbc' ? launch.venue.pool : null,
          dbcConfigKey: config?.venueConfigKey ?? null,
          accountKeys: launch.launchWallet === undefined ? [] : [launch.launchWallet, launch.tokenMint],
          numRequiredSigners: launch.launchWallet === undefined ? 0 : 2,
        };
      }),

  launchCreators: (service, { tokenMint }) => creatorsOf(service, tokenMint),
};

/** Returns the claimers of a launch from the chain. Throws 404 for an unknown token. */
export function creatorsOf(service: ServiceContext, tokenMint: Address) {
  const launch = service.state.launches.get(tokenMint);
  if (launch === undefined) throw notFound('No launch with this token mint');
  const config = service.state.configs.get(tokenMint);
  const claimers = service.state.claimersOf(tokenMint);
  // Updates `launch.venue`.
  service.state.launchStatusOf(launch);
  const feeClaimer = launch.venue?.feeClaimer;
  const roster =
    claimers.length > 0
      ? claimers.map(({ address, basisPoints }) => ({ wallet: address, royaltyBps: basisPoints }))
      : feeClaimer === undefined
        ? []
        : [{ wallet: feeClaimer, royaltyBps: 10_000 }];
  const creator = launch.launchWallet ?? config?.deployer;
  return roster.map(({ wallet, royaltyBps }, index) => {
    const handle = `sandbox_${wallet.slice(0, 6).toLowerCase()}`;
    return {
      username: index % 2 === 0 ? handle : null,
      pfp: `https://example.com/avatars/${wallet.slice(0, 8)}.png`,
      wallet,
      providerUsername: index % 3 === 0 ? `${handle}_x` : null,
      twitterUsername: index % 3 === 0 ? `${handle}_x` : null,
      bagsUsername: handle,
      royaltyBps,
      isCreator: wallet === creator,
      isAdmin: wallet === config?.admin,
      provider: index % 3 === 0 ? 'twitter' : 'solana',
    };
  });
}
