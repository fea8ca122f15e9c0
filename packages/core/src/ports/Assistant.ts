import { Context, Effect, Layer, Schema } from "effect"
import { Catalogue } from "../Catalogue.ts"
import { TemporarilyUnavailable, type UpstreamError } from "../domain/Errors.ts"
import { Product } from "../domain/Product.ts"
import type { Asking } from "../Deadline.ts"
import type { ShopRequest, ShopResponse } from "../domain/Shop.ts"
import type { AssistantOptions } from "../ProviderOptions.ts"
import { answerReader, nullWhereMissing } from "./HostAnswer.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"
import type { ProductQuery } from "./Marketplace.ts"

/** Answers a shopper's request in words, with products. */
export class Assistant extends Context.Service<
  Assistant,
  { readonly ask: (request: ShopRequest) => Effect.Effect<ShopResponse, UpstreamError> }
>()("@till402/core/Assistant") {
  /**
   * The assistant of a host without Effect. Its `search` asks the catalogue; it is cut short with the call, and
   * rejects with `TemporarilyUnavailable` where no marketplace can be reached, so that an assistant which
   * lets that through answers 503.
   */
  static readonly fromPromise = (
    options: AssistantOptions,
    { timeoutMillis }: CallSettings
  ): Layer.Layer<Assistant, never, Catalogue> =>
    Layer.effect(
      Assistant,
      Effect.gen(function* () {
        const catalogue = yield* Catalogue
        return {
          ask: Effect.fn("Assistant.ask")(function* (request: ShopRequest) {
            const run = Effect.runPromiseWith(yield* Effect.context())
            const searchWith = (asking: Asking) => (query: ProductQuery) =>
              run(
                catalogue.search(query).pipe(
                  Effect.map(({ response }) => response.products),
                  Effect.catchTag("UpstreamUnavailable", (cause) => Effect.fail(toUnavailable(cause)))
                ),
                { signal: asking.signal }
              )
            return yield* hostCall({
              port: "assistant",
              timeoutMillis,
              ask: (asking) => options.ask(request, { signal: asking.signal, search: searchWith(asking) }),
              read: readResponse
            })
          })
        }
      })
    )

  /** An assistant that answers by a pure function. */
  static readonly layerMemory = (answer: (request: ShopRequest) => ShopResponse): Layer.Layer<Assistant> =>
    Layer.succeed(Assistant, { ask: (request) => Effect.sync(() => answer(request)) })
}

const readResponse = answerReader(
  Schema.Struct({ reply: Schema.String, products: Schema.Array(nullWhereMissing(Product)) })
)

const toUnavailable = ({
  retryAfterSeconds
}: {
  readonly retryAfterSeconds?: number
}): TemporarilyUnavailable =>
  new TemporarilyUnavailable({
    message: "no marketplace can be reached now",
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  })
