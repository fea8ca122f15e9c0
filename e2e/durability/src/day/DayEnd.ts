import { usdcAbi } from "@till402/sandbox"
import type { Address } from "viem"
import { audit } from "../Audit.ts"
import { readBooks } from "../Evidence.ts"
import { readSpans, readTransfers } from "../rails/EvmTransfers.ts"
import type { Day, Traffic } from "./Day.ts"

/** Longest time in which nothing ends of the work in flight, such as one refund of many. */
const restMillis = 180_000
const pauseMillis = 5_000

/** USDC that left an address. */
const sentFrom = async ({ options: { chain } }: Day, from: Address): Promise<bigint> => {
  const transfers = { address: chain.usdc, abi: usdcAbi, eventName: "Transfer", args: { from } } as const
  const moves = await readSpans(chain, (span) => chain.client.getContractEvents({ ...transfers, ...span }))
  return moves.reduce((total, { args }) => total + (args.value ?? 0n), 0n)
}

const unfinishedOrders: ReadonlySet<string> = new Set(["processing", "failed", "cancelled"])

/** Everything that is wrong now: also what is merely not finished yet. */
const judge = async (day: Day, { replays }: Traffic) => {
  const { attempts, fleet, options, outside, payTo, refundWallet } = day
  await fleet.control("/control/reconcile", {})
  const books = await readBooks({ fleet, outside })
  const transfers = await readTransfers({ chain: options.chain, payTo })
  const balanceAtomic = await options.chain.balanceOf(payTo)
  const { mails, placements } = outside
  const refunded = await sentFrom(day, refundWallet)
  const faults = [
    ...audit({ attempts, replays, transfers, balanceAtomic, books, booksAfter: books, placements, mails }),
    ...books.orders
      .filter(({ status }) => unfinishedOrders.has(status))
      .map(({ id, status }) => `the order ${id} is still ${status}`),
    ...(String(refunded) === books.refundedAtomic
      ? []
      : [`the ledger has refunds of ${books.refundedAtomic}, the chain of ${refunded}`])
  ]
  return { books, transfers, faults }
}

/** Waits until all work in flight has ended; what is still wrong when no more of it ends is a fault. */
export const comeToRest = async (day: Day, traffic: Traffic) => {
  let deadline = Date.now() + restMillis
  let before = ""
  for (;;) {
    const verdict = await judge(day, traffic)
    if (verdict.faults.length === 0 || Date.now() > deadline) return verdict
    const open = verdict.faults.join()
    if (open !== before) deadline = Date.now() + restMillis
    before = open
    day.options.onProgress(`not at rest: ${verdict.faults.length} open, such as: ${verdict.faults[0]}`)
    await new Promise((resolve) => setTimeout(resolve, pauseMillis))
  }
}
