/** Incorporation projects (docs/contract.md C-INCORP). Fields outside the contract are the sandbox's own. */
import type { Address } from '../../../src/transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, notFound } from '../http/errors.ts';

export const incorporationHandlers: Handlers = {
  startIncorporation: (service, { tokenAddress }, user) => {
    const { launches, incorporations } = service.state;
    const launch = launches.get(tokenAddress);
    if (launch === undefined) throw notFound('No launch with this token address');
    if (launch.userId !== user.userId) throw notFound('No launch with this token address');
    if (incorporations.has(tokenAddress))
      throw badRequest('Incorporation was already started for this token');
    incorporations.set(tokenAddress, { userId: user.userId, startedAt: service.now() });
    return { tokenAddress, incorporationStarted: true };
  },

  listIncorporations: (service, _request, user) =>
    [...service.state.incorporations]
      .filter(([, project]) => project.userId === user.userId)
      .map(([tokenAddress, { startedAt }]) => ({
        ...projectOf(service, tokenAddress, startedAt),
        founders: [
          {
            id: `founder-${tokenAddress.slice(0, 6)}`,
            firstName: 'Ada',
            lastName: 'Sandbox',
            kycStatus: 'PENDING',
            pepCompleted: false,
            ipAttributionAcknowledged: false,
            shareBasisPoint: 9000,
          },
        ],
      })),
};

function projectOf(service: ServiceContext, tokenAddress: Address, startedAt: number) {
  const launch = service.state.launches.get(tokenAddress);
  return {
    tokenAddress,
    incorporationStatus: 'STARTED',
    incorporationShareBasisPoint: 1000,
    createdAt: new Date(startedAt).toISOString(),
    preferredCompanyNames: [`${launch?.name ?? 'Sandbox'} Ltd`],
    isReadyForIncorporation: false,
    category: 'MEME',
    twitterHandle: launch?.twitter ?? null,
  };
}
