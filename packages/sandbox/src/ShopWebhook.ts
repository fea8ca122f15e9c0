import type { OrderChange, OrderVerdict } from "@till402/core"
import { defaultTimetable, type Timetable } from "./shop/index.ts"

/** The sample shop's webhook: it says when an order has moved on. */
export interface ShopWebhook {
  /** To be told of every change: what was placed is followed up. */
  readonly onOrderChange: (change: OrderChange) => void
  /** Says nothing more, and waits for what is being said. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/** After the shop's clock has surely come to it: timers may run a millisecond early. */
const slackMillis = 25

/**
 * Has the till ask for the status of each placed order as soon as the timetable says that it has changed, as a real
 * upstream's webhook would: the till asks of its own accord only after 15 seconds.
 *
 * @param hurry `till.orders.hurryReference`
 */
export const shopWebhook = (
  timetable: Timetable,
  hurry: (reference: string) => Promise<OrderVerdict>
): ShopWebhook => {
  const { deliveredAfterMillis, shippedAfterMillis } = { ...defaultTimetable, ...timetable }
  const timers = new Set<NodeJS.Timeout>()
  const calls = new Set<Promise<void>>()
  let isStopped = false

  const say = (reference: string): void => {
    const call = hurry(reference)
      .then(() => undefined)
      // Nobody waits for it; the till asks by itself later.
      .catch((error: unknown) => process.emitWarning(`An order could not be followed up: ${String(error)}`))
      .finally(() => calls.delete(call))
    calls.add(call)
  }

  return {
    onOrderChange: ({ order: { status, upstreamReference } }) => {
      if (isStopped || status !== "placed" || upstreamReference === undefined) return
      for (const afterMillis of [shippedAfterMillis, deliveredAfterMillis]) {
        const timer = setTimeout(() => {
          timers.delete(timer)
          say(upstreamReference)
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
