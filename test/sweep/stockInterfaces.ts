/**
 * Public interfaces of the stock programs, one instruction a line: number and name, data, accounts. `w` is writable,
 * `s` signs; `26.1` is a number and a nested number. Keys in data are the attacker's.
 */

const SYSTEM = `
0 createAccount | lamports size key | payer:ws created:ws
1 assign | key | account:ws
2 transfer | u64 | from:ws to:w
3 createAccountWithSeed | key text64 lamports size key | payer:ws created:w base:s
4 advanceNonceAccount | | nonce:w recentBlockhashes authority:s
5 withdrawNonceAccount | u64 | nonce:w to:w recentBlockhashes rent authority:s
6 initializeNonceAccount | key | nonce:w recentBlockhashes rent
7 authorizeNonceAccount | key | nonce:w authority:s
8 allocate | size | account:ws
9 allocateWithSeed | key text64 size key | account:w base:s
10 assignWithSeed | key text64 key | account:w base:s
11 transferWithSeed | u64 text64 key | from:w base:s to:w
12 upgradeNonceAccount | | nonce:w
13 createAccountAllowPrefund | lamports size key | created:ws payer:ws`;

const TOKEN = `
0 initializeMint | u8 key some key | mint:w rent
1 initializeAccount | | tokens:w mint owner rent
2 initializeMultisig | one | multisig:w rent member
3 transfer | u64 | source:w destination:w owner:s
4 approve | u64 | source:w delegate owner:s
5 revoke | | source:w owner:s
6.0 setMintAuthority | some key | mint:w authority:s
6.1 setFreezeAuthority | some key | mint:w authority:s
6.2 setOwner | some key | tokens:w owner:s
6.3 setCloseAuthority | some key | tokens:w owner:s
7 mintTo | u64 | mint:w destination:w authority:s
8 burn | u64 | tokens:w mint:w owner:s
9 closeAccount | | tokens:w destination:w owner:s
10 freezeAccount | | tokens:w mint authority:s
11 thawAccount | | tokens:w mint authority:s
12 transferChecked | u64 u8 | source:w mint destination:w owner:s
13 approveChecked | u64 u8 | source:w mint delegate owner:s
14 mintToChecked | u64 u8 | mint:w destination:w authority:s
15 burnChecked | u64 u8 | tokens:w mint:w owner:s
16 initializeAccount2 | key | tokens:w mint rent
17 syncNative | | tokens:w
18 initializeAccount3 | key | tokens:w mint
19 initializeMultisig2 | one | multisig:w member
20 initializeMint2 | u8 key some key | mint:w
21 getAccountDataSize | | mint
22 initializeImmutableOwner | | tokens:w
23 amountToUiAmount | u64 | mint
24 uiAmountToAmount | text | mint
38 withdrawExcessLamports | | source:w destination:w authority:s
45 unwrapLamports | some u64 | source:w destination:w owner:s`;

const TOKEN_2022 = `${TOKEN}
6.4 setTransferFeeAuthority | some key | mint:w authority:s
6.5 setWithheldAuthority | some key | mint:w authority:s
6.6 setMintCloseAuthority | some key | mint:w authority:s
6.7 setInterestAuthority | some key | mint:w authority:s
6.8 setPermanentDelegate | some key | mint:w authority:s
6.9 setConfidentialAuthority | some key | mint:w authority:s
6.10 setTransferHookAuthority | some key | mint:w authority:s
6.12 setMetadataPointerAuthority | some key | mint:w authority:s
6.13 setGroupPointerAuthority | some key | mint:w authority:s
6.16 setPauseAuthority | some key | mint:w authority:s
25 initializeMintCloseAuthority | some key | mint:w
26.0 initializeTransferFee | some key some key u16 u64 | mint:w
26.1 transferCheckedWithFee | u64 u8 u64 | source:w mint destination:w owner:s
26.2 withdrawWithheldFromMint | | mint:w destination:w authority:s
26.3 withdrawWithheldFromAccounts | one | mint destination:w authority:s source:w
26.4 harvestWithheldToMint | | mint:w source:w
26.5 setTransferFee | u16 u64 | mint:w authority:s
27.0 initializeConfidentialMint | key u8 key | mint:w
27.2 configureConfidentialAccount | u64 u64 | tokens:w mint proof owner:s
27.5 depositConfidential | u64 u8 | tokens:w mint owner:s
27.6 withdrawConfidential | u64 u8 | tokens:w mint proof owner:s
28.0 initializeDefaultState | u8 | mint:w
28.1 updateDefaultState | u8 | mint:w authority:s
29 reallocate | u16 | tokens:w payer:ws systemProgram owner:s
30.0 enableMemoTransfers | | tokens:w owner:s
30.1 disableMemoTransfers | | tokens:w owner:s
31 createNativeMint | | payer:ws mint:w systemProgram
32 initializeNonTransferable | | mint:w
33.0 initializeInterest | key u16 | mint:w
33.1 updateInterestRate | u16 | mint:w authority:s
34.0 enableCpiGuard | | tokens:w owner:s
34.1 disableCpiGuard | | tokens:w owner:s
35 initializePermanentDelegate | key | mint:w
36.0 initializeTransferHook | key key | mint:w
36.1 updateTransferHook | key | mint:w authority:s
39.0 initializeMetadataPointer | key key | mint:w
39.1 updateMetadataPointer | key | mint:w authority:s
40.1 updateGroupPointer | key | mint:w authority:s
41.1 updateGroupMemberPointer | key | mint:w authority:s
43.1 updateMultiplier | u64 u64 | mint:w authority:s
44.1 pause | | mint:w authority:s
44.2 resume | | mint:w authority:s
x:d2e11ea258b84d8d initializeMetadata | text text text | metadata:w updateAuthority mint authority:s
x:dde9312db5cadcc8 updateMetadataField | u8 text | metadata:w updateAuthority:s
x:ea122038598d25b5 removeMetadataKey | u8 text | metadata:w updateAuthority:s
x:d7e4a6e45464567b updateMetadataAuthority | key | metadata:w updateAuthority:s`;

const ASSOCIATED_TOKEN = `
0 create | | payer:ws created:w owner mint systemProgram tokenProgram
1 createIdempotent | | payer:ws created:w owner mint systemProgram tokenProgram
2 recoverNested | | source:w mint destination:w tokens wallet:ws tokenProgram`;

const STAKE = `
0 initialize | key key u64 u64 key | stake:w rent
1.0 authorizeStaker | key | stake:w clock authority:s
1.1 authorizeWithdrawer | key | stake:w clock authority:s
2 delegate | | stake:w vote clock stakeHistory stakeConfig authority:s
3 split | u64 | stake:w created:w authority:s
4 withdraw | u64 | stake:w to:w clock stakeHistory authority:s
5 deactivate | | stake:w clock authority:s
6 setLockup | some u64 none some key | stake:w authority:s
7 merge | | destination:w stake:w clock stakeHistory authority:s
8 authorizeWithSeed | key u32 text64 key | stake:w base:s clock
9 initializeChecked | | stake:w rent staker withdrawer:s
10.1 authorizeWithdrawerChecked | | stake:w clock authority:s newAuthority:s
11 authorizeCheckedWithSeed | u32 text64 key | stake:w base:s clock newAuthority:s
12 setLockupChecked | some u64 none | stake:w authority:s custodian:s
14 deactivateDelinquent | | stake:w vote referenceVote
16 moveStake | u64 | stake:w destination:w authority:s
17 moveLamports | u64 | stake:w destination:w authority:s`;

const LOADER_V3 = `
0 initializeBuffer | | buffer:w authority
1 write | u32 text64 | buffer:w authority:s
2 deployWithMaxDataLen | u64 | payer:ws programData:w program:w buffer:w rent clock systemProgram authority:s
3 upgrade | | programData:w program:w buffer:w to:w rent clock authority:s
4 setAuthority | | programData:w authority:s newAuthority
5 close | | programData:w to:w authority:s program:w
6 extendProgram | u32 | programData:w program:w systemProgram payer:ws
7 setAuthorityChecked | | programData:w authority:s newAuthority:s
8 migrate | | programData:w program:w authority:s
9 extendProgramChecked | u32 | programData:w program:w authority:s systemProgram payer:ws`;

const LOADER_V4 = `
0 write | u32 text64 | program:w authority:s
1 copy | u32 u32 u32 | program:w authority:s source
2 setProgramLength | u32 | program:w authority:s to:w
3 deploy | | program:w authority:s
4 retract | | program:w authority:s
5 transferAuthority | | program:w authority:s newAuthority:s
6 finalize | | program:w authority:s next`;

const LOOKUP_TABLE = `
0 create | u64 u8 | table:w authority payer:ws systemProgram
1 freeze | | table:w authority:s
2 extend | keys64 | table:w authority:s payer:ws systemProgram
3 deactivate | | table:w authority:s
4 close | | table:w authority:s to:w`;

/** A program, the width of its instruction numbers, and its instructions. */
export const STOCK_INTERFACES = [
  { name: 'system', address: '11111111111111111111111111111111', width: 4, lines: SYSTEM },
  { name: 'token', address: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', width: 1, lines: TOKEN },
  { name: 'token2022', address: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb', width: 1, lines: TOKEN_2022 },
  {
    name: 'associatedToken',
    address: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    width: 1,
    lines: ASSOCIATED_TOKEN,
  },
  { name: 'stake', address: 'Stake11111111111111111111111111111111111111', width: 4, lines: STAKE },
  { name: 'loaderV3', address: 'BPFLoaderUpgradeab1e11111111111111111111111', width: 4, lines: LOADER_V3 },
  { name: 'loaderV4', address: 'LoaderV411111111111111111111111111111111111', width: 4, lines: LOADER_V4 },
  {
    name: 'lookupTable',
    address: 'AddressLookupTab1e1111111111111111111111111',
    width: 4,
    lines: LOOKUP_TABLE,
  },
] as const;
