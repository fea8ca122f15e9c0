import { NoTrackingInfo } from "@till402/core"
import { Api, Money, openApiDocument, PaymentRequired, SearchQuery, Tracker } from "@till402/core/effect"
import { SeventeenTrack } from "@till402/providers/17track"
import { Effect, Layer, Schema } from "effect"
import { HttpApiClient } from "effect/http-api"

/*
 * A host that uses Effect itself, sharing one copy with the packages.
 */

export const isPaymentRequired = Schema.is(PaymentRequired)
export const decodeQuery = Schema.decodeUnknownEffect(SearchQuery)
export const client = HttpApiClient.make(Api, { baseUrl: "https://shop.example" })
export const search = Effect.flatMap(client, ({ search }) => search({ query: { q: "lamp", page: 1 } }))
export const money: Money.Money | undefined = undefined
export const document = openApiDocument({ baseUrl: "https://shop.example", operations: [] })
export const carriers = SeventeenTrack

export const tracker = Layer.succeed(Tracker, {
  track: () => Effect.fail(new NoTrackingInfo({ message: "Nothing is known of this number yet." }))
})
