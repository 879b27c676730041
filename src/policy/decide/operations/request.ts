/** Fields of a request as the operations read them, every default of the contract filled in. */
import type { Earner } from '../../../programs/acts.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Facts } from '../types.ts';

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
export const askedFormat = ({ plan }: Facts): readonly TransactionFormat[] =>
  plan.request.transactionFormat === 'v1' ? ['v1'] : ['v0'];

/** A share in basis points; -1, which no bytes say, for what is none. */
export const askedBps = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : -1);

/** By request, where that cannot change any more: every stage of a plan asks for the same. */
const earners = new WeakMap<Fields, readonly Earner[]>();

/** Everyone who is to earn, index by index. */
export function askedEarners(request: Fields): readonly Earner[] {
  const known = earners.get(request);
  if (known !== undefined) return known;
  const { claimersArray, basisPointsArray } = request;
  const claimers = Array.isArray(claimersArray) ? claimersArray : [];
  const shares = Array.isArray(basisPointsArray) ? basisPointsArray : [];
  const asked = claimers.map((address, i) => ({ wallet: String(address), bps: askedBps(shares[i]) }));
  if (isSealed(request)) earners.set(request, asked);
  return asked;
}

/** Whether the fields and both lists are frozen. */
const isSealed = (request: Fields): boolean =>
  [request, request.claimersArray, request.basisPointsArray].every((each) => Object.isFrozen(each));

/**
 * Who is to manage a config: who is named, else who earns everything, else the payer; where no earner holds everything,
 * only the payer may become manager.
 */
export const askedManager = (request: Fields, payer: Address): Address =>
  textOf(request, 'admin') ?? askedEarners(request).find(({ bps }) => bps === 10_000)?.wallet ?? payer;
