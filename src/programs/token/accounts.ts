/**
 * Decodes token accounts and mints (and re-exports lookup tables). `readTokenAccount` and `readMint` do not check the owner
 * program, and throw TransactionError NONCANONICAL_BYTES for invalid data.
 */
import { Reader } from '../../transaction/bytes.ts';
import { noncanonical } from '../../transaction/errors.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Extensions, readExtensions } from '../token2022/extensions.ts';

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
/** Length of a multisig account; token programs treat any account of this length as a multisig. */
const MULTISIG_BYTES = 355;
/** Account type, in the byte after the base state. */
const ACCOUNT_TYPE = { mint: 1, account: 2 } as const;

export interface TokenAccountState {
  readonly mint: Address;
  readonly owner: Address;
  /** Base units. */
  readonly amount: bigint;
  readonly delegate?: Address;
  /** Base units that the delegate may still move. */
  readonly delegatedAmount: bigint;
  readonly state: 'initialized' | 'frozen';
  /** Rent reserve in lamports, for wrapped SOL. */
  readonly isNative?: bigint;
  readonly closeAuthority?: Address;
  /** Token-2022 extensions by name. */
  readonly extensions: readonly string[];
}

/** An account from an RPC, with base64 data. */
interface RpcAccount {
  readonly exists: boolean;
  readonly owner: Address;
  readonly data: string;
}

/** Decodes a mint. Returns `undefined` for any other account. */
export const mintOf = (account: RpcAccount | undefined): MintState | undefined => decode(account, readMint);

/** Decodes a token account. Returns `undefined` for any other account. */
export const tokenAccountOf = (account: RpcAccount | undefined): TokenAccountState | undefined =>
  decode(account, readTokenAccount);

function decode<T>(account: RpcAccount | undefined, read: (data: Uint8Array) => T): T | undefined {
  if (account?.exists !== true || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
  try {
    return read(Buffer.from(account.data, 'base64'));
  } catch {
    return undefined;
  }
}

/** Decodes the data of a Token or Token-2022 account. Throws TransactionError NONCANONICAL_BYTES for invalid data. */
export function readTokenAccount(data: Uint8Array): TokenAccountState {
  const reader = new Reader(data);
  const [mint, owner, amount] = [reader.address(), reader.address(), reader.u64()];
  const delegate = wideOption(reader, () => reader.address());
  const state = (['uninitialized', 'initialized', 'frozen'] as const)[reader.u8()];
  if (state === undefined || state === 'uninitialized')
    throw noncanonical('the token account is not initialised');
  const isNative = wideOption(reader, () => reader.u64());
  const delegatedAmount = reader.u64();
  const closeAuthority = wideOption(reader, () => reader.address());
  return {
    mint,
    owner,
    amount,
    delegate,
    delegatedAmount,
    state,
    isNative,
    closeAuthority,
    extensions: readExtensions(extensionBytes(data, ACCOUNT_BYTES, ACCOUNT_TYPE.account)).names,
  };
}

/** A mint's state, with the values of its extensions. */
export interface MintState extends Omit<Extensions, 'names'> {
  /** Base units. */
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority?: Address;
  readonly freezeAuthority?: Address;
  /** Token-2022 extensions by name. */
  readonly extensions: readonly string[];
}

/** Decodes the data of a Token or Token-2022 mint. Throws TransactionError NONCANONICAL_BYTES for invalid data. */
export function readMint(data: Uint8Array): MintState {
  const reader = new Reader(data);
  const mintAuthority = wideOption(reader, () => reader.address());
  const [supply, decimals, initialized] = [reader.u64(), reader.u8(), reader.u8()];
  if (initialized !== 1) throw noncanonical('the mint is not initialised');
  const freezeAuthority = wideOption(reader, () => reader.address());
  const { names, ...parsed } = readExtensions(extensionBytes(data, MINT_BYTES, ACCOUNT_TYPE.mint));
  return {
    supply,
    decimals,
    mintAuthority,
    freezeAuthority,
    extensions: names,
    ...parsed,
  };
}

/**
 * Decodes an option with a 32-bit tag, in which an absent value takes the same space.
 */
function wideOption<T>(reader: Reader, read: () => T): T | undefined {
  const tag = reader.u32();
  if (tag > 1) throw noncanonical('invalid option tag');
  const value = read();
  return tag === 1 ? value : undefined;
}

/** Returns the bytes of the extensions; a mint with extensions is padded to the length of a token account. */
function extensionBytes(data: Uint8Array, baseBytes: number, type: number): Uint8Array {
  if (data.length === baseBytes) return new Uint8Array(0);
  if (data.length <= ACCOUNT_BYTES || data.length === MULTISIG_BYTES) {
    throw noncanonical(
      `${data.length} bytes are not a ${type === ACCOUNT_TYPE.mint ? 'mint' : 'token account'}`,
    );
  }
  if (data.subarray(baseBytes, ACCOUNT_BYTES).some((byte) => byte !== 0)) {
    throw noncanonical('the padding of a mint is not zero');
  }
  if (data[ACCOUNT_BYTES] !== type) throw noncanonical('the account is of another type');
  return data.subarray(ACCOUNT_BYTES + 1);
}
