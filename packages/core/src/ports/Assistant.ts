import { Context, type Effect } from "effect"
import type { UpstreamError } from "../domain/Errors.ts"
import type { ShopRequest, ShopResponse } from "../domain/Shop.ts"

/** Answers a shopper's request in words, with products. */
export class Assistant extends Context.Service<
  Assistant,
  { readonly ask: (request: ShopRequest) => Effect.Effect<ShopResponse, UpstreamError> }
>()("@till402/core/Assistant") {}
