/** Metaplex instructions decoded in full, as built by the public client. */
import {
  createMetadataAccountV3,
  createV1,
  getCreateMetadataAccountV3InstructionDataSerializer,
  getCreateV1InstructionDataSerializer,
} from '@metaplex-foundation/mpl-token-metadata';
import { createNoopSigner, percentAmount, publicKey } from '@metaplex-foundation/umi';
import { PublicKey } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { PROGRAMS } from '../../src/programs/index.ts';
import { type Layout, writeLayout } from '../../src/programs/layout.ts';
import type { ProgramReader } from '../../src/programs/program.ts';
import { actsOf, type Reading, readInstruction } from '../../src/programs/read.ts';
import { METADATA_PROGRAM } from '../../src/programs/tokenMetadata/addresses.ts';
import { NO_VIEW } from '../../src/programs/view.ts';
import type { ResolvedInstruction } from '../../src/transaction/types.ts';
import fc from '../fc.ts';
import { testAddress } from '../transaction/keys.ts';
import { someAddress } from './publicInterfaces.ts';

/** The client's context for building an instruction. */
const payer = createNoopSigner(publicKey(testAddress('payer')));
const context = {
  programs: { getPublicKey: (_: unknown, address: string) => publicKey(address) },
  eddsa: {
    findPda: (program: string, seeds: Uint8Array[]) => {
      const [address, bump] = PublicKey.findProgramAddressSync(seeds, new PublicKey(program));
      return [publicKey(address.toBase58()), bump];
    },
  },
  identity: payer,
  payer,
} as unknown as Parameters<typeof createV1>[0]; // the only part used to build one

const address = someAddress.map((text) => publicKey(text));
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const u64 = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
const creators = fc.option(
  fc.array(fc.record({ address, verified: fc.boolean(), share: fc.nat(255) }), { maxLength: 3 }),
);
const collection = fc.option(fc.record({ verified: fc.boolean(), key: address }));
const uses = fc.option(fc.record({ useMethod: fc.nat(2), remaining: u64, total: u64 }));
const details = fc.option(fc.record({ __kind: fc.constant('V1' as const), size: u64 }));
const shared = {
  name: text,
  symbol: text,
  uri: text,
  sellerFeeBasisPoints: fc.nat(10_000),
  creators,
  collection,
  uses,
  isMutable: fc.boolean(),
  collectionDetails: details,
};

const METHODS = ['burn', 'multiple', 'single'];
const STANDARDS = [
  'nonFungible',
  'fungibleAsset',
  'fungible',
  'nonFungibleEdition',
  'programmableNonFungible',
  'programmableNonFungibleEdition',
];
interface Made {
  readonly uses: { readonly useMethod: number } | null;
  readonly collectionDetails: { readonly size: bigint } | null;
}
/** The same values in our decoded form. */
const ours = (made: Made) => ({
  ...made,
  uses: made.uses && { ...made.uses, useMethod: METHODS[made.uses.useMethod] },
  collectionDetails: made.collectionDetails && {
    variant: 'V1',
    value: { size: made.collectionDetails.size },
  },
});

const [mint, authority, updater] = ['mint', 'authority', 'updater'].map((name) => testAddress(name));
const signer = (name = '') => createNoopSigner(publicKey(name));

interface Builder {
  getInstructions(): readonly {
    readonly programId: string;
    readonly keys: readonly { pubkey: string; isSigner: boolean; isWritable: boolean }[];
    readonly data: Uint8Array;
  }[];
}
function resolved(builder: Builder, data?: Uint8Array): ResolvedInstruction {
  const [instruction] = builder.getInstructions();
  return {
    index: 0,
    program: instruction?.programId ?? '',
    accounts: (instruction?.keys ?? []).map(({ pubkey, isSigner, isWritable }) => ({
      address: pubkey,
      signer: isSigner,
      writable: isWritable,
    })),
    data: data ?? instruction?.data ?? new Uint8Array(),
  };
}

const v3 = fc.record(shared).map((made) => ({
  made,
  instruction: resolved(
    createMetadataAccountV3(context, {
      mint: publicKey(mint ?? ''),
      mintAuthority: signer(authority),
      payer,
      updateAuthority: publicKey(updater ?? ''),
      data: made,
      isMutable: made.isMutable,
      collectionDetails: made.collectionDetails,
    }),
    getCreateMetadataAccountV3InstructionDataSerializer().serialize({
      data: made,
      isMutable: made.isMutable,
      collectionDetails: made.collectionDetails,
    }),
  ),
}));

const v1 = fc
  .record({
    ...shared,
    primarySaleHappened: fc.boolean(),
    tokenStandard: fc.nat(5),
    ruleSet: fc.option(address),
    decimals: fc.option(fc.nat(9)),
    printSupply: fc.option(
      fc.oneof(
        fc.constant({ __kind: 'Zero' as const }),
        u64.map((limit): { __kind: 'Limited'; fields: [bigint] } => ({ __kind: 'Limited', fields: [limit] })),
      ),
    ),
  })
  .map((made) => {
    const args = { ...made, sellerFeeBasisPoints: percentAmount(made.sellerFeeBasisPoints / 100, 2) };
    return {
      made,
      instruction: resolved(
        createV1(context, {
          mint: signer(mint),
          authority: signer(authority),
          payer,
          updateAuthority: publicKey(updater ?? ''),
          ...args,
        }),
        getCreateV1InstructionDataSerializer().serialize(args),
      ),
    };
  });

const LAYOUTS = PROGRAMS.flatMap((program: ProgramReader) => program.layouts);

/** Re-encodes a decoded instruction, so that ignored parts would be lost. */
function rebuilt(reading: Reading): Uint8Array {
  if (reading.status !== 'read') throw new Error('not read');
  const { kind, accounts, args } = reading.instruction;
  const layout = LAYOUTS.find((each: Layout) => each.kind === kind);
  if (layout === undefined) throw new Error(`no layout ${kind}`);
  const addresses = Object.entries(accounts).map(([role, account]) => [role, account?.address]);
  return writeLayout(layout, { accounts: Object.fromEntries(addresses), args }).data;
}

/** Damages every place in turn; each damage must show. */
function damage(instruction: ResolvedInstruction, optional: readonly number[]): void {
  const status = (change: Partial<ResolvedInstruction>) =>
    readInstruction({ ...instruction, ...change }).status;
  const { data, accounts } = instruction;
  expect(status({ data: Uint8Array.from([...data, 0]) })).toBe('unsupported');
  for (let length = 2; length < data.length; length++) {
    expect(status({ data: data.slice(0, length) })).toBe('unsupported');
  }
  for (let at = 0; at < data.length; at++) {
    const other = data.slice();
    other[at] = (other[at] ?? 0) ^ 0x21;
    const reading = readInstruction({ ...instruction, data: other });
    if (reading.status === 'read') expect(rebuilt(reading)).toEqual(other);
  }
  const stranger = testAddress('stranger');
  for (const [at, use] of accounts.entries()) {
    const reading = readInstruction({
      ...instruction,
      accounts: accounts.with(at, { ...use, address: stranger }),
    });
    if (reading.status === 'read') {
      const held = Object.values(reading.instruction.accounts).filter((each) => each?.address === stranger);
      expect(held).toHaveLength(1);
    }
    if (use.signer && !optional.includes(at)) {
      expect(status({ accounts: accounts.with(at, { ...use, signer: false }) })).toBe('unsupported');
    }
  }
  expect(status({ accounts: accounts.slice(0, -1) })).toBe('unsupported');
}

describe('metaplex.createMetadataAccountV3', () => {
  test('decodes to what the public client builds', () => {
    fc.assert(
      fc.property(v3, ({ made, instruction }) => {
        const reading = readInstruction(instruction);
        expect(reading).toMatchObject({
          status: 'read',
          instruction: { kind: 'metaplex.createMetadataAccountV3' },
        });
        if (reading.status === 'read') expect(reading.instruction.args).toEqual(ours(made));
      }),
    );
  });
  test('a change of any byte or account is detected', () => {
    fc.assert(
      fc.property(v3, ({ instruction }) => damage(instruction, [])),
      { numRuns: 10 },
    );
  });
});

describe('metaplex.createV1', () => {
  test('decodes to what the public client builds', () => {
    fc.assert(
      fc.property(v1, ({ made, instruction }) => {
        const reading = readInstruction(instruction);
        expect(reading).toMatchObject({ status: 'read', instruction: { kind: 'metaplex.createV1' } });
        if (reading.status !== 'read') return;
        const { printSupply } = made;
        expect(reading.instruction.args).toEqual({
          ...ours(made),
          tokenStandard: STANDARDS[made.tokenStandard],
          printSupply: printSupply && {
            variant: printSupply.__kind,
            value: printSupply.__kind === 'Limited' ? { limit: printSupply.fields[0] } : {},
          },
        });
      }),
    );
  });
  test('a change of any byte or account is detected', () => {
    fc.assert(
      // The mint need not sign if it already exists.
      fc.property(v1, ({ instruction }) => damage(instruction, [2])),
      { numRuns: 10 },
    );
  });

  test('reports a signing mint as created, with its authority and cost above rent', () => {
    fc.assert(
      fc.property(v1, ({ made, instruction }) => {
        const [createMint, setMetadata] = actsOf(readInstruction(instruction), NO_VIEW);
        expect(createMint).toEqual({
          act: 'createMint',
          mint,
          decimals: made.decimals ?? 0,
          mintAuthority: authority,
          freezeAuthority: authority,
        });
        expect(setMetadata).toMatchObject({
          act: 'setMetadata',
          mint,
          uri: made.uri,
          updateAuthority: updater,
          surcharge: 10_000_000n,
        });
      }),
      { numRuns: 10 },
    );
  });
});

test('a metadata account of another mint is not accepted', () => {
  fc.assert(
    fc.property(v3, ({ instruction }) => {
      const accounts = instruction.accounts.map((use) =>
        use.address === mint ? { ...use, address: testAddress('another mint') } : use,
      );
      expect(instruction.program).toBe(METADATA_PROGRAM);
      expect(readInstruction({ ...instruction, accounts })).toMatchObject({
        status: 'unsupported',
        reason: 'the account "metadata" is not the one derived from mint',
      });
    }),
    { numRuns: 3 },
  );
});
