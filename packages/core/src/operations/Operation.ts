import { Context, Effect, Layer, type Schema } from "effect"
import type { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { ErrorCode, Issue } from "../domain/ApiError.ts"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import { ConfigurationError } from "../domain/Errors.ts"
import type { PaymentRequirements } from "../domain/PaymentRequired.ts"
import type { Risk } from "../runtime/secondsRisk.ts"
import type { FreeAccess } from "../toll/signin/FreeAccess.ts"
import type { PaymentRefused, Repetition } from "../toll/request/PaymentErrors.ts"
import type { ByteContent, Work } from "../toll/request/TollRequest.ts"
import type { LossyJson } from "./lossyJson.ts"

/**
 * The `HttpApiEndpoint` of an operation, whatever its schemas are: the description of method, path, input and output.
 * The router makes a `PaidRoute` of it to serve requests.
 */
export interface ApiEndpoint extends HttpApiEndpoint.Constraint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly params: Schema.Top | undefined
  readonly query: Schema.Top | undefined
  readonly payload: HttpApiEndpoint.PayloadMap
  readonly annotateMerge: (annotations: Context.Context<OpenApi.Transform>) => HttpApiEndpoint.Constraint
}

/** The price of one request: atomic units of the stablecoin, and its description in the 402. */
export interface Quoted {
  readonly atomic: bigint
  readonly description: string
  /** Sent in `extra` of the 402, e.g. the id of a quote. */
  readonly extra: Readonly<Record<string, string>>
  /** Validity of the price, if it may be shorter than `maxTimeoutSeconds`. */
  readonly validSeconds?: number
}

/** Bounds of a price that depends on the request, for the documents and for probes without input. */
export interface PriceRange {
  /** Shown to a request without input; can't be paid. */
  readonly indicative: Quoted
  readonly minAtomic: bigint
  readonly maxAtomic: bigint
}

/** What an operation costs. */
export type Price<Input> =
  | { readonly _tag: "Fixed"; readonly atomic: bigint }
  /** A function of the input. The work is done before the payment settles, as with a fixed price. */
  | ({
      readonly _tag: "Computed"
      readonly of: (input: Input) => Effect.Effect<bigint, ApiFailure>
    } & PriceRange)
  /**
   * A stored quote. What it promises is delivered after settlement, so it costs the host nothing before. It is stored under
   * the first of `quoteKeys`; the others find those that were made under older secrets.
   */
  | ({
      readonly _tag: "Quoted"
      readonly quote: (
        input: Input,
        quoteKeys: ReadonlyArray<string>,
        /** Network address of the caller, for the budget of unpaid quotes. */
        clientAddress: string | undefined
      ) => Effect.Effect<Quoted, ApiFailure>
      /** The quote that a payment for this request must match; `undefined` if none is valid. */
      readonly currentQuote: (
        input: Input,
        quoteKeys: ReadonlyArray<string>,
        chargeKey: string
      ) => Effect.Effect<Quoted | undefined, ApiFailure>
    } & PriceRange)

/** The highest price of an operation, in atomic units. */
export const highestPrice = (price: AnyOperation["price"]): bigint =>
  price._tag === "Fixed" ? price.atomic : price.maxAtomic

/** Raw parts of an endpoint's input, before they are decoded: parameters of path and query, or a body. */
export interface RawInput {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  readonly body: unknown
}

/** The charge that the work is done for. */
export interface WorkCharge {
  readonly key: string
  /** The wallet that pays, as the payment names it. */
  readonly payer: () => string
  /** See `Price`. */
  readonly quoteKeys: () => ReadonlyArray<string>
  /** The offer that the accepted payment matched. */
  readonly agreed: PaymentRequirements
}

/**
 * A paid route; the contract's seven and a host's own have this shape. Path, method, schemas and documents come from
 * `endpoint`; the toll and HTTP know nothing else of an operation.
 */
export interface Operation<Input = never> {
  /** Method, path and schemas. Its identifier is the operation's id. */
  readonly endpoint: ApiEndpoint
  readonly price: Price<Input>
  readonly work: (input: Input, charge: WorkCharge) => Effect.Effect<Work, ApiFailure | PaymentRefused>
  readonly documents: OperationDocuments
  readonly input?: OperationInput<Input>
  readonly settlement?: OperationSettlement
  readonly response: OperationResponse
  readonly repeats?: OperationRepeats<Input>
  /** Opens the content for a wallet that has bought it before and proves it. The price must be fixed. */
  readonly freeAccess?: FreeAccess<Input>
}

/** What the 402, the OpenAPI document and the listing say about an operation. */
export interface OperationDocuments {
  readonly description: string
  readonly mimeType: string
  /** An example input and response for indexers and agents. */
  readonly example: Example
  /** Codes of its errors, besides those that every operation has. */
  readonly errors?: ReadonlyArray<ErrorCode>
  /** The host's work may fail with codes that the till doesn't know. */
  readonly hasOwnCodes?: boolean
  /** Other responses to a paid request than the 200, by status. */
  readonly otherResponses?: Readonly<Record<number, OtherResponse>>
  /** What a caller gets besides the response, as the host's settings make it. The OpenAPI document and the body of a 402 add it. */
  readonly note?: string
  /** What suits only a test, in the host's settings: reported at start where real money is paid. */
  readonly risk?: Risk
  /** Headers of the 200 that a caller should know, with what they mean. */
  readonly headers?: Readonly<Record<string, string>>
  /** The 402 includes the request's query, which must contain nothing private; with names, only a query of these alone. */
  readonly queryInResource?: boolean | ReadonlyArray<string>
  /** Id of the operation whose response names what this one needs. */
  readonly follows?: string
  /** Not listed at `/.well-known/x402`. */
  readonly unlisted?: boolean
}

/** A response for the OpenAPI document. */
export interface OtherResponse {
  readonly description: string
  /** Headers, with what they mean. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether it has a body like that of the 200. */
  readonly hasContent: boolean
}

/**
 * Names that callers send instead of the fields of an input, by dotted path: `shippingAddress.zip`. Case and separators
 * don't matter. A request with one is refused: without it, another thing than the requested one would be sold.
 */
export interface OtherNames {
  /** By the field that is meant. Ignored where the field is sent as well. */
  readonly names?: Readonly<Record<string, ReadonlyArray<string>>>
  /** What a request can't choose, by name: the fault. */
  readonly notOffered?: Readonly<Record<string, string>>
}

/** How a request is read, besides by the endpoint's schemas. */
export interface OperationInput<Input> {
  /** Names that are refused, besides those that resemble a field. */
  readonly otherNames?: OtherNames
  /** Faults that the schema doesn't know or finds too late, reported with those of the schema. */
  readonly faults?: (input: Readonly<Record<string, unknown>>) => ReadonlyArray<Issue>
  /** Decodes the input instead of the endpoint's schemas; for schemas of other libraries. */
  readonly decode?: (raw: RawInput) => Effect.Effect<Input, ApiFailure>
  /**
   * Binds a payment to the undecoded parameters and body instead of the decoded input: a host's schema may decode
   * different requests to values that are equal as JSON.
   */
  readonly boundToRequest?: boolean
  /** A handler of the host reads the request and does the work: it is given with each request. */
  readonly isHandler?: boolean
  /** Sees what the handler gives its framework to write as JSON. */
  readonly lossyJson?: (value: unknown) => LossyJson | undefined
  /** Sees the responses to its callers: a `Response` is the handler's own, which isn't sold. */
  readonly doubted?: (response: Response | RecordedResponse) => Effect.Effect<void>
}

/** A response of the till: sold, or a refusal. */
export interface RecordedResponse {
  readonly status: number
  readonly body: unknown
}

/** When a payment settles, and what shows that it did. */
export interface OperationSettlement {
  /**
   * Whether settlement counts only once the chain shows it. Without it: if the payment settles before the work, or is above
   * `proofAbove` of the till's settings.
   */
  readonly proofRequired?: boolean
  /** The payment settles before the work. */
  readonly beforeWork?: boolean
}

/** What a payer may want only once: another payment of theirs for the same is refused. */
export interface OperationRepeats<Input> {
  /** For this long after the first payment. */
  readonly withinMillis: number
  /** Request header that allows it with the value `true`: the payer buys the same again on purpose. */
  readonly header: string
  /** What a 402 that asks for a payment says in its body, and what the document says about the header. */
  readonly words: { readonly notice: string; readonly header: string }
  /** The codes of refusals, for the document. */
  readonly errors: ReadonlyArray<ErrorCode>
  /**
   * What is bought, as text: the same for every request for the same, in whatever words, and another for any other. Only
   * its keyed digest is stored.
   */
  readonly identityOf: (input: Input) => string
  /** The refusal. `statusUrl`: where the first payment's response is, if it bought something. */
  readonly refusal: (as: Repetition, statusUrl: string | undefined) => ApiFailure
}

/** How a paid response is kept, and sent again. */
export interface OperationResponse {
  /** How long the response can be requested again with the same payment. */
  readonly replayMillis: number
  /** The response contains personal data or a secret: it is stored encrypted. */
  readonly encrypted?: boolean
  /** Opens the content of a recorded reference again. */
  readonly reopen?: (reference: string) => Effect.Effect<ByteContent, ApiFailure>
}

/** See `OperationDocuments.example`. */
export interface Example {
  readonly input: Readonly<Record<string, unknown>>
  /** JSON; a `Uint8Array` for other responses, which documents show in base64; `undefined` for no example. */
  readonly output: unknown
}

/** An operation whose input type only the operation itself knows. */
// eslint-disable-next-line typescript/no-explicit-any -- the input is decoded and used by the same operation
export type AnyOperation = Operation<any>

/** The pattern of an operation's path. */
export const pathPattern = /^(?:\/(?::\w+|[A-Za-z0-9._~-]+))+$/

/** The paid routes of one till, in the order they were added. */
export class Operations extends Context.Service<
  Operations,
  {
    /** Adds a paid route. Dies with a `ConfigurationError` if its id or path is taken. */
    readonly add: (operation: AnyOperation) => Effect.Effect<void>
    readonly all: Effect.Effect<ReadonlyArray<AnyOperation>>
  }
>()("@till402/core/Operations") {
  static readonly layer: Layer.Layer<Operations> = Layer.sync(Operations, () => {
    const added: Array<AnyOperation> = []
    return Operations.of({
      add: (operation) =>
        Effect.suspend(() => {
          const fault = conflict(added, operation)
          if (fault !== undefined) return Effect.die(new ConfigurationError({ message: fault }))
          added.push(operation)
          return Effect.void
        }),
      all: Effect.sync(() => [...added])
    })
  })
}

/** A path without its parameters' names: paths with the same form match the same requests. */
export const pathForm = (path: string): string => path.replace(/:\w+/g, ":")

const conflict = (added: ReadonlyArray<AnyOperation>, { endpoint }: AnyOperation): string | undefined => {
  const { identifier, method, path } = endpoint
  if (method !== "GET" && method !== "POST")
    return `operation ${identifier}: method must be GET or POST: got ${method}`
  if (!pathPattern.test(path))
    return `operation ${identifier}: path must look like /weather or /weather/:city: got ${JSON.stringify(path)}`
  for (const other of added) {
    if (other.endpoint.identifier === identifier) return `two operations have the id ${identifier}`
    if (pathForm(other.endpoint.path) === pathForm(path))
      return `operations ${other.endpoint.identifier} and ${identifier} have the same path ${path}`
  }
  return undefined
}

/** A layer that adds the operation made by `make`. Its requirements are those of `make`: the ports it calls. */
export const operationLayer = <Input, E, R>(
  make: Effect.Effect<Operation<Input>, E, R>
): Layer.Layer<never, E, R | Operations> =>
  Layer.effectDiscard(
    Effect.flatMap(make, (operation) => Operations.use((operations) => operations.add(operation)))
  )
