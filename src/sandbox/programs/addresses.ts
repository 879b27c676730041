/** Where the programs behind the service live, and the few accounts of theirs that are the same for every user. */
import { addressBytes } from '../../transaction/base58.ts';
import { programAddress } from '../../transaction/derive.ts';
import type { Address } from '../../transaction/types.ts';

export const FEE_SHARE_PROGRAM = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';
export const DBC_PROGRAM = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN';
export const DAMM_V2_PROGRAM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
export const ROUTER_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';
/**
 * Programs of our own, for what the service does with programs that are not published: configs in a quote token other than
 * wrapped SOL, the custody of positions, and the vaults of partners and deployers.
 */
export const QUOTE_SHARE_PROGRAM = 'SandboxQuoteFeeShare11111111111111111111111';
export const CUSTODY_PROGRAM = 'SandboxPositionCustody111111111111111111111';
export const EARNINGS_PROGRAM = 'SandboxEarnings1111111111111111111111111111';

/** Signs for every vault of the bonding curve, and mints its tokens. */
export const DBC_POOL_AUTHORITY = 'FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM';
/** Signs for every vault of DAMM v2. */
export const DAMM_V2_POOL_AUTHORITY = 'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC';
export const FEE_SHARE_PROGRAM_CONFIG = '8SrW8DjZcAPAWYSdSu468LKLQ7WDRaEUsswNvHCiAYs';
export const FEE_SHARE_PLATFORM_VAULT = 'ERH2UUYzUULwKy7sLHxeEGcN4B2QjDoQS8Z8GMhuL8cE';

const text = new TextEncoder();
const derived = new Map<string, Address>();

/** The address a program derives from words and addresses. Remembered, since one derivation costs about 0.1 ms. */
export function derivedAddress(
  program: Address,
  words: readonly string[],
  ...addresses: readonly Address[]
): Address {
  const key = [program, ...words, ...addresses].join(' ');
  let address = derived.get(key);
  if (address === undefined) {
    const seeds = [...words.map((word) => text.encode(word)), ...addresses.map(addressBytes)];
    address = programAddress(seeds, program).address;
    derived.set(key, address);
  }
  return address;
}

/** The address an Anchor program signs its events with; it stands before the program at the end of its accounts. */
export const eventAuthority = (program: Address): Address => derivedAddress(program, ['__event_authority']);

/** Two mints in the order pools are derived from: the larger address first. */
export function largerFirst(a: Address, b: Address): readonly [Address, Address] {
  return Buffer.compare(Buffer.from(addressBytes(a)), Buffer.from(addressBytes(b))) > 0 ? [a, b] : [b, a];
}
