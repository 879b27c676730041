/**
 * The state of token accounts and mints (and, beside it, lookup tables) from account data as a chain returns
 * it. Says nothing about who owns the account: the caller checks that the owner is the program it expects.
 * Everything throws TransactionError NONCANONICAL_BYTES on data these programs would not have written.
 */
import { Reader } from '../../transaction/bytes.ts';
import { noncanonical } from '../../transaction/errors.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { type Extensions, readExtensions } from '../token2022/extensions.ts';

export { type LookupTableState, NEVER_DEACTIVATED, readLookupTable } from '../lookupTable/accounts.ts';
export type { TransferFeeSchedule } from '../token2022/extensions.ts';

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
/** Length of a multisig account; token programs treat any account of this length as a multisig. */
const MULTISIG_BYTES = 355;
/** The byte after the base says what the extensions belong to. */
const ACCOUNT_TYPE = { mint: 1, account: 2 } as const;

export interface TokenAccountState {
  readonly mint: Address;
  readonly owner: Address;
  /** Base units. */
  readonly amount: bigint;
  readonly delegate?: Address;
  /** Base units the delegate may still move. */
  readonly delegatedAmount: bigint;
  readonly state: 'initialized' | 'frozen';
  /** For wrapped SOL: the lamports kept back as rent. */
  readonly isNative?: bigint;
  readonly closeAuthority?: Address;
  /** Token-2022 extensions by name. */
  readonly extensions: readonly string[];
}

/** An account as an RPC shows it, its data in base64. */
interface Shown {
  readonly exists: boolean;
  readonly owner: Address;
  readonly data: string;
}

/** Returns the mint in an account; `undefined` for any other account. */
export const mintOf = (account: Shown | undefined): MintState | undefined => shown(account, readMint);

/** Returns the token account in an account; `undefined` for any other account. */
export const tokenAccountOf = (account: Shown | undefined): TokenAccountState | undefined =>
  shown(account, readTokenAccount);

function shown<T>(account: Shown | undefined, read: (data: Uint8Array) => T): T | undefined {
  if (account?.exists !== true || !TOKEN_PROGRAMS.includes(account.owner)) return undefined;
  try {
    return read(Buffer.from(account.data, 'base64'));
  } catch {
    return undefined;
  }
}

/** A token account of Token or Token-2022. */
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

/** A mint of Token or Token-2022. */
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
 * An option with a 32-bit tag and always room for the value; what stands there when it is empty means
 * nothing.
 */
function wideOption<T>(reader: Reader, read: () => T): T | undefined {
  const tag = reader.u32();
  if (tag > 1) throw noncanonical('an option is neither empty nor full');
  const value = read();
  return tag === 1 ? value : undefined;
}

/** The extensions after the base state; a mint is padded to a token account's length first. */
function extensionBytes(data: Uint8Array, baseBytes: number, type: number): Uint8Array {
  if (data.length === baseBytes) return new Uint8Array(0);
  if (data.length <= ACCOUNT_BYTES || data.length === MULTISIG_BYTES) {
    throw noncanonical(
      `${data.length} bytes are no ${type === ACCOUNT_TYPE.mint ? 'mint' : 'token account'}`,
    );
  }
  if (data.subarray(baseBytes, ACCOUNT_BYTES).some((byte) => byte !== 0)) {
    throw noncanonical('the padding of a mint is not zero');
  }
  if (data[ACCOUNT_BYTES] !== type) throw noncanonical('the account is of another type');
  return data.subarray(ACCOUNT_BYTES + 1);
}
