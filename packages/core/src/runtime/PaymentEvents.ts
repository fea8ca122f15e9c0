import { Context, Effect, Layer } from "effect"
import { causeName } from "./causeName.ts"
import { report } from "./events.ts"
import { Feed } from "./Feed.ts"

/**
 * What happened to a payment. `payment_required`: a request without a payment got its 402. `payment_paid`: it bought its
 * response. `payment_replayed`: it got its recorded response again. `payment_refused`: it isn't acceptable, and the
 * request got a 402. `payment_failed`: it bought no response by this request. `payment_settled`: its money moved, which
 * comes before `payment_paid`, or is found in the background. `payment_refunded`: its money went back.
 */
export type PaymentCode =
  | "payment_required"
  | "payment_paid"
  | "payment_replayed"
  | "payment_refused"
  | "payment_failed"
  | "payment_settled"
  | "payment_refunded"

/** A step of a payment, as this process made it. It has no header, signature, input, token, email or postal address. */
export interface PaymentEvent {
  /** A stable code. */
  readonly code: PaymentCode
  readonly at: Date
  /** The operation that is paid for: `search`, `buy`, … */
  readonly operation: string
  /** Names the payment: `chain:asset:payer:nonce`. Has the payer's wallet, as the chain does. */
  readonly chargeKey?: string | undefined
  /** CAIP-2. */
  readonly network?: string | undefined
  /** Atomic units of the stablecoin, as far as known: of a 402 its first offer. */
  readonly amountAtomic?: bigint | undefined
  /** Hash of the transaction that moved the money. */
  readonly transaction?: string | undefined
  /** Why it was refused or failed, as a code: `insufficient_funds`, `unverifiable`. */
  readonly reason?: string | undefined
  /** From the request with the payment to its outcome. */
  readonly durationMillis?: number | undefined
}

/** Publishes what happens to payments. Without a reader, no event is made. */
export class PaymentFeed extends Feed<PaymentEvent> {}

/** The feed of a till; by default one that nobody reads. */
export const PaymentEvents: Context.Reference<PaymentFeed> = Context.Reference<PaymentFeed>(
  "@till402/core/PaymentEvents",
  { defaultValue: () => new PaymentFeed() }
)

/** Publishes that the refund of a charge was sent. */
export const publishRefunded = (
  payments: PaymentFeed,
  charge: {
    readonly key: string
    readonly operation: string
    readonly network: string
    readonly amountAtomic: string
  },
  transaction: string,
  nowMillis: number
): void => {
  if (!payments.isObserved) return
  payments.publish({
    code: "payment_refunded",
    at: new Date(nowMillis),
    operation: charge.operation,
    chargeKey: charge.key,
    network: charge.network,
    amountAtomic: BigInt(charge.amountAtomic),
    transaction
  })
}

/** The feed, and the host's listener as one of its readers: what it does, or how long it takes, touches no payment. */
export const paymentEvents = (
  feed: PaymentFeed,
  listener: ((event: PaymentEvent) => void | Promise<void>) | undefined
) =>
  Layer.merge(
    Layer.succeed(PaymentEvents, feed),
    Layer.effectDiscard(
      listener === undefined ? Effect.void : Effect.forkScoped(serve(feed.subscribe(), listener))
    )
  )

/** Calls a listener with one event after the other. The first of several failures is reported. */
const serve = Effect.fnUntraced(function* (
  events: AsyncGenerator<PaymentEvent, void, void>,
  listener: (event: PaymentEvent) => void | Promise<void>
) {
  let isFailing = false
  for (;;) {
    const next = yield* Effect.promise(() => events.next())
    if (next.done === true) return
    const error = yield* Effect.promise(async () => {
      try {
        await listener(next.value)
        return undefined
      } catch (thrown) {
        return { thrown }
      }
    })
    if (error !== undefined && !isFailing)
      yield* report(
        "Warn",
        "payment_listener_failed",
        "Your onPayment failed; later failures aren't reported",
        {
          error: causeName(error.thrown)
        }
      )
    isFailing ||= error !== undefined
  }
})
