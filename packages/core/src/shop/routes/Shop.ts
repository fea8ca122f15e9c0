import { Effect } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { upstreamCodes, upstreamFailure } from "../ports/ApiFailures.ts"
import { ConfigurationError } from "../../domain/Errors.ts"
import { formatAtomic } from "../../domain/Money.ts"
import { ShopRequest, ShopResponse } from "../goods/ShopRequest.ts"
import { guardedAssistant } from "../ports/Assistant.ts"
import { type Operation, operationLayer } from "../../operations/Operation.ts"
import { OperationSettings } from "../../operations/OperationSettings.ts"
import { bodyErrors, fixedPrice, respond } from "../../operations/RouteParts.ts"
import { shopNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** The contract of `shop`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.post("shop", "/x402/shop", {
  payload: ShopRequest,
  success: ShopResponse,
  error: bodyErrors
}).annotateMerge(
  OpenApi.annotations({
    summary: "Ask the shopping assistant",
    description: "Takes a request in natural language and returns a reply and recommended products."
  })
)

const product = {
  asin: "B0KEYBOARD",
  title: "Quiet keyboard",
  price: 59.9,
  currency: "USD",
  rating: 4.7,
  reviewCount: 310,
  imageUrl: null,
  productUrl: null,
  source: "marketplace_a"
} as const

export const example = {
  input: { message: "A quiet keyboard for the office", context: { priceRange: { max: 120 } } },
  output: { reply: "This keyboard is quiet and below your limit.", products: [product] }
}

const tooExpensive = (maxCostUsd: number, price: string): string =>
  `assistant: one reply may cost $${maxCostUsd}, and a call of shop costs $${price}. ` +
  "Set maxCostUsd of the assistant below the price, or raise prices.shop"

/** `POST /x402/shop`: the shopping assistant of `Assistant`. */
export const layer = operationLayer(
  Effect.gen(function* () {
    const assistant = yield* guardedAssistant
    const { responseLifetimeMillis } = yield* OperationSettings
    const { prices, settlement } = yield* ShopSettings
    const { maxCostUsd } = assistant
    const price = formatAtomic(prices.shop)
    if (maxCostUsd !== undefined && !(maxCostUsd < Number(price)))
      return yield* Effect.die(new ConfigurationError({ message: tooExpensive(maxCostUsd, price) }))
    return {
      endpoint,
      documents: {
        errors: upstreamCodes("assistant"),
        description: "AI shopping assistant: a reply and recommended products",
        mimeType: "application/json",
        example: yield* publishedExample(endpoint, example)
      },
      input: { otherNames: shopNames },
      settlement: { beforeWork: settlement.shop === "before-work" },
      response: { replayMillis: responseLifetimeMillis },
      price: fixedPrice(prices.shop),
      work: (request) =>
        Effect.mapBoth(assistant.reply(request), {
          onFailure: upstreamFailure,
          onSuccess: (reply) => respond(reply)
        })
    } satisfies Operation<ShopRequest>
  })
)
