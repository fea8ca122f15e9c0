import { isAccident } from "../../domain/Accident.ts"
import { Context, Effect, Layer, Schema } from "effect"
import { type AssistantUsage, reportAssistantUsage } from "./AssistantUsage.ts"
import { Catalogue } from "./Catalogue.ts"
import { TemporarilyUnavailable, type UpstreamError } from "./PortErrors.ts"
import { Product, type SearchProduct } from "../goods/Product.ts"
import type { CallContext } from "../../runtime/Deadline.ts"
import type { ShopRequest, ShopResponse } from "../goods/ShopRequest.ts"
import { responseReader, missingAsNull } from "../../ports/HostResponse.ts"
import { fromOptions, fromPromise, guarded, PortSettings } from "./PortGuard.ts"
import { type ProductQuery, sparseAddresses } from "./Marketplaces.ts"
import type { Sparse } from "../../ports/Sparse.ts"

/** Replies to a shopper's message in text, with products. */
export class Assistant extends Context.Service<
  Assistant,
  {
    readonly reply: (
      request: ShopRequest
    ) => Effect.Effect<AssistantReply, TemporarilyUnavailable | UpstreamError>
    /** See `AssistantOptions.maxCostUsd`. */
    readonly maxCostUsd?: number | undefined
  }
>()("@till402/core/Assistant") {
  /**
   * An assistant from a host's async function. Its `search` queries the catalogue and aborts with the call. It rejects
   * with `TemporarilyUnavailable` if no marketplace can be reached; an assistant that rethrows that error causes a 503.
   */
  static readonly layerPromise = (options: AssistantOptions): Layer.Layer<Assistant, never, Catalogue> =>
    Layer.effect(
      Assistant,
      Effect.gen(function* () {
        const catalogue = yield* Catalogue
        return fromOptions<Assistant["Service"]>(options, {
          maxCostUsd: options.maxCostUsd,
          reply: Effect.fnUntraced(function* (request: ShopRequest) {
            const run = Effect.runPromiseWith(yield* Effect.context())
            const searchWith = (context: CallContext) => (query: ProductQuery) =>
              run(
                catalogue.search(query).pipe(
                  Effect.map(({ response }) => response.products),
                  Effect.catchTag("UpstreamUnavailable", (cause) => Effect.fail(toUnavailable(cause)))
                ),
                { signal: context.signal }
              )
            return yield* fromPromise<AssistantReply, TemporarilyUnavailable | UpstreamError>((context) =>
              options.reply(request, {
                signal: context.signal,
                search: searchWith(context),
                reportUsage: (usage) => {
                  run(reportAssistantUsage(usage))
                }
              })
            )
          })
        })
      })
    )
}

/** An assistant whose calls are guarded. */
export interface GuardedAssistant extends Omit<Assistant["Service"], "reply"> {
  readonly reply: (request: ShopRequest) => Effect.Effect<ShopResponse, UpstreamError>
}

/** The assistant as the till calls it. */
export const guardedAssistant = Effect.gen(function* () {
  const settings = yield* PortSettings
  const assistant = yield* Assistant
  return {
    maxCostUsd: assistant.maxCostUsd,
    reply: (request) =>
      guarded(settings, { port: "assistant", span: "Assistant.reply", read: readResponse }, () =>
        assistant.reply(request)
      )
  } satisfies GuardedAssistant
})

/** Somebody pays for it. */
const Reply = Schema.String.check(
  Schema.makeFilter((text: string) => (/\S/.test(text) && !isAccident(text)) || "is empty")
)

const readResponse = responseReader(
  Schema.Struct({
    reply: Reply,
    products: Schema.Array(missingAsNull(Schema.Struct({ ...Product.fields, ...sparseAddresses })))
  })
)

const toUnavailable = ({
  retryAfterSeconds
}: {
  readonly retryAfterSeconds?: number
}): TemporarilyUnavailable =>
  new TemporarilyUnavailable({
    message: "no marketplace can be reached",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  })

/** What a host's assistant returns. */
export interface AssistantReply {
  /** Text for the shopper. */
  readonly reply: string
  /** Recommended products, best first; nullable fields may be left out. */
  readonly products: ReadonlyArray<Sparse<Product>>
}

/** Given to a host's assistant with each message. */
export interface AssistantContext extends CallContext {
  /** Searches the configured marketplaces; one merged page of products. */
  readonly search: (query: ProductQuery) => Promise<ReadonlyArray<SearchProduct>>
  /** Reports what a model used as event `assistant_used`. Absent where no till calls the assistant. */
  readonly reportUsage?: (usage: AssistantUsage) => void
}

/** Serves `POST /x402/shop`. Throw `TemporarilyUnavailable` for a 503; any other throw is a 502. */
export interface AssistantOptions {
  readonly reply: (request: ShopRequest, context: AssistantContext) => Promise<AssistantReply>
  /** The most that one reply may cost you, in US dollars. The till refuses to start if it isn't below `prices.shop`. */
  readonly maxCostUsd?: number | undefined
}
