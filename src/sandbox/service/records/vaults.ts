/** The aggregate vaults of partners and deployers: swept together by the service, withdrawn by their wallets. */
import type { Address } from '../../../transaction/types.ts';
import { budgetFor } from '../build/compile.ts';
import { ata, createAta, transfer } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Venue } from '../state.ts';
import { unswept } from './fees.ts';
import { openVenues } from './venues.ts';

export type VaultKind = 'partner' | 'deployer';

/** Moves a wallet's share out of one fee vault into its aggregate vault. Returns what moved. */
export function sweep(service: ServiceContext, venue: Venue, wallet: Address, kind: VaultKind): bigint {
  const amount = unswept(service, venue, wallet, kind);
  if (amount === 0n) return 0n;
  const { keys, onchain } = service;
  const asset = service.asset(venue.quoteMint);
  const owner = keys.vaultOwner(wallet, kind).address;
  onchain.land({
    format: 'v0',
    feePayer: keys.sponsor.address,
    instructions: [
      createAta(keys.sponsor.address, owner, asset),
      transfer(asset, venue.feeVault, ata(owner, asset), keys.feeShareAuthority.address, amount),
    ],
    budget: budgetFor(2),
    signers: [keys.sponsor, keys.feeShareAuthority],
  });
  return amount;
}

/** Sweeps everything a wallet is owed in a role, and waits until that is confirmed. */
export async function sweepAll(service: ServiceContext, wallet: Address, kind: VaultKind): Promise<void> {
  const moved = openVenues(service).map((venue) => sweep(service, venue, wallet, kind));
  if (moved.some((amount) => amount > 0n)) await service.onchain.confirmed();
}

/** An aggregate vault as the contract shows it, or `undefined` while it is empty. */
export function vaultClaimable(
  service: ServiceContext,
  wallet: Address,
  kind: VaultKind,
  quoteMint: Address,
) {
  const asset = service.asset(quoteMint);
  const vaultAta = ata(service.keys.vaultOwner(wallet, kind).address, asset);
  const amount = service.onchain.balance(vaultAta);
  if (amount === 0n) return undefined;
  const { tokenProgram, decimals } = asset;
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
