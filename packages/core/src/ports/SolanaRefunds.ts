/** A refund as a transfer of tokens. */
export interface RefundTransfer {
  /** Idempotency key. A key is paid at most once, with the terms it was first given with. */
  readonly key: string
  /** Wallet that is paid, in base58: the payer of the charge. */
  readonly payee: string
  /** The token's mint. */
  readonly asset: string
  /** Atomic units of the token. */
  readonly amountAtomic: bigint
}

/** What became of a refund's transfer. `transaction`: its signature in base58. */
export type RefundTransferState =
  /** Nothing was ever signed under this key. */
  | { readonly status: "none" }
  /** Signed and perhaps sent; the outcome is open. */
  | { readonly status: "pending"; readonly transaction: string }
  /** In a final block: the money has moved. */
  | { readonly status: "sent"; readonly transaction: string }

/** A signed transaction of a refund, by this wallet or another one. */
export interface RefundTransaction {
  /** Wallet that pays, in base58. */
  readonly wallet: string
  /** Its signature in base58. */
  readonly transaction: string
  /** No slot before has it. */
  readonly signedAtSlot: number
  /** No block above this height has it. */
  readonly lastValidBlockHeight: number
}

export interface RefundTransferContext {
  /** Aborts when the caller stops waiting. */
  readonly signal?: AbortSignal
  /**
   * The transactions that the till has recorded for this key, of all wallets, oldest first. None is signed while one of
   * them can still move; one that moved is the refund.
   */
  readonly recorded?: ReadonlyArray<RefundTransaction>
  /**
   * Records a transaction for this key in the till's store. Call it after signing and before each sending; `false`:
   * another wallet was first, so don't send it.
   */
  readonly record?: (transaction: RefundTransaction) => Promise<boolean>
}

/**
 * Sends refunds on one Solana network from the host's wallet, each once, also if the process dies or several processes
 * send it at the same time. `solanaRefunds` of `@till402/providers/solana-refunds` is one.
 */
export interface SolanaRefunds {
  /** CAIP-2 identifier of the network. */
  readonly network: string
  /** The wallet that pays, in base58. */
  readonly address: string
  /** Returns the state of a key's transfer. Sends nothing; rejects if the state is unknown. */
  readonly find: (key: string, context?: RefundTransferContext) => Promise<RefundTransferState>
  /**
   * Transfers a refund and waits a while for its final block. Resolves with `pending` if that takes longer: call it
   * again with the same key. Rejects if nothing could be signed or sent, or the state is unknown.
   */
  readonly refund: (transfer: RefundTransfer, context?: RefundTransferContext) => Promise<RefundTransferState>
}
