import type { OrderEvent } from "../../src/shop/orders/OrderEvent.ts"
import type { OrderStep } from "../../src/shop/orders/OrderStep.ts"
import type { Model, Move } from "./Checker.ts"
import {
  applied,
  idleWorker,
  keyOfOrder,
  type OrderMachines,
  type OrderWorld,
  type OrderWorldState,
  placements,
  realOrderMachines,
  tooLate,
  type Worker
} from "./OrderWorld.ts"

/*
 * The order machine in a world. Safety, in money: an order is placed upstream once, and only if its payment settled; what
 * is refunded is not delivered as well, unless an operator answers for it; a payment ends in goods or in a refund.
 */

type OrderMove = Move<OrderWorldState>

/** Events that are true whatever else has changed. */
const isFact = ({ _tag }: OrderEvent): boolean => _tag === "Placed" || _tag === "Refunded"

const withWorker = (state: OrderWorldState, index: number, worker: Worker): OrderWorldState => ({
  ...state,
  workers: state.workers.map((other, at) => (at === index ? worker : other))
})

const keyOfWorker = ({ isCalling, isStale, read, step }: Worker): string =>
  step === undefined
    ? "-"
    : `${step}${isCalling ? "c" : ""}${isStale ? "s" : ""}${read ? keyOfOrder(read) : ""}`

const keyOf = (state: OrderWorldState): string => {
  const { age, inFlight, isCanceled, isUntold, lease, order, payment, placed, refund, upstream } = state
  const flags = [inFlight, isCanceled, isUntold, state.wasPaid].map(Number).join("")
  return `${age}${keyOfOrder(order)}|${lease}${payment}${refund}${placed}${upstream}${flags}|${state.workers.map(keyOfWorker).join(" ")}`
}

/** The goods reach the buyer. */
const hasGoods = ({ isCanceled, placed, upstream }: OrderWorldState): boolean =>
  placed > 0 && upstream !== "failed" && upstream !== "cancelled" && !isCanceled

const resting: ReadonlySet<string> = new Set(["delivered", "refunded", "abandoned"])

const isFinal = (state: OrderWorldState, { operator }: OrderWorld): boolean => {
  const { inFlight, isUntold, order, payment, workers } = state
  const isAtRest =
    resting.has(order.status) ||
    (order.status === "needs_operator" && operator === undefined) ||
    // Upstream reports no status: it was placed, and that is all that can be known.
    (!order.isDue && (order.status === "placed" || order.status === "shipped"))
  return (
    isAtRest &&
    payment !== "open" &&
    !isUntold &&
    !inFlight &&
    workers.every(({ step }) => step === undefined)
  )
}

const faultOf = (state: OrderWorldState, world: OrderWorld): string | undefined => {
  const { order, payment, placed, refund, wasPaid } = state
  if (placed > 1) return "placed twice upstream"
  if (placed > 0 && !wasPaid) return "placed, and its payment did not settle"
  if (refund === "sent" && hasGoods(state)) return "the goods are on their way, and the payment is refunded"
  if (order.status === "refunded" && refund !== "sent") return "refunded, and no refund was sent"
  if (!isFinal(state, world) || payment !== "settled") return undefined
  if (order.status === "abandoned") return "abandoned, and its payment has settled"
  return order.status === "delivered" && placed === 0 ? "delivered, and never placed" : undefined
}

/** One exploration of an order world. */
class OrderModel implements Model<OrderWorldState> {
  readonly initial: OrderWorldState
  private readonly world: OrderWorld
  private readonly machines: OrderMachines

  constructor(world: OrderWorld, machines: OrderMachines) {
    this.world = world
    this.machines = machines
    this.initial = {
      age: 0,
      order: {
        status: "awaiting_payment",
        attempts: 0,
        hasReference: false,
        isDue: true,
        isLate: true,
        updated: 0
      },
      lease: -1,
      workers: Array.from({ length: world.workers }, () => idleWorker),
      payment: "open",
      refund: "none",
      isUntold: false,
      placed: 0,
      upstream: "placed",
      inFlight: false,
      wasPaid: false,
      isCanceled: false
    }
  }

  readonly keyOf = keyOf
  readonly isFinal = (state: OrderWorldState) => isFinal(state, this.world)
  readonly faultOf = (state: OrderWorldState) => faultOf(state, this.world)
  readonly describe = (state: OrderWorldState): string => JSON.stringify(state)
  readonly movesFrom = (state: OrderWorldState): ReadonlyArray<OrderMove> => [
    ...state.workers.flatMap((worker, index) => this.movesOf(state, worker, index)),
    ...this.paymentMoves(state),
    ...this.upstreamMoves(state),
    ...(this.world.operator ? this.operatorMoves(state) : [])
  ]

  private movesOf(state: OrderWorldState, worker: Worker, index: number): Array<OrderMove> {
    const name = `worker ${index + 1}`
    const { lease, order } = state
    if (worker.step === undefined) {
      if (!order.isDue || lease >= 0 || (order.isLate && state.inFlight)) return []
      const step = this.machines.nextStep(order, this.world.capabilities)
      if (step === undefined) return []
      const taken = withWorker({ ...state, lease: index }, index, { ...idleWorker, step, read: order })
      return [{ label: `${name}: takes the order, which is ${order.status}: ${step}`, to: taken }]
    }
    const moves = this.performed(state, worker, worker.step, index).map(({ label, to }) => ({
      label: `${name}: ${worker.step}: ${label}`,
      to
    }))
    const crashed = withWorker(state, index, idleWorker)
    if (this.world.crashes) moves.push({ label: `${name}: crashes`, to: crashed })
    return moves
  }

  /** A step's outcome, applied to the order. */
  private outcome(state: OrderWorldState, index: number, label: string, event: OrderEvent): OrderMove {
    const { isStale } = state.workers[index]!
    const freed = withWorker(state, index, idleWorker)
    const after = isStale && !isFact(event) ? undefined : applied(freed, event, this.world, this.machines)
    return { label: `${label} (${event._tag})`, to: after ?? freed }
  }

  private performed(
    state: OrderWorldState,
    worker: Worker,
    step: OrderStep,
    index: number
  ): Array<OrderMove> {
    const outcome = (label: string, event: OrderEvent, from = state) =>
      this.outcome(from, index, label, event)
    switch (step) {
      case "CheckPayment": {
        if (state.payment === "settled") return [outcome("settled", { _tag: "PaymentSettled" })]
        return [
          state.payment === "failed"
            ? outcome("failed", { _tag: "PaymentFailed" })
            : outcome("pending", { _tag: "PaymentPending" })
        ]
      }
      case "Place":
      case "PlaceAgain":
        return this.placing(state, worker, index)
      case "LookUp":
        return [
          ...(state.placed > 0 ? [outcome("found", { _tag: "Placed", reference: "up-1" })] : []),
          // By its contract, `find` returns null only if the order never will be placed.
          ...(state.placed === 0 && !state.inFlight
            ? [outcome("not found", { _tag: "NotPlaced", retryAfterMillis: undefined })]
            : []),
          outcome("upstream is down", { _tag: "PlacementUnclear" })
        ]
      case "Park":
        return [outcome("an operator has to decide", { _tag: "PlacementUnclear" })]
      case "ReadStatus":
        return [
          outcome(state.upstream, {
            _tag: "Progressed",
            progress: { status: state.upstream, shipments: [] }
          }),
          outcome("upstream is down", { _tag: "StatusUnknown" }),
          outcome("upstream has no status", { _tag: "Untracked" })
        ]
      case "MarkRefundDue": {
        if (state.payment === "settled") {
          const refund = state.refund === "none" ? "due" : state.refund
          return [outcome("a refund is due", { _tag: "RefundDue" }, { ...state, refund })]
        }
        return [
          state.payment === "failed"
            ? outcome("nothing was paid", { _tag: "NoRefundDue" })
            : outcome("the payment is open", { _tag: "RefundPending" })
        ]
      }
      case "Refund": {
        const pending = outcome("not sent yet", { _tag: "RefundPending" })
        if (state.refund === "none") return [pending]
        return [pending, outcome("sent", { _tag: "Refunded" }, { ...state, refund: "sent" })]
      }
    }
  }

  private placing(state: OrderWorldState, worker: Worker, index: number): Array<OrderMove> {
    const read = worker.read!
    if (!worker.isCalling) {
      const begun = worker.isStale
        ? undefined
        : applied(state, { _tag: "PlacingBegun" }, this.world, this.machines, index)
      if (begun === undefined)
        return [{ label: "another was first", to: withWorker(state, index, idleWorker) }]
      return [{ label: "begins", to: withWorker(begun, index, { ...worker, isCalling: true }) }]
    }
    if (state.lease !== index) return [this.outcome(state, index, "too late to call", tooLate(read))]
    return placements(state, read, this.world).map(({ event, label, state: after }) =>
      this.outcome(after, index, label, event)
    )
  }

  private paymentMoves(state: OrderWorldState): Array<OrderMove> {
    const { isUntold, lease, payment } = state
    const moves: Array<OrderMove> = []
    // A lease outlasts a request whose response is lost.
    if (lease >= 0 && !state.inFlight)
      moves.push({ label: `time: the lease of worker ${lease + 1} expires`, to: { ...state, lease: -1 } })
    if (payment === "open") {
      const settled = { ...state, payment: "settled", isUntold: true, wasPaid: true } as const
      moves.push({ label: "payment: settles", to: settled })
      moves.push({ label: "payment: fails", to: { ...state, payment: "failed", isUntold: true } })
    }
    if (this.world.reorganizes && payment === "settled" && state.refund === "none")
      moves.push({
        label: "payment: a reorganization undoes it for good",
        to: { ...state, payment: "failed", isUntold: true }
      })
    if (isUntold) {
      const event: OrderEvent = { _tag: payment === "settled" ? "PaymentSettled" : "PaymentFailed" }
      const told = { ...state, isUntold: false }
      const to = applied(told, event, this.world, this.machines) ?? told
      moves.push({ label: `payment: tells the order (${event._tag})`, to })
    }
    if (state.age < 2) {
      const age = state.age === 0 ? 1 : 2
      moves.push({ label: "time: long passes", to: { ...state, age, inFlight: false } })
    }
    return moves
  }

  private upstreamMoves(state: OrderWorldState): Array<OrderMove> {
    const { inFlight, placed, upstream } = state
    const moves: Array<OrderMove> = []
    if (inFlight) {
      const isKnown = this.world.capabilities.placesOnce && placed > 0
      const arrived = { ...state, inFlight: false, placed: isKnown ? placed : placed + 1 }
      moves.push({ label: "upstream: the late request arrives", to: arrived })
      moves.push({ label: "upstream: the late request is lost", to: { ...state, inFlight: false } })
    }
    if (placed === 0) return moves
    const following = { placed: ["shipped", "failed", "cancelled"], shipped: ["delivered"] } as const
    if (upstream === "placed" || upstream === "shipped")
      for (const status of following[upstream])
        moves.push({ label: `upstream: the order is ${status}`, to: { ...state, upstream: status } })
    return moves
  }

  /** An operator knows what the upstream has, and waits until nothing is on its way. */
  private operatorMoves(state: OrderWorldState): Array<OrderMove> {
    const { inFlight, order, placed } = state
    const isBusy = state.workers.some(({ isCalling }) => isCalling)
    const decided = (label: string, event: OrderEvent, from = state): Array<OrderMove> => {
      const to = applied(from, event, this.world, this.machines)
      return to === undefined ? [] : [{ label: `operator: ${label}`, to }]
    }
    const moves = decided("processes it now", { _tag: "StepRequested" })
    if (inFlight || isBusy) return moves
    if (placed === 0 && order.status === "needs_operator")
      moves.push(...decided("retries", { _tag: "Retried" }))
    if (placed > 0) {
      moves.push(...decided("finds it upstream", { _tag: "Resolved", reference: "up-1" }))
      if (state.upstream === "delivered")
        moves.push(...decided("knows that it arrived", { _tag: "Delivered" }))
    }
    moves.push(
      ...decided("cancels it", { _tag: "Cancelled", reason: "seller" }, { ...state, isCanceled: true })
    )
    return moves
  }
}

export const orderModel = (
  world: OrderWorld,
  machines: OrderMachines = realOrderMachines
): Model<OrderWorldState> => new OrderModel(world, machines)
