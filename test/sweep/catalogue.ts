/**
 * Every instruction of the swept public interfaces, with its accounts and valid data: stock programs from their list,
 * the service's programs from the interfaces in their npm packages, routers and token metadata from the names known to
 * their readers.
 */

import { PROGRAMS } from '../../src/programs/index.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../src/transaction/programs.ts';
import { key, text, u32, u64 } from '../oracle/encode.ts';
import { encodeInstructionData, type Fill, IDLS } from '../oracle/idl.ts';
import { STOCK_INTERFACES } from './stockInterfaces.ts';

/** A place of an account. */
export interface Place {
  readonly name: string;
  readonly writable: boolean;
  readonly signer: boolean;
  /** The only address allowed here. */
  readonly address?: string;
}

export interface Candidate {
  /** `program.instruction`. */
  readonly name: string;
  readonly program: string;
  /** The prefix of its data. */
  readonly discriminator: Uint8Array;
  readonly places: readonly Place[];
  /** Data with `to` as every address and other values from `fill`. */
  data(to: string, fill: Fill): Uint8Array;
}

/** An amount above zero and below every balance. */
const AMOUNT = 900_000n;
/** Lamports above the rent of a small account. */
const LAMPORTS = 10_000_000n;

function words(line: string, to: string): number[] {
  return line.split(' ').flatMap((word): number[] => {
    switch (word) {
      case 'u8':
        return [6];
      case 'u16':
        return [1, 0];
      case 'u32':
        return u32(0);
      case 'u64':
        return u64(AMOUNT);
      case 'lamports':
        return u64(LAMPORTS);
      case 'size':
        return u64(10n);
      case 'key':
        return key(to);
      case 'keys64':
        return [...u64(1n), ...key(to)];
      case 'text':
        return text('x');
      case 'text64':
        return [...u64(1n), 120];
      case 'some':
      case 'one':
        return [1];
      case 'none':
        return [0];
      case '':
        return [];
      default:
        throw new RangeError(`no data is called ${word}`);
    }
  });
}

/** Parses `26.1` as two numbers, the first with the program's width; hex follows `x:`. */
function discriminatorOf(number: string, width: number): number[] {
  if (number.startsWith('x:')) return [...Buffer.from(number.slice(2), 'hex')];
  const [first = 0, second] = number.split('.').map(Number);
  const rest = second === undefined ? [] : width === 1 ? [second] : u32(second);
  return [...u32(first).slice(0, width), ...rest];
}

const place = (written: string): Place => {
  const [name = '', use = ''] = written.split(':');
  return { name, writable: use.includes('w'), signer: use.includes('s') };
};

const stock: readonly Candidate[] = STOCK_INTERFACES.flatMap(({ name: of, address, width, lines }) =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Candidate => {
      const [head = '', data = '', accounts = ''] = line.split('|').map((part) => part.trim());
      const [number = '', name = ''] = head.split(' ');
      const start = discriminatorOf(number, width);
      const places = accounts === '' ? [] : accounts.split(' ').map(place);
      // The authority type comes first; the type of a stake authority follows the key.
      const isTypeLast = of === 'stake' && number.startsWith('1.');
      return {
        name: `${of}.${name}`,
        program: address,
        discriminator: Uint8Array.from(isTypeLast ? start.slice(0, width) : start),
        places,
        data: (to) =>
          Uint8Array.from(
            isTypeLast
              ? [...start.slice(0, width), ...words(data, to), ...start.slice(width)]
              : [...start, ...words(data, to)],
          ),
      };
    }),
);

const ofService: readonly Candidate[] = Object.entries(IDLS).flatMap(([of, idl]) =>
  idl.instructions.map(
    ({ name, discriminator, accounts }): Candidate => ({
      name: `${of}.${name}`,
      program: idl.address,
      discriminator: Uint8Array.from(discriminator),
      places: accounts.map((each) => ({
        name: each.name,
        writable: each.writable === true,
        signer: each.signer === true,
        ...(each.address === undefined ? {} : { address: each.address }),
      })),
      data: (_, fill) => encodeInstructionData(idl, name, {}, fill),
    }),
  ),
);

/** Every transaction has compute limits; their cost is the fee, which has its own limit. */
const described = new Set([
  ...[...stock, ...ofService].map(({ program }) => program),
  COMPUTE_BUDGET_PROGRAM,
]);
/** Enough data for any fixed part of an instruction. */
const SOME_DATA = 64;

/** Programs without a packaged interface: instructions known to their readers, at an attacker's places. */
const byName: readonly Candidate[] = PROGRAMS.flatMap(
  ({ name: of, addresses, layouts, named }: ProgramReader) => {
    const [program] = addresses.filter((address) => !described.has(address));
    if (program === undefined) return [];
    return [...layouts.map(({ kind, discriminator }) => ({ name: kind, discriminator })), ...named].map(
      ({ name, discriminator }): Candidate => ({
        name: `${of}.${name}`,
        program,
        discriminator,
        places: ['payer:ws', 'tokens:w', 'destination:w', 'mint:w', 'owner:s', 'other:w'].map(place),
        data: (to) =>
          Uint8Array.from([...discriminator, ...u64(AMOUNT), ...key(to), ...new Uint8Array(SOME_DATA)]),
      }),
    );
  },
);

/** All candidates, stock programs first. */
export const CATALOGUE: readonly Candidate[] = [...stock, ...ofService, ...byName];

/** Returns whether an instruction has the program and data prefix of a candidate. */
export const isA = (
  { program, discriminator }: Candidate,
  instruction: { readonly programAddress: string; readonly data: Uint8Array },
): boolean =>
  instruction.programAddress === program && discriminator.every((byte, i) => instruction.data[i] === byte);
