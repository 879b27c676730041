/** Decodes Token-2022 extensions, encoded as type, length and value. Values that the policy uses are parsed. */
import { Reader } from '../../transaction/bytes.ts';
import { nonZeroAddress, text32 } from '../../transaction/codecs.ts';
import { noncanonical } from '../../transaction/errors.ts';
import type { Address } from '../../transaction/types.ts';

/**
 * Names by extension number. Higher numbers are named `unknown<number>`, so that policies can deny them.
 */
export const EXTENSION_NAMES = [
  'uninitialized',
  'transferFeeConfig',
  'transferFeeAmount',
  'mintCloseAuthority',
  'confidentialTransfer',
  'confidentialTransferAccount',
  'defaultAccountState',
  'immutableOwner',
  'memoTransfer',
  'nonTransferable',
  'interestBearing',
  'cpiGuard',
  'permanentDelegate',
  'nonTransferableAccount',
  'transferHook',
  'transferHookAccount',
  'confidentialTransferFee',
  'confidentialTransferFeeAmount',
  'metadataPointer',
  'tokenMetadata',
  'groupPointer',
  'tokenGroup',
  'groupMemberPointer',
  'tokenGroupMember',
  'confidentialMintBurn',
  'scaledUiAmount',
  'pausable',
  'pausableAccount',
  'permissionedBurn',
] as const;

/** Extensions with which wallets show other amounts than the base units divided by the decimals. */
export const DISPLAY_EXTENSIONS: readonly string[] = ['interestBearing', 'scaledUiAmount'];

/** A transfer fee schedule, in force from `epoch` on. */
export interface TransferFeeSchedule {
  readonly epoch: bigint;
  /** Base units. */
  readonly maximumFee: bigint;
  readonly basisPoints: number;
}

export interface TransferFeeConfig {
  readonly configAuthority?: Address;
  readonly withdrawWithheldAuthority?: Address;
  /** Base units withheld in the mint. */
  readonly withheldAmount: bigint;
  readonly older: TransferFeeSchedule;
  readonly newer: TransferFeeSchedule;
}

/** Returns the higher fee of both schedules in base units: either may be in force when the transaction lands. */
export function highestTransferFee(
  { older, newer }: Pick<TransferFeeConfig, 'older' | 'newer'>,
  amount: bigint,
): bigint {
  const fees = [older, newer].map(({ basisPoints, maximumFee }) => {
    const share = (amount * BigInt(basisPoints) + 9_999n) / 10_000n;
    return share < maximumFee ? share : maximumFee;
  });
  return fees.reduce((a, b) => (a > b ? a : b), 0n);
}

/** Token metadata in the mint. Untrusted text. */
export interface TokenMetadata {
  readonly updateAuthority?: Address;
  readonly mint: Address;
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly additional: readonly (readonly [string, string])[];
}

/** Names of the extensions, and parsed values. */
export interface Extensions {
  readonly names: readonly string[];
  readonly transferFee?: TransferFeeConfig;
  readonly transferHook?: { readonly authority?: Address; readonly program?: Address };
  readonly permanentDelegate?: Address;
  readonly mintCloseAuthority?: Address;
  readonly pauseAuthority?: Address;
  readonly defaultAccountState?: 'initialized' | 'frozen';
  readonly metadataPointer?: { readonly authority?: Address; readonly address?: Address };
  readonly metadata?: TokenMetadata;
}

/**
 * Decodes extensions like the program does: until the data ends or the type is 0; a single trailing byte is ignored.
 */
export function readExtensions(data: Uint8Array): Extensions {
  const reader = new Reader(data);
  const names: string[] = [];
  let found: Omit<Extensions, 'names'> = {};
  while (reader.remaining >= 2) {
    const type = reader.u16();
    if (type === 0) break;
    const name = EXTENSION_NAMES[type] ?? `unknown${type}`;
    if (names.includes(name)) throw noncanonical('duplicate extension');
    names.push(name);
    const value = new Reader(reader.take(reader.u16()));
    const parse = PARSERS[name];
    if (parse === undefined) continue;
    found = { ...found, ...parse(value) };
    value.end();
  }
  return { names, ...found };
}

const PARSERS: Readonly<Record<string, (r: Reader) => Omit<Extensions, 'names'>>> = {
  transferFeeConfig: (r) => ({
    transferFee: {
      configAuthority: optionalAddress(r),
      withdrawWithheldAuthority: optionalAddress(r),
      withheldAmount: r.u64(),
      older: schedule(r),
      newer: schedule(r),
    },
  }),
  mintCloseAuthority: (r) => ({ mintCloseAuthority: optionalAddress(r) }),
  pausable: (r) => {
    const pauseAuthority = optionalAddress(r);
    // Skips the current state, which the authority can change at any time.
    r.u8();
    return { pauseAuthority };
  },
  permanentDelegate: (r) => ({ permanentDelegate: optionalAddress(r) }),
  transferHook: (r) => ({ transferHook: { authority: optionalAddress(r), program: optionalAddress(r) } }),
  metadataPointer: (r) => ({
    metadataPointer: { authority: optionalAddress(r), address: optionalAddress(r) },
  }),
  tokenMetadata: (r) => ({ metadata: metadata(r) }),
  defaultAccountState: (r) => {
    const state = ([undefined, 'initialized', 'frozen'] as const)[r.u8()];
    if (state === undefined) throw noncanonical('unknown default account state');
    return { defaultAccountState: state };
  },
};

/** Decodes an address; 32 zero bytes mean none. */
function optionalAddress(reader: Reader): Address | undefined {
  return nonZeroAddress.read(reader) ?? undefined;
}

function schedule(reader: Reader): TransferFeeSchedule {
  return { epoch: reader.u64(), maximumFee: reader.u64(), basisPoints: reader.u16() };
}

function metadata(reader: Reader): TokenMetadata {
  const updateAuthority = optionalAddress(reader);
  const mint = reader.address();
  const [name, symbol, uri] = [text32.read(reader), text32.read(reader), text32.read(reader)];
  const additional: [string, string][] = [];
  for (let left = reader.u32(); left > 0; left--) additional.push([text32.read(reader), text32.read(reader)]);
  return { updateAuthority, mint, name, symbol, uri, additional };
}
