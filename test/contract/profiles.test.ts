import { describe, expect, it } from 'vitest';
import { ENDPOINT_NAMES } from '../../src/contract/index.ts';
import {
  bagsProfile,
  contractProfile,
  pathOf,
  pathTemplate,
  profiles,
  requestFromWire,
  requestToWire,
  responseFromWire,
  responseToWire,
  sendKind,
  transactionEncoding,
} from '../../src/contract/profiles/index.ts';
import { fullFeeShareConfigRequest, MINT, validRequests } from './validRequests.ts';

describe('the contract profile', () => {
  it('keeps every name and encodes every transaction in base64', () => {
    for (const name of ENDPOINT_NAMES) {
      expect(pathTemplate(contractProfile, name)).toMatch(/^\/(ping|api\/v1\/)/);
      expect([undefined, 'base64']).toContain(transactionEncoding(contractProfile, name));
    }
    expect(requestToWire(contractProfile, 'feeShareConfig', fullFeeShareConfigRequest)).toEqual(
      fullFeeShareConfigRequest,
    );
  });
});

describe('the bags profile', () => {
  it('C-WIRE-06 maps serviceConfigType to its wire name', () => {
    const wire = requestToWire(bagsProfile, 'feeShareConfig', fullFeeShareConfigRequest);
    expect(wire).not.toHaveProperty('serviceConfigType');
    expect(wire.bagsConfigType).toBe(fullFeeShareConfigRequest.serviceConfigType);
  });

  it('accepts both names of the incorporation share', () => {
    const read = (project: object) => responseFromWire(bagsProfile, 'listIncorporations', [project]);
    expect(read({ bedrockShareBasisPoint: 5 })).toEqual([{ incorporationShareBasisPoint: 5 }]);
    expect(read({ incorporationShareBasisPoint: 5 })).toEqual([{ incorporationShareBasisPoint: 5 }]);
    expect(read({ incorporationShareBasisPoint: 5, bedrockShareBasisPoint: 6 })).toEqual([
      { incorporationShareBasisPoint: 5, bedrockShareBasisPoint: 6 },
    ]);
    expect(responseToWire(bagsProfile, 'listIncorporations', [{ incorporationShareBasisPoint: 5 }])).toEqual([
      { bedrockShareBasisPoint: 5 },
    ]);
  });

  it('C-WIRE-03 C-WIRE-04 declares base58 for the older endpoints and base64 for plans', () => {
    for (const name of ['dammLaunch', 'claimVault', 'curveLaunch', 'deployerClaimTxs'] as const) {
      expect([name, transactionEncoding(bagsProfile, name)]).toEqual([name, 'base58']);
    }
    for (const name of ['feeShareConfig', 'dammLaunchV2', 'curveLaunchV2', 'claimTxs'] as const) {
      expect([name, transactionEncoding(bagsProfile, name)]).toEqual([name, 'base64']);
    }
    expect(transactionEncoding(bagsProfile, 'launchFeed')).toBeUndefined();
  });

  it('C-WALLET-01 C-INCORP-01 has its own path for wallet lookups and a body for starting an incorporation', () => {
    expect(pathOf(bagsProfile, 'feeShareWallet', {})).toBe('/api/v1/token-launch/fee-share/wallet/v2');
    expect(pathOf(contractProfile, 'feeShareWallet', {})).toBe('/api/v1/fee-share/wallet/v2');
    expect(sendKind(bagsProfile, 'startIncorporation')).toBe('json');
    expect(sendKind(contractProfile, 'startIncorporation')).toBe('none');
  });

  it('C-INFO-03 accepts metadataUrl only with imageUrl', () => {
    expect(bagsProfile.refuse('createTokenInfo', { metadataUrl: 'https://e.com' })).toMatch(
      /together with imageUrl/,
    );
    expect(
      bagsProfile.refuse('createTokenInfo', { metadataUrl: 'https://e.com', imageUrl: 'https://e.com' }),
    ).toBeUndefined();
    expect(contractProfile.refuse('createTokenInfo', { metadataUrl: 'https://e.com' })).toBeUndefined();
  });
});

describe('mapping', () => {
  const cases = Object.values(profiles).flatMap((profile) =>
    ENDPOINT_NAMES.map((name) => [profile.name, name] as const),
  );

  it.each(cases)('%s: a request of %s survives the round trip to the wire', (profileName, name) => {
    const profile = profiles[profileName];
    const request = validRequests[name];
    const path = name === 'startIncorporation' ? { tokenAddress: MINT } : {};
    expect(requestFromWire(profile, name, requestToWire(profile, name, request), path)).toEqual(request);
  });

  it('C-WIRE-08 omits nulls and path fields from the body', () => {
    expect(
      requestToWire(contractProfile, 'evmTrades', { tokenAddress: 'x', limit: null, beforeTs: undefined }),
    ).toEqual({
      tokenAddress: 'x',
    });
    expect(requestToWire(contractProfile, 'startIncorporation', { tokenAddress: MINT })).toEqual({});
  });

  it('B57 encodes path parameters', () => {
    expect(pathOf(contractProfile, 'startIncorporation', { tokenAddress: '../a?b#c' })).toBe(
      '/api/v1/incorporate/start-incorporation/..%2Fa%3Fb%23c',
    );
  });
});
