/** Addresses every Solana chain shares: native programs, the token programs, sysvars, the SOL mints. */
import type { Address } from './types.ts';

export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
export const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
export const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
export const MEMO_V1_PROGRAM = 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo';
export const MEMO_V3_PROGRAM = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
export const MEMO_V4_PROGRAM = 'Memo4c2pN8afCj432Lb7RMVKi9PbQnnW7ewFFaV3oAH';
export const LOOKUP_TABLE_PROGRAM = 'AddressLookupTab1e1111111111111111111111111';
export const STAKE_PROGRAM = 'Stake11111111111111111111111111111111111111';
export const VOTE_PROGRAM = 'Vote111111111111111111111111111111111111111';
export const CONFIG_PROGRAM = 'Config1111111111111111111111111111111111111';
export const FEATURE_PROGRAM = 'Feature111111111111111111111111111111111111';
export const LOADER_V1_PROGRAM = 'BPFLoader1111111111111111111111111111111111';
export const LOADER_V2_PROGRAM = 'BPFLoader2111111111111111111111111111111111';
export const LOADER_V3_PROGRAM = 'BPFLoaderUpgradeab1e11111111111111111111111';
export const LOADER_V4_PROGRAM = 'LoaderV411111111111111111111111111111111111';
export const NATIVE_LOADER = 'NativeLoader1111111111111111111111111111111';
export const ED25519_PROGRAM = 'Ed25519SigVerify111111111111111111111111111';
export const SECP256K1_PROGRAM = 'KeccakSecp256k11111111111111111111111111111';
export const SECP256R1_PROGRAM = 'Secp256r1SigVerify1111111111111111111111111';
export const ZK_PROOF_PROGRAM = 'ZkE1Gama1Proof11111111111111111111111111111';

export const SYSVAR_CLOCK = 'SysvarC1ock11111111111111111111111111111111';
export const SYSVAR_RENT = 'SysvarRent111111111111111111111111111111111';
export const SYSVAR_RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
export const SYSVAR_INSTRUCTIONS = 'Sysvar1nstructions1111111111111111111111111';
export const SYSVAR_STAKE_HISTORY = 'SysvarStakeHistory1111111111111111111111111';

/** Wrapped SOL of the Token program. */
export const WSOL_MINT = 'So11111111111111111111111111111111111111112';
/** Wrapped SOL of Token-2022; practically unused, never an alias of `WSOL_MINT`. */
export const TOKEN_2022_NATIVE_MINT = '9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP';

export const TOKEN_PROGRAMS: readonly Address[] = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
export const MEMO_PROGRAMS: readonly Address[] = [MEMO_V1_PROGRAM, MEMO_V3_PROGRAM, MEMO_V4_PROGRAM];
/** Deploy, upgrade or close programs (T7). */
export const LOADER_PROGRAMS: readonly Address[] = [
  LOADER_V1_PROGRAM,
  LOADER_V2_PROGRAM,
  LOADER_V3_PROGRAM,
  LOADER_V4_PROGRAM,
  NATIVE_LOADER,
];
/** Verify signatures made off the chain (T49). */
export const PRECOMPILE_PROGRAMS: readonly Address[] = [
  ED25519_PROGRAM,
  SECP256K1_PROGRAM,
  SECP256R1_PROGRAM,
];

/** Names for the programs above, as shown to a person. */
export const PROGRAM_NAMES: Readonly<Record<Address, string>> = {
  [SYSTEM_PROGRAM]: 'System',
  [TOKEN_PROGRAM]: 'Token',
  [TOKEN_2022_PROGRAM]: 'Token-2022',
  [ASSOCIATED_TOKEN_PROGRAM]: 'Associated Token',
  [COMPUTE_BUDGET_PROGRAM]: 'Compute Budget',
  [MEMO_V1_PROGRAM]: 'Memo v1',
  [MEMO_V3_PROGRAM]: 'Memo v3',
  [MEMO_V4_PROGRAM]: 'Memo v4',
  [LOOKUP_TABLE_PROGRAM]: 'Address Lookup Table',
  [STAKE_PROGRAM]: 'Stake',
  [VOTE_PROGRAM]: 'Vote',
  [CONFIG_PROGRAM]: 'Config',
  [FEATURE_PROGRAM]: 'Feature',
  [LOADER_V1_PROGRAM]: 'Loader v1',
  [LOADER_V2_PROGRAM]: 'Loader v2',
  [LOADER_V3_PROGRAM]: 'Loader v3 (upgradeable)',
  [LOADER_V4_PROGRAM]: 'Loader v4',
  [NATIVE_LOADER]: 'Native Loader',
  [ED25519_PROGRAM]: 'Ed25519 precompile',
  [SECP256K1_PROGRAM]: 'Secp256k1 precompile',
  [SECP256R1_PROGRAM]: 'Secp256r1 precompile',
  [ZK_PROOF_PROGRAM]: 'ZK ElGamal proof',
};
