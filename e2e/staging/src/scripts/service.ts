import { assistantFrom } from "../../../../examples/service/src/assistant.ts"
import { ordersFrom } from "../../../../examples/service/src/orders.ts"
import { amazonFrom } from "../../../../examples/service/src/search.ts"
import { amazonProduct, shippingAddress, testAsin } from "../Buying.ts"
import { expect, type StagingScript, type Variable } from "../StagingScript.ts"

const required: ReadonlyArray<Variable> = [
  { name: "CANOPY_API_KEY", what: "key of the account; spends a few searches" },
  { name: "MODEL_BASE_URL", what: "server of the assistant's model" },
  { name: "MODEL_NAME", what: "the model; spends tokens" },
  { name: "RYE_API_KEY", what: "key of the staging account; spends one of the day's quotes" }
]
const optional: ReadonlyArray<Variable> = [
  { name: "MODEL_API_KEY", what: "key of the model" },
  { name: "RYE_BASE_URL", what: "default https://staging.api.rye.com" },
  { name: "RYE_ASIN", what: `an Amazon product; default ${testAsin}` }
]

/** The parts of examples/service as they work together, from search to a quote. Nothing is bought. */
export const serviceScript: StagingScript = {
  name: "service",
  required,
  optional,
  run: async (steps, { fetch, maybe }) => {
    const environment = {
      RYE_BASE_URL: "https://staging.api.rye.com",
      ...Object.fromEntries(
        [...required, ...optional].flatMap(({ name }) =>
          maybe(name) === undefined ? [] : [[name, maybe(name)]]
        )
      ),
      TILL_DATABASE: ":memory:"
    }
    const [amazon, assistant] = [
      amazonFrom(environment, fetch).port!,
      assistantFrom(environment, fetch).port!
    ]
    const { fulfilment, close } = ordersFrom(environment, fetch, async () => undefined).port!
    try {
      await steps.take(
        "ask the assistant",
        async ({ signal }) => {
          const reply = await assistant.reply(
            { message: "a light phone case" },
            {
              signal,
              search: async (query) => (await amazon.search(query, { signal })).products,
              reportUsage: () => undefined
            }
          )
          expect(reply.products.length > 0, "it recommends no product")
          return reply
        },
        ({ products }) => `${products.length} products`
      )
      const product = amazonProduct(maybe("RYE_ASIN") ?? testAsin)
      await steps.take(
        "quote",
        (context) => fulfilment.quote({ product, shippingAddress, email: "buyer@example.com" }, context),
        ({ total }) => `${total} USD`
      )
    } finally {
      await close()
    }
  }
}
