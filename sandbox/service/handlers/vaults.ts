/** Vaults of partners and deployers, one per wallet and quote, filled by the service and claimed by their wallets. */
import type { EndpointRequest } from '../../../src/contract/index.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { claimEarnings, type EarningsKind, earningsOwner, earningsVault } from '../../programs/custody.ts';
import { claimPartner, partnerConfig, payDeployer } from '../../programs/feeShare.ts';
import { ata, createAta } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { collect, custodyTokens } from '../records/custody.ts';
import {
  collectShared,
  dividedOf,
  type EarningToken,
  earningTokens,
  partnerAccount,
  reservedFor,
} from '../records/fees.ts';
import { claimDraft, NOTHING } from './claims.ts';

/** Default claims per answer; the sandbox's own value. */
const WITHDRAWALS_AT_ONCE = 10;

export const vaultHandlers = {
  vaultClaimables: (service, { wallet }) => {
    fill(service, wallet);
    return { vaults: vaultsOf(service, wallet).map(({ shown }) => shown) };
  },
  claimVault: (service, request) => claimVault(service, request),
  deployerClaimables: (service, { wallet }) => ({
    positions: deployed(service, wallet).map(({ pair, pending }) => ({
      tokenMint: pair.baseMint,
      quoteMint: pair.quoteMint,
      claimableAmountRaw: String(pending),
    })),
    vaults: vaultsOf(service, wallet, 'deployer').map(({ shown }) => shown),
  }),
  deployerClaimTxs: (service, request) => deployerClaims(service, request),
} satisfies Handlers;

/** Returns tokens with unpaid deployer earnings of a wallet. */
const deployed = (service: ServiceContext, wallet: Address) =>
  earningTokens(service)
    .filter(({ issued }) => issued.deployer === wallet)
    .map((token) => ({
      ...token,
      pending: reservedFor(service, token.pair) + dividedOf(service, token).deployer,
    }))
    .filter(({ pending }) => pending > 0n);

/** Moves a wallet's earnings as partner, deployer or custody claimer into its vaults. */
export function fill(service: ServiceContext, wallet: Address): void {
  for (const token of earningTokens(service)) {
    if (token.config.partner === wallet) collectShared(service, token);
  }
  for (const token of deployed(service, wallet)) payOut(service, token, wallet);
  for (const token of custodyTokens(service)) {
    const { feeClaimer, partner } = token.terms;
    if (feeClaimer === wallet || partner?.wallet === wallet) collect(service, token);
  }
}

/** Collects a token's fees and moves the deployer's share to its vault. */
function payOut(service: ServiceContext, token: EarningToken, wallet: Address): void {
  const { sponsor, feeShareAuthority: admin } = service.keys;
  const { pair } = token;
  const quote = { mint: pair.quoteMint, tokenProgram: pair.quoteProgram };
  const paying = [
    createAta(sponsor.address, earningsOwner('deployer', wallet, quote.mint), quote),
    payDeployer(admin.address, pair, earningsVault('deployer', wallet, quote)),
  ];
  collectShared(service, token);
  if (reservedFor(service, pair) > 0n) {
    service.onchain.landBy(sponsor, paying, admin);
  }
}

/** A non-empty vault and the instruction that pays it out. */
interface Vault {
  readonly quoteMint: Address;
  readonly shown: ReturnType<typeof shownVault>;
  readonly claim: EncodedInstruction;
}

/** Returns the non-empty vaults of a wallet. The fee share program holds a partner's earnings of configs. */
export function vaultsOf(service: ServiceContext, wallet: Address, kind?: EarningsKind): Vault[] {
  const payer = service.keys.sponsor.address;
  return [...service.quotes.keys()].flatMap((quoteMint) => {
    const quote = service.asset(quoteMint);
    const pair = { baseMint: quoteMint, quoteMint, quoteProgram: quote.tokenProgram };
    const isPartner = partnerAccount(service, wallet, pair) !== undefined;
    const all = [
      ...(isPartner
        ? [
            {
              kind: 'partner' as const,
              at: ata(partnerConfig(wallet, pair), quote),
              claim: claimPartner(payer, wallet, pair),
            },
          ]
        : []),
      ...(['partner', 'deployer'] as const).map((each) => ({
        kind: each,
        at: earningsVault(each, wallet, quote),
        claim: claimEarnings(payer, wallet, each, quote),
      })),
    ];
    return all
      .filter((each) => kind === undefined || each.kind === kind)
      .filter(({ at }) => service.onchain.balance(at) > 0n)
      .map(({ kind: its, at, claim }) => ({
        quoteMint,
        claim,
        shown: shownVault(service, wallet, its, quoteMint, at),
      }));
  });
}

function shownVault(
  service: ServiceContext,
  wallet: Address,
  kind: EarningsKind,
  quoteMint: Address,
  vaultAta: Address,
) {
  const { tokenProgram, decimals } = service.asset(quoteMint);
  const amount = service.onchain.balance(vaultAta);
  return {
    kind,
    wallet,
    quoteMint,
    quoteDecimals: decimals,
    vaultAta,
    claimableAmount: String(amount),
    claimableDisplayAmount: Number(amount) / 10 ** decimals,
    claimableAmountRaw: String(amount),
    asset: { mint: quoteMint, tokenProgram, decimals },
  };
}

/** Builds one claim at the service's expense. A partner with two vaults is paid from the first. */
async function claimVault(
  service: ServiceContext,
  { kind, wallet, quoteMint }: EndpointRequest<'claimVault'>,
) {
  fill(service, wallet);
  const vault = vaultsOf(service, wallet, kind).find((each) => each.quoteMint === quoteMint);
  if (vault === undefined) throw badRequest(NOTHING);
  await service.onchain.confirmed();
  const { sponsor } = service.keys;
  const draft = claimDraft(sponsor.address, [sponsor], [vault.claim]);
  const { bytes } = service.compile(draft, 'claimVault', 'claim', wallet);
  return { transaction: service.encode('claimVault', bytes), claimable: vault.shown };
}

/** Builds a claim of the whole vault per quote, filled from the requested tokens; further vaults are deferred. */
async function deployerClaims(service: ServiceContext, request: EndpointRequest<'deployerClaimTxs'>) {
  const { wallet } = request;
  const filter = request.tokenMints ?? undefined;
  const most = request.maxTransactions ?? WITHDRAWALS_AT_ONCE;
  const paid = deployed(service, wallet).filter(({ pair }) => filter?.includes(pair.baseMint) ?? true);
  for (const token of paid) payOut(service, token, wallet);
  const all = vaultsOf(service, wallet, 'deployer');
  const [vaults, later] = [all.slice(0, most), all.slice(most)];
  if (vaults.length === 0) throw badRequest(NOTHING);
  await service.onchain.confirmed();
  const { sponsor } = service.keys;
  return {
    transactions: vaults.map(({ quoteMint, claim, shown }, index) => {
      const draft = claimDraft(sponsor.address, [sponsor], [claim]);
      const { bytes } = service.compile(draft, 'deployerClaimTxs', `claim-${index + 1}`, wallet);
      const [only, another] = paid.filter(({ pair }) => pair.quoteMint === quoteMint);
      return {
        transaction: service.encode('deployerClaimTxs', bytes),
        tokenMint: another === undefined ? (only?.pair.baseMint ?? null) : null,
        quoteMint,
        amountRaw: shown.claimableAmountRaw,
      };
    }),
    deferredClaims: later.map(({ quoteMint, shown }) => ({
      tokenMint: null,
      quoteMint,
      claimableAmountRaw: shown.claimableAmountRaw,
    })),
  };
}
