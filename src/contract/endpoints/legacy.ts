/** The oldest layer of the contract, kept for completeness. docs/contract.md C-LEGACY-01. */
import { z } from 'zod';
import { TOTAL_BASIS_POINTS } from '../constants.ts';
import { defineEndpoint } from '../endpoint.ts';
import { integer, ParamMint, publicKey, wallet } from '../params.ts';

const legacyAnswer = z.looseObject({ tx: z.string().nullish(), configKey: z.string() });

export const createLaunchConfig = defineEndpoint({
  method: 'POST',
  path: '/token-launch/create-config',
  base: 'api',
  keyed: true,
  send: 'json',
  request: z.strictObject({ launchWallet: wallet('Launch wallet; pays and signs.') }),
  response: legacyAnswer,
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'tx', encoding: 'base64' },
});

export const legacyFeeShareConfigFields = {
  walletA: publicKey('First wallet.'),
  walletB: publicKey('Second wallet.'),
  walletABps: integer(0, TOTAL_BASIS_POINTS, 'Share of walletA.'),
  walletBBps: integer(0, TOTAL_BASIS_POINTS, 'Share of walletB; both total 10000.'),
  payer: wallet('Wallet that pays and signs.'),
  baseMint: ParamMint,
  quoteMint: publicKey('Quote mint.'),
};

/** Two different wallets share everything. */
export function checkLegacySplit(
  value: { walletA: string; walletB: string; walletABps: number; walletBBps: number },
  context: z.RefinementCtx,
): void {
  const total = value.walletABps + value.walletBBps;
  if (total !== TOTAL_BASIS_POINTS) {
    context.addIssue({
      code: 'custom',
      path: ['walletBBps'],
      message: `the two shares add up to ${total}: they must total exactly ${TOTAL_BASIS_POINTS}`,
      input: value.walletBBps,
    });
  }
  if (value.walletA === value.walletB) {
    context.addIssue({
      code: 'custom',
      path: ['walletB'],
      message: 'is the same wallet as walletA',
      input: value.walletB,
    });
  }
}

export const legacyFeeShareConfig = defineEndpoint({
  method: 'POST',
  path: '/token-launch/fee-share/create-config',
  base: 'api',
  keyed: true,
  send: 'json',
  request: z.strictObject(legacyFeeShareConfigFields).superRefine(checkLegacySplit),
  response: legacyAnswer,
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'tx', encoding: 'base64' },
});
