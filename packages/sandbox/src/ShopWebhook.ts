import type { OrderChange, OperatorResult } from "@till402/core"
import { defaultTimetable, type Timetable } from "./shop/index.ts"

/** The sample shop's webhook, which reports order status changes to the till. */
export interface ShopWebhook {
  /** Receives every order change and follows placed orders. */
  readonly onOrderChange: (change: OrderChange) => void
  /** Sends nothing more and waits for the current call. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/** Margin after the scheduled time, as timers may fire a millisecond early. */
const slackMillis = 25

/**
 * Makes the till check each placed order as soon as the timetable changes its status, as an upstream's
 * webhook would. Without it, the till checks every 15 seconds.
 *
 * @param processNow `till.orders.processNowByReference`
 */
export const shopWebhook = (
  timetable: Timetable,
  processNow: (reference: string) => Promise<OperatorResult>
): ShopWebhook => {
  const { deliveredAfterMillis, shippedAfterMillis } = { ...defaultTimetable, ...timetable }
  const timers = new Set<NodeJS.Timeout>()
  const calls = new Set<Promise<void>>()
  let isStopped = false

  const notifyTill = (reference: string): void => {
    const call = processNow(reference)
      .then(() => undefined)
      // No caller waits for it, and the till checks again later.
      .catch((error: unknown) => process.emitWarning(`The till could not check an order: ${String(error)}`))
      .finally(() => calls.delete(call))
    calls.add(call)
  }

  return {
    onOrderChange: ({ order: { status, upstreamReference } }) => {
      if (isStopped || status !== "placed" || upstreamReference === undefined) return
      for (const afterMillis of [shippedAfterMillis, deliveredAfterMillis]) {
        const timer = setTimeout(() => {
          timers.delete(timer)
          notifyTill(upstreamReference)
        }, afterMillis + slackMillis)
        timer.unref()
        timers.add(timer)
      }
    },
    stop: async () => {
      isStopped = true
      for (const timer of timers) clearTimeout(timer)
      timers.clear()
      await Promise.all(calls)
    }
  }
}
