import type { Till, TillHealth } from "@till402/core"
import { Metric } from "effect"
import { dollarsOf, type Series } from "./Series.ts"

const checkStatus = Metric.gauge("till402_check_status", {
  description: "0: the check passes, 1: it warns, 2: it fails"
})
const ready = Metric.gauge("till402_ready", { description: "1 while the till serves calls" })
const lossBudgetUsed = Metric.gauge("till402_loss_budget_used_ratio", {
  description: "Share of limits.lossPerHour that this process has used"
})
const refundWallet = Metric.gauge("till402_refund_wallet_balance_usd", {
  description: "Dollars in the wallet that pays refunds, by network"
})
const oldestAge = Metric.gauge("till402_queue_oldest_age_seconds", {
  description: "Age of the oldest work that is due, by queue"
})
const refundsDue = Metric.gauge("till402_refunds_due", {
  description: "Refunds that are due and not sent; at most 1,000 are counted"
})
const refundsStopped = Metric.gauge("till402_refunds_stopped", {
  description: "1 while refunds are stopped"
})
const waitingOrders = Metric.gauge("till402_orders", {
  description:
    "Orders that wait for an operator or for their refund, by status; at most 200 of each are counted"
})
const unsettled = Metric.gauge("till402_unsettled", {
  description: "Charges whose settlement is in progress or unknown; at most 1,000 are counted"
})
const exposure = Metric.gauge("till402_exposure_usd", {
  description: "Dollars of work that was done for these charges and isn't paid yet"
})
const ledgerFaults = Metric.gauge("till402_ledger_faults", {
  description: "Faults in the ledger of the last day, as the last check found them"
})

/** Statuses in which an order waits for somebody: the others advance by themselves, or rest. */
const waitingStatuses = ["needs_operator", "refund_due"] as const
const maxOrders = 200
const maxUnsettled = 1_000

const statuses = { pass: 0, warn: 1, fail: 2 } as const

/** The part of the ledger that a check reads: without the last minute, whose settlements are still being recorded. */
const ledgerSpanMillis = 86_400_000
const ledgerDelayMillis = 60_000

/** What is read of a till: what is left out has no metrics. */
export type WatchedTill = Pick<Till, "health"> & {
  readonly orders?: Pick<Till["orders"], "list">
  readonly charges?: Pick<Till["charges"], "list">
  readonly ledger?: Pick<Till["ledger"], "check">
}

const recordHealth = (series: Series, { checks, lossBudgetUsed: used, ready: isReady }: TillHealth): void => {
  // A check that isn't made any more must not keep its status.
  series.reset(checkStatus, statuses.pass)
  series.forget(refundWallet, lossBudgetUsed)
  for (const { balance, name, status, subject = "" } of checks) {
    series.record(checkStatus, { check: name, subject }, statuses[status])
    if (balance !== undefined)
      series.record(refundWallet, { network: balance.network }, dollarsOf(BigInt(balance.amountAtomic)))
  }
  series.record(ready, {}, isReady ? 1 : 0)
  if (used !== undefined) series.record(lossBudgetUsed, {}, used)
}

const recordWork = (series: Series, work: NonNullable<TillHealth["work"]>): void => {
  series.record(oldestAge, { queue: "settlements" }, work.oldestSettlementMillis / 1_000)
  series.record(oldestAge, { queue: "orders" }, work.oldestOrderMillis / 1_000)
  series.record(oldestAge, { queue: "purchases" }, work.oldestPurchaseMillis / 1_000)
  series.record(oldestAge, { queue: "refunds" }, work.oldestRefundMillis / 1_000)
  series.record(refundsDue, {}, work.refundsDue)
  series.record(refundsStopped, {}, work.areRefundsStopped ? 1 : 0)
}

/** Records what a reading finds. One that fails has no figures: `till402_ready` and the check `storage` say why. */
const recordOf = async <A>(
  series: Series,
  metrics: ReadonlyArray<Metric.Metric<number, unknown>>,
  reading: () => Promise<A>,
  record: (found: A) => void
): Promise<void> => {
  try {
    record(await reading())
  } catch {
    series.forget(...metrics)
  }
}

const countOrders = (series: Series, { list }: Pick<Till["orders"], "list">): Promise<void> =>
  recordOf(
    series,
    [waitingOrders],
    () =>
      Promise.all(
        waitingStatuses.map(
          async (status) => [status, (await list({ status, limit: maxOrders })).length] as const
        )
      ),
    (counts) => {
      for (const [status, count] of counts) series.record(waitingOrders, { status }, count)
    }
  )

const sumUnsettled = (series: Series, { list }: Pick<Till["charges"], "list">): Promise<void> =>
  recordOf(
    series,
    [unsettled, exposure],
    () => list({ state: "ready", limit: maxUnsettled }),
    (charges) => {
      series.record(unsettled, {}, charges.length)
      const atRisk = charges.reduce((sum, { exposureAtomic }) => sum + exposureAtomic, 0n)
      series.record(exposure, {}, dollarsOf(atRisk))
    }
  )

const checkLedger = (series: Series, { check }: Pick<Till["ledger"], "check">, at: Date): Promise<void> => {
  const to = new Date(at.getTime() - ledgerDelayMillis)
  return recordOf(
    series,
    [ledgerFaults],
    () => check({ from: new Date(to.getTime() - ledgerSpanMillis), to }),
    ({ faults }) => series.record(ledgerFaults, {}, faults.length)
  )
}

/**
 * Reads a till into series. The till's health, which is cached, bounds how often: the storage is read when that was made
 * anew, once for all who read the metrics meanwhile.
 */
export const watcher = (
  series: Series,
  { ledgerCheckMillis }: { readonly ledgerCheckMillis: number }
): ((till: WatchedTill) => Promise<void>) => {
  let readAtMillis: number | undefined
  let checkedAtMillis: number | undefined
  let isChecking = false

  /** Checks the ledger if that is due, and lets nobody wait for it: it may take minutes. */
  const watchLedger = ({ ledger }: WatchedTill, at: Date): void => {
    const isDue = checkedAtMillis === undefined || at.getTime() - checkedAtMillis >= ledgerCheckMillis
    if (ledger === undefined || ledgerCheckMillis <= 0 || isChecking || !isDue) return
    isChecking = true
    checkedAtMillis = at.getTime()
    void checkLedger(series, ledger, at).finally(() => {
      isChecking = false
    })
  }

  return async (till) => {
    const health = await till.health()
    const { at, work } = health
    recordHealth(series, health)
    if (work === undefined)
      return series.forget(oldestAge, refundsDue, refundsStopped, waitingOrders, unsettled, exposure)
    recordWork(series, work)
    if (at.getTime() === readAtMillis) return
    readAtMillis = at.getTime()
    watchLedger(till, at)
    const { charges, orders } = till
    await Promise.all([
      orders === undefined ? undefined : countOrders(series, orders),
      charges === undefined ? undefined : sumUnsettled(series, charges)
    ])
  }
}
