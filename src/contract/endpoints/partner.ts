/** Partners, and managers of fee share configs. The official client of the known deployment asks these. docs/contract.md C-PARTNER-01 … 03, C-ADMIN-01 … 03. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ParamMint, publicKey, wallet } from '../params.ts';
import { timedTransaction, updateFields } from './older.ts';

/** What a partner was paid and what waits for it, in lamports. */
export const partnerStats = defineEndpoint({
  method: 'GET',
  path: '/fee-share/partner-config/stats',
  base: 'api',
  keyed: true,
  send: 'query',
  request: z.strictObject({ partner: publicKey('Partner wallet.') }),
  response: z.looseObject({ claimedFees: z.string(), unclaimedFees: z.string() }),
  retry: 'safe',
  effect: 'read',
  envelope: 'standard',
  notFound: 'The wallet has no partner config.',
});

/** Makes the config of a partner. The service's key allows it; the partner pays and signs. */
export const partnerConfigTx = defineEndpoint({
  method: 'POST',
  path: '/fee-share/partner-config/creation-tx',
  base: 'api',
  keyed: true,
  send: 'json',
  request: z.strictObject({ partnerWallet: wallet('Partner wallet; pays and signs.') }),
  response: z.looseObject({ transaction: timedTransaction }),
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'transaction.transaction', encoding: 'base64' },
});

/** Pays a partner what it has earned. */
export const partnerClaimTxs = defineEndpoint({
  method: 'POST',
  path: '/fee-share/partner-config/claim-tx',
  base: 'api',
  keyed: true,
  send: 'json',
  request: z.strictObject({ partnerWallet: wallet('Partner wallet; pays and signs.') }),
  response: z.looseObject({ transactions: z.array(timedTransaction) }),
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});

/** The tokens whose fee split a wallet may change. */
export const adminTokens = defineEndpoint({
  method: 'GET',
  path: '/fee-share/admin/list',
  base: 'api',
  keyed: true,
  send: 'query',
  request: z.strictObject({ wallet: publicKey('Manager of the configs.') }),
  response: z.looseObject({ tokenMints: z.array(z.string()) }),
  retry: 'safe',
  effect: 'read',
  envelope: 'standard',
});

/** Makes another wallet the manager of a config. No tool asks for it: the policy never signs it (docs/safety.md). */
export const adminTransferTx = defineEndpoint({
  method: 'POST',
  path: '/fee-share/admin/transfer-tx',
  base: 'api',
  keyed: true,
  send: 'json',
  request: z.strictObject({
    baseMint: ParamMint,
    currentAdmin: wallet('Manager now; signs.'),
    newAdmin: publicKey('Manager afterwards.'),
    payer: wallet('Pays and signs.'),
  }),
  response: z.looseObject({ transaction: timedTransaction }),
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'transaction.transaction', encoding: 'base64' },
});

/** Changes who earns, in bare transactions; the staged plan of updateFeeShareConfig is its successor. */
export const adminUpdateTxs = defineEndpoint({
  method: 'POST',
  path: '/fee-share/admin/update-config',
  base: 'api',
  keyed: true,
  send: 'json',
  request: updateFields,
  response: z.looseObject({ transactions: z.array(timedTransaction) }),
  retry: 'never',
  effect: 'build',
  envelope: 'standard',
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});
