/**
 * Program-derived addresses in layouts. A layout declares the seeds; decoding derives the address from other accounts or
 * arguments and compares it. Results are cached, because a derivation costs more than decoding an instruction.
 */
import { remember } from '../base/remember.ts';
import { sharedAddressBytes } from '../transaction/base58.ts';
import { programAddress } from '../transaction/derive.ts';
import { ASSOCIATED_TOKEN_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/**
 * A seed of a derivation. A plain string names the account role whose address is the seed; `text` and `address` are
 * constants; `larger` and `smaller` select one of two roles by byte order; `byte` names a one-byte argument.
 */
export type Seed =
  | string
  | { readonly text: string }
  | { readonly address: Address }
  | { readonly larger: readonly [string, string] }
  | { readonly smaller: readonly [string, string] }
  | { readonly byte: string };

export const text = (seed: string): Seed => ({ text: seed });
export const larger = (one: string, other: string): Seed => ({ larger: [one, other] });
export const smaller = (one: string, other: string): Seed => ({ smaller: [one, other] });
export const byte = (argument: string): Seed => ({ byte: argument });

/** The derivation of a role's address. */
export interface Derivation {
  readonly seeds: readonly Seed[];
  /** The program that owns the derived address. */
  readonly program: Address;
}

/** Returns the derivation of an associated token account, given the roles of owner, token program and mint. */
export const associatedAccount = (owner: string, tokenProgram: string, mint: string): Derivation => ({
  seeds: [owner, tokenProgram, mint],
  program: ASSOCIATED_TOKEN_PROGRAM,
});

/** Returns the roles that a derivation uses. */
export function rolesOf({ seeds }: Derivation): readonly string[] {
  return seeds.flatMap((seed) => {
    if (typeof seed === 'string') return [seed];
    if ('larger' in seed) return [...seed.larger];
    return 'smaller' in seed ? [...seed.smaller] : [];
  });
}

/** A seed's value: an address, a text, or a number of one byte. */
export type SeedValue = Address | { readonly text: string } | number;

const known = new Map<string, Address>();

/**
 * Returns the program-derived address of the seeds, cached.
 * @throws TransactionError NONCANONICAL_BYTES for more or longer seeds than the runtime allows
 */
export function derivedAddress(program: Address, seeds: readonly SeedValue[]): Address {
  let key = program;
  for (const seed of seeds) {
    key += typeof seed === 'object' ? `"${seed.text.length}:${seed.text}` : `,${seed}`;
  }
  return known.get(key) ?? remember(known, key, programAddress(seeds.map(seedBytes), program).address);
}

function seedBytes(seed: SeedValue): Uint8Array {
  if (typeof seed === 'string') return sharedAddressBytes(seed);
  return typeof seed === 'number' ? Uint8Array.of(seed) : Buffer.from(seed.text);
}

/** Sorts two addresses by their bytes, the larger first. */
export function byBytes(one: Address, other: Address): readonly [larger: Address, smaller: Address] {
  return Buffer.compare(sharedAddressBytes(one), sharedAddressBytes(other)) >= 0
    ? [one, other]
    : [other, one];
}

/**
 * Returns the derived address for these accounts and arguments, or `undefined` if one of its roles is absent.
 */
export function derive(
  { seeds, program }: Derivation,
  addressOf: (role: string) => Address | undefined,
  args: Readonly<Record<string, unknown>>,
): Address | undefined {
  const values: SeedValue[] = [];
  for (const seed of seeds) {
    const value = seedValue(seed, addressOf, args);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return derivedAddress(program, values);
}

function seedValue(
  seed: Seed,
  addressOf: (role: string) => Address | undefined,
  args: Readonly<Record<string, unknown>>,
): SeedValue | undefined {
  if (typeof seed === 'string') return addressOf(seed);
  if ('text' in seed) return seed;
  if ('address' in seed) return seed.address;
  if ('byte' in seed) {
    const value = args[seed.byte];
    return typeof value === 'number' ? value : undefined;
  }
  const [one, other] = ('larger' in seed ? seed.larger : seed.smaller).map(addressOf);
  if (one === undefined || other === undefined) return undefined;
  const [first, second] = byBytes(one, other);
  return 'larger' in seed ? first : second;
}
