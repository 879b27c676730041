/**
 * The best-known deployment of the contract, as its public documentation describes it (docs/contract.md C-WIRE-04, C-WIRE-06).
 */
import type { ServiceProfile } from './profile.ts';

const NO_INCORPORATION =
  'This deployment may have withdrawn its incorporation endpoints; nothing can be done about it from here.';

export const bagsProfile: ServiceProfile = {
  name: 'bags',
  rootUrl: 'https://public-api-v2.bags.fm',
  basePath: '/api/v1',
  paths: {
    feeShareWallet: '/token-launch/fee-share/wallet/v2',
  },
  sends: { startIncorporation: 'json' },
  requestNames: {
    feeShareConfig: { serviceConfigType: 'bagsConfigType' },
  },
  responseNames: {
    listIncorporations: { incorporationShareBasisPoint: 'bedrockShareBasisPoint' },
  },
  // Staged plans are base64 here too; everything older is base58. The swap's encoding is not published: it is read
  // as the contract writes it, and bytes that do not round-trip are refused (C-WIRE-04).
  encodings: {
    dammLaunch: 'base58',
    claimVault: 'base58',
    curveLaunch: 'base58',
    deployerClaimTxs: 'base58',
  },
  // As recorded on 2026-02-01 (AIEngineerX/BagsWorld at 60bf6a42).
  paysConfigs: true,
  unavailable: [],
  notFound: { startIncorporation: NO_INCORPORATION, listIncorporations: NO_INCORPORATION },
  refuse: (endpoint, request) => {
    const given = (field: string) => request[field] !== undefined && request[field] !== null;
    if (endpoint === 'createTokenInfo' && given('metadataUrl') && !given('imageUrl')) {
      return 'this deployment takes metadataUrl only together with imageUrl (and without image)';
    }
    return undefined;
  },
  addresses: {
    dynamicBondingCurve: 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    dammV2: 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG',
    feeShareV2: 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK',
    tokenCreationAuthority: 'BAGSB9TpGrZxQbEsrEznv5jXXdwyP6AXerN8aVRiAmcv',
    globalLookupTable: 'Eq1EVs15EAWww1YtPTtWPzJRLPJoS6VYP9oW9SbNr3yp',
  },
};
