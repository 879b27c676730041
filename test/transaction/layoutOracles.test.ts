/** Every layout that a published client also knows, compared with what that client builds. */
import { AccountRole, createNoopSigner, type Instruction, address as kitAddress } from '@solana/kit';
import { AddressLookupTableProgram, PublicKey, type TransactionInstruction } from '@solana/web3.js';
import * as budget from '@solana-program/compute-budget';
import * as system from '@solana-program/system';
import * as token from '@solana-program/token';
import { expect, test } from 'vitest';
import {
  type EncodedInstruction,
  type EncodeInput,
  encodeInstruction,
  INSTRUCTION_KINDS,
  type InstructionKind,
} from '../../src/transaction/instructions.ts';
import {
  SYSTEM_PROGRAM,
  SYSVAR_RECENT_BLOCKHASHES,
  SYSVAR_RENT,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from '../../src/transaction/programs.ts';
import { SIGNERS } from './arbitrary.ts';
import { testAddress } from './keys.ts';

const signer = (n: number) => SIGNERS[n]?.address ?? '';
const [s1, s2, s3] = [signer(1), signer(2), signer(3)];
const [k1, k2, k3] = [kitSigner(s1), kitSigner(s2), kitSigner(s3)];
const a = testAddress('a');
const b = testAddress('b');
const c = testAddress('c');
const d = testAddress('d');
const owner = testAddress('owner');
const [ka, kb, kc, kd, kOwner] = [
  kitAddress(a),
  kitAddress(b),
  kitAddress(c),
  kitAddress(d),
  kitAddress(owner),
];

function kitSigner(text: string) {
  return createNoopSigner(kitAddress(text));
}

const covered = new Set<InstructionKind>();
const cases: { name: string; ours: EncodedInstruction; theirs: EncodedInstruction }[] = [];

function same<K extends InstructionKind>(
  kind: K,
  input: EncodeInput<K>,
  theirs: Instruction | TransactionInstruction,
) {
  covered.add(kind);
  const name = `${kind} ${cases.length}`;
  cases.push({ name, ours: encodeInstruction(kind, input), theirs: plain(theirs) });
}

function plain(instruction: Instruction | TransactionInstruction): EncodedInstruction {
  if ('programId' in instruction) {
    return {
      programAddress: instruction.programId.toBase58(),
      accounts: instruction.keys.map(({ pubkey, isSigner, isWritable }) => ({
        address: pubkey.toBase58(),
        signer: isSigner,
        writable: isWritable,
      })),
      data: Uint8Array.from(instruction.data),
    };
  }
  return {
    programAddress: instruction.programAddress,
    accounts: (instruction.accounts ?? []).map(({ address, role }) => ({
      address,
      signer: role === AccountRole.READONLY_SIGNER || role === AccountRole.WRITABLE_SIGNER,
      writable: role === AccountRole.WRITABLE || role === AccountRole.WRITABLE_SIGNER,
    })),
    data: Uint8Array.from(instruction.data ?? []),
  };
}

// System
const nonce = { nonce: a, recentBlockhashes: SYSVAR_RECENT_BLOCKHASHES };
same(
  'system.createAccount',
  { accounts: { payer: s1, newAccount: s2 }, args: { lamports: 5n, space: 165n, owner } },
  system.getCreateAccountInstruction({
    payer: k1,
    newAccount: k2,
    lamports: 5n,
    space: 165n,
    programAddress: kOwner,
  }),
);
same(
  'system.assign',
  { accounts: { account: s1 }, args: { owner } },
  system.getAssignInstruction({ account: k1, programAddress: kOwner }),
);
same(
  'system.transfer',
  { accounts: { from: s1, to: a }, args: { lamports: 2n ** 63n } },
  system.getTransferSolInstruction({ source: k1, destination: ka, amount: 2n ** 63n }),
);
for (const base of [undefined, k2]) {
  same(
    'system.createAccountWithSeed',
    {
      accounts: base ? { payer: s1, newAccount: a, base: s2 } : { payer: s1, newAccount: a },
      args: { base: s2, seed: 'sééd', lamports: 1n, space: 2n, owner },
    },
    system.getCreateAccountWithSeedInstruction({
      payer: k1,
      newAccount: ka,
      ...(base ? { baseAccount: base } : {}),
      base: k2.address,
      seed: 'sééd',
      amount: 1n,
      space: 2n,
      programAddress: kOwner,
    }),
  );
}
same(
  'system.advanceNonceAccount',
  { accounts: { ...nonce, authority: s1 } },
  system.getAdvanceNonceAccountInstruction({ nonceAccount: ka, nonceAuthority: k1 }),
);
same(
  'system.withdrawNonceAccount',
  { accounts: { ...nonce, to: b, rent: SYSVAR_RENT, authority: s1 }, args: { lamports: 9n } },
  system.getWithdrawNonceAccountInstruction({
    nonceAccount: ka,
    recipientAccount: kb,
    nonceAuthority: k1,
    withdrawAmount: 9n,
  }),
);
same(
  'system.initializeNonceAccount',
  { accounts: { ...nonce, rent: SYSVAR_RENT }, args: { authority: b } },
  system.getInitializeNonceAccountInstruction({ nonceAccount: ka, nonceAuthority: kb }),
);
same(
  'system.authorizeNonceAccount',
  { accounts: { nonce: a, authority: s1 }, args: { newAuthority: b } },
  system.getAuthorizeNonceAccountInstruction({ nonceAccount: ka, nonceAuthority: k1, newNonceAuthority: kb }),
);
same(
  'system.allocate',
  { accounts: { account: s1 }, args: { space: 7n } },
  system.getAllocateInstruction({ newAccount: k1, space: 7n }),
);
same(
  'system.allocateWithSeed',
  { accounts: { account: a, base: s1 }, args: { base: s1, seed: 'x', space: 7n, owner } },
  system.getAllocateWithSeedInstruction({
    newAccount: ka,
    baseAccount: k1,
    base: k1.address,
    seed: 'x',
    space: 7n,
    programAddress: kOwner,
  }),
);
same(
  'system.assignWithSeed',
  { accounts: { account: a, base: s1 }, args: { base: s1, seed: '', owner } },
  system.getAssignWithSeedInstruction({
    account: ka,
    baseAccount: k1,
    base: k1.address,
    seed: '',
    programAddress: kOwner,
  }),
);
same(
  'system.transferWithSeed',
  { accounts: { from: a, base: s1, to: b }, args: { lamports: 1n, seed: 'x', fromOwner: owner } },
  system.getTransferSolWithSeedInstruction({
    source: ka,
    baseAccount: k1,
    destination: kb,
    amount: 1n,
    fromSeed: 'x',
    fromOwner: kOwner,
  }),
);
same(
  'system.upgradeNonceAccount',
  { accounts: { nonce: a } },
  system.getUpgradeNonceAccountInstruction({ nonceAccount: ka }),
);

// Compute Budget
same(
  'computeBudget.requestUnits',
  { accounts: {}, args: { units: 1, additionalFee: 2 } },
  budget.getRequestUnitsInstruction({ units: 1, additionalFee: 2 }),
);
same(
  'computeBudget.requestHeapFrame',
  { accounts: {}, args: { bytes: 65536 } },
  budget.getRequestHeapFrameInstruction({ bytes: 65536 }),
);
same(
  'computeBudget.setComputeUnitLimit',
  { accounts: {}, args: { units: 1_400_000 } },
  budget.getSetComputeUnitLimitInstruction({ units: 1_400_000 }),
);
same(
  'computeBudget.setComputeUnitPrice',
  { accounts: {}, args: { microLamports: 123_456_789_012n } },
  budget.getSetComputeUnitPriceInstruction({ microLamports: 123_456_789_012n }),
);
same(
  'computeBudget.setLoadedAccountsDataSizeLimit',
  { accounts: {}, args: { bytes: 4096 } },
  budget.getSetLoadedAccountsDataSizeLimitInstruction({ accountDataSizeLimit: 4096 }),
);

// Token, and the same instructions of Token-2022
for (const program of [TOKEN_PROGRAM, TOKEN_2022_PROGRAM]) {
  const config = { programAddress: kitAddress(program) };
  for (const freeze of [null, b]) {
    const args = { decimals: 6, mintAuthority: c, freezeAuthority: freeze };
    const kitArgs = {
      mint: ka,
      decimals: 6,
      mintAuthority: kc,
      freezeAuthority: freeze ? kb : null,
    };
    same(
      'token.initializeMint',
      { program, accounts: { mint: a, rent: SYSVAR_RENT }, args },
      token.getInitializeMintInstruction(kitArgs, config),
    );
    same(
      'token.initializeMint2',
      { program, accounts: { mint: a }, args },
      token.getInitializeMint2Instruction(kitArgs, config),
    );
  }
  same(
    'token.initializeAccount',
    { program, accounts: { account: a, mint: b, owner: c, rent: SYSVAR_RENT } },
    token.getInitializeAccountInstruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeAccount2',
    { program, accounts: { account: a, mint: b, rent: SYSVAR_RENT }, args: { owner: c } },
    token.getInitializeAccount2Instruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeAccount3',
    { program, accounts: { account: a, mint: b }, args: { owner: c } },
    token.getInitializeAccount3Instruction({ account: ka, mint: kb, owner: kc }, config),
  );
  same(
    'token.initializeMultisig',
    { program, accounts: { multisig: a, rent: SYSVAR_RENT }, rest: [b, c], args: { required: 2 } },
    token.getInitializeMultisigInstruction({ multisig: ka, m: 2, signers: [kb, kc] }, config),
  );
  same(
    'token.initializeMultisig2',
    { program, accounts: { multisig: a }, rest: [b, c], args: { required: 2 } },
    token.getInitializeMultisig2Instruction({ multisig: ka, m: 2, signers: [kb, kc] }, config),
  );
  // With a single owner, then with a multisig that does not sign itself.
  const multisig = { address: d, signer: false };
  const rest = [s2, s3];
  const multiSigners = [k2, k3];
  same(
    'token.transfer',
    { program, accounts: { source: a, destination: b, authority: s1 }, args: { amount: 3n } },
    token.getTransferInstruction({ source: ka, destination: kb, authority: k1, amount: 3n }, config),
  );
  same(
    'token.transfer',
    { program, accounts: { source: a, destination: b, authority: multisig }, rest, args: { amount: 3n } },
    token.getTransferInstruction(
      { source: ka, destination: kb, authority: kd, amount: 3n, multiSigners },
      config,
    ),
  );
  same(
    'token.approve',
    { program, accounts: { source: a, delegate: b, owner: s1 }, args: { amount: 3n } },
    token.getApproveInstruction({ source: ka, delegate: kb, owner: k1, amount: 3n }, config),
  );
  same(
    'token.revoke',
    { program, accounts: { source: a, owner: s1 } },
    token.getRevokeInstruction({ source: ka, owner: k1 }, config),
  );
  const authorities = ['mintTokens', 'freezeAccount', 'accountOwner', 'closeAccount'] as const;
  for (const [authorityType, type] of authorities.map(
    (name, i) => [name, i as token.AuthorityType] as const,
  )) {
    const newAuthority = type % 2 === 0 ? b : null;
    same(
      'token.setAuthority',
      { program, accounts: { owned: a, authority: s1 }, args: { authorityType, newAuthority } },
      token.getSetAuthorityInstruction(
        { owned: ka, owner: k1, authorityType: type, newAuthority: newAuthority ? kb : null },
        config,
      ),
    );
  }
  same(
    'token.mintTo',
    { program, accounts: { mint: a, account: b, mintAuthority: s1 }, args: { amount: 3n } },
    token.getMintToInstruction({ mint: ka, token: kb, mintAuthority: k1, amount: 3n }, config),
  );
  same(
    'token.burn',
    { program, accounts: { account: a, mint: b, authority: s1 }, args: { amount: 3n } },
    token.getBurnInstruction({ account: ka, mint: kb, authority: k1, amount: 3n }, config),
  );
  same(
    'token.closeAccount',
    { program, accounts: { account: a, destination: b, owner: multisig }, rest },
    token.getCloseAccountInstruction({ account: ka, destination: kb, owner: kd, multiSigners }, config),
  );
  same(
    'token.freezeAccount',
    { program, accounts: { account: a, mint: b, freezeAuthority: s1 } },
    token.getFreezeAccountInstruction({ account: ka, mint: kb, owner: k1 }, config),
  );
  same(
    'token.thawAccount',
    { program, accounts: { account: a, mint: b, freezeAuthority: s1 } },
    token.getThawAccountInstruction({ account: ka, mint: kb, owner: k1 }, config),
  );
  const checked = { amount: 2n ** 64n - 1n, decimals: 9 };
  same(
    'token.transferChecked',
    { program, accounts: { source: a, mint: b, destination: c, authority: s1 }, args: checked },
    token.getTransferCheckedInstruction(
      { source: ka, mint: kb, destination: kc, authority: k1, ...checked },
      config,
    ),
  );
  same(
    'token.approveChecked',
    { program, accounts: { source: a, mint: b, delegate: c, owner: s1 }, args: checked },
    token.getApproveCheckedInstruction({ source: ka, mint: kb, delegate: kc, owner: k1, ...checked }, config),
  );
  same(
    'token.mintToChecked',
    { program, accounts: { mint: a, account: b, mintAuthority: s1 }, args: checked },
    token.getMintToCheckedInstruction({ mint: ka, token: kb, mintAuthority: k1, ...checked }, config),
  );
  same(
    'token.burnChecked',
    { program, accounts: { account: a, mint: b, authority: s1 }, args: checked },
    token.getBurnCheckedInstruction({ account: ka, mint: kb, authority: k1, ...checked }, config),
  );
  same(
    'token.syncNative',
    { program, accounts: { account: a, rent: SYSVAR_RENT } },
    token.getSyncNativeInstruction({ account: ka, rent: kitAddress(SYSVAR_RENT) }, config),
  );
  same(
    'token.getAccountDataSize',
    { program, accounts: { mint: a }, args: { extensions: [] } },
    token.getGetAccountDataSizeInstruction({ mint: ka }, config),
  );
  same(
    'token.initializeImmutableOwner',
    { program, accounts: { account: a } },
    token.getInitializeImmutableOwnerInstruction({ account: ka }, config),
  );
  same(
    'token.amountToUiAmount',
    { program, accounts: { mint: a }, args: { amount: 1n } },
    token.getAmountToUiAmountInstruction({ mint: ka, amount: 1n }, config),
  );
  same(
    'token.uiAmountToAmount',
    { program, accounts: { mint: a }, args: { uiAmount: '1.5' } },
    token.getUiAmountToAmountInstruction({ mint: ka, uiAmount: '1.5' }, config),
  );
}

// Associated Token
const associated = {
  payer: s1,
  associatedToken: a,
  owner: b,
  mint: c,
  systemProgram: SYSTEM_PROGRAM,
  tokenProgram: TOKEN_2022_PROGRAM,
};
const kitAssociated = {
  payer: k1,
  ata: ka,
  owner: kb,
  mint: kc,
  tokenProgram: kitAddress(TOKEN_2022_PROGRAM),
};
same(
  'associatedToken.create',
  { accounts: associated },
  token.getCreateAssociatedTokenInstruction(kitAssociated),
);
same(
  'associatedToken.createIdempotent',
  { accounts: associated },
  token.getCreateAssociatedTokenIdempotentInstruction(kitAssociated),
);
same(
  'associatedToken.recoverNested',
  {
    accounts: {
      nestedAssociatedToken: a,
      nestedMint: b,
      destinationAssociatedToken: c,
      ownerAssociatedToken: d,
      ownerMint: owner,
      owner: s1,
      tokenProgram: TOKEN_PROGRAM,
    },
  },
  token.getRecoverNestedAssociatedTokenInstruction({
    nestedAssociatedAccountAddress: ka,
    nestedTokenMintAddress: kb,
    destinationAssociatedAccountAddress: kc,
    ownerAssociatedAccountAddress: kd,
    ownerTokenMintAddress: kOwner,
    walletAddress: k1,
  }),
);

// Lookup tables
const key = (text: string) => new PublicKey(text);
const [createTable, table] = AddressLookupTableProgram.createLookupTable({
  authority: key(s2),
  payer: key(s1),
  recentSlot: 77n,
});
same(
  'lookupTable.create',
  {
    accounts: { table: table.toBase58(), authority: s2, payer: s1, systemProgram: SYSTEM_PROGRAM },
    args: { recentSlot: 77n, bump: createTable.data.at(-1) ?? 0 },
  },
  createTable,
);
same(
  'lookupTable.extend',
  {
    accounts: { table: a, authority: s2, payer: s1, systemProgram: SYSTEM_PROGRAM },
    args: { addresses: [b, c] },
  },
  AddressLookupTableProgram.extendLookupTable({
    lookupTable: key(a),
    authority: key(s2),
    payer: key(s1),
    addresses: [key(b), key(c)],
  }),
);
same(
  'lookupTable.extend',
  { accounts: { table: a, authority: s2 }, args: { addresses: [b] } },
  AddressLookupTableProgram.extendLookupTable({
    lookupTable: key(a),
    authority: key(s2),
    addresses: [key(b)],
  }),
);
const tableAuthority = { lookupTable: key(a), authority: key(s2) };
same(
  'lookupTable.freeze',
  { accounts: { table: a, authority: s2 } },
  AddressLookupTableProgram.freezeLookupTable(tableAuthority),
);
same(
  'lookupTable.deactivate',
  { accounts: { table: a, authority: s2 } },
  AddressLookupTableProgram.deactivateLookupTable(tableAuthority),
);
same(
  'lookupTable.close',
  { accounts: { table: a, authority: s2, recipient: b } },
  AddressLookupTableProgram.closeLookupTable({ ...tableAuthority, recipient: key(b) }),
);

test.each(cases)('$name is built as the published client builds it', ({ ours, theirs }) => {
  expect(ours).toEqual(theirs);
});

test('every kind a published client knows was compared', () => {
  const published =
    /^(system|computeBudget|associatedToken|lookupTable)\.|^token\.(?!reallocate|createNativeMint)/;
  expect(INSTRUCTION_KINDS.filter((kind) => published.test(kind) && !covered.has(kind))).toEqual([]);
});
