/** Accessors for request fields, with the contract's defaults. */
import type { ClaimerShare } from '../../../programs/acts.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { DecisionInputs } from '../types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns a string field of a request or answer, or `undefined`. */
export function textOf(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns an amount in base units from a decimal string or a safe integer; 0 for any other value. */
export function amountOf(fields: Fields, name: string): bigint {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  return typeof value === 'string' && /^(0|[1-9][0-9]{0,19})$/.test(value) ? BigInt(value) : 0n;
}

/** Returns the requested format; the contract's default is v0. */
export const requestedFormats = ({ plan }: DecisionInputs): readonly TransactionFormat[] =>
  plan.request.transactionFormat === 'v1' ? ['v1'] : ['v0'];

/** Returns a share in basis points; -1 for an invalid share, which never matches an encoded share. */
export const requestedBps = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : -1);

/** Returns the requested claimers with their shares, in order. */
export function requestedClaimers({ claimersArray, basisPointsArray }: Fields): readonly ClaimerShare[] {
  const claimers = Array.isArray(claimersArray) ? claimersArray : [];
  const shares = Array.isArray(basisPointsArray) ? basisPointsArray : [];
  return claimers.map((address, i) => ({ wallet: String(address), bps: requestedBps(shares[i]) }));
}

/** Returns the number of requested claimers. */
export const countOfClaimers = ({ claimersArray }: Fields): number =>
  Array.isArray(claimersArray) ? claimersArray.length : 0;

/**
 * Returns the requested manager of a config: the named admin, else the claimer with the whole share, else the payer.
 */
export const requestedManager = (
  request: Fields,
  payer: Address,
  claimers = requestedClaimers(request),
): Address => textOf(request, 'admin') ?? claimers.find(({ bps }) => bps === 10_000)?.wallet ?? payer;
