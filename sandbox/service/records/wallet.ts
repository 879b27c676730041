/** What a launch asks of its wallet: the tip its request names, and the balance of its first buy. */
import { WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { ata } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import { badRequest } from '../http/errors.ts';

/** Lamports paid to a wallet the caller names. */
export interface Tip {
  readonly wallet: Address;
  readonly lamports: bigint;
}

/** The tip of a request, or `undefined` when it asks for none. */
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
