/** Token and Token-2022 accounts, mints with their extensions, and multisigs. */
import { type Account, Bytes } from '../accounts.ts';
import { found, type Reader, type Right, rightsOf, SOL, type State } from '../findings.ts';
import { digest } from './stock.ts';

const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const NATIVE_MINTS = [
  'So11111111111111111111111111111111111111112',
  '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP',
];

const ACCOUNT_BYTES = 165;
const MINT_BYTES = 82;
const MULTISIG_BYTES = 355;
/** Offset of the account type in Token-2022 accounts with extensions. */
const KIND = 165;
const [IS_MINT, IS_ACCOUNT] = [1, 2];
const FROZEN = 2;

const isTokenProgram = (owner: string) => owner === TOKEN || owner === TOKEN_2022;
const isMultisig = ({ owner, data }: Account) => isTokenProgram(owner) && data.length === MULTISIG_BYTES;

function kindOf({ owner, data }: Account): 'account' | 'mint' | undefined {
  if (!isTokenProgram(owner) || data.length === MULTISIG_BYTES) return undefined;
  if (data.length === MINT_BYTES) return 'mint';
  if (data.length === ACCOUNT_BYTES) return 'account';
  if (owner !== TOKEN_2022 || data.length < KIND + 1) return undefined;
  return { [IS_MINT]: 'mint' as const, [IS_ACCOUNT]: 'account' as const }[data[KIND] ?? 0];
}

/** Parses a token account. Returns `undefined` for any other or uninitialized account. */
export function tokenAccountOf(account: Account) {
  if (kindOf(account) !== 'account') return undefined;
  const bytes = new Bytes(account.data);
  if (bytes.u8(108) === 0) return undefined;
  const delegate = bytes.optionalKey(72, 4);
  return {
    mint: bytes.key(0),
    owner: bytes.key(32),
    amount: bytes.u64(64),
    delegate,
    delegated: delegate === undefined ? 0n : bytes.u64(121),
    isFrozen: bytes.u8(108) === FROZEN,
    isNative: bytes.u32(109) === 1,
    closeAuthority: bytes.optionalKey(129, 4),
  };
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

/**
 * A token account. The owner can move the amount beyond the delegate's; lamports count only if the owner may close it,
 * and nothing counts while it is frozen.
 */
export const tokenAccount: Reader = (account, around) => {
  const token = tokenAccountOf(account);
  if (token === undefined) return undefined;
  const { address, lamports } = account;
  const { mint, owner, amount, delegate, closeAuthority, isFrozen, isNative } = token;
  const forOthers = delegate === undefined || delegate === owner ? 0n : least(token.delegated, amount);
  const asset = isNative || NATIVE_MINTS.includes(mint) ? SOL : mint;
  const isBound = hasSameHolders(around.get(mint));
  const isSoleCloser = closeAuthority === undefined || closeAuthority === owner;
  const amounts = [];
  if (!isFrozen && (asset !== SOL || isSoleCloser)) {
    if (asset !== SOL && !isBound) amounts.push({ line: asset, holder: owner, amount: amount - forOthers });
    const own = asset === SOL ? lamports - forOthers : lamports;
    if (isSoleCloser) amounts.push({ line: SOL, holder: owner, amount: own });
  }
  if (!isFrozen && delegate !== undefined && forOthers > 0n)
    amounts.push({ line: `${asset} as delegate`, holder: delegate, amount: forOthers });
  return found({
    amounts,
    rights: [
      { account: address, right: 'owner', holder: owner, loss: 'while open' },
      ...rightsOf(address, { delegate, 'close authority': closeAuthority }).map(
        (each): Right => ({ ...each, loss: 'while open' }),
      ),
      ...powersOverHolders(mint, around.get(mint)),
    ],
  });
};

/** Mint authorities over the accounts of every holder. */
function powersOverHolders(mint: string, account: Account | undefined): readonly Right[] {
  if (account === undefined || kindOf(account) !== 'mint') return [];
  const extensions = extensionsOf(account);
  return rightsOf(mint, {
    'freezer of the holders': new Bytes(account.data).optionalKey(46, 4),
    'spender from the holders': keyOf(extensions, PERMANENT_DELEGATE, 0),
    'pauser of the holders': keyOf(extensions, PAUSABLE, 0),
  }).map((each): Right => ({ ...each, loss: 'never' }));
}

/** Returns whether tokens of a mint are non-transferable. */
const hasSameHolders = (mint: Account | undefined): boolean =>
  mint !== undefined && kindOf(mint) === 'mint' && extensionsOf(mint).has(NON_TRANSFERABLE);

const NON_TRANSFERABLE = 9;
const PERMANENT_DELEGATE = 12;
const PAUSABLE = 26;
const TOKEN_METADATA = 19;
/** Authorities in mint extensions: extension number, offset of the key, right. */
const MINT_AUTHORITIES: readonly (readonly [number, number, string])[] = [
  [1, 0, 'transfer fee authority'],
  [1, 32, 'withheld fee authority'],
  [3, 0, 'mint close authority'],
  [4, 0, 'confidential transfer authority'],
  [10, 0, 'interest rate authority'],
  [PERMANENT_DELEGATE, 0, 'permanent delegate'],
  [14, 0, 'transfer hook authority'],
  [16, 0, 'confidential fee authority'],
  [18, 0, 'metadata pointer authority'],
  [TOKEN_METADATA, 0, 'metadata authority'],
  [20, 0, 'group pointer authority'],
  [21, 0, 'group authority'],
  [22, 0, 'group member pointer authority'],
  [25, 0, 'scaled amount authority'],
  [PAUSABLE, 0, 'pause authority'],
];

type Extensions = ReadonlyMap<number, Bytes>;

/** Extensions of a Token-2022 mint by number. */
function extensionsOf({ data }: Account): Extensions {
  const extensions = new Map<number, Bytes>();
  const bytes = new Bytes(data);
  for (let at = KIND + 1; at + 4 <= bytes.length; ) {
    const [kind, length] = [bytes.u16(at), bytes.u16(at + 2)];
    if (kind === 0 || at + 4 + length > bytes.length) break;
    extensions.set(kind, new Bytes(bytes.slice(at + 4, length)));
    at += 4 + length;
  }
  return extensions;
}

function keyOf(extensions: Extensions, kind: number, at: number): string | undefined {
  const extension = extensions.get(kind);
  return extension !== undefined && extension.length >= at + 32 ? extension.keyUnlessZero(at) : undefined;
}

/** A mint: mint, freeze and close authority, and the authorities over its metadata. */
export const mint: Reader = (account) => {
  if (kindOf(account) !== 'mint') return undefined;
  const { address, data } = account;
  const bytes = new Bytes(data);
  if (bytes.u8(45) !== 1) return undefined;
  const extensions = extensionsOf(account);
  const authorities = MINT_AUTHORITIES.map(([kind, at, right]) => [right, keyOf(extensions, kind, at)]);
  const mintAuthority = bytes.optionalKey(0, 4);
  const states: State[] = [
    { account: address, line: 'supply', holder: mintAuthority, value: String(bytes.u64(36)) },
  ];
  for (const [kind, at, right] of MINT_AUTHORITIES) {
    const settings = kind === TOKEN_METADATA ? undefined : extensions.get(kind);
    if (settings === undefined || settings.length <= at + 32) continue;
    const value = digest(settings.slice(at + 32, settings.length - at - 32));
    const line = `settings of the ${right}`;
    states.push({ account: address, line, holder: settings.keyUnlessZero(at), value });
  }
  const metadata = extensions.get(TOKEN_METADATA);
  if (metadata !== undefined) {
    const value = digest(metadata.slice(32, metadata.length - 32));
    states.push({ account: address, line: 'metadata', holder: metadata.keyUnlessZero(0), value });
  }
  return found({
    rights: [
      ...rightsOf(address, {
        'mint authority': mintAuthority,
        'freeze authority': bytes.optionalKey(46, 4),
        ...Object.fromEntries(authorities),
      }),
    ],
    states,
  });
};

/** Parses the members of a multisig. Returns `undefined` for any other account. */
export function membersOf(account: Account): readonly string[] | undefined {
  if (!isMultisig(account)) return undefined;
  const bytes = new Bytes(account.data);
  return Array.from({ length: bytes.u8(1) }, (_, i) => bytes.key(3 + 32 * i));
}
