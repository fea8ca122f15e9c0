import { Clock, Effect, Result, Schema } from "effect"
import { type ApiFailure, trackFailure, upstreamFailure } from "./ApiFailure.ts"
import type { OperationId } from "./Api.ts"
import { Catalogue } from "./Catalogue.ts"
import type { Issue } from "./domain/ApiError.ts"
import { formatAtomic, fromDollars, parseAtomic } from "./domain/Money.ts"
import { BuyRequest, buyFaults, type BuyResponse } from "./domain/Order.ts"
import type { Source } from "./domain/Product.ts"
import { readPlainSearch, SearchQuery, type SearchResponse } from "./domain/Search.ts"
import { ShopRequest, type ShopResponse } from "./domain/Shop.ts"
import { TrackQuery, type TrackResult } from "./domain/Tracking.ts"
import {
  DownloadParams,
  DownloadQuery,
  VaultBuyRequest,
  type VaultPage,
  type VaultPurchaseResponse,
  VaultQuery
} from "./domain/Vault.ts"
import type { IncomingRequest, Target } from "./Exchange.ts"
import { decoder, readBody, readQuery } from "./Input.ts"
import type { Operation, Quoted, Reading } from "./Operation.ts"
import type { Prices } from "./Options.ts"
import { describeOffer, Ordering } from "./orders/Ordering.ts"
import { Assistant } from "./ports/Assistant.ts"
import type { Subject } from "./ports/Charges.ts"
import type { Quote } from "./ports/Quotes.ts"
import { Tracker } from "./ports/Tracker.ts"
import { PaymentRefused, type Work } from "./toll/TollRequest.ts"
import { Vault } from "./vault/Vault.ts"

/** The contract's prices. */
export const defaultPrices: Prices = {
  search: "0.01",
  shop: "0.10",
  track: "0.52",
  vaultSearch: "0.01",
  vaultDownload: "0.01"
}

/** Bounds of quoted prices, for the documents alone. */
const maxQuoteAtomic = fromDollars(100_000)

export interface OperationSettings {
  readonly prices: Prices
  readonly replayMillis: number
  readonly secretReplayMillis: number
}

const fixed = (price: string) => ({ _tag: "Fixed" as const, atomic: parseAtomic(price)! })

type Decode<A> = (input: unknown, faults?: ReadonlyArray<Issue>) => Result.Result<A, ApiFailure>

/** A schema of query parameters. */
type QuerySchema<A> = Schema.Codec<A, unknown> & { readonly fields: Readonly<Record<string, unknown>> }

const fromQuery = <A>(
  schema: QuerySchema<A>,
  {
    fromPath = () => ({}),
    readPlain = () => undefined
  }: {
    /** Parameters that stand in the path. */
    readonly fromPath?: (url: Target) => Readonly<Record<string, string>>
    /** Reads common queries as the schema would, at once. */
    readonly readPlain?: (params: URLSearchParams) => A | undefined
  } = {}
) => {
  const decode = decoder(schema)
  const known = new Set(Object.keys(schema.fields))
  return ({ url }: IncomingRequest): Effect.Effect<Reading<A>, ApiFailure> => {
    const params = new URLSearchParams(url.search)
    const plain = readPlain(params)
    if (plain !== undefined) return Effect.succeed<Reading<A>>({ _tag: "Input", input: plain })
    const { faults, input } = readQuery(params, known)
    const decoded = decode({ ...input, ...fromPath(url) }, faults)
    return Result.isSuccess(decoded)
      ? Effect.succeed<Reading<A>>({ _tag: "Input", input: decoded.success })
      : Effect.fail(decoded.failure)
  }
}

const fromBody = <A>(decode: Decode<A>) =>
  Effect.fnUntraced(function* (request: IncomingRequest): Effect.fn.Return<Reading<A>, ApiFailure> {
    const body = yield* readBody(request.toRequest())
    const decoded = decode(body._tag === "Empty" ? {} : body.value)
    if (body._tag === "Empty" && Result.isFailure(decoded)) return { _tag: "Nothing", fault: decoded.failure }
    return { _tag: "Input", input: yield* Effect.fromResult(decoded) }
  })

/** A JSON answer. What ports give was checked against the contract where it came in. */
const answer = (
  value: SearchResponse | ShopResponse | BuyResponse | TrackResult | VaultPage | VaultPurchaseResponse,
  subject?: Subject
): Work => ({
  answer: {
    status: 200,
    contentType: "application/json",
    body: { _tag: "Text", text: JSON.stringify(value) }
  },
  ...(subject === undefined ? {} : { subject })
})

const base = { mimeType: "application/json", sealed: false, namesQuery: false, proofRequired: false }

/** Half a search is worth its price only if it says that it is half. */
const withMissing = (work: Work, missing: ReadonlyArray<Source>): Work =>
  missing.length === 0
    ? work
    : { ...work, answer: { ...work.answer, headers: { "x-missing-marketplaces": missing.join(", ") } } }

const makeSearch = Effect.fnUntraced(function* ({ prices, replayMillis }: OperationSettings) {
  const catalogue = yield* Catalogue
  return {
    ...base,
    id: "search",
    description: "Product search over two marketplaces",
    namesQuery: true,
    replayMillis,
    price: fixed(prices.search),
    read: fromQuery(SearchQuery, { readPlain: readPlainSearch }),
    work: (query) =>
      Effect.mapBoth(catalogue.search(query), {
        onFailure: upstreamFailure,
        onSuccess: ({ missing, response }) => withMissing(answer(response), missing)
      })
  } satisfies Operation<SearchQuery>
})

const makeShop = Effect.fnUntraced(function* ({ prices, replayMillis }: OperationSettings) {
  const assistant = yield* Assistant
  return {
    ...base,
    id: "shop",
    description: "AI shopping assistant: a reply and recommended products",
    replayMillis,
    price: fixed(prices.shop),
    read: fromBody(decoder(ShopRequest)),
    work: (request) =>
      assistant.ask(request).pipe(
        Effect.mapError(upstreamFailure),
        Effect.map((response) => answer(response))
      )
  } satisfies Operation<ShopRequest>
})

const makeTrack = Effect.fnUntraced(function* ({ prices, replayMillis }: OperationSettings) {
  const tracker = yield* Tracker
  return {
    ...base,
    id: "track",
    description: "Live status of a shipment, over 3,400 carriers",
    sealed: true,
    replayMillis,
    price: fixed(prices.track),
    read: fromQuery(TrackQuery),
    work: (query) =>
      tracker.track(query).pipe(
        Effect.mapError((error) =>
          error._tag === "UpstreamFailed" || error._tag === "UpstreamUnavailable"
            ? upstreamFailure(error)
            : trackFailure(error)
        ),
        Effect.map((result) => answer(result))
      )
  } satisfies Operation<TrackQuery>
})

/** Of a title in `extra`, which is repeated for each network. */
const maxItemLength = 80

const quoteOf = (quote: Quote, nowMillis: number): Quoted => {
  const { fee, product, shipping, subtotal, tax, total } = quote.offer
  return {
    atomic: total.atomic,
    standsSeconds: Math.floor((quote.offer.expiresAtMillis - nowMillis) / 1000),
    description: describeOffer(quote),
    extra: {
      quoteId: quote.id,
      item: product.title.slice(0, maxItemLength),
      subtotal: formatAtomic(subtotal.atomic),
      tax: formatAtomic(tax.atomic),
      shipping: formatAtomic(shipping.atomic),
      ...(fee === undefined ? {} : { fee: formatAtomic(fee.atomic) }),
      total: formatAtomic(total.atomic),
      currency: total.currency
    }
  }
}

const asQuoted = (quote: Quote): Effect.Effect<Quoted> =>
  Effect.map(Clock.currentTimeMillis, (nowMillis) => quoteOf(quote, nowMillis))

const quoteMissing = new PaymentRefused({
  refusal: { code: "quote_expired", message: "no quote stands for this request any more; pay the new amount" }
})

const makeBuy = Effect.fnUntraced(function* ({ replayMillis }: OperationSettings) {
  const ordering = yield* Ordering
  const decode = decoder(BuyRequest, buyFaults)
  return {
    ...base,
    id: "buy",
    description: "Purchase of a product, tax and shipping included",
    sealed: true,
    proofRequired: true,
    replayMillis,
    price: {
      _tag: "Quoted",
      indicative: {
        atomic: fromDollars(25),
        description:
          "Indicative amount, not payable: send the body (shippingAddress, email and the product) without payment to be quoted its total with tax and shipping.",
        extra: { indicative: "true" }
      },
      minAtomic: 10_000n,
      maxAtomic: maxQuoteAtomic,
      quote: (request, fingerprint, clientAddress) =>
        Effect.flatMap(ordering.quote(request, fingerprint, clientAddress), asQuoted),
      standing: (_request, fingerprint, chargeKey) =>
        Effect.flatMap(ordering.standingQuote(fingerprint, chargeKey), (quote) =>
          quote === undefined ? Effect.succeed(undefined) : asQuoted(quote)
        )
    },
    read: fromBody(decode),
    work: Effect.fnUntraced(function* (request, charge) {
      const quote = yield* ordering.standingQuote(charge.fingerprint(), charge.key)
      // Another may have taken its place while the payment was verified; that one was not agreed to.
      if (quote === undefined || quote.id !== charge.agreed.extra["quoteId"]) return yield* quoteMissing
      const { orderId, response } = yield* ordering.open(request, quote, charge.key)
      return answer(response, { kind: "order", id: orderId })
    })
  } satisfies Operation<BuyRequest>
})

const makeVaultSearch = Effect.fnUntraced(function* ({ prices, replayMillis }: OperationSettings) {
  const vault = yield* Vault
  return {
    ...base,
    id: "vaultSearch",
    description: "Search of digital assets: skills, knowledge, personas",
    namesQuery: true,
    replayMillis,
    price: fixed(prices.vaultSearch),
    read: fromQuery(VaultQuery),
    work: (query) => Effect.map(vault.search(query), (page) => answer(page))
  } satisfies Operation<VaultQuery>
})

const priceChanged = new PaymentRefused({
  refusal: {
    code: "price_changed",
    message: "the item's price has changed; nothing was charged, pay the new one"
  }
})

const makeVaultBuy = Effect.fnUntraced(function* ({ secretReplayMillis }: OperationSettings) {
  const vault = yield* Vault
  const priceOf = (request: VaultBuyRequest) =>
    Effect.map(vault.item(request.slug), (item): Quoted => ({
      atomic: fromDollars(item.price),
      description: `Vault item: ${item.title}`.slice(0, 500),
      extra: {}
    }))
  return {
    ...base,
    id: "vaultBuy",
    description: "Purchase of a vault item",
    sealed: true,
    proofRequired: true,
    replayMillis: secretReplayMillis,
    price: {
      _tag: "Quoted",
      indicative: {
        atomic: fromDollars(10),
        description:
          "Indicative amount, not payable: send the body (slug, walletAddress, email) without payment to be told the item's price.",
        extra: { indicative: "true" }
      },
      minAtomic: fromDollars(1),
      maxAtomic: maxQuoteAtomic,
      quote: priceOf,
      standing: priceOf
    },
    read: fromBody(decoder(VaultBuyRequest)),
    work: Effect.fnUntraced(function* (request, charge) {
      const item = yield* vault.item(request.slug)
      if (fromDollars(item.price).toString() !== charge.agreed.amount) return yield* priceChanged
      const purchase = yield* vault.reserve(request, item, charge.key)
      return answer(purchase, { kind: "purchase", id: purchase.purchaseId })
    })
  } satisfies Operation<VaultBuyRequest>
})

/** What a download needs: the purchase in its path, the token in its query. */
const DownloadInput = Schema.Struct({ ...DownloadParams.fields, ...DownloadQuery.fields })

const makeVaultDownload = Effect.fnUntraced(function* ({ prices, replayMillis }: OperationSettings) {
  const vault = yield* Vault
  return {
    ...base,
    id: "vaultDownload",
    description: "Download of a purchased vault item as a ZIP archive",
    mimeType: "application/zip",
    replayMillis,
    price: fixed(prices.vaultDownload),
    reopen: vault.open,
    read: fromQuery(DownloadInput, {
      fromPath: ({ pathname }) => ({ purchaseId: pathname.slice(pathname.lastIndexOf("/") + 1) })
    }),
    work: ({ downloadToken, purchaseId }) =>
      Effect.map(vault.download(purchaseId, downloadToken), ({ file, slug }) => ({
        answer: { status: 200, contentType: "application/zip", body: { _tag: "File", slug, file } }
      }))
  } satisfies Operation<typeof DownloadInput.Type>
})

const makers = {
  search: makeSearch,
  shop: makeShop,
  buy: makeBuy,
  track: makeTrack,
  vaultSearch: makeVaultSearch,
  vaultBuy: makeVaultBuy,
  vaultDownload: makeVaultDownload
}

/** The operations that the host's ports make possible. */
export const makeOperations = (ids: ReadonlyArray<OperationId>, settings: OperationSettings) =>
  Effect.forEach(ids, (id) => makers[id](settings) as Effect.Effect<Operation, never, OperationServices>)

export type OperationServices = Catalogue | Assistant | Ordering | Tracker | Vault
