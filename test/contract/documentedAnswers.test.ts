/** Documented answers of the contract and its best-known deployment: each is parsed completely and unchanged. */
import { describe, expect, it } from 'vitest';
import { endpoints, FEE_SHARE_PROVIDERS } from '../../src/contract/index.ts';
import { documented } from './documented.ts';
import { problems, validRequests, WALLET } from './validRequests.ts';

describe('documented answers', () => {
  it.each(documented)('%s: parses the answer of %s unchanged', (_, name, answer) => {
    expect(endpoints[name].response.parse(answer)).toEqual(answer);
  });
});

describe('endpoint requests', () => {
  it('C-FIELD-05 refuse numeric amounts that are not safe integers', () => {
    const buy = (initialBuyLamports: unknown) =>
      problems('curveLaunch', { ...validRequests.curveLaunch, initialBuyLamports });
    expect(buy(Number.MAX_SAFE_INTEGER)).toEqual([]);
    for (const amount of [2 ** 53, -1, 0.5, '1', 1n]) expect(buy(amount)).toHaveLength(1);
  });

  it('C-WALLET-02 look up a handle on the four platforms of launches', () => {
    for (const provider of FEE_SHARE_PROVIDERS)
      expect(problems('feeShareWallet', { provider, username: 'a' })).toEqual([]);
    for (const provider of ['apple', 'Twitter', '']) {
      expect(problems('feeShareWallet', { provider, username: 'a' })).toHaveLength(1);
    }
    expect(problems('feeShareWallet', { provider: 'github', username: 'a'.repeat(101) })).toHaveLength(1);
  });

  it('C-DIRECT-01 C-CURVE-02 treat a custom-quote curve launch as a direct launch with its config key', () => {
    const { configKey: _, ...direct } = validRequests.curveLaunchV2;
    expect(problems('dammLaunchV2', direct)).toEqual([]);
    expect(problems('curveLaunchV2', direct)).toEqual([expect.stringMatching(/^configKey: /)]);
    expect(problems('dammLaunchV2', { ...direct, initialBuyQuoteRaw: 5 })).toHaveLength(1);
  });

  it('C-CLAIM-01 C-CLAIM-02 require the source of a claim', () => {
    const claim = (source: unknown) => problems('claimTxs', { ...validRequests.claimTxs, source });
    expect(claim({ kind: 'holding', authority: WALLET })).toEqual([]);
    expect(claim(null)).toEqual([]);
    for (const source of [{ kind: 'everything' }, { kind: 'position', amount: '1' }, 'position']) {
      expect(claim(source)).toHaveLength(1);
    }
  });

  it('C-VAULT-04 accept a vault claim for a partner or a deployer', () => {
    expect(problems('claimVault', { ...validRequests.claimVault, kind: 'deployer' })).toEqual([]);
    expect(problems('claimVault', { ...validRequests.claimVault, kind: 'creator' })).toHaveLength(1);
  });

  it('C-DEPLOY-03 accept bounds on a deployer claim', () => {
    const claim = (change: object) =>
      problems('deployerClaimTxs', { ...validRequests.deployerClaimTxs, ...change });
    expect(claim({ maxTransactions: 0 })).toHaveLength(1);
    expect(claim({ tokenMints: [] })).toHaveLength(1);
    expect(claim({ tokenMints: null, maxTransactions: null })).toEqual([]);
  });
});
