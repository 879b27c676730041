/** Landed transactions as `getTransaction` shows them. */
import bs58 from 'bs58';
import { decodeTransaction, type WireTransaction } from '../chain/runtime/wire.ts';
import type { InnerInstructions, TokenBalance, TransactionRecord } from '../chain/types.ts';
import { tokenAmount } from './encode.ts';
import { invalidParams } from './errors.ts';

/** The transaction itself in the encoding asked for. */
export function encodeTransaction(record: TransactionRecord, encoding: unknown): unknown {
  if (encoding === 'base64') return [Buffer.from(record.bytes).toString('base64'), 'base64'];
  if (encoding !== 'json') {
    throw invalidParams(`Invalid params: unknown encoding ${String(encoding)}`);
  }
  const wire = decodeTransaction(record.bytes);
  return { signatures: wire.signatures, message: compiledMessage(wire) };
}

/** The `meta` of a landed transaction. Loaded addresses are told to clients that know of versions. */
export function metaJson(record: TransactionRecord, versioned: boolean): object {
  return {
    err: record.err,
    status: record.err === null ? { Ok: null } : { Err: record.err },
    fee: record.fee,
    preBalances: record.preBalances,
    postBalances: record.postBalances,
    preTokenBalances: record.preTokenBalances.map(tokenBalanceJson),
    postTokenBalances: record.postTokenBalances.map(tokenBalanceJson),
    innerInstructions: innerInstructionsJson(record.innerInstructions),
    logMessages: record.logs,
    rewards: [],
    computeUnitsConsumed: record.unitsConsumed,
    ...(versioned ? { loadedAddresses: record.loadedAddresses } : {}),
    ...(record.returnData === null ? {} : { returnData: returnDataJson(record.returnData) }),
  };
}

export function innerInstructionsJson(inner: readonly InnerInstructions[]): object[] {
  return inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((instruction) => ({
      ...instruction,
      data: bs58.encode(instruction.data),
    })),
  }));
}

export function returnDataJson(returned: TransactionRecord['returnData']): object | null {
  if (returned === null) return null;
  return { programId: returned.programId, data: [Buffer.from(returned.data).toString('base64'), 'base64'] };
}

function tokenBalanceJson({ amount, decimals, ...balance }: TokenBalance): object {
  return { ...balance, uiTokenAmount: tokenAmount(amount, decimals) };
}

function compiledMessage(wire: WireTransaction): object {
  return {
    accountKeys: wire.staticAccounts,
    header: {
      numRequiredSignatures: wire.numSigners,
      numReadonlySignedAccounts: wire.numReadonlySigners,
      numReadonlyUnsignedAccounts: wire.numReadonlyNonSigners,
    },
    recentBlockhash: wire.blockhash,
    instructions: wire.instructions.map((instruction) => ({
      programIdIndex: instruction.programIndex,
      accounts: instruction.accountIndexes,
      data: bs58.encode(instruction.data),
      stackHeight: 1,
    })),
    ...(wire.version === 0 ? { addressTableLookups: tableLookups(wire) } : {}),
    ...(wire.version === 1 ? { transactionConfig: wire.config } : {}),
  };
}

function tableLookups(wire: WireTransaction): object[] {
  return wire.lookups.map(({ table, writableIndexes, readonlyIndexes }) => ({
    accountKey: table,
    writableIndexes,
    readonlyIndexes,
  }));
}
