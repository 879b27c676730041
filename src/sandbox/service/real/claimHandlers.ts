/** Claims out of the fee share: of claimers, collected from the curve first, and of partners. */
import type { EndpointRequest } from '../../../contract/index.ts';
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import {
  claimDbc,
  claimPartner,
  claimUser,
  claimUserVault,
  feeShareAuthority,
  partnerConfig,
} from '../../programs/feeShare.ts';
import { budgetOf, type Draft } from '../build/compile.ts';
import { type StageDraft, wirePlan } from '../build/plan.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { eventsPage } from '../handlers/claims.ts';
import { appliedFeeLimits } from '../handlers/feeShareConfig.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import type { Keypair } from '../keys.ts';
import { claimable, claimEvents, type EarningCurve, earningCurves, partnerAccount } from './fees.ts';

const NOTHING = 'Nothing to claim';
const CLAIM_UNITS = 400_000;

export const claimHandlers = {
  claimablePositions: (service, { wallet }) => ({
    items: earningCurves(service).flatMap((curve) => positionOf(service, curve, wallet) ?? []),
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
    const curve = earningCurves(service).find(({ launch }) => launch.tokenMint === request.tokenMint);
    return eventsPage(request, curve === undefined ? [] : claimEvents(service, curve));
  },
} satisfies Handlers;

function positionOf(service: ServiceContext, curve: EarningCurve, wallet: Address) {
  const { index, owed, coming, inVault } = claimable(service, curve, wallet);
  const amount = owed + coming + inVault;
  if (index < 0 && amount === 0n) return undefined;
  const { mint, tokenProgram, decimals } = service.asset(curve.pair.quoteMint);
  return {
    tokenMint: curve.pair.baseMint,
    quoteMint: mint,
    source: { kind: 'holding', authority: feeShareAuthority(curve.pair) },
    basisPoints: curve.config.claimers[index]?.basisPoints ?? 0,
    claimableAmountRaw: String(amount),
    asset: { mint, tokenProgram, decimals },
  };
}

/** One stage that collects and pays the wallet's part, which the wallet pays for, and a sponsored one for its vault. */
function claimPlan(service: ServiceContext, request: EndpointRequest<'claimTxs'>) {
  const { feeClaimer: wallet, tokenMint } = request;
  const curve = earningCurves(service).find(({ pair }) => pair.baseMint === tokenMint);
  if (curve === undefined) throw badRequest('tokenMint: is not launched here');
  const { pair, place, uncollected } = curve;
  if (pair.quoteMint !== (request.quoteMint ?? WSOL_MINT)) {
    throw badRequest('quoteMint: the fees of this token are in another quote');
  }
  const authority = feeShareAuthority(pair);
  if ((request.source?.kind ?? 'position') !== 'holding') {
    throw badRequest('source: the fees of this token are claimed with the kind "holding"');
  }
  if (request.source?.authority && request.source.authority !== authority) {
    throw badRequest('source: the authority holds nothing');
  }
  const asset = service.asset(pair.quoteMint);
  const { index, owed, coming, inVault } = claimable(service, curve, wallet);
  const tables = service.tables(request.additionalLookupTables ?? []);
  const { sponsor } = service.keys;
  const partner = curve.config.partner ?? undefined;
  const drafts: Draft[] = [
    ...(owed + coming === 0n
      ? []
      : [
          draftOf(
            wallet,
            [],
            [
              ...(uncollected === 0n ? [] : [claimDbc(wallet, pair, place.config, partner)]),
              claimUser(wallet, wallet, pair, index),
            ],
          ),
        ]),
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
    operation: { kind: 'holding_claim', baseMint: tokenMint, wallet, authority },
    asset,
    feeLimits: appliedFeeLimits(asset, request.feeLimits ?? undefined),
    stages,
    status: 'ready',
  });
}

/** What a partner has earned in a quote, all its curves collected first. */
function partnerVault(service: ServiceContext, wallet: Address, quoteMint: Address) {
  const { sponsor } = service.keys;
  for (const { config, pair, place, uncollected } of earningCurves(service)) {
    if (config.partner !== wallet || pair.quoteMint !== quoteMint || uncollected === 0n) continue;
    service.onchain.land(
      draftOf(sponsor.address, [sponsor], [claimDbc(sponsor.address, pair, place.config, wallet)]),
    );
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
