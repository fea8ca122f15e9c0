import { Data } from "effect"

/** The journal could not be read or written. Nothing is sent without a record. */
export class TransferJournalFailed extends Data.TaggedError("TransferJournalFailed")<{
  readonly code: string
}> {
  override get message(): string {
    return "the journal of transfers could not be read or written"
  }
}

/** The wallet did not sign, or not this message. Nothing was sent. `code`: the name of its error. */
export class TransferNotSigned extends Data.TaggedError("TransferNotSigned")<{ readonly code: string }> {
  override get message(): string {
    return "the wallet did not sign the transfer"
  }
}

/** The wallet has too little money. Nothing was signed. `asset`: the token's mint, or `SOL` for the fee. */
export class WalletUnderfunded extends Data.TaggedError("WalletUnderfunded")<{ readonly asset: string }> {
  override get message(): string {
    return `the wallet has too little ${this.asset === "SOL" ? "SOL for the fee of the refund" : "of the token for the refund"}`
  }
}

/** The payee has no token account that can receive the refund. Nothing was signed. */
export class PayeeAccountMissing extends Data.TaggedError("PayeeAccountMissing")<{}> {
  override get message(): string {
    return "the payee has no token account for the refund; set createsAccounts to open one, or refund by other means"
  }
}

/** The asset is not the mint of a token. Nothing was signed. */
export class MintUnknown extends Data.TaggedError("MintUnknown")<{ readonly mint: string }> {
  override get message(): string {
    return `${this.mint} is not the mint of a token of the Token or Token-2022 program`
  }
}

/** Another transfer was recorded under this key, with other terms. Nothing was signed for this one. */
export class TransferDiffers extends Data.TaggedError("TransferDiffers")<{ readonly signature: string }> {
  override get message(): string {
    return "another transfer was recorded under this key"
  }
}

/**
 * An earlier attempt expired without being shown, and no second node confirms that it didn't move, or a node no longer
 * has the blocks that would show it. Nothing is signed again. Set `secondRpcUrl`; or look the signature up at a node with
 * full history, and record the refund by hand.
 */
export class TransferUncertain extends Data.TaggedError("TransferUncertain")<{ readonly signature: string }> {
  override get message(): string {
    return "an earlier attempt may have moved: set secondRpcUrl, or look its signature up at a node with full history"
  }
}

/** So many attempts failed or expired that no other is signed. No money moved. */
export class TooManyAttempts extends Data.TaggedError("TooManyAttempts")<{ readonly attempts: number }> {
  override get message(): string {
    return `${this.attempts} attempts failed or expired, and no other is signed`
  }
}

/** Errors of sending a refund, without faults of the node. */
export type SolanaRefundError =
  | TransferJournalFailed
  | TransferNotSigned
  | WalletUnderfunded
  | PayeeAccountMissing
  | MintUnknown
  | TransferDiffers
  | TransferUncertain
  | TooManyAttempts
