/** Claims of a token's fees: out of the fee share, collected from curve or pool first, and out of a custody. */

import type { EndpointRequest } from '../../../src/contract/index.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import type { Keypair } from '../../keypair.ts';
import { claimEarnings, earningsVault } from '../../programs/custody.ts';
import { claimPositionFee } from '../../programs/dammV2.ts';
import { claimUser, claimUserVault, type FeePair, feeShareAuthority } from '../../programs/feeShare.ts';
import { budgetOf, type Draft } from '../build/compile.ts';
import { wirePlan } from '../build/plan.ts';
import { ata, createAta, type TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { type CustodyToken, collect, custodyTokens } from '../records/custody.ts';
import { eventsPage } from '../records/events.ts';
import { appliedFeeLimits } from '../records/feeLimits.ts';
import {
  CUSTODY_CLAIMER_BPS,
  claimable,
  claimEvents,
  type EarningToken,
  earningTokens,
} from '../records/fees.ts';

export const NOTHING = 'Nothing to claim';
const OTHER_QUOTE = 'quoteMint: the fees of this token are in another quote';
const OTHER_SOURCE = (kind: string) => `source: the fees of this token are claimed with the kind "${kind}"`;
const CLAIM_UNITS = 400_000;

export const claimHandlers = {
  claimablePositions: (service, { wallet }) => ({
    items: [
      ...earningTokens(service).flatMap((token) => positionOf(service, token, wallet) ?? []),
      ...custodyTokens(service)
        .filter(({ terms }) => terms.feeClaimer === wallet)
        .map((token) => heldPosition(service, token)),
    ],
    complete: true,
    issues: [],
  }),
  claimTxs: (service, request) => claimPlan(service, request),
  claimEvents: (service, request) => {
    const token = earningTokens(service).find(({ pair }) => pair.baseMint === request.tokenMint);
    return eventsPage(request, token === undefined ? [] : claimEvents(service, token));
  },
} satisfies Handlers;

function positionOf(service: ServiceContext, token: EarningToken, wallet: Address) {
  const { config, pair, source } = token;
  const { index, owed, coming, inVault } = claimable(service, token, wallet);
  const amount = owed + coming + inVault;
  if (index < 0 && amount === 0n) return undefined;
  const { mint, tokenProgram, decimals } = service.asset(pair.quoteMint);
  return {
    tokenMint: pair.baseMint,
    quoteMint: mint,
    source: { kind: source, ...(source === 'holding' ? { authority: feeShareAuthority(pair) } : {}) },
    basisPoints: config.claimers[index]?.basisPoints ?? 0,
    claimableAmountRaw: String(amount),
    asset: { mint, tokenProgram, decimals },
  };
}

/**
 * A plan that claims a token's fees: one stage that collects and pays the claimer's share, and one for its vault. The wallet
 * pays the network fee of a curve's claims, the service that of a pool's.
 */
async function claimPlan(service: ServiceContext, request: EndpointRequest<'claimTxs'>) {
  const { feeClaimer: wallet, tokenMint } = request;
  const claim = claimOf(service, tokenMint, wallet);
  if (claim === undefined) throw badRequest('tokenMint: is not launched here');
  const { source, authority, quoteMint } = claim;
  if (quoteMint !== (request.quoteMint ?? WSOL_MINT)) throw badRequest(OTHER_QUOTE);
  if ((request.source?.kind ?? 'position') !== source) throw badRequest(OTHER_SOURCE(source));
  if (authority !== undefined && request.source?.authority && request.source.authority !== authority)
    throw badRequest('source: the authority holds nothing');
  const asset = service.asset(quoteMint);
  const tables = service.tables(request.additionalLookupTables ?? []);
  const drafts = await claim.drafts();
  return wirePlan(service, {
    endpoint: 'claimTxs',
    wallet,
    operation:
      source === 'holding' && authority !== undefined
        ? { kind: 'holding_claim', baseMint: tokenMint, wallet, authority }
        : { kind: 'position_claim', baseMint: tokenMint, wallet },
    asset,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    stages: drafts.map((draft, i) => ({
      id: `claim-${i + 1}`,
      kind: 'claim',
      dependsOn: [],
      draft: { ...draft, tables },
    })),
    status: 'ready',
  });
}

/** The source of a token's fees, and the drafts of a claim: out of a custody, or out of the fee share. */
function claimOf(service: ServiceContext, tokenMint: Address, wallet: Address) {
  const held = custodyTokens(service).find(({ launch }) => launch.tokenMint === tokenMint);
  if (held !== undefined)
    return {
      source: 'position',
      quoteMint: held.tokens.mintB,
      authority: undefined,
      drafts: async () => [await custodyDraft(service, held, wallet)],
    } as const;
  const token = earningTokens(service).find(({ pair }) => pair.baseMint === tokenMint);
  return (
    token && {
      source: token.source,
      quoteMint: token.pair.quoteMint,
      authority: feeShareAuthority(token.pair),
      drafts: async () => sharedDrafts(service, token, wallet),
    }
  );
}

/** Builds a wallet's claims of a token's fee share. Throws 400 if there is nothing to claim. */
function sharedDrafts(service: ServiceContext, token: EarningToken, wallet: Address): Draft[] {
  const { pair, uncollected, source } = token;
  const { index, owed, coming, inVault } = claimable(service, token, wallet);
  const { sponsor } = service.keys;
  const sponsored = source === 'position';
  const payer = sponsored ? sponsor.address : wallet;
  const paid = (): readonly EncodedInstruction[] => [
    ...(uncollected === 0n ? [] : [token.collect(payer)]),
    claimUser(payer, wallet, pair, index),
  ];
  const drafts: Draft[] = [
    ...(owed + coming === 0n ? [] : [claimDraft(payer, sponsored ? [sponsor] : [], paid())]),
    ...(inVault === 0n
      ? []
      : [claimDraft(payer, sponsored ? [sponsor] : [], fromVault(payer, wallet, pair))]),
  ];
  if (drafts.length === 0) throw badRequest(NOTHING);
  return drafts;
}

/** A vault in SOL pays SOL; a vault in another quote pays to the wallet's associated account, created if missing. */
const fromVault = (payer: Address, wallet: Address, pair: FeePair): readonly EncodedInstruction[] => [
  ...(pair.quoteMint === WSOL_MINT
    ? []
    : [createAta(payer, wallet, { mint: pair.quoteMint, tokenProgram: pair.quoteProgram })]),
  claimUserVault(wallet, pair),
];

async function custodyDraft(service: ServiceContext, token: CustodyToken, wallet: Address): Promise<Draft> {
  if (token.terms.feeClaimer !== wallet) throw badRequest(NOTHING);
  const asset = service.asset(token.tokens.mintB);
  return ownPositionDraft(service, token, wallet) ?? (await vaultDraft(service, token, wallet, asset));
}

/** Builds the claim of a position whose NFT the wallet holds. The service pays the network fee. */
function ownPositionDraft(
  { keys: { sponsor } }: ServiceContext,
  { tokens, terms, nftAccount, uncollected }: CustodyToken,
  wallet: Address,
): Draft | undefined {
  if (nftAccount === undefined) return undefined;
  if (uncollected.claimer === 0n) throw badRequest(NOTHING);
  const { mintA, programA, mintB, programB } = tokens;
  const [base, quote] = [
    { mint: mintA, tokenProgram: programA },
    { mint: mintB, tokenProgram: programB },
  ];
  const place = {
    ...{ nftMint: terms.claimerNft, nftAccount, owner: wallet },
    ...{ tokenA: ata(wallet, base), tokenB: ata(wallet, quote) },
  };
  const payer = sponsor.address;
  return claimDraft(
    payer,
    [sponsor],
    [createAta(payer, wallet, base), createAta(payer, wallet, quote), claimPositionFee(tokens, place)],
  );
}

/** Builds the claim of the whole vault of a position in custody. The service pays the network fee. */
async function vaultDraft(
  service: ServiceContext,
  token: CustodyToken,
  wallet: Address,
  asset: TokenAsset,
): Promise<Draft> {
  collect(service, token);
  if (service.onchain.balance(earningsVault('deployer', wallet, asset)) === 0n) throw badRequest(NOTHING);
  await service.onchain.confirmed();
  const { sponsor } = service.keys;
  return claimDraft(sponsor.address, [sponsor], [claimEarnings(sponsor.address, wallet, 'deployer', asset)]);
}

function heldPosition(
  service: ServiceContext,
  { launch, tokens, terms, uncollected, nftAccount }: CustodyToken,
) {
  const { mint, tokenProgram, decimals } = service.asset(tokens.mintB);
  const vault = earningsVault('deployer', terms.feeClaimer, { mint, tokenProgram });
  return {
    tokenMint: launch.tokenMint,
    quoteMint: mint,
    source: { kind: 'position' },
    basisPoints: CUSTODY_CLAIMER_BPS,
    claimableAmountRaw: String(
      uncollected.claimer + (nftAccount === undefined ? service.onchain.balance(vault) : 0n),
    ),
    asset: { mint, tokenProgram, decimals },
  };
}

/** Returns the draft of a claim with its fee payer and the service's signers. */
export const claimDraft = (
  feePayer: Address,
  signers: readonly Keypair[],
  instructions: readonly EncodedInstruction[],
): Draft => ({ format: 'v0', feePayer, instructions, budget: budgetOf(CLAIM_UNITS), signers });
