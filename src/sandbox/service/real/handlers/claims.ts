/** Claims out of the fee share: of claimers, collected from the curve or pool first, and of partners. */
import type { EndpointRequest } from '../../../../contract/index.ts';
import type { EncodedInstruction } from '../../../../programs/instructions.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import {
  claimPartner,
  claimUser,
  claimUserVault,
  feeShareAuthority,
  partnerConfig,
} from '../../../programs/feeShare.ts';
import { budgetOf, type Draft } from '../../build/compile.ts';
import { type StageDraft, wirePlan } from '../../build/plan.ts';
import { ata } from '../../build/tokens.ts';
import type { ServiceContext } from '../../context.ts';
import { eventsPage } from '../../handlers/claims.ts';
import { appliedFeeLimits } from '../../handlers/feeShareConfig.ts';
import type { Handlers } from '../../http/app.ts';
import { badRequest } from '../../http/errors.ts';
import type { Keypair } from '../../keys.ts';
import { claimable, claimEvents, type EarningToken, earningTokens, partnerAccount } from '../records/fees.ts';

const NOTHING = 'Nothing to claim';
const CLAIM_UNITS = 400_000;

export const claimHandlers = {
  claimablePositions: (service, { wallet }) => ({
    items: earningTokens(service).flatMap((token) => positionOf(service, token, wallet) ?? []),
    complete: true,
    issues: [],
  }),
  claimTxs: (service, request) => claimPlan(service, request),
  vaultClaimables: (service, { wallet }) => ({
    vaults: [...service.quotes.keys()].flatMap((mint) => partnerVault(service, wallet, mint) ?? []),
  }),
  claimVault: (service, request) => partnerClaim(service, request),
  // What a deployer earns is nowhere in the public interface of the program.
  deployerClaimables: () => ({ positions: [], vaults: [] }),
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
 * One stage that collects and pays the wallet's part, and a sponsored one for its vault. Of a curve the wallet pays for the
 * first, of a pool the service.
 */
function claimPlan(service: ServiceContext, request: EndpointRequest<'claimTxs'>) {
  const { feeClaimer: wallet, tokenMint } = request;
  const token = earningTokens(service).find(({ pair }) => pair.baseMint === tokenMint);
  if (token === undefined) throw badRequest('tokenMint: is not launched here');
  const { pair, uncollected, source } = token;
  if (pair.quoteMint !== (request.quoteMint ?? WSOL_MINT)) {
    throw badRequest('quoteMint: the fees of this token are in another quote');
  }
  const authority = feeShareAuthority(pair);
  if ((request.source?.kind ?? 'position') !== source) {
    throw badRequest(`source: the fees of this token are claimed with the kind "${source}"`);
  }
  if (request.source?.authority && request.source.authority !== authority) {
    throw badRequest('source: the authority holds nothing');
  }
  const asset = service.asset(pair.quoteMint);
  const { index, owed, coming, inVault } = claimable(service, token, wallet);
  const tables = service.tables(request.additionalLookupTables ?? []);
  const { sponsor } = service.keys;
  const sponsored = source === 'position';
  const payer = sponsored ? sponsor.address : wallet;
  const paid = (): readonly EncodedInstruction[] => [
    ...(uncollected === 0n ? [] : [token.collect(payer)]),
    claimUser(payer, wallet, pair, index),
  ];
  const drafts: Draft[] = [
    ...(owed + coming === 0n ? [] : [draftOf(payer, sponsored ? [sponsor] : [], paid())]),
    ...(inVault === 0n ? [] : [draftOf(sponsor.address, [sponsor], [claimUserVault(wallet, pair)])]),
  ];
  if (drafts.length === 0) throw badRequest(NOTHING);
  const stages: StageDraft[] = drafts.map((draft, i) => ({
    id: `claim-${i + 1}`,
    kind: 'claim',
    dependsOn: [],
    draft: { ...draft, tables },
  }));
  return wirePlan(service, {
    endpoint: 'claimTxs',
    wallet,
    operation: sponsored
      ? { kind: 'position_claim', baseMint: tokenMint, wallet }
      : { kind: 'holding_claim', baseMint: tokenMint, wallet, authority },
    asset,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    stages,
    status: 'ready',
  });
}

/** What a partner has earned in a quote, all its curves and pools collected first. */
function partnerVault(service: ServiceContext, wallet: Address, quoteMint: Address) {
  const { sponsor } = service.keys;
  for (const { config, pair, uncollected, collect } of earningTokens(service)) {
    if (config.partner !== wallet || pair.quoteMint !== quoteMint || uncollected === 0n) continue;
    service.onchain.land(draftOf(sponsor.address, [sponsor], [collect(sponsor.address)]));
  }
  const asset = service.asset(quoteMint);
  const vaultAta = ata(partnerConfig(wallet, { quoteMint }), asset);
  const amount = service.onchain.balance(vaultAta);
  if (amount === 0n || partnerAccount(service, wallet, { quoteMint }) === undefined) return undefined;
  return {
    kind: 'partner',
    wallet,
    quoteMint,
    quoteDecimals: asset.decimals,
    vaultAta,
    claimableAmount: String(amount),
    claimableDisplayAmount: Number(amount) / 10 ** asset.decimals,
    claimableAmountRaw: String(amount),
    asset: { mint: quoteMint, tokenProgram: asset.tokenProgram, decimals: asset.decimals },
  };
}

async function partnerClaim(service: ServiceContext, request: EndpointRequest<'claimVault'>) {
  const { kind, wallet, quoteMint } = request;
  const vault = kind === 'partner' ? partnerVault(service, wallet, quoteMint) : undefined;
  if (vault === undefined) throw badRequest(NOTHING);
  await service.onchain.confirmed();
  const { sponsor } = service.keys;
  const { mint, tokenProgram } = vault.asset;
  const pair = { baseMint: mint, quoteMint: mint, quoteProgram: tokenProgram };
  const draft = draftOf(sponsor.address, [sponsor], [claimPartner(sponsor.address, wallet, pair)]);
  const { bytes } = service.compile(draft, 'claimVault', 'claim', wallet);
  return { transaction: service.encode('claimVault', bytes), claimable: vault };
}

const draftOf = (
  feePayer: Address,
  signers: readonly Keypair[],
  instructions: readonly EncodedInstruction[],
): Draft => ({ format: 'v0', feePayer, instructions, budget: budgetOf(CLAIM_UNITS), signers });
