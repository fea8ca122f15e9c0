import { report } from "../ports/ShopEvents.ts"
import { Clock, Context, Effect, FiberSet, Layer, Queue } from "effect"
import { makeBackground } from "../../runtime/Background.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { type Order, type OrderMail, Orders } from "../ports/Orders.ts"
import { type MailQueue, makeMailQueue } from "./MailQueue.ts"
import { NextDue } from "./NextDue.ts"
import type { OrderEvent } from "./OrderEvent.ts"
import { OrderLife } from "./OrderLife.ts"
import { OrderMailing } from "./OrderMailing.ts"
import { withDueTime } from "./OrderMove.ts"
import { nextStep } from "./OrderStep.ts"
import { OrderSteps } from "./OrderSteps.ts"
import * as OrderTimings from "./OrderTimings.ts"

/*
 * Takes orders that are due and performs one step of each, or hands one mail to the mail queue. The orders table is the
 * source of truth: a worker may die at any point, and the next one reads off the order what to do.
 */

/** Processes orders that are due. */
export class OrderWorker extends Context.Service<
  OrderWorker,
  {
    /** Starts to work in the background, if no run is in progress; returns at once. */
    readonly wake: Effect.Effect<void>
    /** Works until no order is due; returns the number of steps. */
    readonly work: Effect.Effect<number, StoreError>
    /** Wakes the worker whenever an order is due, forever. */
    readonly run: Effect.Effect<never>
  }
>()("@till402/core/OrderWorker") {
  static readonly layer = Layer.effect(
    OrderWorker,
    Effect.suspend(() => make)
  ).pipe(Layer.provide(OrderSteps.layer))
}

/** Orders in progress at a time; each makes at most one call upstream. */
const concurrency = 64
/** Under load, orders are taken once this many places are free: a query costs as much for one order as for many. */
const refill = 16

/** Events that apply to the newest version of an order, whatever changed during the step; others to the one it began with. */
const alwaysApplied: ReadonlySet<OrderEvent["_tag"]> = new Set([
  "Placed",
  "Refunded",
  "MailSent",
  "MailFailed"
])

/** The pause before a mail that found the mail queue full. */
const fullQueueMillis = 60_000

type Signal = "ended" | "woken"

interface Services {
  readonly orders: Orders["Service"]
  readonly life: OrderLife["Service"]
  readonly steps: OrderSteps["Service"]
  readonly mails: MailQueue
  readonly nextDue: NextDue
  /** Queues of the runs in progress. */
  readonly runs: Set<Queue.Queue<Signal>>
}

/** Applies a step's event; a fact also to an order that was changed concurrently. */
const applyEvent = Effect.fnUntraced(function* (
  { life, nextDue }: Pick<Services, "life" | "nextDue">,
  order: Order,
  event: OrderEvent
): Effect.fn.Return<void, StoreError> {
  const result = yield* life.applyOutcome(order, event)
  if (result._tag === "Changed") nextDue.note(result.order.dueAtMillis)
  if (result._tag === "Conflict" && alwaysApplied.has(event._tag)) yield* life.applyById(order.id, event)
})

/**
 * Hands a mail that is due to the mail queue. Its lease is its own, so that it doesn't hold up the order's next step.
 */
const sendLater = Effect.fnUntraced(function* (
  { life, mails, nextDue }: Services,
  order: Order,
  { dueAtMillis, kind }: OrderMail,
  nowMillis: number
): Effect.fn.Return<void, StoreError> {
  const hasRoom = mails.hasRoom()
  const untilMillis = nowMillis + (hasRoom ? OrderTimings.workLeaseMillis : fullQueueMillis)
  const result = yield* life.applyOutcome(order, { _tag: "MailDeferred", kind, dueAtMillis, untilMillis })
  if (result._tag !== "Changed") return
  nextDue.note(result.order.dueAtMillis)
  if (hasRoom) yield* mails.add(result.order, { kind, dueAtMillis: untilMillis })
})

/** Performs one step of an order that this worker has leased, or hands over a mail. */
const processOrder = Effect.fnUntraced(function* (
  services: Services,
  order: Order
): Effect.fn.Return<void, StoreError> {
  const { life, orders, steps } = services
  const nowMillis = yield* Clock.currentTimeMillis
  const isDue = order.stepAtMillis !== undefined && order.stepAtMillis <= nowMillis
  const step = isDue ? nextStep(order, yield* life.capabilitiesFor(order)) : undefined
  if (step !== undefined) {
    const result = yield* steps.perform(order, step)
    if (result !== undefined) yield* applyEvent(services, result.order, result.event)
    return
  }
  const mail = order.mails.find(({ dueAtMillis }) => dueAtMillis <= nowMillis)
  if (mail !== undefined) return yield* sendLater(services, order, mail, nowMillis)
  // Nothing is due after all: `take` has moved the due time, so it is computed again.
  yield* orders.replace(withDueTime({ ...order, stepAtMillis: isDue ? undefined : order.stepAtMillis }))
})

/** Like `processOrder`; an order that fails doesn't stop the others. */
const tryProcessOrder = (services: Services, order: Order): Effect.Effect<void> =>
  processOrder(services, order).pipe(
    Effect.catchCause((cause) =>
      report(
        "Error",
        "order_step_failed",
        "A step of an order failed and is retried",
        { orderId: order.id },
        cause
      )
    )
  )

/** Processes orders until none is due. A slow upstream call occupies one place and delays no other order. */
const workOff = (services: Services): Effect.Effect<number, StoreError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { orders, runs } = services
      const signals = yield* Queue.unbounded<Signal>()
      runs.add(signals)
      yield* Effect.addFinalizer(() => Effect.sync(() => runs.delete(signals)))
      const fibers = yield* FiberSet.make<void>()
      let steps = 0
      let inProgress = 0
      for (;;) {
        const nowMillis = yield* Clock.currentTimeMillis
        const room = concurrency - inProgress
        // On failure, steps in progress end first: interrupting a call to upstream leaves its result unknown.
        const taken = yield* Effect.tapError(
          orders.take(nowMillis, nowMillis + OrderTimings.workLeaseMillis, room),
          () => FiberSet.awaitEmpty(fibers)
        )
        for (const order of taken) {
          const processing = tryProcessOrder(services, order)
          yield* FiberSet.run(fibers, Effect.ensuring(processing, Queue.offer(signals, "ended")))
        }
        steps += taken.length
        inProgress += taken.length
        if (inProgress === 0 && services.mails.isEmpty()) return steps
        // If there was room left, nothing else was due: any signal may have changed that.
        const received = yield* Queue.takeBetween(signals, taken.length < room ? 1 : refill, 2 * concurrency)
        inProgress -= received.filter((signal) => signal === "ended").length
      }
    })
  )

const make = Effect.gen(function* () {
  const life = yield* OrderLife
  const nextDue = new NextDue()
  const runs: Services["runs"] = new Set()
  const signalAll = () => {
    for (const signals of runs) Queue.offerUnsafe(signals, "woken")
  }
  const services: Services = {
    orders: yield* Orders,
    life,
    steps: yield* OrderSteps,
    mails: yield* makeMailQueue({
      mailing: yield* OrderMailing,
      apply: (order, event) => applyEvent({ life, nextDue }, order, event),
      onEmpty: signalAll
    }),
    nextDue,
    runs
  }
  const inBackground = yield* makeBackground
  const work = workOff(services)
  let isRunning = false
  let isRequested = false

  const repeated = Effect.gen(function* () {
    do {
      isRequested = false
      yield* work
    } while (isRequested)
  }).pipe(
    Effect.catchCause((cause) =>
      report("Error", "order_sweep_failed", "Orders could not be processed; retrying", {}, cause)
    ),
    Effect.ensuring(
      Effect.sync(() => {
        isRunning = false
      })
    )
  )

  const wake = Effect.suspend(() => {
    isRequested = true
    signalAll()
    if (isRunning) return Effect.void
    isRunning = true
    return inBackground(repeated)
  })

  const run = Effect.forever(Effect.andThen(wake, services.nextDue.pause))
  yield* (yield* BackgroundWork).add({ operation: "orders.work", run, isEndless: true, reconcile: work })
  return OrderWorker.of({ wake, work, run })
})
