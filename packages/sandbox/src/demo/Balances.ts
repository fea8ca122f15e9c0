import type { Address, Hex } from "viem"
import type { Chain } from "../chain/index.ts"
import { usdcAbi } from "../chain/index.ts"
import { dollars, type Paint } from "../Terminal.ts"

/** USDC balances of payer and payee, in atomic units. */
export interface Balances {
  readonly payer: bigint
  readonly payee: bigint
}

export type Sides = Readonly<Record<keyof Balances, Address>>

/** Reads both balances, now or after a transaction. */
export interface Ledger {
  readonly now: () => Promise<Balances>
  /** Balances before or after a transaction; the local chain mines each in its own block. */
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

/** Whether exactly this amount moved from payer to payee. */
export const movedBy = (before: Balances, after: Balances, amountAtomic: bigint): boolean =>
  before.payer - after.payer === amountAtomic && after.payee - before.payee === amountAtomic

const width = 10

/** One line per side, with its balance at each point. */
export const balanceLines = (
  moments: ReadonlyArray<Balances>,
  tail: (who: keyof Balances) => string
): ReadonlyArray<string> =>
  (["payer", "payee"] as const).map((who) => {
    const amounts = moments.map((balances) => dollars(balances[who]).padStart(width))
    return `${who}  ${amounts.join(" → ")}  ${tail(who)}`.trimEnd()
  })

/** The heading of `balanceLines`. */
export const balanceHeading = (names: ReadonlyArray<string>, paint: Paint): string =>
  paint.dim(`       ${names.map((name) => name.padStart(width)).join("   ")}`)
