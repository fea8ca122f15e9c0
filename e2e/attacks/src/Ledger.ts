import type { ReceivedResponse, Call } from "./Calls.ts"
import type { LocalChain } from "./LocalChain.ts"
import type { Payment } from "./Payments.ts"
import type { Visitor } from "./Visitor.ts"

/*
 * An attacker's money and goods, counted independently of the server: balances on the chain, and responses received.
 */

/** Dollars with two decimals, rounded towards zero. */
export const dollars = (atomic: bigint): string => {
  const cents = (atomic < 0n ? -atomic : atomic) / 10_000n
  const sign = atomic < 0n && cents > 0n ? "-" : ""
  return `${sign}${cents / 100n}.${String(cents % 100n).padStart(2, "0")}`
}

export interface Ledger {
  /** Presents a payment and records what it bought: each payment counts once. */
  readonly present: (call: Call, payment: Payment) => Promise<ReceivedResponse>
  /** Value of the responses received so far, at list price. */
  readonly delivered: () => bigint
  /** Value received minus the money that left the attacker's accounts. Prints the result. */
  readonly profit: (title: string) => Promise<bigint>
}

export const openLedger = async (
  { chain }: LocalChain,
  addresses: ReadonlyArray<string>,
  visitor: Visitor
): Promise<Ledger> => {
  const owned = async (): Promise<bigint> => {
    const balances = await Promise.all(addresses.map((address) => chain.balanceOf(address as `0x${string}`)))
    return balances.reduce((sum, balance) => sum + balance, 0n)
  }
  const before = await owned()
  const bought = new Map<string, bigint>()
  const delivered = () => Array.from(bought.values()).reduce((sum, value) => sum + value, 0n)
  return {
    present: async (call, payment) => {
      const response = await visitor.presentAgain(call, payment)
      const { from, nonce, value } = payment.payload.authorization
      if (response.status === 200) bought.set(`${from}:${nonce}`, BigInt(value))
      return response
    },
    delivered,
    profit: async (title) => {
      const profit = delivered() + (await owned()) - before
      console.info(`${title}: attacker's profit: ${dollars(profit)}`)
      return profit
    }
  }
}
