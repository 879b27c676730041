/** Accounts of the real programs, decoded here and by the public packages from the same random bytes. */
import * as anchor from '@coral-xyz/anchor';
import { getMetadataAccountDataSerializer } from '@metaplex-foundation/mpl-token-metadata';
import { describe, expect, test } from 'vitest';
import { ACCOUNT_LAYOUTS } from '../../src/programs/accountLayouts.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import fc from '../fc.ts';
import { testAddress } from '../transaction/keys.ts';
import { camel, DAMM_V2, DBC, FEE_SHARE, type Idl, someAddress } from './publicInterfaces.ts';
import { readAccount } from './readAccount.ts';

/** Converts the result of Anchor's decoder to our representation. */
function plainly(value: unknown): unknown {
  if (anchor.BN.isBN(value)) return BigInt(value.toString());
  if (value instanceof anchor.web3.PublicKey) return value.toBase58();
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plainly);
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [camel(name), plainly(each)]));
  }
  return value;
}
/** Our result with absent addresses as zeros. */
const withZeroes = (value: unknown): unknown =>
  Object.fromEntries(
    Object.entries(Object(plainly(value))).map(([name, each]) => [
      name,
      each === null ? SYSTEM_PROGRAM : each,
    ]),
  );

interface Case {
  readonly kind: string;
  readonly idl: Idl;
  /** The type's name in the interface. */
  readonly type: string;
  readonly length: number;
  /** The name under which its fields are nested. */
  readonly inside?: string;
  /** Our fields that the interface's type lacks. */
  readonly beyond?: readonly string[];
}
const CASES: readonly Case[] = [
  {
    kind: 'feeShare.config',
    idl: FEE_SHARE,
    type: 'FeeShareConfigHeader',
    length: 184,
    beyond: ['claimers'],
  },
  {
    kind: 'feeShare.authority',
    idl: FEE_SHARE,
    type: 'FeeShareAuthorityHeader',
    length: 104,
    beyond: ['fees'],
  },
  { kind: 'feeShare.partnerConfig', idl: FEE_SHARE, type: 'PartnerConfig', length: 128 },
  { kind: 'feeShare.userFeeVault', idl: FEE_SHARE, type: 'UserFeeVault', length: 105 },
  { kind: 'dbc.poolConfig', idl: DBC, type: 'PoolConfig', length: 1048 },
  { kind: 'dbc.virtualPool', idl: DBC, type: 'VirtualPool', length: 424, inside: 'poolState' },
  { kind: 'dammV2.pool', idl: DAMM_V2, type: 'Pool', length: 1112 },
  { kind: 'dammV2.position', idl: DAMM_V2, type: 'Position', length: 408 },
];

const fill = (discriminator: ArrayLike<number>, bytes: Uint8Array): Uint8Array => {
  const data = bytes.slice();
  data.set(discriminator);
  return data;
};
const discriminatorOf = (idl: Idl, type: string): readonly number[] =>
  idl.accounts?.find(({ name }) => name === type)?.discriminator ?? [];
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });

describe.each(CASES)('$kind', ({ kind, idl, type, length, inside, beyond = [] }) => {
  const coder = new anchor.BorshAccountsCoder(idl);
  const owner = idl.address;

  test('random bytes are decoded as by the public package', () => {
    fc.assert(
      fc.property(bytesOf(length), (bytes) => {
        const data = fill(discriminatorOf(idl, type), bytes);
        const reading = readAccount({ owner, data });
        expect(reading?.kind).toBe(kind);
        const theirs: unknown = plainly(coder.decode(type, Buffer.from(data)));
        const ours = Object.entries(Object(withZeroes(reading?.fields)));
        expect(Object.fromEntries(ours.filter(([name]) => !beyond.includes(name)))).toEqual(
          inside === undefined ? theirs : Object(theirs)[inside],
        );
      }),
      { numRuns: 60 },
    );
  });

  test('data of another owner, type or length is not decoded', () => {
    const data = fill(discriminatorOf(idl, type), new Uint8Array(length));
    expect(readAccount({ owner, data })?.kind).toBe(kind);
    expect(readAccount({ owner: testAddress('stranger'), data })).toBeUndefined();
    expect(readAccount({ owner, data: data.slice(0, -1) })).toBeUndefined();
    expect(readAccount({ owner, data: Uint8Array.from([...data, 0]) })).toBeUndefined();
    for (let at = 0; at < 8; at++) {
      const other = data.slice();
      other[at] = (other[at] ?? 0) ^ 1;
      expect(readAccount({ owner, data: other })).toBeUndefined();
    }
  });
});

describe('feeShare.config', () => {
  const discriminator = discriminatorOf(FEE_SHARE, 'FeeShareConfigHeader');

  test("with one claimer equals the struct in the interface's own tests", () => {
    fc.assert(
      fc.property(bytesOf(218), (bytes) => {
        const data = fill(discriminator, bytes);
        const types = new anchor.BorshCoder(FEE_SHARE).types;
        const theirs = Object(plainly(types.decode('FeeShareConfig', Buffer.from(data.subarray(8)))));
        const { fields, inferred } = readAccount({ owner: FEE_SHARE.address, data }) ?? {};
        expect(fields).toMatchObject({ claimers: [{ wallet: theirs.claimers[0], bps: theirs.bps[0] }] });
        expect(inferred).toEqual(['claimers follow the header: all wallets, then all shares']);
      }),
    );
  });

  test('lists as many claimers as fit', () => {
    const data = (claimers: number) => fill(discriminator, new Uint8Array(184 + 34 * claimers));
    for (const count of [0, 1, 2, 100]) {
      const fields = Object(readAccount({ owner: FEE_SHARE.address, data: data(count) })?.fields);
      expect(fields.claimers).toHaveLength(count);
    }
    const odd = Uint8Array.from([...data(2), 0, 0]);
    expect(readAccount({ owner: FEE_SHARE.address, data: odd })).toBeUndefined();
  });
});

test('feeShare.programConfig is decoded with and without a pending admin, whatever follows its fields', () => {
  const coder = new anchor.BorshAccountsCoder(FEE_SHARE);
  fc.assert(
    fc.property(bytesOf(195), fc.boolean(), (bytes, pending) => {
      const data = fill(discriminatorOf(FEE_SHARE, 'ProgramConfig'), bytes);
      data[40] = pending ? 1 : 0;
      const reading = readAccount({ owner: FEE_SHARE.address, data });
      expect(reading?.kind).toBe('feeShare.programConfig');
      expect(plainly(reading?.fields)).toEqual(plainly(coder.decode('ProgramConfig', Buffer.from(data))));
    }),
  );
});

describe('metaplex.metadata', () => {
  const text = (most: number) => fc.string({ unit: 'grapheme-ascii', maxLength: most });
  const creator = fc.record({ address: someAddress, verified: fc.boolean(), share: fc.nat(255) });
  const arbitrary = fc.record({
    updateAuthority: someAddress,
    mint: someAddress,
    name: text(32),
    symbol: text(10),
    uri: text(200),
    sellerFeeBasisPoints: fc.nat(10_000),
    creators: fc.option(fc.array(creator, { maxLength: 2 })),
    primarySaleHappened: fc.boolean(),
    isMutable: fc.boolean(),
    editionNonce: fc.option(fc.nat(255)),
    tokenStandard: fc.option(fc.nat(5)),
    collection: fc.option(fc.record({ verified: fc.boolean(), key: someAddress })),
  });
  const STANDARDS = [
    'nonFungible',
    'fungibleAsset',
    'fungible',
    'nonFungibleEdition',
    'programmableNonFungible',
    'programmableNonFungibleEdition',
  ];

  test.each([607, 679])('of %i bytes is decoded as the public package wrote it', (length) => {
    const serializer = getMetadataAccountDataSerializer();
    fc.assert(
      fc.property(arbitrary, bytesOf(length), (made, behind) => {
        const written = serializer.serialize({
          ...(made as object as Parameters<typeof serializer.serialize>[0]), // branded texts as addresses
          uses: null,
          collectionDetails: null,
          programmableConfig: null,
        });
        const data = behind.slice();
        data.set(written);
        const reading = readAccount({ owner: METADATA_PROGRAM, data });
        expect(reading).toMatchObject({
          kind: 'metaplex.metadata',
          fields: {
            ...made,
            tokenStandard: made.tokenStandard === null ? null : STANDARDS[made.tokenStandard],
          },
        });
        expect(readAccount({ owner: METADATA_PROGRAM, data: data.slice(0, -1) })).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test('texts padded with zeroes are decoded without them', () => {
    const data = new Uint8Array(679);
    data.set([4]);
    data.set([32, 0, 0, 0, ...Buffer.from('Name')], 65);
    data.set([10, 0, 0, 0, ...Buffer.from('SYM')], 101);
    data.set([200, 0, 0, 0, ...Buffer.from('https://x')], 115);
    const fields = readAccount({ owner: METADATA_PROGRAM, data })?.fields;
    expect(fields).toMatchObject({ name: 'Name', symbol: 'SYM', uri: 'https://x' });
  });
});

test('every supported account type is compared with a public package', () => {
  const compared = [...CASES.map(({ kind }) => kind), 'feeShare.programConfig', 'metaplex.metadata'];
  const read = ACCOUNT_LAYOUTS.map(({ kind }) => kind);
  expect(read.toSorted()).toEqual(compared.toSorted());
});
