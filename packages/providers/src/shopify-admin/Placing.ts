import type { OrderPayment } from "@till402/core"
import { BoundedMap, Money } from "@till402/core/effect"
import { Clock, Effect, Result } from "effect"
import type { OrderRequest } from "../fulfilment/Buyer.ts"
import type { OpenQuotes } from "../fulfilment/OpenQuotes.ts"
import {
  type FailedPlacement,
  notPlaced,
  type PlacementOutcome,
  refused,
  unknown,
  withOutcome
} from "../fulfilment/PlacementOutcome.ts"
import { inFlightMillis, placementInFlight, SentPlacements } from "../fulfilment/SentPlacements.ts"
import { soldCurrency } from "../fulfilment/Cents.ts"
import { isUpstreamFault, ResponseMalformed } from "../upstream/index.ts"
import type { DraftDocument } from "./Documents.ts"
import { DraftRefused, type Drafts, isCompleted, orderOf } from "./Drafts.ts"
import { OrderNotPlaceable, type ShopifyAdminError } from "./Errors.ts"

/*
 * An order is placed by completing its draft, which the shop does once. The draft carries the till's order id, so a
 * repeated placement recognizes its own order.
 */

/** A paid order of the till, to be placed. */
export interface ShopifyAdminPlacement extends OrderRequest {
  readonly orderId: string
  /** The draft order: the `reference` of its quote. */
  readonly reference: string
  /** The agreed total: decimal text in dollars. */
  readonly total: string
  /** Written on the order, for the shop's books. */
  readonly payment?: OrderPayment
}

interface Placed {
  readonly reference: string
}

type Attempt = Effect.Effect<Placed, FailedPlacement<ShopifyAdminError>>

/** Refusals that are remembered; the oldest are forgotten, and then wait again. */
const maxRefused = 10_000
const draftPattern = /^gid:\/\/shopify\/DraftOrder\/\d{1,20}$/

/** Before the draft was read, an earlier attempt may have placed the order. */
const whenUnread = (error: ShopifyAdminError): PlacementOutcome =>
  error._tag === "OrderNotPlaceable" ? refused(error.code) : unknown()

/** The draft was read and is open, and nothing was sent to complete it. */
const whenOpen = (error: ShopifyAdminError): PlacementOutcome =>
  error._tag === "OrderNotPlaceable" ? refused(error.code) : notPlaced(error)

/** The shop was asked to complete the draft. */
const whenCompleting = (error: ShopifyAdminError): PlacementOutcome => {
  if (error._tag === "OrderNotPlaceable") return refused(error.code)
  if (!isUpstreamFault(error)) return unknown()
  const wasNotSent =
    ["RateLimited", "CircuitOpen", "Overloaded"].includes(error._tag) ||
    (error._tag === "Rejected" && [401, 403, 429].includes(error.status))
  return wasNotSent ? notPlaced(error) : unknown()
}

/** The order of a completed draft, unless it was paid as another one. */
const placedAs = Effect.fnUntraced(function* (
  draft: DraftDocument,
  orderId: string
): Effect.fn.Return<Placed, ShopifyAdminError> {
  if (orderOf(draft) !== orderId) return yield* new OrderNotPlaceable({ code: "reference_taken" })
  const reference = draft.order?.id
  return reference === undefined
    ? yield* new ResponseMalformed({ upstream: "shopify-admin", detail: "draftOrder.order" })
    : { reference }
})

/** Places orders by completing their drafts. */
export class Placing {
  private readonly drafts: Drafts
  private readonly quotes: OpenQuotes
  private readonly sent = new SentPlacements()
  /** When an open draft was first refused, by the till's order id. */
  private readonly refusedAtMillis = new BoundedMap<string, number>(maxRefused)

  constructor(drafts: Drafts, quotes: OpenQuotes) {
    this.drafts = drafts
    this.quotes = quotes
  }

  attempt(placement: ShopifyAdminPlacement): Attempt {
    return this.quotes.change(placement.reference, this.attemptNow(placement))
  }

  /** Finds the shop's order of an order of the till. Fails while an earlier request may still place it. */
  readonly find = Effect.fnUntraced(
    { self: this },
    function* (orderId: string, reference: string): Effect.fn.Return<string | null, ShopifyAdminError> {
      const draft = draftPattern.test(reference) ? yield* this.drafts.get(reference) : undefined
      if (draft !== undefined && isCompleted(draft)) {
        return orderOf(draft) === orderId ? (draft.order?.id ?? null) : null
      }
      const left = this.sent.millisLeft(orderId, yield* Clock.currentTimeMillis)
      return left > 0 ? yield* placementInFlight(left) : null
    }
  )

  /** A draft may still be completed by an earlier request: then only its order is certain. */
  private readonly attemptNow = Effect.fnUntraced(
    { self: this },
    function* (
      placement: ShopifyAdminPlacement
    ): Effect.fn.Return<Placed, FailedPlacement<ShopifyAdminError>> {
      const { orderId, reference } = placement
      const mayArrive = this.sent.millisLeft(orderId, yield* Clock.currentTimeMillis) > 0
      const result = yield* Effect.result(this.place(placement))
      if (Result.isFailure(result) && (mayArrive || result.failure.outcome._tag === "Unknown")) {
        return yield* Effect.fail({ ...result.failure, outcome: unknown() })
      }
      this.sent.delete(orderId)
      // Nobody should complete the draft of an order that is refunded.
      if (Result.isFailure(result) && result.failure.outcome._tag === "Refused") {
        const isUnwanted = (claimedBy: string | undefined) => claimedBy === undefined || claimedBy === orderId
        yield* Effect.ignore(this.drafts.remove(reference, isUnwanted))
      }
      return yield* Effect.fromResult(result)
    }
  )

  private readonly place = Effect.fnUntraced(
    { self: this },
    function* (
      placement: ShopifyAdminPlacement
    ): Effect.fn.Return<Placed, FailedPlacement<ShopifyAdminError>> {
      const { orderId, reference } = placement
      const now = yield* Clock.currentTimeMillis
      const draft = yield* withOutcome(whenUnread)(this.draftOf(reference))
      if (isCompleted(draft)) return yield* withOutcome(whenUnread)(placedAs(draft, orderId))
      const claiming = yield* Effect.result(this.claimed(draft, placement))
      if (Result.isFailure(claiming)) return yield* this.unclaimed(claiming.failure, placement)
      this.sent.add(orderId, now)
      return yield* this.completed(reference, orderId)
    }
  )

  /** The shop changes no draft that another process has completed since it was read. */
  private unclaimed(error: ShopifyAdminError, { orderId, reference }: ShopifyAdminPlacement): Attempt {
    const isOpen = Effect.fail({ error, outcome: whenOpen(error) })
    if (!(error instanceof DraftRefused)) return isOpen
    return Effect.flatMap(withOutcome(whenUnread)(this.draftOf(reference)), (draft) =>
      isCompleted(draft) ? withOutcome(whenUnread)(placedAs(draft, orderId)) : isOpen
    )
  }

  /** Writes the till's order on a draft at the agreed price, which may change with it. */
  private readonly claimed = Effect.fnUntraced(
    { self: this },
    function* (
      draft: DraftDocument,
      { orderId, payment, total }: ShopifyAdminPlacement
    ): Effect.fn.Return<void, ShopifyAdminError> {
      yield* this.checkPrice(draft, total)
      if (orderOf(draft) === orderId) return
      yield* this.checkPrice(yield* this.drafts.claim(draft.id, orderId, payment), total)
    }
  )

  /** Checks what the shop will charge for a draft. */
  private readonly checkPrice = Effect.fnUntraced(
    { self: this },
    function* (draft: DraftDocument, total: string): Effect.fn.Return<void, ShopifyAdminError> {
      const { shopMoney } = (yield* this.drafts.whenReady(draft)).totalPriceSet
      const [agreed, asked] = [Money.parseAtomic(total), Money.parseAtomic(shopMoney.amount)]
      const isAgreed = agreed !== undefined && asked !== undefined && asked <= agreed
      if (!isAgreed || shopMoney.currencyCode !== soldCurrency) {
        return yield* new OrderNotPlaceable({ code: "price_changed" })
      }
    }
  )

  private completed(reference: string, orderId: string): Attempt {
    return Effect.matchEffect(this.drafts.complete(reference), {
      onSuccess: (draft) => withOutcome(whenUnread)(placedAs(draft, orderId)),
      onFailure: (error): Attempt =>
        error instanceof DraftRefused
          ? Effect.catch(withOutcome(whenUnread)(this.completedBefore(reference, orderId)), (failure) =>
              this.whenRefused(failure, orderId)
            )
          : Effect.fail({ error, outcome: whenCompleting(error) })
    })
  }

  /** The order of a draft that the shop didn't complete, because it is completed already. */
  private readonly completedBefore = Effect.fnUntraced(
    { self: this },
    function* (reference: string, orderId: string): Effect.fn.Return<Placed, ShopifyAdminError> {
      const draft = yield* this.draftOf(reference)
      // Refused, and still a draft: the shop doesn't sell it, unless another request is completing it right now.
      if (!isCompleted(draft)) return yield* new OrderNotPlaceable({ code: "order_refused" })
      return yield* placedAs(draft, orderId)
    }
  )

  /** A refusal is certain once no request of another process can still complete the draft. */
  private readonly whenRefused = Effect.fnUntraced(
    { self: this },
    function* (failure: FailedPlacement<ShopifyAdminError>, orderId: string) {
      const isOpen = failure.error._tag === "OrderNotPlaceable" && failure.error.code === "order_refused"
      if (!isOpen) return yield* Effect.fail(failure)
      const now = yield* Clock.currentTimeMillis
      const first = this.refusedAtMillis.get(orderId) ?? now
      this.refusedAtMillis.set(orderId, first)
      return yield* Effect.fail(now < first + inFlightMillis ? { ...failure, outcome: unknown() } : failure)
    }
  )

  private readonly draftOf = Effect.fnUntraced(
    { self: this },
    function* (reference: string): Effect.fn.Return<DraftDocument, ShopifyAdminError> {
      if (!draftPattern.test(reference)) return yield* new OrderNotPlaceable({ code: "reference" })
      const draft = yield* this.drafts.get(reference)
      return draft ?? (yield* new OrderNotPlaceable({ code: "quote_expired" }))
    }
  )
}
