import type { Caller, IncomingRequest, PaymentEvent, PlainResponse, Till, TillEvent } from "@till402/core"
import { Context, Metric } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"

const charges = Metric.counter("till402_charges_total", {
  description: "Requests with a payment, by operation, network and outcome",
  incremental: true
})
const duration = Metric.histogram("till402_charge_duration_seconds", {
  description: "From a request with a payment to its outcome",
  boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
})
const revenue = Metric.counter("till402_revenue_usd_total", {
  description: "Dollars that settlements of this process moved; the ledger has the exact amounts",
  incremental: true
})
const refunded = Metric.counter("till402_refunded_usd_total", {
  description: "Dollars that refunds of this process moved",
  incremental: true
})
const unpaid = Metric.counter("till402_payment_required_total", {
  description: "402 responses to requests without a payment",
  incremental: true
})
const events = Metric.counter("till402_events_total", {
  description: "Events for operators, by level and code",
  incremental: true
})
const checkStatus = Metric.gauge("till402_check_status", {
  description: "0: the check passes, 1: it warns, 2: it fails"
})
const ready = Metric.gauge("till402_ready", { description: "1 while the till serves calls" })
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

/** Metrics of what is due, which the storage knows. */
const figuresOfWork: ReadonlySet<string> = new Set(
  [oldestAge, refundsDue, refundsStopped, waitingOrders].map(({ id }) => id)
)

/** Statuses in which an order waits for somebody: the others advance by themselves, or rest. */
const waitingStatuses = ["needs_operator", "refund_due"] as const
const maxOrders = 200

const outcomes: Partial<Record<PaymentEvent["code"], string>> = {
  payment_paid: "paid",
  payment_replayed: "replayed",
  payment_refused: "refused",
  payment_failed: "failed"
}

/** Twice as many as there are; further ones are counted as `other`. */
const maxCodes = 200

const statuses = { pass: 0, warn: 1, fail: 2 } as const

/** Why a payment wasn't verified, though nothing fails. */
const unverified: ReadonlySet<string> = new Set(["in_progress", "limited", "repeated"])

/**
 * The outcome of a request with a payment. Before its payment is verified, any stranger can send it, and must not raise an
 * alert. A fault of such a request has no network.
 */
const outcomeOf = ({ code, network, reason = "" }: PaymentEvent): string => {
  if (reason === "unknown") return "unknown"
  if (code === "payment_failed" && (network === undefined || unverified.has(reason))) return "refused"
  return outcomes[code] ?? "failed"
}

/** What is read of a till: without `orders`, none are counted. */
export type WatchedTill = Pick<Till, "health"> & { readonly orders?: Pick<Till["orders"], "list"> }

/** Options of `tillMetrics`. */
export interface MetricsOptions {
  /**
   * Path of the metrics.
   *
   * @default "/metrics"
   */
  readonly path?: `/${string}`
  /**
   * Where Effect metrics are kept: the process's own registry, in which your exporter of Effect metrics reads them, too.
   *
   * @default that of the process
   */
  readonly context?: Context.Context<never>
}

/** Metrics of a till, which every adapter mounts like a till. Anybody who can reach the path reads your revenue. */
export interface TillMetrics {
  /** Give it to the till as `onPayment`. Counts an event: payers, payments and transactions are never labels. */
  readonly onPayment: (event: PaymentEvent) => void
  /**
   * Makes the `onEvent` of a till: counts its events by level and code, and gives each to your own log.
   *
   * @example
   * const metrics = tillMetrics()
   * const onEvent = metrics.countEvents((event) => console.error(JSON.stringify(event)))
   */
  readonly countEvents: (log: (event: TillEvent) => void) => (event: TillEvent) => void
  /** Adds the till's health and its waiting orders, read when the metrics are: as often as `till.health()` itself allows. */
  readonly watch: (till: WatchedTill) => void
  /** All metrics of Till402 as Prometheus text (version 0.0.4), also those of its providers. */
  readonly text: () => Promise<string>
  readonly handle: (request: IncomingRequest, caller?: Caller) => Promise<PlainResponse>
  readonly fetch: (request: Request) => Promise<Response>
  readonly handles: (pathname: string) => boolean
}

const headers = { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" }

/** Those of Till402 alone: the registry of the process may have a host's own. */
const ofTill = (context: Context.Context<never>): Context.Context<never> =>
  Context.add(
    context,
    Metric.MetricRegistry,
    new Map(
      [...Context.get(context, Metric.MetricRegistry)].filter(([, { id }]) => id.startsWith("till402_"))
    )
  )

/** Serves a text at a path. */
const servedAt = (
  path: string,
  text: () => Promise<string>
): Pick<TillMetrics, "handle" | "fetch" | "handles"> => {
  const respond = async (method: string, pathname: string): Promise<PlainResponse> => {
    if (pathname !== path) return { status: 404, headers, body: null }
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, headers: { ...headers, allow: "GET, HEAD" }, body: null }
    return { status: 200, headers, body: method === "HEAD" ? null : await text() }
  }
  return {
    handle: async ({ method, url }) => respond(method, url.pathname),
    fetch: async ({ method, url }) => {
      const { body, ...response } = await respond(method, new URL(url).pathname)
      return new Response(body as BodyInit | null, response)
    },
    handles: (pathname) => pathname === path
  }
}

/** Records values in the series of a registry. */
const seriesIn = (context: Context.Context<never>) => {
  const known = new Map<string, Metric.Metric<number, unknown>>()
  /** The series of a metric, made once. */
  const record = (
    metric: Metric.Metric<number, unknown>,
    labels: Readonly<Record<string, string>>,
    value: number
  ): void => {
    const key = JSON.stringify([metric.id, ...Object.values(labels)])
    let series = known.get(key)
    if (series === undefined) known.set(key, (series = Metric.withAttributes(metric, labels)))
    series.updateUnsafe(value, context)
  }
  return { known, record }
}

type Series = ReturnType<typeof seriesIn>

/** Counts the orders that wait. A storage that fails, or has no orders, has no count. */
const countOrders = async ({ list }: Pick<Till["orders"], "list">): Promise<ReadonlyMap<string, number>> => {
  try {
    return new Map(
      await Promise.all(
        waitingStatuses.map(
          async (status) => [status, (await list({ status, limit: maxOrders })).length] as const
        )
      )
    )
  } catch {
    return new Map()
  }
}

/** Reads a till's health into the series. */
const healthInto = ({ known, record }: Series, context: Context.Context<never>) => {
  let readAt: Date | undefined
  const forget = (ids: ReadonlySet<string>): void => {
    for (const series of known.values()) if (ids.has(series.id)) Metric.removeUnsafe(series, context)
  }
  return async ({ health, orders }: WatchedTill): Promise<void> => {
    const { at, checks, ready: isReady, work } = await health()
    // A check that isn't made any more must not keep its status.
    for (const series of known.values())
      if (series.id === checkStatus.id) series.updateUnsafe(statuses.pass, context)
    for (const { name, status, subject = "" } of checks)
      record(checkStatus, { check: name, subject }, statuses[status])
    record(ready, {}, isReady ? 1 : 0)
    // What isn't known must not keep its last figure.
    if (work === undefined) return forget(figuresOfWork)
    record(oldestAge, { queue: "settlements" }, work.oldestSettlementMillis / 1_000)
    record(oldestAge, { queue: "orders" }, work.oldestOrderMillis / 1_000)
    record(oldestAge, { queue: "purchases" }, work.oldestPurchaseMillis / 1_000)
    record(oldestAge, { queue: "refunds" }, work.oldestRefundMillis / 1_000)
    record(refundsDue, {}, work.refundsDue)
    record(refundsStopped, {}, work.areRefundsStopped ? 1 : 0)
    // As often as the health is read anew.
    if (orders === undefined || at.getTime() === readAt?.getTime()) return
    readAt = at
    const counts = await countOrders(orders)
    if (counts.size === 0) forget(new Set([waitingOrders.id]))
    for (const [status, count] of counts) record(waitingOrders, { status }, count)
  }
}

const dollarsOf = (amountAtomic: bigint): number => Number(amountAtomic) / 1_000_000

/**
 * Makes the metrics of a till: Effect metrics, and a handler of Prometheus text. Durations are seconds. Labels are bounded
 * by your operations, networks and checks.
 *
 * @example
 * const metrics = tillMetrics()
 * const till = Till.make({ ...options, onPayment: metrics.onPayment })
 * metrics.watch(till)
 */
export const tillMetrics = ({
  context = Context.empty(),
  path = "/metrics"
}: MetricsOptions = {}): TillMetrics => {
  let watched: WatchedTill | undefined
  const series = seriesIn(context)
  const { record } = series
  const readHealth = healthInto(series, context)

  const onPayment = (event: PaymentEvent): void => {
    const { amountAtomic, code, durationMillis, network = "", operation } = event
    if (code === "payment_required") return record(unpaid, { operation }, 1)
    if (code === "payment_settled" || code === "payment_refunded")
      return record(
        code === "payment_settled" ? revenue : refunded,
        { operation, network },
        dollarsOf(amountAtomic ?? 0n)
      )
    const labels = { operation, network, outcome: outcomeOf(event) }
    record(charges, labels, 1)
    if (durationMillis !== undefined) record(duration, labels, durationMillis / 1_000)
  }

  const codes = new Set<string>()
  const countEvents = (log: (event: TillEvent) => void) => (event: TillEvent) => {
    if (codes.size < maxCodes) codes.add(event.code)
    record(events, { level: event.level, code: codes.has(event.code) ? event.code : "other" }, 1)
    // A promise of an async log goes to the till, which handles its rejection.
    return log(event)
  }

  const text = async (): Promise<string> => {
    if (watched !== undefined) await readHealth(watched)
    return formatUnsafe(ofTill(context))
  }
  return {
    onPayment,
    countEvents,
    watch: (till) => {
      watched = till
    },
    text,
    ...servedAt(path, text)
  }
}
