import type { PaymentCode, PaymentEvent } from "@till402/core"

/** A call: what happened to one payment, or to one request without any. */
export interface LiveCall {
  readonly id: string
  /** Grows with each event of any call. */
  readonly version: number
  readonly operation: string
  readonly chargeKey: string | undefined
  /** In their order; at least one. */
  readonly events: ReadonlyArray<PaymentEvent>
}

/** What happened since the console began to read. */
export interface LiveCounts {
  readonly byCode: Readonly<Record<PaymentCode, number>>
  readonly settledAtomic: bigint
  /** Of `payment_failed`: calls that ended without knowing whether the money moved. */
  readonly endedUnknown: number
  /** The calls of which that still isn't known. */
  readonly unknown: number
}

const isUnknown = ({ code, reason }: PaymentEvent): boolean =>
  code === "payment_failed" && reason === "unknown"

type Listener = (call: LiveCall) => void

const maxCalls = 200
const maxEvents = 20

/** The latest calls of a till, the newest first, and what was counted. Bounded. */
export class LiveCalls {
  private readonly calls = new Map<string, LiveCall>()
  /** Ids of calls by their charges. */
  private readonly ids = new Map<string, string>()
  private readonly listeners = new Set<Listener>()
  private next = 0
  private version = 0
  private settledAtomic = 0n
  private endedUnknown = 0
  private readonly byCode: Record<PaymentCode, number> = {
    payment_required: 0,
    payment_paid: 0,
    payment_replayed: 0,
    payment_refused: 0,
    payment_failed: 0,
    payment_settled: 0,
    payment_refunded: 0
  }

  get latest(): ReadonlyArray<LiveCall> {
    return [...this.calls.values()].toReversed()
  }

  get counts(): LiveCounts {
    const { byCode, endedUnknown, settledAtomic } = this
    const unknown = [...this.calls.values()].filter(({ events }) => isUnknown(events.at(-1)!)).length
    return { byCode, endedUnknown, settledAtomic, unknown }
  }

  /** What is new or has changed since a version, in its order. */
  since(version: number): ReadonlyArray<LiveCall> {
    return [...this.calls.values()].filter((call) => call.version > version)
  }

  find(id: string): LiveCall | undefined {
    return this.calls.get(id)
  }

  ofCharge(chargeKey: string): LiveCall | undefined {
    const id = this.ids.get(chargeKey)
    return id === undefined ? undefined : this.calls.get(id)
  }

  /** Adds an event to the call of its payment, or begins another one. */
  add(event: PaymentEvent): void {
    const known = event.chargeKey === undefined ? undefined : this.ofCharge(event.chargeKey)
    const call: LiveCall = {
      id: known?.id ?? `call-${++this.next}`,
      version: ++this.version,
      operation: event.operation,
      chargeKey: event.chargeKey,
      events: [...(known?.events ?? []), event].slice(-maxEvents)
    }
    // A map keeps the order in which keys were added: the call moves to its end.
    this.calls.delete(call.id)
    this.calls.set(call.id, call)
    if (call.chargeKey !== undefined) this.ids.set(call.chargeKey, call.id)
    if (this.calls.size > maxCalls) this.dropOldest()
    this.byCode[event.code]++
    if (isUnknown(event)) this.endedUnknown++
    if (event.code === "payment_settled") this.settledAtomic += event.amountAtomic ?? 0n
    for (const listener of this.listeners) listener(call)
  }

  private dropOldest(): void {
    const oldest = this.calls.values().next().value!
    this.calls.delete(oldest.id)
    if (oldest.chargeKey !== undefined) this.ids.delete(oldest.chargeKey)
  }

  /** Calls the listener with each call that is new or has changed; returns what ends that. */
  listen(listener: Listener): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }
}
