/** Claim reads and claim transactions for recipients, partners and deployers. docs/contract.md C-CLAIM-01 … 05, C-EVENT-01 … 04, C-VAULT-01 … 05, C-DEPLOY-01 … 04. */
import { z } from 'zod';
import { LIMITS } from '../constants.ts';
import { building, reading } from '../endpoint.ts';
import { numbers, texts } from '../nullishFields.ts';
import {
  integer,
  ParamFeeLimits,
  ParamLookupTables,
  ParamMint,
  publicKey,
  refusing,
  unixSeconds,
  wallet,
} from '../params.ts';
import { planning } from '../plan.ts';

export const claimTxsFields = {
  feeClaimer: wallet('Wallet entitled to the fees; signs.'),
  tokenMint: ParamMint,
  quoteMint: publicKey('Quote mint of the fees.').nullish(),
  source: z
    .strictObject({
      kind: z.enum(['position', 'holding']).describe('position: pool fees; holding: a held balance.'),
      authority: publicKey('Authority of the holding.').nullish(),
    })
    .describe('What to claim. Default: position.')
    .nullish(),
  feeLimits: ParamFeeLimits.nullish(),
  additionalLookupTables: ParamLookupTables.nullish(),
};

/** Claims of a fee recipient; the answer is the plan. The fee payer depends on the operation. */
export const claimTxs = planning('/token-launch/create-claim-txs/v2', z.strictObject(claimTxsFields));

export const claimablePositions = reading('/token-launch/claimable-positions/v2', {
  request: z.strictObject({ wallet: publicKey('Wallet entitled to the fees.') }),
  response: z.looseObject({
    items: z.array(
      z.looseObject({
        ...texts('tokenMint', 'quoteMint'),
        basisPoints: z.number().nullish(),
        source: z.looseObject({ kind: z.string().nullish() }).nullish(),
        /** An unavailable amount is null, which is not zero (C-CLAIM-05). */
        claimableAmountRaw: z.string().nullish(),
      }),
    ),
    complete: z.boolean().nullish(),
    issues: z.array(z.unknown()).nullish(),
  }),
});

export const claimEventsFields = {
  tokenMint: ParamMint,
  mode: z.enum(['offset', 'time']).describe('Default offset.').nullish(),
  limit: integer(1, LIMITS.claimEvents, 'Not in mode time. Default 100.').nullish(),
  offset: integer(0, Number.MAX_SAFE_INTEGER, 'Offset mode. Default 0.').nullish(),
  from: unixSeconds('Time mode: first second.').nullish(),
  to: unixSeconds('Time mode: last second, not before from.').nullish(),
};

/** Each mode has its own parameters (B62). */
export function checkClaimEvents(
  value: z.infer<z.ZodObject<typeof claimEventsFields>>,
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  const given = (field: keyof typeof value) => value[field] !== undefined && value[field] !== null;
  if (value.mode === 'time') {
    for (const field of ['from', 'to'] as const)
      if (!given(field)) refuse(field, 'is required when mode is "time"');
    for (const field of ['limit', 'offset'] as const) {
      if (given(field)) refuse(field, 'belongs to mode "offset": leave it out, or leave out mode');
    }
    if (typeof value.from === 'number' && typeof value.to === 'number' && value.to < value.from) {
      refuse('to', 'must not be before from');
    }
    return;
  }
  for (const field of ['from', 'to'] as const) if (given(field)) refuse(field, 'needs mode "time"');
}

export const claimEvents = reading('/fee-share/token/claim-events', {
  keyed: 'try',
  request: z.strictObject(claimEventsFields).superRefine(checkClaimEvents),
  response: z.looseObject({
    events: z.array(
      z.looseObject({
        wallet: z.string(),
        isCreator: z.boolean().nullish(),
        amount: z.union([z.string(), z.number()]),
        signature: z.string().nullish(),
        /** ISO text by its schema, a number in practice: both are kept as given (C-EVENT-04). */
        timestamp: z.union([z.string(), z.number()]).nullish(),
      }),
    ),
  }),
});

export const vaultClaimableSchema = z.looseObject({
  kind: z.string(),
  wallet: z.string(),
  quoteMint: z.string(),
  ...texts('vaultAta', 'claimableAmount'),
  ...numbers('quoteDecimals', 'claimableDisplayAmount'),
  claimableAmountRaw: z.string(),
  asset: z
    .looseObject({ mint: z.string(), tokenProgram: z.string().nullish(), decimals: z.number().nullish() })
    .nullish(),
});

/**
 * Whether the amount fields of a vault contradict each other; the raw amount counts (B54). The display amount is rounded, so it
 * may differ by half of its last digit.
 */
export function vaultAmountsDisagree(vault: z.infer<typeof vaultClaimableSchema>): boolean {
  const decimals = vault.quoteDecimals ?? vault.asset?.decimals;
  const raw = Number(vault.claimableAmountRaw);
  if (!Number.isFinite(raw)) return true;
  if (typeof vault.claimableDisplayAmount === 'number' && typeof decimals === 'number') {
    const display = raw / 10 ** decimals;
    if (Math.abs(display - vault.claimableDisplayAmount) > Math.max(display, 1e-9) * 1e-6) return true;
  }
  const other = vault.claimableAmount;
  if (typeof other !== 'string' || other === vault.claimableAmountRaw) return false;
  // `claimableAmount` may be the same amount in whole tokens.
  return (
    typeof decimals !== 'number' || Math.abs(Number(other) * 10 ** decimals - raw) > Math.max(raw, 1) * 1e-6
  );
}

export const vaultClaimables = reading('/token-launch/damm-v2/vault-claimables', {
  request: z.strictObject({ wallet: publicKey('Partner or deployer wallet.') }),
  response: z.looseObject({ vaults: z.array(vaultClaimableSchema) }),
});

export const claimVaultFields = {
  kind: z.enum(['partner', 'deployer']).describe('Role of the wallet.'),
  wallet: wallet('Partner or deployer wallet; signs.'),
  quoteMint: publicKey('Quote mint of the vault.'),
};

/** A sponsored claim: the service pays the fee, the wallet only authorises (C-VAULT-05). */
export const claimVault = building('/token-launch/damm-v2/claim-vault', {
  request: z.strictObject(claimVaultFields),
  response: z.looseObject({ transaction: z.string().min(1), claimable: vaultClaimableSchema.nullish() }),
  transactions: { path: 'transaction', encoding: 'base64' },
});

export const deployerClaimables = reading('/fee-share/deployer/claimable-positions', {
  request: z.strictObject({ wallet: publicKey('Deployer wallet.') }),
  /** Undocumented fields, shown as received (C-DEPLOY-02). */
  response: z.union([z.looseObject({}), z.array(z.looseObject({}))]),
});

export const deployerClaimTxsFields = {
  wallet: wallet('Deployer wallet; signs.'),
  tokenMints: z.array(publicKey('Token mint.')).min(1).max(100).describe('Only these tokens.').nullish(),
  maxTransactions: integer(1, 100, 'Most transactions to build.').nullish(),
};

/** Ordered, sponsor-signed transactions; each empties the wallet-wide vault, even with a filter (C-DEPLOY-04). */
export const deployerClaimTxs = building('/fee-share/deployer/claim-txs', {
  request: z.strictObject(deployerClaimTxsFields),
  response: z.looseObject({
    transactions: z.array(z.looseObject({ transaction: z.string().min(1) })),
    deferredClaims: z.unknown().optional(),
  }),
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});
