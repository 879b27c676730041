/**
 * Public interfaces of the service's programs, from their npm packages, and an encoder for instruction data and
 * accounts. The caller supplies missing values.
 */
import { createRequire } from 'node:module';
import bs58 from 'bs58';

export type IdlType =
  | string
  | { readonly vec: IdlType }
  | { readonly option: IdlType }
  | { readonly array: readonly [IdlType, number] }
  | { readonly defined: { readonly name: string } };

interface Field {
  readonly name: string;
  readonly type: IdlType;
}
interface TypeDefinition {
  readonly name: string;
  readonly type:
    | { readonly kind: 'struct'; readonly fields?: readonly Field[] }
    | { readonly kind: 'enum'; readonly variants: readonly { readonly name: string }[] };
}

/** An account an instruction names, as the interface lists it. */
export interface IdlPlace {
  readonly name: string;
  readonly writable?: boolean;
  readonly signer?: boolean;
  readonly optional?: boolean;
  /** The only address allowed here. */
  readonly address?: string;
  /** Derivation of the address. */
  readonly pda?: { readonly seeds: readonly IdlSeed[]; readonly program?: IdlSeed };
}
/** Bytes, or the account of that name. */
export type IdlSeed =
  | { readonly kind: 'const'; readonly value: readonly number[] }
  | { readonly kind: 'account'; readonly path: string };
export interface IdlInstruction {
  readonly name: string;
  readonly discriminator: readonly number[];
  readonly accounts: readonly IdlPlace[];
  readonly args: readonly Field[];
}
export interface Idl {
  readonly address: string;
  readonly instructions: readonly IdlInstruction[];
  readonly accounts: readonly { readonly name: string; readonly discriminator: readonly number[] }[];
  readonly types: readonly TypeDefinition[];
}

// CommonJS on purpose: the ES builds of the packages omit the file extensions of their own imports.
const packages = createRequire(import.meta.url);

/** The interfaces by the name used in tests. The packages type them loosely; use checks their shape. */
export const IDLS = {
  feeShare2: packages('@bagsfm/bags-sdk/dist/idl/fee-share-v2/idl.json') as Idl,
  dbc: packages('@meteora-ag/dynamic-bonding-curve-sdk').DynamicBondingCurveIdl as Idl,
  dammV2: packages('@meteora-ag/cp-amm-sdk').CpAmmIdl as Idl,
} as const;
export type IdlName = keyof typeof IDLS;

/** Values by field name; `fill` supplies missing ones. */
export type Values = Readonly<Record<string, unknown>>;
/** Returns a number below `limit` for fields without a value. */
export type Fill = (limit: number) => number;
export const zeros: Fill = () => 0;

const WIDTHS: Readonly<Record<string, number>> = {
  bool: 1,
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  u64: 8,
  i64: 8,
  u128: 16,
  i128: 16,
};

const little = (value: bigint, width: number): number[] =>
  Array.from({ length: width }, (_, i) => Number((BigInt.asUintN(8 * width, value) >> BigInt(8 * i)) & 255n));

/** Encodes consecutive values of one type, as in Borsh and packed C structures. */
export function encodeValue(idl: Idl, type: IdlType, value: unknown, fill: Fill): number[] {
  if (typeof type === 'string') return encodePlain(type, value, fill);
  if ('vec' in type) {
    const list = Array.isArray(value) ? value : Array.from({ length: fill(3) });
    return [
      ...little(BigInt(list.length), 4),
      ...list.flatMap((each) => encodeValue(idl, type.vec, each, fill)),
    ];
  }
  if ('option' in type) {
    const isThere = value === undefined ? fill(2) === 1 : value !== null;
    return isThere ? [1, ...encodeValue(idl, type.option, value ?? undefined, fill)] : [0];
  }
  if ('array' in type) {
    const [of, length] = type.array;
    const list = Array.isArray(value) ? value : [];
    return Array.from({ length }, (_, i) => encodeValue(idl, of, list[i], fill)).flat();
  }
  const { name } = type.defined;
  const definition = idl.types.find((each) => each.name === name)?.type;
  if (definition === undefined) throw new RangeError(`no type is called ${name}`);
  if (definition.kind === 'enum')
    return [typeof value === 'number' ? value : fill(definition.variants.length)];
  return encodeFields(idl, definition.fields ?? [], isValues(value) ? value : {}, fill);
}

function encodePlain(type: string, value: unknown, fill: Fill): number[] {
  if (type === 'pubkey')
    return typeof value === 'string' ? [...bs58.decode(value)] : Array.from({ length: 32 }, () => fill(256));
  if (type === 'string') {
    const text = Buffer.from(typeof value === 'string' ? value : `text ${fill(1000)}`);
    return [...little(BigInt(text.length), 4), ...text];
  }
  const width = WIDTHS[type];
  if (width === undefined) throw new RangeError(`no type is called ${type}`);
  if (typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean')
    return little(BigInt(value), width);
  if (type === 'bool') return [fill(2)];
  return Array.from({ length: width }, () => fill(256));
}

const encodeFields = (idl: Idl, fields: readonly Field[], values: Values, fill: Fill): number[] =>
  fields.flatMap(({ name, type }) => encodeValue(idl, type, values[name], fill));

/** Data of an instruction. */
export function encodeInstructionData(idl: Idl, name: string, values: Values = {}, fill = zeros): Uint8Array {
  const instruction = idl.instructions.find((each) => each.name === name);
  if (instruction === undefined) throw new RangeError(`no instruction is called ${name}`);
  return Uint8Array.from([
    ...instruction.discriminator,
    ...encodeFields(idl, instruction.args, values, fill),
  ]);
}

/** Encodes the data of an account: its discriminator and fields. */
export function encodeAccountData(idl: Idl, name: string, values: Values = {}, fill = zeros): Uint8Array {
  const account = idl.accounts.find((each) => each.name === name);
  if (account === undefined) throw new RangeError(`no account is called ${name}`);
  return Uint8Array.from([
    ...account.discriminator,
    ...encodeValue(idl, { defined: { name } }, values, fill),
  ]);
}

const isValues = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** One scalar of an account: its path, type and value as text. */
export interface DecodedField {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** Decodes the fields of an account of one of the service's programs. Returns `undefined` for any other account. */
export function decodeAccountData(
  program: string,
  data: Uint8Array,
): { readonly name: string; readonly fields: readonly DecodedField[] } | undefined {
  const idl = Object.values(IDLS).find(({ address }) => address === program);
  const account = idl?.accounts.find(({ discriminator }) =>
    discriminator.every((byte, i) => data[i] === byte),
  );
  if (idl === undefined || account === undefined) return undefined;
  const fields: DecodedField[] = [];
  let at = account.discriminator.length;
  const read = (type: IdlType, name: string): void => {
    if (typeof type === 'string') {
      const width = type === 'pubkey' ? 32 : WIDTHS[type];
      if (width === undefined) throw new RangeError(`no ${type} stands in an account`);
      fields.push({ name, type, value: Buffer.from(data.subarray(at, at + width)).toString('hex') });
      at += width;
    } else if ('array' in type) {
      for (let i = 0; i < type.array[1]; i += 1) read(type.array[0], `${name} ${i}`);
    } else if ('vec' in type) {
      const count = new DataView(data.buffer, data.byteOffset).getUint32(at, true);
      at += 4;
      for (let i = 0; i < count; i += 1) read(type.vec, `${name} ${i}`);
    } else if ('option' in type) {
      at += 1;
      if (data[at - 1] === 1) read(type.option, name);
    } else {
      const definition = idl.types.find((each) => each.name === type.defined.name)?.type;
      if (definition?.kind === 'enum') read('u8', name);
      else for (const field of definition?.fields ?? []) read(field.type, `${name}.${field.name}`);
    }
  };
  read({ defined: { name: account.name } }, '');
  fields.push({ name: 'rest', type: 'bytes', value: Buffer.from(data.subarray(at)).toString('hex') });
  return { name: account.name, fields };
}
