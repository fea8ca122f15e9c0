import { NotPlaced, PlacementRefused, UpstreamUnavailable } from "../../src/shop/ports/PortErrors.ts"
import type { FulfilmentState, OrderStatus } from "../../src/shop/goods/Order.ts"
import type { OrderEvent } from "../../src/shop/orders/OrderEvent.ts"
import { advance } from "../../src/shop/orders/OrderMachine.ts"
import { failedPlacement, notPlaced } from "../../src/shop/orders/OrderPlacing.ts"
import { type Capabilities, nextStep, type OrderStep } from "../../src/shop/orders/OrderStep.ts"
import * as OrderTimings from "../../src/shop/orders/OrderTimings.ts"
import type { Order } from "../../src/shop/ports/Orders.ts"
import { sampleOrder } from "../../../testing/src/stores/records.ts"

/*
 * A state of the order world, and the real order machine applied to it. One order, its payment, the upstream, workers
 * that lease it, and an operator. Mails are left out: no money depends on them.
 */

/** A configuration. */
export interface OrderWorld {
  readonly name: string
  readonly capabilities: Omit<Capabilities, "canMail">
  readonly workers: number
  /** Failed attempts that the world counts; more are the same to it. */
  readonly maxAttempts: number
  /** Workers crash between two steps. */
  readonly crashes?: true
  /** An operator decides about orders. */
  readonly operator?: true
  /** A reorganization undoes the payment for good. */
  readonly reorganizes?: true
}

/** What is stored of the order, in classes. */
export interface StoredOrder {
  readonly status: OrderStatus
  /** Up to `maxAttempts` of the world. From 6 on, the pause outlasts a request whose response was lost. */
  readonly attempts: number
  readonly hasReference: boolean
  /** A step is due, now or later. */
  readonly isDue: boolean
  /** That step is due only after a lost request has arrived or is lost for good. */
  readonly isLate: boolean
  /** The age at its last change. */
  readonly updated: Age
}

/** Index into `ages`. */
export type Age = 0 | 1 | 2

/** A worker with its step. `isStale`: the order has changed since it was read. */
export interface Worker {
  readonly step: OrderStep | undefined
  /** Placement has begun, and upstream is called next. */
  readonly isCalling: boolean
  readonly isStale: boolean
  readonly read: StoredOrder | undefined
}

export interface OrderWorldState {
  readonly age: Age
  readonly order: StoredOrder
  /** The worker that holds the order's lease; -1: none. */
  readonly lease: number
  readonly workers: ReadonlyArray<Worker>
  readonly payment: "open" | "settled" | "failed"
  readonly refund: "none" | "due" | "sent"
  /** The order doesn't know yet whether its payment stays. */
  readonly isUntold: boolean
  /** Orders upstream, with their states there. */
  readonly placed: number
  readonly upstream: FulfilmentState
  /** A request whose response was lost is on its way. */
  readonly inFlight: boolean
  /** Its payment had settled at some time. */
  readonly wasPaid: boolean
  /** An operator canceled it, and answers for what the upstream does. */
  readonly isCanceled: boolean
}

export const idleWorker: Worker = { step: undefined, isCalling: false, isStale: false, read: undefined }

const createdMillis = 1_000_000_000_000
const day = 86_400_000
/** New, too old to be placed, and too old to be followed. */
const ages = [60_000, OrderTimings.placingTimeoutMillis + day, OrderTimings.trackingTimeoutMillis + 3 * day]

const millisAt = (age: Age): number => createdMillis + ages[age]!

const orders = new Map<string, Order>()

export const keyOfOrder = (order: StoredOrder): string => {
  const { attempts, hasReference, isDue, isLate, status, updated } = order
  return `${status}${attempts}${hasReference ? "r" : ""}${isDue ? "d" : ""}${isLate ? "l" : ""}${updated}`
}

/** The order as the store returns it. */
export const orderOf = (stored: StoredOrder, age: Age): Order => {
  const key = `${keyOfOrder(stored)}@${age}`
  const known = orders.get(key)
  if (known !== undefined) return known
  const order = sampleOrder({
    status: stored.status,
    attempts: stored.attempts,
    upstreamReference: stored.hasReference ? "up-1" : undefined,
    stepAtMillis: stored.isDue ? millisAt(age) : undefined,
    createdAtMillis: createdMillis,
    updatedAtMillis: millisAt(stored.updated)
  })
  orders.set(key, order)
  return order
}

/** The functions of the machine. Mutants replace them. */
export interface OrderMachines {
  readonly advance: typeof advance
  readonly nextStep: typeof nextStep
}

export const realOrderMachines: OrderMachines = { advance, nextStep }

/** The state after an event; `undefined`: it means nothing to the order. Whoever has read the order before is stale. */
export const applied = (
  state: OrderWorldState,
  event: OrderEvent,
  { capabilities, maxAttempts }: OrderWorld,
  machines: OrderMachines,
  by = -1
): OrderWorldState | undefined => {
  const { age, lease, order } = state
  const nowMillis = millisAt(age)
  const after = machines.advance(orderOf(order, age), event, { ...capabilities, canMail: false }, nowMillis)
  if (after === undefined) return undefined
  const { attempts, status, stepAtMillis, updatedAtMillis, upstreamReference } = after
  const stored: StoredOrder = {
    status,
    attempts: Math.min(attempts, maxAttempts),
    hasReference: upstreamReference !== undefined,
    isDue: stepAtMillis !== undefined,
    isLate: stepAtMillis !== undefined && stepAtMillis - nowMillis >= OrderTimings.inFlightMillis,
    updated: updatedAtMillis === nowMillis ? age : order.updated
  }
  const workers = state.workers.map((worker, at) =>
    at === by || worker.step === undefined ? worker : { ...worker, isStale: true }
  )
  // The lease is a due time, which an event sets anew.
  return { ...state, order: stored, workers, lease: by >= 0 && lease === by ? lease : -1 }
}

/** What upstream may do with an order that is placed, with the state after it. */
export const placements = (
  state: OrderWorldState,
  read: StoredOrder,
  { capabilities }: OrderWorld
): ReadonlyArray<{ readonly label: string; readonly event: OrderEvent; readonly state: OrderWorldState }> => {
  const before = { status: read.status, attempts: read.attempts }
  const again = capabilities.placesOnce && state.placed > 0
  const placed = again ? state : { ...state, placed: state.placed + 1 }
  const lost = new UpstreamUnavailable({ port: "fulfilment" })
  const refused = failedPlacement(before, new PlacementRefused({ reason: "out_of_stock" }))
  return [
    { label: "placed", event: { _tag: "Placed", reference: "up-1" }, state: placed },
    { label: "placed, the response is lost", event: failedPlacement(before, lost), state: placed },
    // What it has placed, it doesn't refuse.
    ...(again ? [] : [{ label: "refused", event: refused, state }]),
    { label: "the request is lost", event: failedPlacement(before, lost), state },
    {
      label: "the request is late, no response",
      event: failedPlacement(before, lost),
      state: { ...state, inFlight: true }
    },
    {
      label: "certainly not placed",
      event: failedPlacement(before, new NotPlaced({ message: "busy" })),
      state
    }
  ]
}

/** The event of a worker that was suspended before it called. */
export const tooLate = (read: StoredOrder): OrderEvent => notPlaced({ status: read.status }, undefined)
