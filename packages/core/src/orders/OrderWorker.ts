import { Clock, Context, Effect, FiberSet, Latch, Layer, Queue } from "effect"
import { makeBackground } from "../Background.ts"
import type { StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { Fulfilment } from "../ports/Fulfilment.ts"
import { type Order, Orders } from "../ports/Orders.ts"
import { Quotes } from "../ports/Quotes.ts"
import { OrderLife } from "./OrderLife.ts"
import { OrderMailing } from "./OrderMailing.ts"
import * as Pace from "./Pace.ts"
import { Refunds } from "./Refunds.ts"
import { type OrderEvent, type OrderStep, scheduled, stepOf } from "./Transitions.ts"

/*
 * Takes orders that are due, does the one step that each is due for, and tells it what came of that. The table of
 * orders is the truth: a worker may die anywhere, and whoever comes next reads off it what is to be done.
 */

/** Takes orders on. */
export class OrderWorker extends Context.Service<
  OrderWorker,
  {
    /** Begins to work on what is due, if nobody is at it; does not wait for it. */
    readonly wake: Effect.Effect<void>
    /** Works on all that is due now; answers how many steps were taken. */
    readonly work: Effect.Effect<number, StoreError>
    /** Wakes for what becomes due, for ever. */
    readonly run: Effect.Effect<never>
  }
>()("@till402/core/OrderWorker") {
  static readonly layer = Layer.effect(
    OrderWorker,
    Effect.suspend(() => make)
  )
}

/** Orders that are worked on at a time: each has its own call upstream, at most. */
const concurrency = 64
/** Taking costs as much for one order as for many: while there are plenty, it waits for this much room. */
const refill = 16
/** How often other processes' orders are looked for. */
const longestPauseMillis = 5_000

/** What has happened whatever else did; the other events are of the order as it stood. */
const facts: ReadonlySet<OrderEvent["_tag"]> = new Set(["Placed", "Refunded", "MailSent"])

const make = Effect.gen(function* () {
  const orders = yield* Orders
  const charges = yield* Charges
  const quotes = yield* Quotes
  const fulfilment = yield* Fulfilment
  const life = yield* OrderLife
  const mailing = yield* OrderMailing
  const refunds = yield* Refunds
  const inBackground = yield* makeBackground

  const checkPayment = Effect.fnUntraced(function* (order: Order) {
    const nowMillis = yield* Clock.currentTimeMillis
    const charge = yield* charges.find(order.chargeKey)
    const isOurs = charge?.subject?.id === order.id
    const isOwedBack = charge?.state === "voided" || charge?.refund !== undefined
    const fail = Effect.fnUntraced(function* (frees: boolean) {
      const told = yield* life.tell(order, { _tag: "PaymentFailed" })
      if (told._tag === "Changed" && frees) yield* quotes.restore(order.chargeKey)
      return undefined
    })
    if (isOurs && isOwedBack) return yield* fail(true)
    if (isOurs && charge.state === "settled") return { _tag: "PaymentSettled" } as const
    if (isOurs || order.createdAtMillis + Pace.paymentPatience > nowMillis)
      return { _tag: "PaymentPending" } as const
    // Where the payment bought another order since, the quote that it holds is that order's.
    return yield* fail(charge?.subject === undefined || charge.state === "voided")
  })

  /** An attempt that placed nothing. Where an earlier one may have, that is as unclear as before. */
  const unsent = ({ status }: Order, retryAfterMillis: number | undefined): OrderEvent =>
    status === "placing" ? { _tag: "PlacementUnclear" } : { _tag: "NotPlaced", retryAfterMillis }

  const failedPlacement = (
    order: Order,
    error: Effect.Error<ReturnType<Fulfilment["Service"]["place"]>>
  ): OrderEvent => {
    switch (error._tag) {
      case "PlacementRefused":
        return { _tag: "PlacementRefused", reason: error.reason }
      case "NotPlaced":
        return unsent(
          order,
          error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1_000
        )
      default:
        return { _tag: "PlacementUnclear" }
    }
  }

  const place = Effect.fnUntraced(function* (order: Order) {
    const beginMillis = yield* Clock.currentTimeMillis
    // Written before upstream is called, and by one worker alone.
    const begun = yield* life.tell(order, { _tag: "PlacingBegun" })
    if (begun._tag !== "Changed") return undefined
    if ((yield* Clock.currentTimeMillis) - beginMillis > Pace.placingHesitation) {
      yield* Effect.logWarning("An order was not placed: its worker was stopped for too long", order.id)
      return { order: begun.order, event: unsent(order, undefined) }
    }
    const { email, id, offer, product, shippingAddress } = begun.order
    if (email === undefined || shippingAddress === undefined) {
      return { order: begun.order, event: { _tag: "PlacementRefused", reason: "address_forgotten" } as const }
    }
    const event = yield* Effect.match(
      fulfilment.place({ orderId: id, product, shippingAddress, email, offer }),
      {
        onSuccess: ({ reference }): OrderEvent => ({ _tag: "Placed", reference }),
        onFailure: (error) => failedPlacement(order, error)
      }
    )
    if (event._tag !== "Placed") yield* Effect.logWarning("An order is not placed yet", id, event._tag)
    return { order: begun.order, event }
  })

  const lookUp = ({ id, offer }: Order): Effect.Effect<OrderEvent> =>
    Effect.match(fulfilment.find!(id, offer.reference), {
      onSuccess: (reference): OrderEvent =>
        reference === undefined
          ? { _tag: "NotPlaced", retryAfterMillis: undefined }
          : { _tag: "Placed", reference },
      onFailure: () => ({ _tag: "PlacementUnclear" })
    })

  const askStatus = ({ upstreamReference }: Order): Effect.Effect<OrderEvent> =>
    Effect.match(fulfilment.status!(upstreamReference!), {
      onSuccess: (progress): OrderEvent =>
        progress === undefined ? { _tag: "Untracked" } : { _tag: "Progressed", progress },
      onFailure: () => ({ _tag: "StatusUnknown" })
    })

  const oweRefund = Effect.fnUntraced(function* ({ chargeKey, id }: Order) {
    const owed = yield* charges.oweRefund(chargeKey, yield* Clock.currentTimeMillis)
    const charge = owed ? undefined : yield* charges.find(chargeKey)
    if (owed || charge?.refund !== undefined) return { _tag: "RefundOwed" } as const
    // A reorganization of the chain undid its payment for good.
    if (charge === undefined || charge.state === "voided") return { _tag: "NothingOwed" } as const
    yield* Effect.logError("An order failed whose charge is not settled", id)
    return { _tag: "RefundPending" } as const
  })

  const refund = Effect.fnUntraced(function* ({ chargeKey }: Order) {
    const charge = yield* charges.find(chargeKey)
    // A reorganization undid the settlement and with it the refund, and the payment has settled again since.
    if (charge?.state === "settled" && charge.refund === undefined)
      yield* charges.oweRefund(chargeKey, yield* Clock.currentTimeMillis)
    const transaction = charge === undefined ? undefined : yield* refunds.send(charge)
    return transaction === undefined ? ({ _tag: "RefundPending" } as const) : ({ _tag: "Refunded" } as const)
  })

  const perform = (
    step: Exclude<OrderStep, "Place" | "PlaceAgain">,
    order: Order
  ): Effect.Effect<OrderEvent | undefined, StoreError> => {
    switch (step) {
      case "CheckPayment":
        return checkPayment(order)
      case "LookUp":
        return lookUp(order)
      case "Park":
        return Effect.succeed({ _tag: "PlacementUnclear" })
      case "AskStatus":
        return askStatus(order)
      case "OweRefund":
        return oweRefund(order)
      case "Refund":
        return refund(order)
    }
  }

  const takeStep = Effect.fnUntraced(function* (order: Order, step: OrderStep) {
    const done =
      step === "Place" || step === "PlaceAgain"
        ? yield* place(order)
        : { order, event: yield* perform(step, order) }
    if (done?.event !== undefined) yield* report(done.order, done.event)
  })

  let soonestMillis = Infinity
  let wakeAtMillis = 0
  const sooner = Latch.makeUnsafe()
  const noteDue = (dueAtMillis: number | undefined): void => {
    soonestMillis = Math.min(soonestMillis, dueAtMillis ?? Infinity)
    if (soonestMillis < wakeAtMillis) sooner.openUnsafe()
  }

  /** Of an order that was changed in between, what can't be undone is told all the same. */
  const report = Effect.fnUntraced(function* (order: Order, event: OrderEvent) {
    const told = yield* life.tellOutcome(order, event)
    if (told._tag === "Changed") noteDue(told.order.dueAtMillis)
    if (told._tag === "Overtaken" && facts.has(event._tag)) yield* life.tellById(order.id, event)
  })

  /** One step, or one mail, of an order that this worker has to itself. */
  const takeOn = Effect.fnUntraced(function* (order: Order) {
    const nowMillis = yield* Clock.currentTimeMillis
    const isDue = order.stepAtMillis !== undefined && order.stepAtMillis <= nowMillis
    const step = isDue ? stepOf(order, life.capabilitiesFor(order)) : undefined
    if (step !== undefined) return yield* takeStep(order, step)
    const event = yield* mailing.next(order, nowMillis)
    // Nothing to do after all: what it waits for is written down again.
    yield* event === undefined ? orders.replace(rested(order, isDue)) : report(order, event)
  })

  const rested = (order: Order, isDue: boolean): Order =>
    scheduled({ ...order, stepAtMillis: isDue ? undefined : order.stepAtMillis })

  /** One order that can't be taken on now must not keep the others waiting. */
  const tryToTakeOn = (order: Order) =>
    takeOn(order).pipe(
      Effect.catchCause((cause) => Effect.logError("An order could not be taken on yet", order.id, cause))
    )

  /** Those who wait for room, or for more to do. */
  const waiting = new Set<Queue.Queue<"ended" | "woken">>()

  /**
   * Keeps as many orders under way as it may: one whose upstream is slow takes one place, and keeps nobody else
   * waiting.
   */
  const work = Effect.scoped(
    Effect.gen(function* () {
      const news = yield* Queue.unbounded<"ended" | "woken">()
      waiting.add(news)
      yield* Effect.addFinalizer(() => Effect.sync(() => waiting.delete(news)))
      const fibers = yield* FiberSet.make<void>()
      let steps = 0
      let underWay = 0
      for (;;) {
        const nowMillis = yield* Clock.currentTimeMillis
        const room = concurrency - underWay
        // What is under way ends first: a call upstream that is cut off leaves open what came of it.
        const taken = yield* Effect.tapError(orders.take(nowMillis, nowMillis + Pace.lease, room), () =>
          FiberSet.awaitEmpty(fibers)
        )
        for (const order of taken) {
          yield* FiberSet.run(fibers, Effect.ensuring(tryToTakeOn(order), Queue.offer(news, "ended")))
        }
        steps += taken.length
        underWay += taken.length
        if (underWay === 0) return steps
        // With room left there was no more to do: whatever happens next may have changed that.
        const heard = yield* Queue.takeBetween(news, taken.length < room ? 1 : refill, 2 * concurrency)
        underWay -= heard.filter((word) => word === "ended").length
      }
    })
  )

  let isWorking = false
  let isWanted = false
  const rounds = Effect.gen(function* () {
    do {
      isWanted = false
      yield* work
    } while (isWanted)
  }).pipe(
    Effect.catchCause((cause) => Effect.logError("Orders could not be worked on and are tried again", cause)),
    Effect.ensuring(
      Effect.sync(() => {
        isWorking = false
      })
    )
  )

  const wake = Effect.suspend(() => {
    isWanted = true
    for (const news of waiting) Queue.offerUnsafe(news, "woken")
    if (isWorking) return Effect.void
    isWorking = true
    return inBackground(rounds)
  })

  /** Until the next look, or until the first of the orders that were taken on here is due again. */
  const pause = Effect.gen(function* () {
    const lookMillis = (yield* Clock.currentTimeMillis) + longestPauseMillis
    for (;;) {
      const nowMillis = yield* Clock.currentTimeMillis
      wakeAtMillis = Math.min(lookMillis, soonestMillis)
      if (wakeAtMillis <= nowMillis) break
      sooner.closeUnsafe()
      yield* Effect.raceFirst(Effect.sleep(wakeAtMillis - nowMillis), sooner.await)
    }
    soonestMillis = Infinity
  })

  const run = Effect.forever(Effect.andThen(wake, pause))

  return OrderWorker.of({ wake, work, run })
})
