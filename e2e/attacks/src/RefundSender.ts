import { setTimeout } from "node:timers/promises"
import { vi } from "vitest"
import type { LocalChain } from "./LocalChain.ts"
import type { Ours } from "./Ours.ts"

/** Longer than a claim's lease: after that, a payment's proof is checked for finality and its refund is sent. */
const laterMillis = 200_000
const pollMillis = 100
const pollsPerTill = 10
const maxTills = 8

/**
 * Has refunds sent and recorded. A till sends due refunds when it starts, and records a refund at a later check, once
 * its transfer is final. So this opens one till after another over the same storage, and returns the last one.
 */
export const sendRefunds = async (local: LocalChain, openTill: () => Promise<Ours>): Promise<Ours> => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + laterMillis })
  try {
    for (let opened = 0; opened < maxTills; opened++) {
      const ours = await openTill()
      await ours.till.reconcile()
      for (let poll = 0; poll < pollsPerTill; poll++) {
        const charges = await ours.till.charges.list({ limit: 200 })
        if (!charges.some(({ refund }) => refund === "due")) return ours
        await setTimeout(pollMillis)
      }
      // Its work in the background would go on beside that of the next ones.
      await ours.till.dispose()
      await local.pass(2)
      vi.setSystemTime(Date.now() + laterMillis)
    }
    throw new Error("refunds are still due")
  } finally {
    vi.useRealTimers()
  }
}
