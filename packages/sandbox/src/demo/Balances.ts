import type { Address, Hex } from "viem"
import type { Chain } from "../chain/index.ts"
import { usdcAbi } from "../chain/index.ts"
import { dollars, type Paint } from "../Terminal.ts"

/** USDC of both sides, in atomic units. */
export interface Balances {
  readonly payer: bigint
  readonly payee: bigint
}

export type Sides = Readonly<Record<keyof Balances, Address>>

/** What both sides hold, and what they held when a transaction had been mined. */
export interface Ledger {
  readonly now: () => Promise<Balances>
  /** Before or after a transaction; the local chain mines each in a block of its own. */
  readonly at: (moment: "before" | "after", transaction: string) => Promise<Balances>
}

export const ledgerOf = ({ client, usdc }: Chain, sides: Sides): Ledger => {
  const read = async (blockNumber?: bigint): Promise<Balances> => {
    const [payer, payee] = await Promise.all(
      [sides.payer, sides.payee].map((address) =>
        client.readContract({
          address: usdc,
          abi: usdcAbi,
          functionName: "balanceOf",
          args: [address],
          ...(blockNumber === undefined ? {} : { blockNumber })
        })
      )
    )
    return { payer: payer!, payee: payee! }
  }
  return {
    now: () => read(),
    at: async (moment, transaction) => {
      const { blockNumber } = await client.getTransactionReceipt({ hash: transaction as Hex })
      return read(moment === "before" ? blockNumber - 1n : blockNumber)
    }
  }
}

/** Whether the payer lost, and the payee got, just that much. */
export const movedBy = (before: Balances, after: Balances, amountAtomic: bigint): boolean =>
  before.payer - after.payer === amountAtomic && after.payee - before.payee === amountAtomic

const width = 10

/** One line for each side: what it held at each moment. */
export const balanceLines = (
  moments: ReadonlyArray<Balances>,
  tail: (who: keyof Balances) => string
): ReadonlyArray<string> =>
  (["payer", "payee"] as const).map((who) => {
    const amounts = moments.map((balances) => dollars(balances[who]).padStart(width))
    return `${who}  ${amounts.join(" → ")}  ${tail(who)}`.trimEnd()
  })

/** The heading over `balanceLines`. */
export const balanceHeading = (names: ReadonlyArray<string>, paint: Paint): string =>
  paint.dim(`       ${names.map((name) => name.padStart(width)).join("   ")}`)
