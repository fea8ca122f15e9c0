import type { Authorization } from "../../../src/domain/PaymentPayload.ts"

/** A transfer of tokens on the canonical chain. */
export interface Transfer {
  readonly from: string
  readonly to: string
  readonly value: bigint
  readonly transaction: string
  readonly logIndex: number
  readonly minedMillis: number
  /**
   * When it became visible: later than its block's time if a reorganization included it, and on Solana once two thirds of
   * the stake have voted for its block.
   */
  readonly visibleMillis: number
  /** The authorization that moved it, by payer and nonce; `undefined` for a plain `transfer`. */
  readonly nonceKey: string | undefined
}

/** A chain of either family, as the checks of money read it. They don't know how a till reads it. */
export interface MoneyChain {
  /** Every transfer of the canonical chain, including the next block. */
  readonly transfers: ReadonlyArray<Transfer>
  readonly isReorganized: boolean
  /** Time after which a transfer that is in a block is visible to everyone. */
  readonly visibilityMillis: number
  readonly token: { readonly balanceOf: (address: string) => bigint }
  /** The transfer by which an authorization moved its value to its recipient, now or in the next block. */
  readonly transferOf: (authorization: Authorization) => Transfer | undefined
  /** Whether an authorization moved its value, as everyone could see, before a reorganization undid that. */
  readonly hasEverMoved: (authorization: Authorization) => boolean
  /** When an authorization was used up without its transfer: its payer canceled it, or signed another of its nonce. */
  readonly wastedMillis: (authorization: Authorization) => number | undefined
  /** Whether a transaction is one that only a till's own facilitator could make. */
  readonly isOwnSettlement: (transaction: string) => boolean
}

/** The accounts of a world that belong to no client. */
export interface HostAccounts {
  readonly payTo: string
  /** From which tills send refunds, and from which operators send them by hand. */
  readonly wallets: ReadonlyArray<string>
  readonly operator: string
  /** Whether a sender's unsolicited transfers to `payTo` are expected: attackers only. */
  readonly sendsForeign: (address: string) => boolean
}
