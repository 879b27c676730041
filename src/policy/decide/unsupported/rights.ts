/**
 * What keys of ours may do with an account, read from its data: withdraw a stake, use a nonce, replace a program, mint,
 * freeze, spend, vote, change a description. A right that an instruction uses up leaves no trace in any balance (rule 2
 * of the threat model), so rights are compared one by one (T71).
 */
import { mintOf, readLookupTable, tokenAccountOf } from '../../../programs/token/accounts.ts';
import { METADATA_PROGRAM } from '../../../programs/tokenMetadata/addresses.ts';
import type { AccountFact } from '../../../rpc/types.ts';
import { addressFromBytes } from '../../../transaction/base58.ts';
import {
  LOADER_V3_PROGRAM,
  LOADER_V4_PROGRAM,
  LOOKUP_TABLE_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_PROGRAMS,
  VOTE_PROGRAM,
} from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';

/** A right of a key over an account. */
export interface Right {
  /** Its id, in camel case: `rightToWithdrawTheStake`. */
  readonly right: string;
  readonly holder: Address;
  /** What must stay the same beside the holder: a field of a description that names the key. */
  readonly value?: string;
}

/** A right that an account may give to a key. */
type Offered = Omit<Right, 'holder'> & { readonly holder: Address | undefined };

/** Rights over an account that its data gives to keys of ours. Empty for an account that is not there. */
export function rightsOf(own: ReadonlySet<Address>, account: AccountFact): readonly Right[] {
  const ours: ReadonlySet<Address | undefined> = own;
  return account.exists ? rightsIn(account).filter((right): right is Right => ours.has(right.holder)) : [];
}

/** Lamports in these accounts can be taken out by who holds the right. */
export const holdsMoney = ({ owner }: AccountFact): boolean =>
  owner === STAKE_PROGRAM || owner === VOTE_PROGRAM || owner === SYSTEM_PROGRAM;

function rightsIn(account: AccountFact): readonly Offered[] {
  const data = Buffer.from(account.data, 'base64');
  const at = (right: string, offset: number): Offered => ({
    right,
    holder: data.length < offset + 32 ? undefined : addressFromBytes(data.subarray(offset, offset + 32)),
  });
  const kind = data.length >= 4 ? data.readUInt32LE(0) : -1;
  switch (account.owner) {
    case STAKE_PROGRAM:
      return kind === INITIALIZED || kind === DELEGATED
        ? [at('rightToStake', 12), at('rightToWithdrawTheStake', 44), at('lockup', 92)]
        : [];
    case VOTE_PROGRAM:
      return [at('rightToVote', 4), at('rightToWithdrawFromTheVoteAccount', 36)];
    case SYSTEM_PROGRAM:
      return data.length === NONCE_BYTES && data.readUInt32LE(4) === INITIALIZED
        ? [at('rightToUseTheNonceAccount', 8)]
        : [];
    case LOADER_V3_PROGRAM:
      if (kind === BUFFER && data[4] === 1) return [at('rightToWriteTheProgram', 5)];
      return kind === PROGRAM_DATA && data[12] === 1 ? [at('rightToReplaceTheProgram', 13)] : [];
    case LOADER_V4_PROGRAM:
      return [at('rightToReplaceTheProgram', 8)];
    case LOOKUP_TABLE_PROGRAM:
      return tableRights(data);
    case METADATA_PROGRAM:
      return data[0] === METADATA ? [at('rightToChangeTheDescriptionOfTheToken', 1)] : [];
    default:
      return TOKEN_PROGRAMS.includes(account.owner) ? tokenRights(account, data) : [];
  }
}

/** States of a stake account, and of a nonce account that is in use. */
const [INITIALIZED, DELEGATED] = [1, 2] as const;
const NONCE_BYTES = 80;
/** Kinds of account of the upgradeable loader. */
const [BUFFER, PROGRAM_DATA] = [1, 3] as const;
/** First byte of a description of the Token Metadata program. */
const METADATA = 4;
const MULTISIG_BYTES = 355;

function tableRights(data: Uint8Array): Offered[] {
  try {
    return [{ right: 'rightToChangeTheLookupTable', holder: readLookupTable(data).authority }];
  } catch {
    return [];
  }
}

function tokenRights(account: AccountFact, data: Buffer): Offered[] {
  if (data.length === MULTISIG_BYTES) return multisigRights(data);
  const held = (right: string, holder: Address | undefined): Offered => ({ right, holder });
  const tokens = tokenAccountOf(account);
  if (tokens !== undefined) {
    const { owner, delegate, closeAuthority } = tokens;
    return [
      held('tokenAccount', owner),
      held('rightToSpendFromTheTokenAccount', delegate),
      held('rightToCloseTheTokenAccount', closeAuthority),
    ];
  }
  const mint = mintOf(account);
  if (mint === undefined) return [];
  return [
    held('rightToMintTheToken', mint.mintAuthority),
    held('rightToFreezeTheToken', mint.freezeAuthority),
    held('rightToTakeTheTokenFromAnyAccount', mint.permanentDelegate),
    held('rightToCloseTheToken', mint.mintCloseAuthority),
    held('rightToChangeItsTransferFee', mint.transferFee?.configAuthority),
    held('rightToTakeItsWithheldFees', mint.transferFee?.withdrawWithheldAuthority),
    held('rightToChangeItsTransferHook', mint.transferHook?.authority),
    held('rightToChangeWhereItsDescriptionIs', mint.metadataPointer?.authority),
    held('rightToChangeTheDescriptionOfTheToken', mint.metadata?.updateAuthority),
    ...fieldRights(mint.metadata?.additional ?? []),
  ];
}

/** What a member of a multisig may do with it. */
export const VOTES = 'signatureOfTheMultisig';

/** Who signs for a multisig of the token program: with one of its keys its accounts can be moved (T11). */
function multisigRights(data: Buffer): Right[] {
  const count = Math.min(data[1] ?? 0, 11);
  return Array.from({ length: count }, (_, i) => ({
    right: VOTES,
    holder: addressFromBytes(data.subarray(3 + 32 * i, 35 + 32 * i)),
  }));
}

/**
 * What a description says of a key: that it earns, or that it manages. A change of any share affects every key named,
 * since one claimer's share is what the others leave.
 */
function fieldRights(fields: readonly (readonly [string, string])[]): Right[] {
  const holders = fields.flatMap(([, value]) => ADDRESS.exec(value) ?? []);
  const value = JSON.stringify(fields);
  return [...new Set(holders)].map((holder) => ({ right: 'descriptionOfTheWallet', holder, value }));
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}/;

/** Rights that existed before and not after, by id; each once. */
export function lostRights(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): string[] {
  const kept = rightsOf(own, is);
  const isKept = ({ right, holder, value }: Right) =>
    kept.some((each) => each.right === right && each.holder === holder && each.value === value);
  return [...new Set(rightsOf(own, was).flatMap((each) => (isKept(each) ? [] : [each.right])))];
}
