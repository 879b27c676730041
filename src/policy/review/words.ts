/**
 * Amounts, windows and names as a person reads them. Templates only, never rounded: what a page about a policy says
 * must be what the policy does.
 */
import type { Operation } from '../../plan/types.ts';
import type { Limit, Policy, RecipientClass } from '../file/schema.ts';

const SOL_DECIMALS = 9;
const U64_MAX = 18_446_744_073_709_551_615n;

/** Base units as a decimal number with thousands separated, never rounded: `1500000000` of 9 decimals is `1.5`. */
export function decimal(units: bigint, decimals = 0): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ',');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Lamports as `0.5 SOL (500,000,000 lamports)`. */
export const solWords = (lamports: bigint): string =>
  `${decimal(lamports, SOL_DECIMALS)} SOL (${decimal(lamports)} ${lamports === 1n ? 'lamport' : 'lamports'})`;

/** An amount with its asset: SOL in SOL, tokens in base units, since a policy file does not know their decimals. */
export function amountWords(units: bigint, asset: string): string {
  if (asset === 'SOL') return solWords(units);
  if (units === U64_MAX) return `any amount of ${tokenWords(asset)}`;
  return `${decimal(units)} base units of ${tokenWords(asset)}`;
}

/** What a limit or rate calls an asset. Addresses are written in full: a person has to be able to compare them. */
export const tokenWords = (asset: string): string =>
  asset === 'SOL' ? 'SOL' : asset === 'any' ? 'any other token' : `token ${asset}`;

/** Basis points as a percentage, exact: `2500` is `25%`, `1` is `0.01%`. */
export const percent = (basisPoints: number): string => `${decimal(BigInt(basisPoints), 2)}%`;

/** Seconds in the largest unit that holds them whole: `600` is `10 minutes`. */
export function secondsWords(seconds: number): string {
  for (const [unit, length] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) return several(seconds / length, unit);
  }
  return several(seconds, 'second');
}

/** `1 launch`, `3 launches`. */
export function several(count: number, one: string, many = `${one}s`): string {
  return `${decimal(BigInt(count))} ${count === 1 ? one : many}`;
}

/** The window of a limit: `in one transaction`, `in any 24 hours`, `in one calendar day (UTC)`. */
export function windowWords(window: Limit['window']): string {
  if (window === 'transaction') return 'in one transaction';
  if ('calendar' in window) return `in one calendar ${window.calendar} (${window.timeZone})`;
  const count = Number.parseInt(window.rolling, 10);
  const unit = window.rolling.endsWith('m') ? 'minute' : window.rolling.endsWith('h') ? 'hour' : 'day';
  return count === 1 ? `in any ${unit}` : `in any ${several(count, unit)}`;
}

/** `a, b and c`. */
export function listWords(items: readonly string[], last = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

const JOBS: Readonly<
  Record<Operation, { readonly what: string; readonly one: string; readonly many: string }>
> = {
  config: {
    what: 'Set up who shares the fees of a token',
    one: 'fee setup',
    many: 'fee setups',
  },
  manager_update: {
    what: 'Change who shares the fees of a token',
    one: 'change of a fee split',
    many: 'changes of a fee split',
  },
  launch: { what: 'Launch a token', one: 'launch', many: 'launches' },
  holding_claim: {
    what: 'Collect fees earned by a holding',
    one: 'holding claim',
    many: 'holding claims',
  },
  position_claim: {
    what: 'Collect fees earned by a position',
    one: 'position claim',
    many: 'position claims',
  },
  vault_claim: { what: 'Collect fees from a vault', one: 'vault claim', many: 'vault claims' },
  deployer_claim: {
    what: 'Collect fees earned as deployer',
    one: 'deployer claim',
    many: 'deployer claims',
  },
  swap: { what: 'Trade one token for another', one: 'trade', many: 'trades' },
  lookup_table_setup: {
    what: 'Make an address table by itself (one that a job above needs is part of that job)',
    one: 'new address table',
    many: 'new address tables',
  },
  lookup_table_deactivate: {
    what: 'Retire an address table it made',
    one: 'retired address table',
    many: 'retired address tables',
  },
  lookup_table_close: {
    what: 'Close a retired address table, which brings its deposit back',
    one: 'closed address table',
    many: 'closed address tables',
  },
};

/** What an operation does, as the beginning of a sentence. */
export const operationWords = (operation: Operation): string => JOBS[operation].what;

/** Several of an operation: `launches`. */
export const operationsWords = (operation: Operation): string => JOBS[operation].many;

/** `3 launches`, `1 trade`; `any` counts every job the agent does. */
export function countWords(count: number, operation: Operation | 'any'): string {
  if (operation === 'any') return several(count, 'job', 'jobs of any kind');
  return several(count, JOBS[operation].one, JOBS[operation].many);
}

/** A limit in one sentence, without its reason. */
export function limitWords(limit: Limit): string {
  const window = windowWords(limit.window);
  if ('count' in limit) {
    return limit.max === 0
      ? `No ${limit.count === 'any' ? 'job at all' : countWords(0, limit.count).slice(2)} ${window}.`
      : `At most ${countWords(limit.max, limit.count)} ${window}.`;
  }
  const max = BigInt(limit.max);
  const amount = amountWords(max, limit.asset);
  if (max === U64_MAX && limit.asset !== 'SOL') return `${capital(amount)} may leave ${window}.`;
  return `At most ${amount} may leave ${window}.`;
}

/** Who a class of recipients takes in. An empty address book is said, since it makes two classes the same. */
export function classWords(allowed: RecipientClass, { wallets, addressBook }: Policy): string {
  if (allowed === 'any') return 'anybody';
  const own = wallets.length === 1 ? 'this wallet' : 'one of these wallets';
  if (allowed === 'own') return own;
  return addressBook.length > 0
    ? `${own} or somebody in your address book`
    : `${own} (your address book is empty)`;
}

/** The same text, beginning with a capital. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
