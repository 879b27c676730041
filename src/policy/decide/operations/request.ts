/** Fields of a request as the operations read them, every default of the contract filled in. */
import type { ClaimerShare } from '../../../programs/acts.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { DecisionInputs } from '../types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A text field of a request or answer. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** An amount in base units, from a decimal text or a safe integer; 0 when absent or anything else. */
export function amountOf(fields: Fields, name: string): bigint {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(value) ? BigInt(value) : 0n;
}

/** The format a request asks for; the contract's default is v0. */
export const askedFormat = ({ plan }: DecisionInputs): readonly TransactionFormat[] =>
  plan.request.transactionFormat === 'v1' ? ['v1'] : ['v0'];

/** Returns a share in basis points; -1 for an invalid share, which never matches an encoded share. */
export const askedBps = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : -1);

/** Everyone who is to earn, index by index. */
export function askedClaimers({ claimersArray, basisPointsArray }: Fields): readonly ClaimerShare[] {
  const claimers = Array.isArray(claimersArray) ? claimersArray : [];
  const shares = Array.isArray(basisPointsArray) ? basisPointsArray : [];
  return claimers.map((address, i) => ({ wallet: String(address), bps: askedBps(shares[i]) }));
}

/** How many are to earn. */
export const countOfClaimers = ({ claimersArray }: Fields): number =>
  Array.isArray(claimersArray) ? claimersArray.length : 0;

/**
 * Who is to manage a config: who is named, else who earns everything, else the payer; where no claimer holds everything,
 * only the payer may become manager.
 */
export const askedManager = (request: Fields, payer: Address, claimers = askedClaimers(request)): Address =>
  textOf(request, 'admin') ?? claimers.find(({ bps }) => bps === 10_000)?.wallet ?? payer;
