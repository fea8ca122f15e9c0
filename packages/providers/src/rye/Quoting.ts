import type { QuotedOffer } from "@till402/core"
import { Clock, Effect, Option } from "effect"
import { isUnavailable, isUpstreamFault, ResponseMalformed } from "../upstream/index.ts"
import { addressFault, type OrderRequest, pageFault, productPageOf } from "../fulfilment/Buyer.ts"
import type { BalanceCheck } from "./Balance.ts"
import type { Buyers } from "./Buyers.ts"
import { IntentBudgetSpent, OfferNotReady, type RyeError } from "./Errors.ts"
import type { IntentBudget } from "./IntentBudget.ts"
import { createdAtOf, type IntentDocument } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import { type Cost, listedProduct, offerOf, quoteOf } from "./Offer.ts"
import { wasNotSent } from "./Outcome.ts"
import { UnfinishedOffers } from "./UnfinishedOffers.ts"

/*
 * Quotes: creates an intent and polls it until it has an offer or the time limit is over.
 */

export interface QuotingSettings {
  readonly defaultPhone: string | undefined
  readonly quoteTimeoutMillis: number
  readonly pollMillis: number
}

/** Time limit for looking up the title. A quote without it is valid. */
const lookupMillis = 4_000

/** Polls are one, two, three, then four pauses apart: most offers come immediately or after a while. */
const longestPauses = 4

const fallbackTitle = ({ product }: OrderRequest): string =>
  product.source === "marketplace_a"
    ? `Amazon product ${product.asin}`
    : `Product of ${new URL(product.productUrl).hostname}`

interface Offered {
  readonly intent: IntentDocument
  readonly cost: Cost
}

/** Whether Rye created no intent for a request. */
const wasRefused = (error: RyeError): boolean =>
  wasNotSent(error) || !isUpstreamFault(error) || (error._tag === "Rejected" && error.status < 500)

/** Whether an offer may be sold later: Rye is unavailable, or the balance is too low. */
const isTemporary = (error: RyeError): boolean =>
  error._tag === "BalanceTooLow" ||
  error._tag === "DrawdownDisabled" ||
  (isUpstreamFault(error) && isUnavailable(error))

/** What limits quotes. */
export interface QuoteLimits {
  readonly budget: IntentBudget
  readonly buyers: Buyers
  readonly ensureCovered: BalanceCheck
}

/** Polls an intent until it has an offer or fails. */
const untilOffered = Effect.fnUntraced(function* (
  intents: Intents,
  first: IntentDocument,
  { pollMillis }: QuotingSettings
): Effect.fn.Return<Offered, RyeError> {
  let intent = first
  for (let poll = 1; ; poll++) {
    const verdict = offerOf(intent)
    switch (verdict._tag) {
      case "Offered":
        return { intent, cost: verdict.cost }
      case "Refused":
        return yield* Effect.fail(verdict.refusal)
      case "Unusable":
        return yield* new ResponseMalformed({ upstream: "rye", detail: verdict.detail })
      case "Confirmed":
        return yield* new ResponseMalformed({ upstream: "rye", detail: "state" })
      case "NotYet":
        yield* Effect.sleep(pollMillis * Math.min(poll, longestPauses))
        intent = yield* intents.get(intent.id)
    }
  }
})

export const makeQuoting = (intents: Intents, settings: QuotingSettings, limits: QuoteLimits) => {
  const { defaultPhone, quoteTimeoutMillis } = settings
  const { budget, buyers, ensureCovered } = limits
  const unfinished = new UnfinishedOffers()

  /** Creates an intent, within the budget of the day. */
  const create = Effect.fnUntraced(function* (
    request: OrderRequest
  ): Effect.fn.Return<IntentDocument, RyeError> {
    const buyer = yield* buyers.find(request)
    const atMillis = yield* Clock.currentTimeMillis
    const retryAfterMillis = budget.take(buyer, atMillis)
    if (retryAfterMillis !== undefined) return yield* new IntentBudgetSpent({ retryAfterMillis })
    return yield* Effect.tapError(intents.create(request), (error) =>
      Effect.sync(() => {
        if (wasRefused(error)) budget.giveBack(buyer, atMillis)
      })
    )
  })

  const offered = Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<Offered, RyeError> {
    const startedAt = yield* Clock.currentTimeMillis
    let open = unfinished.take(request, startedAt)
    const begin = open === undefined ? create(request) : intents.get(open.reference)
    const waiting = Effect.flatMap(begin, (intent) => {
      const createdAt = Math.min(createdAtOf(intent) ?? startedAt, startedAt)
      open = { reference: intent.id, createdAt }
      return Effect.tap(untilOffered(intents, intent, settings), ({ cost }) => ensureCovered(cost.totalCents))
    }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          // The intent failed: the next quote starts over. Otherwise the intent is kept for it.
          if (!isTemporary(error)) open = undefined
        })
      ),
      Effect.timeoutOrElse({ duration: quoteTimeoutMillis, orElse: () => Effect.fail(new OfferNotReady()) })
    )
    return yield* Effect.onError(waiting, () =>
      Effect.sync(() => {
        if (open !== undefined) unfinished.put(request, open)
      })
    )
  })

  return Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<QuotedOffer, RyeError> {
    const fault = addressFault(request.shippingAddress, { defaultPhone, upstream: "Rye" })
    if (fault !== undefined) return yield* fault
    const foreign = pageFault(request.product)
    if (foreign !== undefined) return yield* foreign
    yield* ensureCovered(1n)
    // A failure counts in `usage`; the quote then has a plain title.
    const listing = intents.product(productPageOf(request.product)).pipe(
      Effect.timeoutOption(lookupMillis),
      Effect.catch(() => Effect.succeed(Option.none()))
    )
    const [{ cost, intent }, listed] = yield* Effect.all([offered(request), listing], { concurrency: 2 })
    const product = listedProduct(Option.getOrUndefined(listed), fallbackTitle(request))
    return quoteOf(intent, cost, product, yield* Clock.currentTimeMillis)
  })
}
