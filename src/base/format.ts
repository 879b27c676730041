/** Amounts, times and lists as a person reads them. Templates only, and never rounded. */

/** Decimals of SOL: 1 SOL is 1,000,000,000 lamports. */
export const SOL_DECIMALS = 9;

/** Base units as a decimal number with thousands separated, never rounded: `1500000000` of 9 decimals is `1.5`. */
export function decimal(units: bigint, decimals = 0): string {
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0');
  const point = digits.length - decimals;
  let whole = digits.slice(0, point);
  for (let at = point - 3; at > 0; at -= 3) whole = `${whole.slice(0, at)},${whole.slice(at)}`;
  let end = digits.length;
  while (end > point && digits[end - 1] === '0') end -= 1;
  return `${units < 0n ? '-' : ''}${whole}${end === point ? '' : `.${digits.slice(point, end)}`}`;
}

/** The same without separators, as programs read numbers: `1234.5`. */
export const decimalText = (units: bigint, decimals: number): string =>
  decimal(units, decimals).replaceAll(',', '');

/** A decimal number as base units: `1.5` of 9 decimals is 1500000000; `undefined` for other text, and for more digits than there are. */
export function unitsOfText(text: string, decimals: number): bigint | undefined {
  const [, whole = '', part = ''] = /^([0-9]{1,20})(?:\.([0-9]{1,20}))?$/.exec(text) ?? [];
  return whole === '' || part.length > decimals ? undefined : BigInt(`${whole}${part.padEnd(decimals, '0')}`);
}

/** An amount in the asset's own unit: `0.5 SOL`, `12.5 of <mint>`; in base units where a token's decimals are not known. */
export function amountOfAsset(units: bigint, asset: string, decimals?: number): string {
  if (asset === 'SOL') return `${decimal(units, SOL_DECIMALS)} SOL`;
  const isAny = asset === 'any';
  if (decimals === undefined) return `${decimal(units)} base units of ${isAny ? 'tokens' : asset}`;
  return `${decimal(units, decimals)} ${isAny ? 'tokens' : `of ${asset}`}`;
}

/** Lamports as `0.5 SOL (500,000,000 lamports)`. */
export const solWords = (lamports: bigint): string =>
  `${decimal(lamports, SOL_DECIMALS)} SOL (${decimal(lamports)} ${lamports === 1n ? 'lamport' : 'lamports'})`;

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

/** `a, b and c`. */
export function listWords(items: readonly string[], last = 'and'): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} ${last} ${items.at(-1)}`;
}

/** The same text, beginning with a capital. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A length of time in one unit, for "expires in …". Never negative. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 90) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** A time as `2026-01-31 23:00:00Z`. Milliseconds. */
export const timeWords = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** An address short enough for a line; the whole address is always shown beside it. */
export const shortAddress = (address: string): string =>
  address.length <= 12 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`;

/** The words of an id in camel case: `soldToken` is "sold token". */
export const spaced = (id: string): string => id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
