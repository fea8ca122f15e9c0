import { Schema } from "effect"
import { OpenApi } from "effect/http-api"
import { Api, endpoints, type OperationId } from "./Api.ts"
import { formatAtomic } from "./domain/Money.ts"

type Json = Record<string, any> // eslint-disable-line typescript/no-explicit-any -- a JSON document under construction

/** What an operation costs, for the document: a fixed amount, or bounds of a quoted one. */
export type PriceInfo =
  | { readonly mode: "fixed"; readonly atomic: bigint }
  | { readonly mode: "dynamic"; readonly minAtomic: bigint; readonly maxAtomic: bigint }

const descriptions: Record<string, string> = {
  "200": "The call was paid and answered.",
  "400": "The request is not valid, or can't be served as it is. Nothing is charged.",
  "402": "How to pay for this call.",
  "403": "The download token is not that of the purchase.",
  "404": "Nothing is known by this name.",
  "409": "A request with the same payment is being answered: send it again in a moment.",
  "422": "The carrier must be named, or needs one more field.",
  "502": "An upstream answered with an error. Nothing is charged.",
  "503": "An upstream is not available, or a settlement is pending: send the same payment again."
}

/** Query parameters are text on the wire; what they mean is a number. The document says the meaning. */
const decodedProperties = (query: Schema.Top): Json => {
  const document = Schema.toJsonSchemaDocument(Schema.toType(query))
  return (document.schema as Json)["properties"] ?? {}
}

const priceInfo = (price: PriceInfo): Json => ({
  price:
    price.mode === "fixed"
      ? { mode: "fixed", currency: "USD", amount: formatAtomic(price.atomic) }
      : {
          mode: "dynamic",
          currency: "USD",
          min: formatAtomic(price.minAtomic),
          max: formatAtomic(price.maxAtomic)
        },
  protocols: [{ x402: {} }]
})

/**
 * The OpenAPI 3.1 document of the operations that are configured: made from the contract, with each
 * price, the payment header as security scheme, and the address of the mount.
 */
export const openApiDocument = (options: {
  readonly baseUrl: string
  readonly prices: ReadonlyMap<OperationId, PriceInfo>
}): Json => {
  const document: Json = OpenApi.fromApi(Api)
  document["servers"] = [{ url: options.baseUrl }]
  document["components"].securitySchemes = {
    payment: {
      type: "apiKey",
      in: "header",
      name: "PAYMENT-SIGNATURE",
      description: "An x402 payment: base64 of JSON, version 1 or 2. X-PAYMENT is accepted as well."
    }
  }
  for (const [id, endpoint] of Object.entries(endpoints) as ReadonlyArray<
    [OperationId, (typeof endpoints)[OperationId]]
  >) {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
    const price = options.prices.get(id)
    if (price === undefined) {
      delete document["paths"][path]
      continue
    }
    const operation: Json = document["paths"][path][endpoint.method.toLowerCase()]
    operation["x-payment-info"] = priceInfo(price)
    operation["security"] = [{ payment: [] }]
    for (const [status, response] of Object.entries<Json>(operation["responses"])) {
      response["description"] = descriptions[status] ?? response["description"]
    }
    if (endpoint.query !== undefined) {
      const properties = decodedProperties(endpoint.query)
      for (const parameter of operation["parameters"] as Array<Json>) {
        if (parameter["in"] === "query") parameter["schema"] = properties[parameter["name"]]
      }
    }
  }
  return document
}
