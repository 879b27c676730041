/**
 * Addresses an instruction must name because they are derived from its other accounts or arguments. A layout
 * declares the seeds; reading derives the address and compares. Derivations are remembered: one alone costs
 * more than reading a whole instruction.
 */
import { remember } from '../base/remember.ts';
import { sharedAddressBytes } from '../transaction/base58.ts';
import { programAddress } from '../transaction/derive.ts';
import { ASSOCIATED_TOKEN_PROGRAM } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/**
 * One seed as a layout declares it. A plain string names a role, whose address is the seed; `text` is the seed
 * itself, `address` an address that no role has; `larger` and `smaller` are the addresses of two roles in the order of
 * their bytes; `byte` names a one-byte argument.
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

/** Where a role's address must come from. */
export interface Derivation {
  readonly seeds: readonly Seed[];
  /** The program it is derived under. */
  readonly program: Address;
}

/** An owner's associated token account: roles of the owner, the token program and the mint. */
export const associatedAccount = (owner: string, tokenProgram: string, mint: string): Derivation => ({
  seeds: [owner, tokenProgram, mint],
  program: ASSOCIATED_TOKEN_PROGRAM,
});

/** The roles a derivation needs. */
export function rolesOf({ seeds }: Derivation): readonly string[] {
  return seeds.flatMap((seed) => {
    if (typeof seed === 'string') return [seed];
    if ('larger' in seed) return [...seed.larger];
    return 'smaller' in seed ? [...seed.smaller] : [];
  });
}

/** A seed's value: an address, a text, or a small number that is one byte. */
export type SeedValue = Address | { readonly text: string } | number;

const known = new Map<string, Address>();

/**
 * The program address of the seeds, remembered.
 * @throws TransactionError NONCANONICAL_BYTES for more or longer seeds than the runtime takes
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

/** Two addresses in the order of their bytes, the larger first. */
export function byBytes(one: Address, other: Address): readonly [larger: Address, smaller: Address] {
  return Buffer.compare(sharedAddressBytes(one), sharedAddressBytes(other)) >= 0
    ? [one, other]
    : [other, one];
}

/**
 * The address a derivation gives for these accounts and arguments; `undefined` when one of its roles is absent.
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
