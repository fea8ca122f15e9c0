import { Effect, Metric } from "effect"
import type { RateLimit, UpstreamUsage } from "./UpstreamSettings.ts"

const calls = Metric.counter("till402_upstream_calls_total", {
  description: "Calls to an upstream, by outcome",
  incremental: true
})
const requests = Metric.counter("till402_upstream_requests_total", {
  description: "Requests sent to an upstream, including retries",
  incremental: true
})
const duration = Metric.histogram("till402_upstream_call_duration_seconds", {
  description: "Seconds that a call to an upstream took, including pauses",
  boundaries: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]
})
const quotaSpent = Metric.counter("till402_upstream_quota_spent_total", {
  description: "Units of an upstream's quota spent",
  incremental: true
})
const quotaRemaining = Metric.gauge("till402_upstream_quota_remaining", {
  description: "Units of an upstream's quota left, as last reported"
})
const rateRemaining = Metric.gauge("till402_upstream_rate_remaining", {
  description: "Requests left in the upstream's window, as last reported in headers"
})
const circuitOpen = Metric.gauge("till402_upstream_circuit_open", {
  description: "1 while an upstream is not called after repeated failures"
})

/** Records the usage of one upstream, as Effect metrics (labeled `upstream`) and as plain data. */
export class UsageMeter {
  private readonly label: { readonly upstream: string }
  private calls = 0
  private failures = 0
  private requests = 0
  private spent = 0
  private remaining: number | undefined = undefined
  private rateLimit: RateLimit | undefined = undefined
  private circuit: UpstreamUsage["circuit"] = "closed"
  private unpaidCircuit: UpstreamUsage["circuit"] = "closed"

  constructor(upstream: string) {
    this.label = { upstream }
  }

  /** Records a finished call. `outcome` is `ok` or the fault's tag. */
  recordCall(outcome: string, millis: number): Effect.Effect<void> {
    this.calls += 1
    if (outcome !== "ok") this.failures += 1
    return Effect.andThen(
      Metric.update(Metric.withAttributes(calls, { ...this.label, outcome }), 1),
      Metric.update(Metric.withAttributes(duration, this.label), millis / 1_000)
    )
  }

  recordRequest(): Effect.Effect<void> {
    this.requests += 1
    return Metric.update(Metric.withAttributes(requests, this.label), 1)
  }

  recordQuotaSpent(units: number): Effect.Effect<void> {
    this.spent += units
    return Metric.update(Metric.withAttributes(quotaSpent, this.label), units)
  }

  recordQuotaRemaining(units: number): Effect.Effect<void> {
    this.remaining = units
    return Metric.update(Metric.withAttributes(quotaRemaining, this.label), units)
  }

  recordRateLimit(rateLimit: RateLimit): Effect.Effect<void> {
    this.rateLimit = rateLimit
    return rateLimit.remaining === undefined
      ? Effect.void
      : Metric.update(Metric.withAttributes(rateRemaining, this.label), rateLimit.remaining)
  }

  /** Records the state of the circuit, or of the one of calls for unpaid callers. */
  recordCircuit(circuit: UpstreamUsage["circuit"], isUnpaid: boolean): Effect.Effect<void> {
    if (circuit === (isUnpaid ? this.unpaidCircuit : this.circuit)) return Effect.void
    if (isUnpaid) this.unpaidCircuit = circuit
    else this.circuit = circuit
    return Metric.update(
      Metric.withAttributes(circuitOpen, this.label),
      this.usage().circuit === "closed" ? 0 : 1
    )
  }

  usage(): UpstreamUsage {
    return {
      calls: this.calls,
      failures: this.failures,
      requests: this.requests,
      quotaSpent: this.spent,
      quotaRemaining: this.remaining,
      rateLimit: this.rateLimit,
      circuit: this.circuit === "closed" ? this.unpaidCircuit : this.circuit
    }
  }
}
