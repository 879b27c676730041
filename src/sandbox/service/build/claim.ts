/** Claims: money from an account of the service to the wallet; the wallet only pays, authorises or unwraps. */
import { claimMemo } from '../../../contract/stockPrograms.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Keypair } from '../keys.ts';
import { budgetFor, type Draft } from './compile.ts';
import { ata, createAta, memo, type TokenAsset, transfer, unwrap } from './tokens.ts';

export interface Claim {
  readonly wallet: Address;
  readonly asset: TokenAsset;
  /** Where the money lies, and who may move it. */
  readonly from: Address;
  readonly authority: Keypair;
  readonly amount: bigint;
}

/** A claim whose fee the wallet pays. */
export function holdingClaim({ wallet, asset, from, authority, amount }: Claim): Draft {
  return draftOf(
    wallet,
    [authority],
    [
      createAta(wallet, wallet, asset),
      transfer(asset, from, ata(wallet, asset), authority.address, amount),
      ...(asset.mint === WSOL_MINT ? [unwrap(wallet)] : []),
    ],
  );
}

/** A claim the service pays for; the wallet signs a memo that says what is claimed. */
export function sponsoredClaim(
  service: ServiceContext,
  { wallet, asset, from, authority, amount }: Claim,
  kind: 'position' | 'partner' | 'deployer',
): Draft {
  const { sponsor } = service.keys;
  return draftOf(
    sponsor.address,
    [sponsor, authority],
    [
      createAta(sponsor.address, wallet, asset),
      transfer(asset, from, ata(wallet, asset), authority.address, amount),
      memo(claimMemo(kind, asset.mint), [wallet]),
      ...(kind === 'position' && asset.mint === WSOL_MINT ? [unwrap(wallet)] : []),
    ],
  );
}

function draftOf(feePayer: Address, signers: readonly Keypair[], instructions: Draft['instructions']): Draft {
  return { format: 'v0', feePayer, instructions, budget: budgetFor(instructions.length), signers };
}
