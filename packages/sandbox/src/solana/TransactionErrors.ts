import type { FailedTransactionMetadata } from "litesvm"

/** An error of a transaction, as JSON-RPC names it: `"AlreadyProcessed"`, `{InstructionError: [2, {Custom: 1}]}`. */
export type TransactionErrorJson = string | Readonly<Record<string, unknown>>

/** https://docs.rs/solana-transaction-error: the names in the order of the virtual machine's numbers. */
const transactionErrors = [
  "AccountInUse",
  "AccountLoadedTwice",
  "AccountNotFound",
  "ProgramAccountNotFound",
  "InsufficientFundsForFee",
  "InvalidAccountForFee",
  "AlreadyProcessed",
  "BlockhashNotFound",
  "CallChainTooDeep",
  "MissingSignatureForFee",
  "InvalidAccountIndex",
  "SignatureFailure",
  "InvalidProgramForExecution",
  "SanitizeFailure",
  "ClusterMaintenance",
  "AccountBorrowOutstanding",
  "WouldExceedMaxBlockCostLimit",
  "UnsupportedVersion",
  "InvalidWritableAccount",
  "WouldExceedMaxAccountCostLimit",
  "WouldExceedAccountDataBlockLimit",
  "TooManyAccountLocks",
  "AddressLookupTableNotFound",
  "InvalidAddressLookupTableOwner",
  "InvalidAddressLookupTableData",
  "InvalidAddressLookupTableIndex",
  "InvalidRentPayingAccount",
  "WouldExceedMaxVoteCostLimit",
  "WouldExceedAccountDataTotalLimit",
  "MaxLoadedAccountsDataSizeExceeded",
  "ResanitizationNeeded",
  "InvalidLoadedAccountsDataSizeLimit",
  "UnbalancedTransaction",
  "ProgramCacheHitMaxLimit",
  "CommitCancelled"
]

/** https://docs.rs/solana-instruction-error, in the same way. */
const instructionErrors = [
  "GenericError",
  "InvalidArgument",
  "InvalidInstructionData",
  "InvalidAccountData",
  "AccountDataTooSmall",
  "InsufficientFunds",
  "IncorrectProgramId",
  "MissingRequiredSignature",
  "AccountAlreadyInitialized",
  "UninitializedAccount",
  "UnbalancedInstruction",
  "ModifiedProgramId",
  "ExternalAccountLamportSpend",
  "ExternalAccountDataModified",
  "ReadonlyLamportChange",
  "ReadonlyDataModified",
  "DuplicateAccountIndex",
  "ExecutableModified",
  "RentEpochModified",
  "NotEnoughAccountKeys",
  "AccountDataSizeChanged",
  "AccountNotExecutable",
  "AccountBorrowFailed",
  "AccountBorrowOutstanding",
  "DuplicateAccountOutOfSync",
  "InvalidError",
  "ExecutableDataModified",
  "ExecutableLamportChange",
  "ExecutableAccountNotRentExempt",
  "UnsupportedProgramId",
  "CallDepth",
  "MissingAccount",
  "ReentrancyNotAllowed",
  "MaxSeedLengthExceeded",
  "InvalidSeeds",
  "InvalidRealloc",
  "ComputationalBudgetExceeded",
  "PrivilegeEscalation",
  "ProgramEnvironmentSetupFailure",
  "ProgramFailedToComplete",
  "ProgramFailedToCompile",
  "Immutable",
  "IncorrectAuthority",
  "AccountNotRentExempt",
  "InvalidAccountOwner",
  "ArithmeticOverflow",
  "UnsupportedSysvar",
  "IllegalOwner",
  "MaxAccountsDataAllocationsExceeded",
  "MaxAccountsExceeded",
  "MaxInstructionTraceLengthExceeded",
  "BuiltinProgramsMustConsumeComputeUnits",
  "BorshIoError"
]

/** The virtual machine's error of a failed transaction in the JSON of Solana's RPC. */
export const transactionErrorJson = (failed: FailedTransactionMetadata): TransactionErrorJson => {
  const error = failed.err()
  if (typeof error === "number") return transactionErrors[error] ?? `Error${error}`
  if ("err" in error) return { InstructionError: [error.index, instructionErrorJson(error.err())] }
  if ("index" in error) return { DuplicateInstruction: error.index }
  const name = error.constructor.name.replace(/^TransactionError/, "")
  return { [name]: { account_index: error.accountIndex } }
}

const instructionErrorJson = (
  error: number | { readonly code: number } | { readonly msg: string }
): TransactionErrorJson => {
  if (typeof error === "number") return instructionErrors[error] ?? `Error${error}`
  return "code" in error ? { Custom: error.code } : "BorshIoError"
}

/**
 * Whether a transaction with this error is in a block, where it has paid its fee. Others never get there: they can't
 * be found later, and may succeed if they are sent again.
 */
export const landsInBlock = (error: TransactionErrorJson): boolean =>
  typeof error !== "string" && "InstructionError" in error
