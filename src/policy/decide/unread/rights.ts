/**
 * What keys of ours may do with an account, read from its data: withdraw a stake, use a nonce, replace a program, mint,
 * freeze, spend, vote, change a description. A right that an instruction uses up leaves no trace in any balance (rule 2
 * of the threat model), so rights are compared one by one (T71).
 */
import { readLookupTable } from '../../../programs/token/accounts.ts';
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
import { mintOf, tokenAccountOf } from '../decisionContext.ts';

/** One thing a key may do with an account. */
export interface Right {
  /** What it is, for a person, without untrusted text: `may withdraw the stake`. */
  readonly what: string;
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
  const at = (what: string, offset: number): Offered => ({
    what,
    holder: data.length < offset + 32 ? undefined : addressFromBytes(data.subarray(offset, offset + 32)),
  });
  const kind = data.length >= 4 ? data.readUInt32LE(0) : -1;
  switch (account.owner) {
    case STAKE_PROGRAM:
      return kind === INITIALIZED || kind === DELEGATED
        ? [at('the right to stake', 12), at('the right to withdraw the stake', 44), at('its lockup', 92)]
        : [];
    case VOTE_PROGRAM:
      return [at('the right to vote', 4), at('the right to withdraw from the vote account', 36)];
    case SYSTEM_PROGRAM:
      return data.length === NONCE_BYTES && data.readUInt32LE(4) === INITIALIZED
        ? [at('the right to use the nonce account', 8)]
        : [];
    case LOADER_V3_PROGRAM:
      if (kind === BUFFER && data[4] === 1) return [at('the right to write the program', 5)];
      return kind === PROGRAM_DATA && data[12] === 1 ? [at('the right to replace the program', 13)] : [];
    case LOADER_V4_PROGRAM:
      return [at('the right to replace the program', 8)];
    case LOOKUP_TABLE_PROGRAM:
      return tableRights(data);
    case METADATA_PROGRAM:
      return data[0] === METADATA ? [at('the right to change the description of the token', 1)] : [];
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
    return [{ what: 'the right to change the lookup table', holder: readLookupTable(data).authority }];
  } catch {
    return [];
  }
}

function tokenRights(account: AccountFact, data: Buffer): Offered[] {
  if (data.length === MULTISIG_BYTES) return multisigRights(data);
  const held = (what: string, holder: Address | undefined): Offered => ({ what, holder });
  const tokens = tokenAccountOf(account);
  if (tokens !== undefined) {
    const { owner, delegate, closeAuthority } = tokens;
    return [
      held('the token account', owner),
      held('the right to spend from the token account', delegate),
      held('the right to close the token account', closeAuthority),
    ];
  }
  const mint = mintOf(account);
  if (mint === undefined) return [];
  return [
    held('the right to mint the token', mint.mintAuthority),
    held('the right to freeze the token', mint.freezeAuthority),
    held('the right to take the token from any account', mint.permanentDelegate),
    held('the right to close the token', mint.mintCloseAuthority),
    held('the right to change its transfer fee', mint.transferFee?.configAuthority),
    held('the right to take its withheld fees', mint.transferFee?.withdrawWithheldAuthority),
    held('the right to change its transfer hook', mint.transferHook?.authority),
    held('the right to change where its description is', mint.metadataPointer?.authority),
    held('the right to change the description of the token', mint.metadata?.updateAuthority),
    ...fieldRights(mint.metadata?.additional ?? []),
  ];
}

/** What a member of a multisig may do with it. */
export const VOTES = 'a signature of the multisig';

/** Who signs for a multisig of the token program: with one of its keys its accounts can be moved (T11). */
function multisigRights(data: Buffer): Right[] {
  const count = Math.min(data[1] ?? 0, 11);
  return Array.from({ length: count }, (_, i) => ({
    what: VOTES,
    holder: addressFromBytes(data.subarray(3 + 32 * i, 35 + 32 * i)),
  }));
}

/**
 * What a description says of a key: that it earns, or that it manages. A change of any share affects every key named,
 * since one earner's share is what the others leave.
 */
function fieldRights(fields: readonly (readonly [string, string])[]): Right[] {
  const holders = fields.flatMap(([, value]) => ADDRESS.exec(value) ?? []);
  const value = JSON.stringify(fields);
  return [...new Set(holders)].map((holder) => ({
    what: 'what its description says of the wallet',
    holder,
    value,
  }));
}

const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}/;

/** Rights that existed before and not after, as texts for the record; each once. */
export function lostRights(own: ReadonlySet<Address>, was: AccountFact, is: AccountFact): string[] {
  const kept = rightsOf(own, is);
  const same = (right: Right) =>
    kept.some(
      ({ what, holder, value }) => what === right.what && holder === right.holder && value === right.value,
    );
  return [...new Set(rightsOf(own, was).flatMap((right) => (same(right) ? [] : [right.what])))];
}
