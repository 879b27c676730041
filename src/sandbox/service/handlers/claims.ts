/** Claims of fee recipients, partners and deployers, and the events of claims that landed. */

import type { EndpointRequest } from '../../../contract/index.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import { holdingClaim, sponsoredClaim } from '../build/claim.ts';
import { type PlanOperation, wirePlan } from '../build/plan.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { eventsPage } from '../real/handlers/events.ts';
import { appliedFeeLimits } from '../real/records/feeLimits.ts';
import { claimable, claimEventsOf, settle, unswept } from '../records/fees.ts';
import { sweep, sweepAll, vaultClaimable } from '../records/vaults.ts';
import { openVenues } from '../records/venues.ts';
import type { Venue } from '../state.ts';

const NOTHING = 'Nothing to claim';
/** Claims one answer builds unless told; the sandbox's own number. */
const CLAIMS_AT_ONCE = 10;

export const claimHandlers = {
  claimablePositions: (service, { wallet }) => ({
    items: openVenues(service).flatMap((venue) => positionOf(service, venue, wallet) ?? []),
    complete: true,
    issues: [],
  }),
  claimTxs: (service, request) => claimPlan(service, request),
  vaultClaimables: async (service, { wallet }) => {
    for (const kind of ['partner', 'deployer'] as const) await sweepAll(service, wallet, kind);
    const vaults = [...service.quotes.keys()].flatMap((mint) => [
      vaultClaimable(service, wallet, 'partner', mint) ?? [],
      vaultClaimable(service, wallet, 'deployer', mint) ?? [],
    ]);
    return { vaults: vaults.flat() };
  },
  claimVault: (service, request) => vaultClaim(service, request),
  deployerClaimables: (service, { wallet }) => ({
    positions: deployed(service, wallet).map(({ venue, pending }) => ({
      tokenMint: venue.baseMint,
      quoteMint: venue.quoteMint,
      claimableAmountRaw: String(pending),
    })),
    vaults: [...service.quotes.keys()].flatMap(
      (mint) => vaultClaimable(service, wallet, 'deployer', mint) ?? [],
    ),
  }),
  deployerClaimTxs: (service, request) => deployerClaims(service, request),
  claimEvents: (service, request) => events(service, request),
} satisfies Handlers;

const sourceOf = (venue: Venue) => (venue.kind === 'dbc' ? 'holding' : 'position');

function positionOf(service: ServiceContext, venue: Venue, wallet: Address) {
  const { claimers, split } = settle(service, venue);
  const share = split.claimers.find(({ address }) => address === wallet);
  if (share === undefined && !claimers.has(wallet)) return undefined;
  const { mint, tokenProgram, decimals } = service.asset(venue.quoteMint);
  const kind = sourceOf(venue);
  return {
    tokenMint: venue.baseMint,
    quoteMint: venue.quoteMint,
    source: { kind, ...(kind === 'holding' ? { authority: service.keys.feeShareAuthority.address } : {}) },
    basisPoints: share?.basisPoints ?? 0,
    claimableAmountRaw: String(claimable(service, venue, wallet)),
    asset: { mint, tokenProgram, decimals },
  };
}

async function claimPlan(service: ServiceContext, request: EndpointRequest<'claimTxs'>) {
  const { feeClaimer, tokenMint } = request;
  const quoteMint = request.quoteMint ?? WSOL_MINT;
  const venue = openVenues(service).find((each) => each.baseMint === tokenMint);
  if (venue === undefined) throw badRequest('tokenMint: is not launched here');
  if (venue.quoteMint !== quoteMint)
    throw badRequest('quoteMint: the fees of this token are in another quote');
  const kind = request.source?.kind ?? 'position';
  if (kind !== sourceOf(venue)) {
    throw badRequest(`source: the fees of this token are claimed with the kind "${sourceOf(venue)}"`);
  }
  const { feeShareAuthority } = service.keys;
  if (request.source?.authority && request.source.authority !== feeShareAuthority.address) {
    throw badRequest('source: the authority holds nothing');
  }
  const asset = service.asset(quoteMint);
  const feeLimits = appliedFeeLimits(asset, request.feeLimits ?? undefined);
  const amount = claimable(service, venue, feeClaimer);
  if (amount === 0n) throw badRequest(NOTHING);
  const claim = { wallet: feeClaimer, asset, from: venue.feeVault, authority: feeShareAuthority, amount };
  const operation: PlanOperation =
    kind === 'holding'
      ? {
          kind: 'holding_claim',
          baseMint: tokenMint,
          wallet: feeClaimer,
          authority: feeShareAuthority.address,
        }
      : { kind: 'position_claim', baseMint: tokenMint, wallet: feeClaimer };
  const draft = kind === 'holding' ? holdingClaim(claim) : sponsoredClaim(service, claim, 'position');
  const tables = service.tables(request.additionalLookupTables ?? []);
  return wirePlan(service, {
    endpoint: 'claimTxs',
    wallet: feeClaimer,
    operation,
    asset,
    feeLimits,
    stages: [{ id: 'claim-1', kind: 'claim', dependsOn: [], draft: { ...draft, tables } }],
    status: 'ready',
  });
}

async function vaultClaim(
  service: ServiceContext,
  { kind, wallet, quoteMint }: EndpointRequest<'claimVault'>,
) {
  await sweepAll(service, wallet, kind);
  const vault = vaultClaimable(service, wallet, kind, quoteMint);
  if (vault === undefined) throw badRequest(NOTHING);
  const draft = sponsoredClaim(
    service,
    {
      wallet,
      asset: service.asset(quoteMint),
      from: vault.vaultAta,
      authority: service.keys.vaultOwner(wallet, kind),
      amount: BigInt(vault.claimableAmountRaw),
    },
    kind,
  );
  const { bytes } = service.compile(draft, 'claimVault', 'claim', wallet);
  return { transaction: service.encode('claimVault', bytes), claimable: vault };
}

/** Tokens whose deployer a wallet is, with what waits for it in each fee vault. */
function deployed(service: ServiceContext, wallet: Address): { venue: Venue; pending: bigint }[] {
  return openVenues(service)
    .map((venue) => ({ venue, pending: unswept(service, venue, wallet, 'deployer') }))
    .filter(({ pending }) => pending > 0n);
}

/** One withdrawal a token, the first also of what lay in the wallet-wide vault; the rest is deferred. */
async function deployerClaims(service: ServiceContext, request: EndpointRequest<'deployerClaimTxs'>) {
  const { wallet } = request;
  const filter = request.tokenMints ?? undefined;
  const most = request.maxTransactions ?? CLAIMS_AT_ONCE;
  const waiting = deployed(service, wallet).filter(({ venue }) => filter?.includes(venue.baseMint) ?? true);
  const withdrawals = new Map<Address, { amount: bigint; tokenMint: Address | null }[]>();
  for (const quoteMint of service.quotes.keys()) {
    const lying = vaultClaimable(service, wallet, 'deployer', quoteMint);
    if (lying !== undefined) {
      withdrawals.set(quoteMint, [{ amount: BigInt(lying.claimableAmountRaw), tokenMint: null }]);
    }
  }
  const room = Math.max(0, most - withdrawals.size);
  for (const { venue } of waiting.slice(0, room)) {
    const amount = sweep(service, venue, wallet, 'deployer');
    const list = withdrawals.get(venue.quoteMint) ?? [];
    withdrawals.set(venue.quoteMint, [...list, { amount, tokenMint: venue.baseMint }]);
  }
  if (withdrawals.size === 0) throw badRequest(NOTHING);
  await service.onchain.confirmed();
  const authority = service.keys.vaultOwner(wallet, 'deployer');
  const transactions = [...withdrawals].flatMap(([quoteMint, list]) =>
    list.map(({ amount, tokenMint }, index) => {
      const asset = service.asset(quoteMint);
      const claim = { wallet, asset, from: ata(authority.address, asset), authority, amount };
      const { budget, ...rest } = sponsoredClaim(service, claim, 'deployer');
      // Two claims of the same amount must not be the same transaction: only one of them would land.
      const draft = { ...rest, budget: { ...budget, computeUnits: budget.computeUnits + index } };
      const { bytes } = service.compile(draft, 'deployerClaimTxs', `claim-${index + 1}`, wallet);
      return {
        transaction: service.encode('deployerClaimTxs', bytes),
        tokenMint,
        quoteMint,
        amountRaw: String(amount),
      };
    }),
  );
  return {
    transactions,
    deferredClaims: waiting.slice(room).map(({ venue, pending }) => ({
      tokenMint: venue.baseMint,
      quoteMint: venue.quoteMint,
      claimableAmountRaw: String(pending),
    })),
  };
}

function events(service: ServiceContext, request: EndpointRequest<'claimEvents'>) {
  const launch = service.state.launches.get(request.tokenMint);
  const venue = launch && openVenues(service).find(({ baseMint }) => baseMint === launch.tokenMint);
  return eventsPage(request, venue ? claimEventsOf(service, venue, launch.launchWallet) : []);
}
