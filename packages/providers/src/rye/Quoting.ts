import type { QuotedOffer } from "@till402/core"
import { Clock, Effect, Option } from "effect"
import { ResponseMalformed, isUnavailable } from "../upstream/index.ts"
import { addressFault, type OrderRequest, productPageOf } from "../fulfilment/Buyer.ts"
import { OfferNotReady, type RyeError } from "./Errors.ts"
import { createdAtOf, type IntentDocument } from "./IntentDocument.ts"
import type { Intents } from "./Intents.ts"
import { type Cost, listedProduct, offerOf, quoteOf } from "./Offer.ts"
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

const isUnavailableError = (error: RyeError): boolean => "upstream" in error && isUnavailable(error)

export const makeQuoting = (intents: Intents, settings: QuotingSettings) => {
  const { defaultPhone, pollMillis, quoteTimeoutMillis } = settings
  const unfinished = new UnfinishedOffers()

  /** Polls an intent until it has an offer or fails. */
  const untilOffered = Effect.fnUntraced(function* (
    first: IntentDocument
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

  const offered = Effect.fnUntraced(function* (request: OrderRequest): Effect.fn.Return<Offered, RyeError> {
    const startedAt = yield* Clock.currentTimeMillis
    let open = unfinished.take(request, startedAt)
    const begin = open === undefined ? intents.create(request) : intents.get(open.reference)
    const waiting = Effect.flatMap(begin, (intent) => {
      const createdAt = Math.min(createdAtOf(intent) ?? startedAt, startedAt)
      open = { reference: intent.id, createdAt }
      return untilOffered(intent)
    }).pipe(
      Effect.tapError((error) =>
        Effect.sync(() => {
          // The intent failed: the next quote starts over. While Rye is unavailable, the intent is kept.
          if (!isUnavailableError(error)) open = undefined
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
