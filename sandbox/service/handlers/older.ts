/** Configs, claims and swaps in the form the official client of the known deployment still asks for. */
import { attempt } from '../../../src/base/attempt.ts';
import type { EndpointRequest } from '../../../src/contract/index.ts';
import { FEE_SHARE_PROGRAM } from '../../../src/programs/feeShare/addresses.ts';
import { readTokenAccount } from '../../../src/programs/token/accounts.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest, notFound } from '../http/errors.ts';
import { custodyTokens } from '../records/custody.ts';
import { claimable, type EarningToken, earningTokens } from '../records/fees.ts';
import { draftsOf } from './claims.ts';
import { create } from './configs.ts';
import { bare } from './partner.ts';
import { forgetExpired, quoteFor, swapBuilt } from './trades.ts';

export const olderHandlers = {
  olderConfig: (service, { partnerConfig, ...request }) => {
    const { needsCreation, feeShareAuthority, venueConfigKey, plan } = create(
      service,
      { ...request, ...(partnerConfig ? { partnerConfig } : {}), flow: 'dbc' },
      'whole',
    );
    return {
      needsCreation,
      feeShareAuthority,
      meteoraConfigKey: venueConfigKey,
      transactions: stagesOf(plan).map((stage) => bare(service, 'olderConfig', stage)),
      bundles: [],
    };
  },
  olderClaimables: (service, { wallet }) => [
    ...earningTokens(service).flatMap((token) => positionOf(service, token, wallet) ?? []),
    ...custodyTokens(service)
      .filter(({ terms }) => terms.feeClaimer === wallet)
      .map(({ launch, tokens, uncollected }) => ({
        isCustomFeeVault: false,
        baseMint: launch.tokenMint,
        quoteMint: tokens.mintB,
        isMigrated: true,
        virtualPoolClaimableAmount: 0,
        claimableDisplayAmount: Number(uncollected.claimer) / 1e9,
        totalClaimableLamportsUserShare: Number(uncollected.claimer),
      })),
  ],
  olderClaimTxs: async (service, { feeClaimer, tokenMint }) =>
    (await draftsOf(service, feeClaimer, tokenMint)).map((draft, index) => {
      const legacy = { ...draft, format: 'legacy' as const };
      const { bytes, lifetime } = service.compile(legacy, 'olderClaimTxs', `claim-${index + 1}`, feeClaimer);
      return { tx: service.encode('olderClaimTxs', bytes), blockhash: { ...lifetime } };
    }),
  olderQuote: (service, request) => {
    const amount = String(request.amount);
    const taker = holderOf(service, request.inputMint, BigInt(amount));
    const {
      feeMint: _,
      feeSide: __,
      feeLamports: ___,
      ...quote
    } = quoteFor(service, {
      ...request,
      amount,
      taker,
    });
    return { ...quote, otherAmountThreshold: quote.minOutAmount, simulatedComputeUnits: null };
  },
  olderSwap: (service, request) => swap(service, request),
} satisfies Handlers;

interface TimedStage {
  readonly transaction: string;
  readonly lifetime: { readonly blockhash: string; readonly lastValidBlockHeight: string };
}

const stagesOf = (plan: unknown): readonly TimedStage[] =>
  typeof plan === 'object' && plan !== null && 'transactions' in plan && Array.isArray(plan.transactions)
    ? plan.transactions
    : [];

function positionOf(service: ServiceContext, token: EarningToken, wallet: Address) {
  const { pair, config } = token;
  const { index, owed, coming, inVault } = claimable(service, token, wallet);
  if (index < 0 && inVault === 0n) return undefined;
  const total = Number(owed + coming + inVault);
  const isMigrated = token.source === 'position';
  return {
    programId: FEE_SHARE_PROGRAM,
    isCustomFeeVault: true,
    user: wallet,
    baseMint: pair.baseMint,
    quoteMint: pair.quoteMint,
    isMigrated,
    claimerIndex: index,
    userBps: config.claimers[index]?.basisPoints ?? 0,
    virtualPool: token.launch.venue?.pool ?? null,
    virtualPoolClaimableLamportsUserShare: isMigrated ? 0 : total,
    ...(isMigrated
      ? { dammPool: token.launch.venue?.pool ?? null, dammPoolClaimableLamportsUserShare: total }
      : {}),
    totalClaimableLamportsUserShare: total,
  };
}

/** Pays for what a quote without a taker is simulated with. */
const ENOUGH_LAMPORTS = 50_000_000n;

/** A wallet that could make the swap a quote is asked for: the service simulates it in that wallet's place. */
function holderOf(service: ServiceContext, mint: Address, amount: bigint): Address {
  if (mint === WSOL_MINT) return service.keys.sponsor.address;
  const asset = service.asset(mint);
  for (const [address, { data }] of service.onchain.chain.programAccounts(asset.tokenProgram)) {
    const account = data.length >= 165 ? attempt(() => readTokenAccount(data)) : undefined;
    if (account?.mint !== mint || account.amount < amount || account.owner === mint) continue;
    if (address !== ata(account.owner, asset)) continue;
    if (service.onchain.lamports(account.owner) >= ENOUGH_LAMPORTS) return account.owner;
  }
  throw badRequest('amount: is more than any wallet has');
}

/** The caller's swap of a quote that was made without a taker. */
function swap(service: ServiceContext, { quoteResponse, userPublicKey }: EndpointRequest<'olderSwap'>) {
  forgetExpired(service);
  const quote = service.state.quotes.get(quoteResponse.requestId);
  if (quote === undefined) throw notFound('Quote not found or expired');
  const { answer, messages } = swapBuilt(service, { ...quote, taker: userPublicKey }, 'olderSwap');
  quote.messages = messages;
  const { swapTransaction, computeUnitLimit, lastValidBlockHeight, prioritizationFeeLamports } = answer;
  return { swapTransaction, computeUnitLimit, lastValidBlockHeight, prioritizationFeeLamports };
}
