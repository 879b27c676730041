/** Partners, and managers of fee share configs. The official client of the known deployment asks these. docs/contract.md C-PARTNER-01 … 03, C-ADMIN-01 … 03. */
import { z } from 'zod';
import { building, reading } from '../endpoint.ts';
import { ParamMint, publicKey, wallet } from '../params.ts';
import { timedTransaction, updateFields } from './older.ts';

/** What a partner was paid and what waits for it, in lamports. */
export const partnerStats = reading('/fee-share/partner-config/stats', {
  request: z.strictObject({ partner: publicKey('Partner wallet.') }),
  response: z.looseObject({ claimedFees: z.string(), unclaimedFees: z.string() }),
  notFound: 'The wallet has no partner config.',
});

/** Makes the config of a partner. The service's key allows it; the partner pays and signs. */
export const partnerConfigTx = building('/fee-share/partner-config/creation-tx', {
  request: z.strictObject({ partnerWallet: wallet('Partner wallet; pays and signs.') }),
  response: z.looseObject({ transaction: timedTransaction }),
  transactions: { path: 'transaction.transaction', encoding: 'base64' },
});

/** Pays a partner what it has earned. */
export const partnerClaimTxs = building('/fee-share/partner-config/claim-tx', {
  request: z.strictObject({ partnerWallet: wallet('Partner wallet; pays and signs.') }),
  response: z.looseObject({ transactions: z.array(timedTransaction) }),
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});

/** The tokens whose fee split a wallet may change. */
export const adminTokens = reading('/fee-share/admin/list', {
  request: z.strictObject({ wallet: publicKey('Manager of the configs.') }),
  response: z.looseObject({ tokenMints: z.array(z.string()) }),
});

/** Makes another wallet the manager of a config. No tool asks for it: the policy never signs it (docs/safety.md). */
export const adminTransferTx = building('/fee-share/admin/transfer-tx', {
  request: z.strictObject({
    baseMint: ParamMint,
    currentAdmin: wallet('Manager now; signs.'),
    newAdmin: publicKey('Manager afterwards.'),
    payer: wallet('Pays and signs.'),
  }),
  response: z.looseObject({ transaction: timedTransaction }),
  transactions: { path: 'transaction.transaction', encoding: 'base64' },
});

/** Changes who earns, in bare transactions; the staged plan of updateFeeShareConfig is its successor. */
export const adminUpdateTxs = building('/fee-share/admin/update-config', {
  request: updateFields,
  response: z.looseObject({ transactions: z.array(timedTransaction) }),
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});
