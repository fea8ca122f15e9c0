import type { Caller, IncomingRequest, PaymentEvent, PlainResponse, TillEvent } from "@till402/core"
import { Context, Metric } from "effect"
import { formatUnsafe } from "effect/observability/PrometheusMetrics"
import { dollarsOf, Series } from "./Series.ts"
import { type WatchedTill, watcher } from "./watch.ts"

export type { WatchedTill } from "./watch.ts"

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
const outcomes: Partial<Record<PaymentEvent["code"], string>> = {
  payment_paid: "paid",
  payment_replayed: "replayed",
  payment_refused: "refused",
  payment_failed: "failed"
}

/** Twice as many as there are; further ones are counted as `other`. */
const maxCodes = 200

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

/** Options of `tillMetrics`. */
export interface MetricsOptions {
  /**
   * Path of the metrics.
   *
   * @default "/metrics"
   */
  readonly path?: `/${string}`
  /**
   * How often the ledger of the last day is checked while metrics are read, in milliseconds; 0: never. A check reads each
   * charge of the day: where several processes share a storage, leave it on in one.
   *
   * @default 3_600_000 (an hour)
   */
  readonly ledgerCheckMillis?: number
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
  /**
   * Adds the till's health, waiting orders, unsettled charges and ledger faults, read when the metrics are: as often as
   * `till.health()` itself allows.
   */
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
  ledgerCheckMillis = 3_600_000,
  path = "/metrics"
}: MetricsOptions = {}): TillMetrics => {
  let watched: WatchedTill | undefined
  const series = new Series(context)
  const record = series.record.bind(series)
  const read = watcher(series, { ledgerCheckMillis })

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
    if (watched !== undefined) await read(watched)
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
