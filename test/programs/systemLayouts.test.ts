/** Layouts of the System, Compute Budget and Address Lookup Table programs against their published clients. */
import { AddressLookupTableProgram, PublicKey } from '@solana/web3.js';
import * as budget from '@solana-program/compute-budget';
import * as system from '@solana-program/system';
import { SYSTEM_PROGRAM, SYSVAR_RECENT_BLOCKHASHES, SYSVAR_RENT } from '../../src/transaction/programs.ts';
import { a, b, c, compareAll, k1, k2, ka, kb, kOwner, owner, s1, s2, same } from '../transaction/clients.ts';

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

compareAll(/^(system|computeBudget|lookupTable)\./);
