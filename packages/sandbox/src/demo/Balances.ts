import type { Address as SolanaAddress } from "@solana/kit"
import type { Address, Hex } from "viem"
import { type Chain, usdcAbi } from "../chain/index.ts"
import type { SolanaChain } from "../solana/SolanaChain.ts"
import { dollars, type Paint } from "../Terminal.ts"

/** USDC balances of payer and payee, in atomic units. */
export interface Balances {
  readonly payer: bigint
  readonly payee: bigint
}

/** Addresses of payer and payee. */
export type Sides<A = string> = Readonly<Record<keyof Balances, A>>

/** Reads both balances, now or after a transaction. */
export interface Ledger {
  readonly now: () => Promise<Balances>
  /** Balances before or after a transaction. */
  readonly at: (moment: "before" | "after", transaction: string) => Promise<Balances>
}

/** The ledger of an EVM chain, which mines each transaction in its own block. */
export const evmLedger = ({ client, usdc }: Chain, sides: Sides<Address>): Ledger => {
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

/** The part of Solana's `getTransaction` that has the balances. */
interface SolanaTransaction {
  readonly result: {
    readonly meta: Readonly<
      Record<
        "preTokenBalances" | "postTokenBalances",
        ReadonlyArray<{ readonly owner: string; readonly uiTokenAmount: { readonly amount: string } }>
      >
    >
  }
}

/** The ledger of a Solana chain, whose transactions tell the balances before and after them. */
export const solanaLedger = ({ balanceOf, rpcUrl }: SolanaChain, sides: Sides<SolanaAddress>): Ledger => ({
  now: async () => ({ payer: await balanceOf(sides.payer), payee: await balanceOf(sides.payee) }),
  at: async (moment, transaction) => {
    const options = { commitment: "confirmed", maxSupportedTransactionVersion: 0 }
    const response = await fetch(rpcUrl, {
      method: "POST",
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "getTransaction",
        params: [transaction, options]
      })
    })
    const { result }: SolanaTransaction = JSON.parse(await response.text())
    const balances = result.meta[moment === "before" ? "preTokenBalances" : "postTokenBalances"]
    const balance = (address: string): bigint => {
      const found = balances.find(({ owner }) => owner === address)
      if (found === undefined) throw new Error(`Transaction ${transaction} has no balance of ${address}.`)
      return BigInt(found.uiTokenAmount.amount)
    }
    return { payer: balance(sides.payer), payee: balance(sides.payee) }
  }
})

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
