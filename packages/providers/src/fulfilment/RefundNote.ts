/*
 * A note on a shop's order that its buyer was refunded. The shop itself moves no money: the till has.
 */

/** A refund that the till sent. */
export interface RefundNote {
  /** Hash of the refund's transaction. */
  readonly transaction: string
  /** Refunded dollars as decimal text. */
  readonly amount?: string | undefined
}

/** The note's text: one line with the transaction. */
export const refundText = ({ amount, transaction }: RefundNote): string =>
  `Refunded${amount === undefined ? "" : ` ${amount} USD`} in USDC (x402), transaction ${transaction}`
