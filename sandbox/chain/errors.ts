/** Transaction errors in the JSON form of Solana RPCs, and their messages. Names follow the order of the runtime's enums. */
import type { FailedTransactionMetadata } from 'litesvm';

/** A transaction error as JSON: a name, or an object with one key. */
export type TransactionErrorJson =
  | string
  | { readonly InstructionError: readonly [number, InstructionErrorJson] }
  | { readonly DuplicateInstruction: number }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }
  | { readonly ProgramExecutionTemporarilyRestricted: { readonly account_index: number } };

export type InstructionErrorJson = string | { readonly Custom: number };

/** An error of the facade: bytes that are not a transaction, or an impossible operation. */
export class ChainError extends Error {
  readonly code: 'TOO_LARGE' | 'MALFORMED' | 'NOT_POSSIBLE' | 'UNAVAILABLE';

  constructor(code: ChainError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ChainError';
    this.code = code;
  }
}

const TRANSACTION_ERRORS =
  `AccountInUse AccountLoadedTwice AccountNotFound ProgramAccountNotFound InsufficientFundsForFee
  InvalidAccountForFee AlreadyProcessed BlockhashNotFound CallChainTooDeep MissingSignatureForFee
  InvalidAccountIndex SignatureFailure InvalidProgramForExecution SanitizeFailure ClusterMaintenance
  AccountBorrowOutstanding WouldExceedMaxBlockCostLimit UnsupportedVersion InvalidWritableAccount
  WouldExceedMaxAccountCostLimit WouldExceedAccountDataBlockLimit TooManyAccountLocks
  AddressLookupTableNotFound InvalidAddressLookupTableOwner InvalidAddressLookupTableData
  InvalidAddressLookupTableIndex InvalidRentPayingAccount WouldExceedMaxVoteCostLimit
  WouldExceedAccountDataTotalLimit MaxLoadedAccountsDataSizeExceeded ResanitizationNeeded
  InvalidLoadedAccountsDataSizeLimit UnbalancedTransaction ProgramCacheHitMaxLimit CommitCancelled`.split(
    /\s+/,
  );

const INSTRUCTION_ERRORS =
  `GenericError InvalidArgument InvalidInstructionData InvalidAccountData AccountDataTooSmall
  InsufficientFunds IncorrectProgramId MissingRequiredSignature AccountAlreadyInitialized
  UninitializedAccount UnbalancedInstruction ModifiedProgramId ExternalAccountLamportSpend
  ExternalAccountDataModified ReadonlyLamportChange ReadonlyDataModified DuplicateAccountIndex
  ExecutableModified RentEpochModified NotEnoughAccountKeys AccountDataSizeChanged AccountNotExecutable
  AccountBorrowFailed AccountBorrowOutstanding DuplicateAccountOutOfSync InvalidError
  ExecutableDataModified ExecutableLamportChange ExecutableAccountNotRentExempt UnsupportedProgramId
  CallDepth MissingAccount ReentrancyNotAllowed MaxSeedLengthExceeded InvalidSeeds InvalidRealloc
  ComputationalBudgetExceeded PrivilegeEscalation ProgramEnvironmentSetupFailure ProgramFailedToComplete
  ProgramFailedToCompile Immutable IncorrectAuthority AccountNotRentExempt InvalidAccountOwner
  ArithmeticOverflow UnsupportedSysvar IllegalOwner MaxAccountsDataAllocationsExceeded MaxAccountsExceeded
  MaxInstructionTraceLengthExceeded BuiltinProgramsMustConsumeComputeUnits BorshIoError`.split(/\s+/);

/** The JSON form of an error the runtime returned. */
export function transactionErrorJson(
  err: ReturnType<FailedTransactionMetadata['err']>,
): TransactionErrorJson {
  if (typeof err === 'number') return TRANSACTION_ERRORS[err] ?? 'SanitizeFailure';
  if ('err' in err) return { InstructionError: [err.index, instructionErrorJson(err.err())] };
  if ('index' in err) return { DuplicateInstruction: err.index };
  // Two classes share the shape; only the name of the native class tells them apart.
  return err.constructor.name === 'TransactionErrorInsufficientFundsForRent'
    ? { InsufficientFundsForRent: { account_index: err.accountIndex } }
    : { ProgramExecutionTemporarilyRestricted: { account_index: err.accountIndex } };
}

type NativeInstructionError = ReturnType<
  Extract<ReturnType<FailedTransactionMetadata['err']>, { err(): unknown }>['err']
>;

function instructionErrorJson(err: NativeInstructionError): InstructionErrorJson {
  if (typeof err === 'number') return INSTRUCTION_ERRORS[err] ?? 'GenericError';
  return 'code' in err ? { Custom: err.code } : 'BorshIoError';
}

const SENTENCES: Readonly<Record<string, string>> = {
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
  ProgramAccountNotFound: 'Attempt to load a program that does not exist',
  InsufficientFundsForFee: 'Insufficient funds for fee',
  InvalidAccountForFee: 'This account may not be used to pay transaction fees',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  SignatureFailure: 'Transaction did not pass signature verification',
  TooManyAccountLocks: 'Transaction locked too many accounts',
  AddressLookupTableNotFound: "Transaction loads an address table account that doesn't exist",
  InvalidAddressLookupTableOwner: 'Transaction loads an address table account with an invalid owner',
  InvalidAddressLookupTableData: 'Transaction loads an address table account with invalid data',
  InvalidAddressLookupTableIndex: 'Transaction address table lookup uses an invalid index',
};

/** Returns the message of an error, as worded by RPC nodes. */
export function transactionErrorSentence(err: TransactionErrorJson): string {
  if (typeof err === 'string') return SENTENCES[err] ?? err;
  if ('InstructionError' in err) {
    const [index, why] = err.InstructionError;
    const detail = typeof why === 'string' ? why : `custom program error: 0x${why.Custom.toString(16)}`;
    return `Error processing Instruction ${index}: ${detail}`;
  }
  if ('InsufficientFundsForRent' in err) {
    const { account_index } = err.InsufficientFundsForRent;
    return `Transaction results in an account (${account_index}) with insufficient funds for rent`;
  }
  if ('DuplicateInstruction' in err) {
    return `Transaction contains a duplicate instruction (${err.DuplicateInstruction}) that is not allowed`;
  }
  const { account_index } = err.ProgramExecutionTemporarilyRestricted;
  return `Execution of the program at account index ${account_index} is temporarily restricted`;
}
