/** Rights of our keys in account data, by account kind and byte, and data that grants none (T71). */
import { describe, expect, it } from 'vitest';
import { simulatedEffects } from '../../src/policy/decide/checks/effects.ts';
import { OwnKeys } from '../../src/policy/decide/ownKeys.ts';
import { holdsMoney, lostRights, rightsOf } from '../../src/policy/decide/unsupported/rights.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import {
  LOADER_V2_PROGRAM,
  LOADER_V3_PROGRAM,
  LOADER_V4_PROGRAM,
  STAKE_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  VOTE_PROGRAM,
} from '../../src/transaction/programs.ts';
import { account, lookupTable, mint, missing, tokenAccount } from './accountFacts.ts';
import { keyNamed } from './people.ts';
import { ATTACKER, VENUE, WALLET } from './recorded/stages.ts';

const place = keyNamed('place').address;
const token = keyNamed('a token').address;
const own = new OwnKeys([WALLET]);

/** An account of a program with this size, some given bytes, and a key at an offset. */
function made(
  owner: string,
  length: number,
  bytes: Readonly<Record<number, number>>,
  at: number,
  key = WALLET,
): AccountFact {
  const data = Buffer.alloc(length);
  for (const [place, value] of Object.entries(bytes)) data.writeUInt8(value, Number(place));
  data.set(addressBytes(key).subarray(0, Math.max(0, length - at)), at);
  return account(place, { owner, data: data.toString('base64') });
}

const text = (value: string) => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(value.length);
  return Buffer.concat([length, Buffer.from(value)]);
};
const keyOr = (key: string | undefined) => (key === undefined ? Buffer.alloc(32) : addressBytes(key));

/** A mint of Token-2022 with one extension. */
function extended(type: number, ...value: readonly Uint8Array[]): AccountFact {
  const held = Buffer.concat(value);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(held.length, 2);
  const base = Buffer.from(mint(token, {}).data, 'base64');
  const data = Buffer.concat([base, Buffer.alloc(165 - base.length), Buffer.of(1), head, held]);
  return account(token, { owner: TOKEN_2022_PROGRAM, data: data.toString('base64') });
}
const fees = (config: string | undefined, withheld: string | undefined) =>
  extended(1, keyOr(config), keyOr(withheld), Buffer.alloc(8 + 2 * 18));
const described = (authority: string | undefined, ...fields: readonly (readonly [string, string])[]) => {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(fields.length);
  const texts = ['Name', 'SYM', 'https://example.org', ...fields.flat()].map(text);
  return extended(19, keyOr(authority), addressBytes(token), ...texts.slice(0, 3), count, ...texts.slice(3));
};
/** A token program multisig that declares this many members, with our key at an index. */
const multisig = (members: number, nth: number, owner = TOKEN_PROGRAM) =>
  made(owner, 355, { 0: 1, 1: members, 2: 1 }, 3 + 32 * nth);

const names = (shown: AccountFact, of: ReadonlySet<string> = own) =>
  rightsOf(of, shown).map(({ right, holder }) => {
    expect(of.has(holder)).toBe(true);
    return right;
  });

describe('one of our keys may', () => {
  it.each<[string, AccountFact]>([
    ['rightToStake', made(STAKE_PROGRAM, 200, { 0: 1 }, 12)],
    ['rightToStake', made(STAKE_PROGRAM, 200, { 0: 2 }, 12)],
    ['rightToWithdrawTheStake', made(STAKE_PROGRAM, 200, { 0: 1 }, 44)],
    ['rightToWithdrawTheStake', made(STAKE_PROGRAM, 200, { 0: 2 }, 44)],
    ['lockup', made(STAKE_PROGRAM, 200, { 0: 2 }, 92)],
    ['lockup', made(STAKE_PROGRAM, 124, { 0: 1 }, 92)],
    ['rightToVote', made(VOTE_PROGRAM, 3_762, { 0: 2 }, 4)],
    ['rightToWithdrawFromTheVoteAccount', made(VOTE_PROGRAM, 3_762, { 0: 2 }, 36)],
    ['rightToUseTheNonceAccount', made(SYSTEM_PROGRAM, 80, { 0: 1, 4: 1 }, 8)],
    ['rightToWriteTheProgram', made(LOADER_V3_PROGRAM, 60, { 0: 1, 4: 1 }, 5)],
    ['rightToReplaceTheProgram', made(LOADER_V3_PROGRAM, 60, { 0: 3, 12: 1 }, 13)],
    ['rightToReplaceTheProgram', made(LOADER_V3_PROGRAM, 45, { 0: 3, 12: 1 }, 13)],
    ['rightToReplaceTheProgram', made(LOADER_V4_PROGRAM, 48, {}, 8)],
    ['rightToChangeTheLookupTable', lookupTable(place, WALLET)],
    ['rightToChangeTheDescriptionOfTheToken', made(METADATA_PROGRAM, 679, { 0: 4 }, 1)],
    ['tokenAccount', tokenAccount(place, { mint: token, owner: WALLET })],
    [
      'rightToSpendFromTheTokenAccount',
      tokenAccount(place, { mint: token, owner: ATTACKER, delegate: WALLET, delegatedAmount: 1n }),
    ],
    [
      'rightToCloseTheTokenAccount',
      tokenAccount(place, { mint: token, owner: ATTACKER, closeAuthority: WALLET }),
    ],
    ['rightToMintTheToken', mint(token, { mintAuthority: WALLET })],
    ['rightToFreezeTheToken', mint(token, { freezeAuthority: WALLET })],
    ['rightToTakeTheTokenFromAnyAccount', extended(12, keyOr(WALLET))],
    ['rightToCloseTheToken', extended(3, keyOr(WALLET))],
    ['rightToChangeItsTransferFee', fees(WALLET, ATTACKER)],
    ['rightToTakeItsWithheldFees', fees(ATTACKER, WALLET)],
    ['rightToChangeItsTransferHook', extended(14, keyOr(WALLET), keyOr(VENUE))],
    ['rightToChangeWhereItsDescriptionIs', extended(18, keyOr(WALLET), keyOr(token))],
    ['rightToChangeTheDescriptionOfTheToken', described(WALLET)],
    ['signatureOfTheMultisig', multisig(3, 0)],
    ['signatureOfTheMultisig', multisig(3, 2)],
    ['signatureOfTheMultisig', multisig(11, 10, TOKEN_2022_PROGRAM)],
    ['signatureOfTheMultisig', multisig(255, 10)],
  ])('%s', (label, shown) => {
    expect(names(shown)).toEqual([label]);
    // Control case: the same account with a key that is not ours.
    expect(names(shown, new Set([keyNamed('a stranger').address]))).toEqual([]);
  });

  it('do nothing with an account whose right is not yet or no longer set, or of another kind', () => {
    for (const shown of [
      made(STAKE_PROGRAM, 200, { 0: 0 }, 44),
      made(STAKE_PROGRAM, 200, { 0: 3 }, 44),
      made(SYSTEM_PROGRAM, 80, { 0: 1, 4: 0 }, 8),
      made(SYSTEM_PROGRAM, 81, { 0: 1, 4: 1 }, 8),
      made(SYSTEM_PROGRAM, 8, { 0: 1, 4: 1 }, 8),
      made(LOADER_V3_PROGRAM, 60, { 0: 1, 4: 0 }, 5),
      made(LOADER_V3_PROGRAM, 60, { 0: 2, 4: 1 }, 5),
      made(LOADER_V3_PROGRAM, 60, { 0: 3, 12: 0 }, 13),
      made(LOADER_V3_PROGRAM, 60, { 0: 2, 12: 1 }, 13),
      made(LOADER_V2_PROGRAM, 60, { 0: 3, 12: 1 }, 13),
      made(METADATA_PROGRAM, 679, { 0: 6 }, 1),
      made(VENUE, 200, { 0: 2 }, 44),
      multisig(2, 2),
      multisig(0, 0),
      account(place, { owner: TOKEN_PROGRAM, data: 'AAAA' }),
      lookupTable(place),
      { ...lookupTable(place, WALLET), data: 'AAAA' },
    ])
      expect(names(shown), `${shown.owner} ${shown.data.slice(0, 20)}`).toEqual([]);
  });

  it('do nothing with a missing, empty or truncated account', () => {
    const stake = made(STAKE_PROGRAM, 200, { 0: 2 }, 44);
    expect(names({ ...stake, exists: false })).toEqual([]);
    expect(names({ ...stake, data: '' })).toEqual([]);
    for (const short of [
      made(STAKE_PROGRAM, 75, { 0: 2 }, 44),
      made(VOTE_PROGRAM, 67, { 0: 2 }, 36),
      made(LOADER_V4_PROGRAM, 39, {}, 8),
      made(METADATA_PROGRAM, 32, { 0: 4 }, 1),
      account(place, { owner: STAKE_PROGRAM, data: Buffer.of(2, 0, 0).toString('base64') }),
    ])
      expect(names(short), short.owner).toEqual([]);
  });

  it('be named by a description as a claimer, whose every share counts', () => {
    const fields = [
      ['claimer', `${WALLET}:5000`],
      ['other', `${ATTACKER}:5000`],
      ['manager', WALLET],
      ['note', `of ${WALLET}`],
    ] as const;
    const rightsInDescription = rightsOf(own, described(ATTACKER, ...fields));
    expect(rightsInDescription).toEqual([
      { right: 'descriptionOfTheWallet', holder: WALLET, value: JSON.stringify(fields) },
    ]);
    expect(names(described(ATTACKER, ['note', `of ${WALLET}`]))).toEqual([]);
  });
});

describe('a lost right', () => {
  const [was, is] = [
    tokenAccount(place, { mint: token, owner: ATTACKER, delegate: WALLET, closeAuthority: WALLET }),
    tokenAccount(place, { mint: token, owner: ATTACKER, closeAuthority: WALLET }),
  ];

  it('is the missing one, not a remaining one', () => {
    expect(lostRights(own, was, is)).toEqual(['rightToSpendFromTheTokenAccount']);
    expect(lostRights(own, was, was)).toEqual([]);
    expect(lostRights(own, is, was)).toEqual([]);
  });

  it('is reported once, and counts even if another key of ours holds it now', () => {
    const both = new Set([WALLET, ATTACKER]);
    expect(lostRights(own, multisig(3, 0), multisig(2, 2))).toEqual(['signatureOfTheMultisig']);
    const two = (one: string, other: string) => {
      const shown = Buffer.from(multisig(2, 0).data, 'base64');
      shown.set(addressBytes(one), 3);
      shown.set(addressBytes(other), 35);
      return account(place, { owner: TOKEN_PROGRAM, data: shown.toString('base64') });
    };
    expect(lostRights(both, two(WALLET, ATTACKER), two(VENUE, VENUE))).toEqual(['signatureOfTheMultisig']);
    expect(
      lostRights(both, mint(token, { mintAuthority: WALLET }), mint(token, { mintAuthority: ATTACKER })),
    ).toEqual(['rightToMintTheToken']);
  });

  it('includes a share in a description: another share of anyone changes ours', () => {
    const shares = (ours: number, theirs: number) =>
      described(undefined, ['a', `${WALLET}:${ours}`], ['b', `${ATTACKER}:${theirs}`]);
    const lost = ['descriptionOfTheWallet'];
    expect(lostRights(own, shares(5_000, 5_000), shares(5_000, 5_000))).toEqual([]);
    expect(lostRights(own, shares(5_000, 5_000), shares(4_999, 5_001))).toEqual(lost);
    expect(lostRights(own, shares(5_000, 5_000), shares(5_000, 6_000))).toEqual(lost);
  });
});

describe('a simulation of a used-up right', () => {
  const rent = { rent: () => 2_039_280n };
  const found = (was: AccountFact, is: AccountFact, unsupported?: typeof rent) =>
    simulatedEffects(own, [was], [is], unsupported).authority.map(({ what: label }) => label);

  it.each(['a', 'ab', 'abc'])("finds the wallet's share at any position of the description (%s)", (name) => {
    const shares = (ours: number, key = WALLET) =>
      described(ATTACKER, [name, `${key}:${ours}`], ['other', `${ATTACKER}:${10_000 - ours}`]);
    const label = `the description of the wallet would leave the wallet: ${token}`;
    expect(found(shares(5_000), shares(4_000))).toEqual([label]);
    expect(found(shares(5_000), shares(5_000, VENUE))).toEqual([label]);
    expect(found(shares(5_000), { ...shares(5_000), lamports: '1' })).toEqual([]);
    expect(found(shares(5_000, VENUE), shares(4_000, VENUE))).toEqual([]);
  });

  it('distinguishes money that only the wallet may withdraw from other money', () => {
    const stake = (at: number, lamports: string, state = 2) => ({
      ...made(STAKE_PROGRAM, 200, { 0: state }, at),
      lamports,
    });
    const label = `SOL that only the wallet may withdraw would leave ${place}`;
    expect(found(stake(44, '9'), stake(44, '8'))).toEqual([label]);
    // The stake earned a reward, or was only locked writable.
    expect(found(stake(44, '9'), stake(44, '9', 1))).toEqual([]);
    expect(found(stake(44, '9'), stake(44, '10'))).toEqual([]);
    // The wallet as the validator's voter has no right over the stake.
    expect(found(stake(124, '9'), stake(124, '8'))).toEqual([]);
  });

  it('finds a lookup table closed by an unsupported instruction; otherwise the transaction names it', () => {
    const table = lookupTable(place, WALLET);
    const label = `the right to change the lookup table would leave the wallet: ${place}`;
    expect(found(table, missing(place), rent)).toContain(label);
    expect(found(table, missing(place))).toEqual([]);
    expect(found(lookupTable(place, ATTACKER), missing(place), rent)).toEqual([]);
  });
});

it('lamports can be withdrawn from stake, vote and nonce accounts only', () => {
  const paying = [STAKE_PROGRAM, VOTE_PROGRAM, SYSTEM_PROGRAM];
  for (const owner of [...paying, TOKEN_PROGRAM, LOADER_V3_PROGRAM, VENUE])
    expect(holdsMoney(account(place, { owner })), owner).toBe(paying.includes(owner));
});
