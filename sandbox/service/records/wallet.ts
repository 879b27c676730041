/** Tip and balance check of launches. */
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';

/** Lamports for a wallet of the caller's choice. */
export interface Tip {
  readonly wallet: Address;
  readonly lamports: bigint;
}

/** Returns the tip of a request, if it has one. */
export function tipOf(request: {
  tipWallet?: string | null | undefined;
  tipLamports?: number | null | undefined;
}): Tip | undefined {
  if (!request.tipWallet || !request.tipLamports) return undefined;
  return { wallet: request.tipWallet, lamports: BigInt(request.tipLamports) };
}

/** Throws 400 when a wallet holds less of a mint than `amount`, in base units. */
export function checkBalance(
  service: ServiceContext,
  wallet: Address,
  mint: Address,
  amount: bigint,
  field: string,
): void {
  if (amount === 0n) return;
  const { onchain } = service;
  const held =
    mint === WSOL_MINT ? onchain.lamports(wallet) : onchain.balance(ata(wallet, service.asset(mint)));
  if (held < amount) throw badRequest(`${field}: the wallet holds less than this`);
}
