import { Context, Effect, Layer } from "effect"
import type { OperationId } from "./Api.ts"
import { ApiFailure } from "./ApiFailure.ts"
import type { Configuration } from "./Configuration.ts"
import { discoveryOf } from "./Discovery.ts"
import { openApiDocument, type PriceInfo } from "./OpenApi.ts"
import { type Operation, type Quoted, type Reading, routeOf } from "./Operation.ts"
import { Secrets } from "./Secrets.ts"
import {
  challengeResponse,
  failureResponse,
  jsonResponse,
  paidResponse,
  preflightResponse
} from "./Responses.ts"
import { type Challenge, makeChallenge, type Resource } from "./toll/Challenge.ts"
import { canonicalJson } from "./toll/ChargeKey.ts"
import { type HeaderReading, type Payment, readPayment } from "./toll/PaymentHeader.ts"
import { Toll } from "./toll/Toll.ts"
import { PaymentRefused, type TollRequest } from "./toll/TollRequest.ts"
import type { PaymentOffer, Refusal } from "./toll/Verdict.ts"

/** How a request is answered: at once, or by an effect. */
export type Answering = Response | Effect.Effect<Response>

export class Http extends Context.Service<Http, { readonly answer: (request: Request) => Answering }>()(
  "@till402/core/Http"
) {
  static readonly layer = (configuration: Configuration, operations: ReadonlyArray<Operation>) =>
    Layer.effect(
      Http,
      Effect.map(make(configuration, operations), (answer) => Http.of({ answer }))
    )
}

/** Said in a 402 to who sent no payment. */
const paymentNeeded =
  "Payment required: pay one of accepts and send it in the PAYMENT-SIGNATURE header (X-PAYMENT is accepted too)"
const indicativeOnly =
  "Payment required: the amount is indicative and can't be paid; send the request's body without payment to be quoted"

const sayRefusal = ({ code, message }: Refusal): string => `${code}: ${message}`

/** An operation with everything that can be made once. */
interface Mounted {
  readonly operation: Operation
  readonly method: "GET" | "POST"
  /** What is sent without payment: the price, or an indication of it. */
  readonly unpaid: Challenge
  readonly resource: Resource
  readonly offersOf: (quoted: Quoted) => ReadonlyArray<PaymentOffer>
}

const mount = (configuration: Configuration, operation: Operation): Mounted => {
  const { method, path } = routeOf(operation.id)
  const resource: Resource = {
    url: `${configuration.baseUrl}${path.replace(/:(\w+)/g, "{$1}")}`,
    description: operation.description,
    mimeType: operation.mimeType,
    ...discoveryOf(operation.id)
  }
  const offersOf = ({ atomic, extra }: Quoted): ReadonlyArray<PaymentOffer> =>
    configuration.networks.map(({ asset, caip2, eip712, payTo, v1Name }) => ({
      v1Name,
      requirements: {
        scheme: "exact",
        network: caip2,
        amount: atomic.toString(),
        asset,
        payTo,
        maxTimeoutSeconds: configuration.maxTimeoutSeconds,
        extra: { ...eip712, ...extra }
      }
    }))
  const { price } = operation
  const unpaid =
    price._tag === "Fixed"
      ? makeChallenge(offersOf(fixedQuote(price.atomic)), resource, paymentNeeded)
      : makeChallenge(
          offersOf(price.indicative),
          { ...resource, description: price.indicative.description },
          indicativeOnly
        )
  return { operation, method, unpaid, resource, offersOf }
}

const fixedQuote = (atomic: bigint): Quoted => ({ atomic, description: "", extra: {} })

const notFound = new ApiFailure({ status: 404, code: "NOT_FOUND", message: "Nothing is found at this path." })

const methodNotAllowed = (allow: string) =>
  new ApiFailure({
    status: 405,
    code: "METHOD_NOT_ALLOWED",
    message: `Use ${allow.split(", ")[0]} on this path.`,
    allow
  })

const make = Effect.fnUntraced(function* (
  configuration: Configuration,
  operations: ReadonlyArray<Operation>
) {
  const toll = yield* Toll
  const secrets = yield* Secrets
  const { cors } = configuration
  const router = makeRouter(configuration, operations)

  const fingerprintOf = (canonical: string) =>
    Effect.map(secrets.digest("quote", canonical), (digest) => digest!)

  /** A 402 for this very request: its price where it has one of its own. */
  const challenge = Effect.fnUntraced(function* (
    { offersOf, operation, resource, unpaid }: Mounted,
    reading: Reading<unknown>,
    canonical: string,
    error: string | undefined
  ) {
    const { price } = operation
    if (price._tag === "Fixed") {
      return error === undefined ? unpaid : makeChallenge(offersOf(fixedQuote(price.atomic)), resource, error)
    }
    if (reading._tag === "Nothing") return unpaid
    const quoted = yield* price.quote(reading.input, yield* fingerprintOf(canonical))
    return makeChallenge(
      offersOf(quoted),
      { ...resource, description: quoted.description },
      error ?? paymentNeeded
    )
  })

  const offersFor = Effect.fnUntraced(function* (
    { offersOf, operation: { price } }: Mounted,
    input: unknown,
    canonical: string
  ) {
    if (price._tag === "Fixed") return offersOf(fixedQuote(price.atomic))
    const standing = yield* price.standing(input, yield* fingerprintOf(canonical))
    return standing === undefined ? yield* quoteMissing : offersOf(standing)
  })

  const pay = Effect.fnUntraced(function* (
    mounted: Mounted,
    reading: Extract<Reading<unknown>, { _tag: "Input" }>,
    canonical: string,
    payment: Payment,
    origin: string | null
  ) {
    const { operation, resource } = mounted
    const { input } = reading
    const tolled: TollRequest = {
      operation: operation.id,
      canonical,
      payment,
      resource,
      sealed: operation.sealed,
      replayMillis: operation.replayMillis,
      proofRequired: operation.proofRequired && !configuration.trustFacilitator,
      offers: offersFor(mounted, input, canonical),
      work: (key) =>
        Effect.flatMap(fingerprintOf(canonical), (fingerprint) =>
          operation.work(input, { key, fingerprint })
        ),
      reopen: (slug) => operation.reopen?.(slug) ?? Effect.fail(notFound)
    }
    const outcome = yield* toll.pay(tolled)
    return outcome._tag === "Paid"
      ? paidResponse(outcome, payment.payload.x402Version, cors, origin)
      : challengeResponse(
          yield* challenge(mounted, reading, canonical, sayRefusal(outcome.refusal)),
          cors,
          origin
        )
  })

  const call = Effect.fn("Http.call")(
    function* (mounted: Mounted, request: Request, url: URL, header: HeaderReading) {
      const origin = request.headers.get("origin")
      const reading = yield* mounted.operation.read(request, url)
      const canonical =
        reading._tag === "Input"
          ? `${mounted.method} ${routeOf(mounted.operation.id).path}\n${canonicalJson(reading.input)}`
          : ""
      switch (header._tag) {
        case "None":
          return challengeResponse(yield* challenge(mounted, reading, canonical, undefined), cors, origin)
        case "Malformed": {
          const error = sayRefusal({ code: "invalid_payload", message: header.reason })
          return challengeResponse(yield* challenge(mounted, reading, canonical, error), cors, origin)
        }
        case "Payment":
          return reading._tag === "Nothing"
            ? failureResponse(reading.fault, cors, origin)
            : yield* pay(mounted, reading, canonical, header.payment, origin)
      }
    },
    (effect, _mounted, request) =>
      effect.pipe(
        Effect.catchTag("ApiFailure", (failure) =>
          Effect.succeed(failureResponse(failure, cors, request.headers.get("origin")))
        ),
        Effect.catchCause((cause) =>
          Effect.gen(function* () {
            const id = crypto.randomUUID()
            yield* Effect.logError("A request failed by a defect", id, cause)
            return failureResponse(internalError(id), cors, request.headers.get("origin"))
          })
        )
      )
  )

  return (request: Request): Answering => {
    const url = new URL(request.url)
    const origin = request.headers.get("origin")
    const found = router(url.pathname)
    if (found === undefined) return failureResponse(notFound, cors, origin)
    const allow =
      found._tag === "Document" || found.mounted.method === "GET" ? "GET, HEAD, OPTIONS" : "POST, OPTIONS"
    if (request.method === "OPTIONS") return preflightResponse(allow, cors, origin)
    if (!allow.split(", ").includes(request.method))
      return failureResponse(methodNotAllowed(allow), cors, origin)
    const isHead = request.method === "HEAD"
    if (found._tag === "Document") return jsonResponse(found.text, cors, origin, isHead)
    const { mounted } = found
    // HEAD shows what an unpaid GET would, and never takes a payment: there is no body to pay for.
    if (isHead) return challengeResponse(mounted.unpaid, cors, origin, true)
    const header = readPayment(request.headers)
    if (header._tag === "None" && mounted.operation.price._tag === "Fixed") {
      return challengeResponse(mounted.unpaid, cors, origin)
    }
    return call(mounted, request, url, header)
  }
})

/** A payment for a request whose quote has lapsed, or has bought an order already. */
const quoteMissing = new PaymentRefused({
  refusal: {
    code: "quote_expired",
    message: "no quote stands for this request any more; nothing was charged, pay the new amount"
  }
})

const internalError = (id: string) =>
  new ApiFailure({
    status: 500,
    code: "INTERNAL_ERROR",
    message: "Something broke on our side. If you paid, send the same payment again.",
    details: { id }
  })

type Found =
  | { readonly _tag: "Operation"; readonly mounted: Mounted }
  | { readonly _tag: "Document"; readonly text: string }

/** The six resources of the contract's listing; track is described in the contract, but not listed. */
const unlisted: ReadonlySet<OperationId> = new Set(["track"])

const discoveryDocument = (operations: ReadonlyArray<Operation>): string =>
  JSON.stringify({
    version: 1,
    resources: operations
      .filter(({ id }) => !unlisted.has(id))
      .map(({ id }) => {
        const { method, path } = routeOf(id)
        return `${method} ${path.replace(/:(\w+)/g, "{$1}")}`
      })
  })

const priceInfoOf = ({ price }: Operation): PriceInfo =>
  price._tag === "Fixed"
    ? { mode: "fixed", atomic: price.atomic }
    : { mode: "dynamic", minAtomic: price.minAtomic, maxAtomic: price.maxAtomic }

const downloadPath = /^\/x402\/vault\/download\/[^/]+$/

/** Finds what stands at a path, as it comes or without the prefix of the base URL. */
const makeRouter = (configuration: Configuration, operations: ReadonlyArray<Operation>) => {
  const byPath = new Map<string, Found>()
  let download: Found | undefined
  for (const operation of operations) {
    const found: Found = { _tag: "Operation", mounted: mount(configuration, operation) }
    if (operation.id === "vaultDownload") download = found
    else byPath.set(routeOf(operation.id).path, found)
  }
  if (configuration.openapiPath !== undefined) {
    const prices = new Map(operations.map((operation) => [operation.id, priceInfoOf(operation)] as const))
    const text = JSON.stringify(openApiDocument({ baseUrl: configuration.baseUrl, prices }))
    byPath.set(configuration.openapiPath, { _tag: "Document", text })
  }
  if (configuration.discoveryPath !== undefined) {
    byPath.set(configuration.discoveryPath, { _tag: "Document", text: discoveryDocument(operations) })
  }
  const at = (path: string): Found | undefined =>
    byPath.get(path) ?? (download !== undefined && downloadPath.test(path) ? download : undefined)
  return (pathname: string): Found | undefined =>
    at(pathname) ?? at(withoutPrefix(pathname, configuration.prefix))
}

/** A path below the mount, with the prefix of the base URL taken off where it has it. */
export const withoutPrefix = (pathname: string, prefix: string): string =>
  prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname

/** Whether a path is the till's to answer: everything under `/x402`, and its documents. */
export const handlesPath = (configuration: Configuration) => {
  const documents = [configuration.openapiPath, configuration.discoveryPath]
  const isOurs = (path: string): boolean =>
    path === "/x402" || path.startsWith("/x402/") || documents.includes(path)
  return (pathname: string): boolean =>
    isOurs(pathname) || isOurs(withoutPrefix(pathname, configuration.prefix))
}
