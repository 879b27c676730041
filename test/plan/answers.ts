/** Possible answers of a service, with small real transactions. */
import { MEMO_V3_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { encodeTransaction, readTransaction } from '../../src/transaction/read.ts';
import { encodeWire } from '../../src/transaction/wire.ts';
import { testAddress, testKey } from '../transaction/keys.ts';

export const WALLET = testKey('plan wallet').address;
export const MINT = testAddress('mint');
export const CLAIMER = testAddress('claimer');
export const NETWORK = testAddress('genesis');

/** An unsigned v0 transaction of the wallet with a memo. */
export function transaction(memo: string, blockhash = testAddress('blockhash')): Uint8Array {
  return encodeTransaction({
    format: 'v0',
    numRequiredSignatures: 1,
    numReadonlySigned: 0,
    numReadonlyUnsigned: 1,
    staticAccounts: [WALLET, MEMO_V3_PROGRAM],
    blockhash,
    instructions: [{ programIndex: 1, accountIndexes: [], data: Uint8Array.from(Buffer.from(memo)) }],
    lookups: [],
    signatures: [null],
  });
}

export const base64 = (memo: string, blockhash?: string) =>
  encodeWire(transaction(memo, blockhash), 'base64');
export const base58 = (memo: string) => encodeWire(transaction(memo), 'base58');

/** One stage of a service plan. */
export function wireStage(id: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  const bytes = transaction(id);
  return {
    id,
    kind: 'config',
    dependsOn: [],
    format: 'v0',
    encoding: 'base64',
    transaction: encodeWire(bytes, 'base64'),
    messageSha256: readTransaction(bytes).messageSha256,
    requiredSigners: [WALLET],
    lifetime: { blockhash: testAddress('blockhash'), lastValidBlockHeight: '150' },
    ...more,
  };
}

/** A service plan. */
export function wirePlan(stages: unknown[], more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    contractVersion: 1,
    operation: { kind: 'config', baseMint: MINT, flow: 'dbc' },
    asset: { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 },
    feeLimits: [],
    transactions: stages,
    readiness: { status: 'ready' },
    ...more,
  };
}

/** The config endpoint's answer with this plan. */
export const configAnswer = (plan: unknown, more: Record<string, unknown> = {}) => ({
  contractVersion: 1,
  needsCreation: true,
  feeShareConfig: testAddress('config'),
  feeShareAuthority: testAddress('authority'),
  asset: null,
  flow: 'dbc',
  venueConfigKey: null,
  plan,
  ...more,
});

export const configRequest = {
  baseMint: MINT,
  payer: WALLET,
  flow: 'dbc',
  claimersArray: [CLAIMER],
  basisPointsArray: [10_000],
};

export const launchRequest = {
  ipfs: 'https://x.example/a',
  tokenMint: MINT,
  wallet: WALLET,
  quoteMint: WSOL_MINT,
};

/** A custody bundle of the given types. */
export const bundleAnswer = (types: readonly string[], encode: (memo: string) => string = base64) => ({
  transactions: types.map((type) => ({ type, transaction: encode(type) })),
  launch: Object.fromEntries(
    [
      'pool',
      'treasuryPositionNftMint',
      'feeClaimerPositionNftMint',
      'feeClaimerWallet',
      'lookupTable',
      'positionCustody',
      'custodyAuthority',
    ]
      .map((name): [string, unknown] => [name, testAddress(name)])
      .concat([
        ['tokenMint', MINT],
        ['quoteMint', WSOL_MINT],
        ['quoteTokenProgram', TOKEN_PROGRAM],
      ]),
  ),
});
