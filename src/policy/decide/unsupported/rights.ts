/**
 * Rights of our keys over accounts, read from account data: withdraw a stake, use a nonce, replace a program, mint, freeze,
 * spend, vote, change metadata. The loss of a right changes no balance (rule 2 of the threat model), so rights are compared
 * one by one (T71).
 */

import { readLookupTable } from '../../../programs/solana/lookupTable.ts';
import { mintOf, tokenAccountOf } from '../../../programs/token/accounts.ts';
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
  /** Id in camel case, such as `rightToWithdrawTheStake`. */
  readonly right: string;
  readonly holder: Address;
  /** A value that must not change either: the metadata fields that name the key. */
  readonly value?: string;
}

/** A right in account data, whose holder may be absent. */
type Offered = Omit<Right, 'holder'> & { readonly holder: Address | undefined };

/** Returns the rights of our keys over an account; empty if it does not exist. */
export function rightsOf(own: ReadonlySet<Address>, account: AccountFact): readonly Right[] {
  const ours: ReadonlySet<Address | undefined> = own;
  return account.exists ? rightsIn(account).filter((right): right is Right => ours.has(right.holder)) : [];
}

/** Whether the holder of a right can withdraw lamports from the account. */
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

/** States of stake accounts; an initialized nonce account has the first. */
const [INITIALIZED, DELEGATED] = [1, 2] as const;
const NONCE_BYTES = 80;
/** Account types of the upgradeable loader. */
const [BUFFER, PROGRAM_DATA] = [1, 3] as const;
/** First byte of a metadata account of the Token Metadata program. */
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

/** The right of a multisig member. */
export const VOTES = 'signatureOfTheMultisig';

/** Returns the members of a token program multisig, whose signatures can move its tokens (T11). */
function multisigRights(data: Buffer): Right[] {
  const count = Math.min(data[1] ?? 0, 11);
  return Array.from({ length: count }, (_, i) => ({
    right: VOTES,
    holder: addressFromBytes(data.subarray(3 + 32 * i, 35 + 32 * i)),
  }));
}

/**
 * Returns a right for each key in the metadata fields, such as a claimer or manager. Its value covers all fields, because a
 * change of one share affects every claimer.
 */
function fieldRights(fields: readonly (readonly [string, string])[]): Right[] {
  const holders = fields.flatMap(([, value]) => ADDRESS.exec(value) ?? []);
  const value = JSON.stringify(fields);
  return [...new Set(holders)].map((holder) => ({ right: 'descriptionOfTheWallet', holder, value }));
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}/;

/** Returns the distinct ids of rights that exist before but not after. */
export function lostRights(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): string[] {
  const kept = rightsOf(own, is);
  const isKept = ({ right, holder, value }: Right) =>
    kept.some((each) => each.right === right && each.holder === holder && each.value === value);
  return [...new Set(rightsOf(own, was).flatMap((each) => (isKept(each) ? [] : [each.right])))];
}
