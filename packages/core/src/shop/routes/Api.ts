import { HttpApi, HttpApiGroup, OpenApi } from "effect/http-api"
import { paymentDescription } from "../../api/paymentDescription.ts"
import * as routes from "./Routes.ts"

/*
 * The contract as one value, from which the typed client and the documents are made.
 */

type Routes = typeof routes
type Endpoint = Routes[keyof Routes]["endpoint"]

const endpoints = Object.values(routes).map(({ endpoint }) => endpoint)

/** The seven paid endpoints of the contract. */
export class Endpoints extends HttpApiGroup.make("x402", { topLevel: true }).add(
  ...(endpoints as [Endpoint, ...Array<Endpoint>])
) {}

/** Title, version and description of the whole contract. */
const apiAnnotations = OpenApi.annotations({
  title: "Commerce and shipment tracking, paid by x402",
  version: "1.0.0",
  description: `Product search, shopping assistant, purchases, shipment tracking and a vault of digital assets. ${paymentDescription}`
})

/**
 * The contract of the service, version 1.0.0. A typed client is derived from it; with a `fetch` that pays, such as
 * `wrapFetchWithPayment` of `@x402/fetch`, the client pays its calls. It fails with `PaymentRequired` if a call isn't
 * paid, with `ApiError` if the till refuses it, and with a schema error, before anything is sent, for a bad input.
 *
 * @example
 * import { Effect, Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 * import { HttpApiClient } from "effect/http-api"
 * import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
 *
 * const payingFetch = wrapFetchWithPayment(fetch, new x402Client()) as typeof fetch
 * const found = HttpApiClient.make(Api, { baseUrl: "https://shop.example" }).pipe(
 *   Effect.flatMap((client) => client.search({ query: { q: "lamp", page: 1 } })),
 *   Effect.provide(
 *     FetchHttpClient.layer.pipe(Layer.provide(Layer.succeed(FetchHttpClient.Fetch, payingFetch)))
 *   )
 * )
 */
export class Api extends HttpApi.make("till402").add(Endpoints).annotateMerge(apiAnnotations) {}

/** Id of one of the contract's operations. */
export type OperationId = keyof (typeof Endpoints)["endpoints"]
