/** Formats amounts, windows and names exactly: the policy page must match the policy's behaviour. */
import { capital, decimal, several, solWords } from '../base/format.ts';
import { countWords } from '../plan/operationNames.ts';
import type { Limit, Policy, RecipientClass } from '../policy/file/schema.ts';

const U64_MAX = 18_446_744_073_709_551_615n;

/**
 * Formats an amount with its asset: SOL in SOL, tokens in base units, since a policy file does not know their
 * decimals.
 */
export function limitAmountWords(units: bigint, asset: string): string {
  if (asset === 'SOL') return solWords(units);
  if (units === U64_MAX) return `any amount of ${tokenWords(asset)}`;
  return `${decimal(units)} base units of ${tokenWords(asset)}`;
}

/** Names an asset of a limit or rate. Addresses are written in full, for comparison. */
export const tokenWords = (asset: string): string =>
  asset === 'SOL' ? 'SOL' : asset === 'any' ? 'any other token' : `token ${asset}`;

/** Formats a limit's window: `in one transaction`, `in any 24 hours`, `in one calendar day (UTC)`. */
export function windowWords(window: Limit['window']): string {
  if (window === 'transaction') return 'in one transaction';
  if ('calendar' in window) return `in one calendar ${window.calendar} (${window.timeZone})`;
  const count = Number.parseInt(window.rolling, 10);
  const unit = window.rolling.endsWith('m') ? 'minute' : window.rolling.endsWith('h') ? 'hour' : 'day';
  return count === 1 ? `in any ${unit}` : `in any ${several(count, unit)}`;
}

/** Formats a limit in one sentence, without its reason. */
export function limitWords(limit: Limit): string {
  const window = windowWords(limit.window);
  if ('count' in limit) {
    return limit.max === 0
      ? `No ${limit.count === 'any' ? 'job at all' : countWords(0, limit.count).slice(2)} ${window}.`
      : `At most ${countWords(limit.max, limit.count)} ${window}.`;
  }
  const max = BigInt(limit.max);
  const amount = limitAmountWords(max, limit.asset);
  if (max === U64_MAX && limit.asset !== 'SOL') return `${capital(amount)} may leave ${window}.`;
  if (limit.asset === 'any')
    return `At most ${decimal(max)} base units of all other tokens together may leave ${window}.`;
  return `At most ${amount} may leave ${window}.`;
}

/** Describes a class of recipients, including an empty address book, which makes two classes equal. */
export function classWords(allowed: RecipientClass, { wallets, addressBook }: Policy): string {
  if (allowed === 'any') return 'any address';
  const own = wallets.length === 1 ? 'this wallet' : 'one of these wallets';
  if (allowed === 'own') return own;
  return addressBook.length > 0
    ? `${own} or one in your address book`
    : `${own} (your address book is empty)`;
}
