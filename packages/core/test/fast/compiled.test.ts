import { execFileSync } from "node:child_process"
import { Result, Schema, SchemaIssue } from "effect"
import { describe, expect, it } from "vitest"
import { compiled } from "../../src/fast/compiled.ts"
import { BuyRequest } from "../../src/shop/goods/Order.ts"
import { SearchQuery, SearchResponse } from "../../src/shop/goods/Search.ts"
import { ShopRequest } from "../../src/shop/goods/Shop.ts"
import { TrackQuery, TrackResult } from "../../src/shop/goods/Tracking.ts"
import { VaultQuery } from "../../src/shop/goods/Vault.ts"
import { type Dice, property } from "../domain/seeded.ts"
import { sampleProducts, sampleTrackResult } from "../../../testing/src/samples.ts"

/*
 * Generated decoders and the interpreter are two programs; they have to be of one mind.
 */

interface Case {
  readonly schema: Schema.Codec<unknown, unknown>
  readonly valid: unknown
}

const cases: Readonly<Record<string, Case>> = {
  SearchQuery: {
    schema: SearchQuery,
    valid: { q: "mouse", priceMin: "1.5", priceMax: "20", brand: "Acme", page: "2" }
  },
  SearchResponse: {
    schema: SearchResponse,
    valid: { products: sampleProducts("marketplace_a", 3), totalResults: 3, page: 1, hasMore: false }
  },
  ShopRequest: {
    schema: ShopRequest,
    valid: { message: "a mouse", context: { priceRange: { min: 1, max: 2 }, preferences: ["quiet"] } }
  },
  BuyRequest: {
    schema: BuyRequest,
    valid: {
      asin: "B08N5WRWNW",
      email: "ada@example.com",
      shippingAddress: {
        name: "Ada",
        line1: "1 Main St",
        city: "Springfield",
        state: "IL",
        postalCode: "62701",
        country: "US"
      }
    }
  },
  TrackQuery: { schema: TrackQuery, valid: { number: "1Z999AA10123456784", carrier: "100002" } },
  TrackResult: { schema: TrackResult, valid: sampleTrackResult("1Z999AA10123456784") },
  VaultQuery: { schema: VaultQuery, valid: { search: "x", page: "1", limit: "20" } }
}

const strange: ReadonlyArray<unknown> = [
  null,
  undefined,
  "",
  " ",
  "0",
  "-1",
  "1e3",
  "1.5",
  "x".repeat(5_000),
  "\u0000",
  "\ud800",
  0,
  -1,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  [],
  [null],
  {},
  { __proto__: null },
  Object.create({ q: "inherited" })
]

type Document = Record<string, unknown>

/** The document with one of its values, however deep, changed or taken away. */
const changed = (value: unknown, dice: Dice): unknown => {
  if (typeof value !== "object" || value === null || dice.below(4) === 0) return dice.pick(strange)
  if (Array.isArray(value)) {
    if (value.length === 0) return [dice.pick(strange)]
    const at = dice.below(value.length)
    return value.map((item, index) => (index === at ? changed(item, dice) : item))
  }
  const names = [...Object.keys(value), "unknown"]
  const name = dice.pick(names)
  const { [name]: held, ...others } = value as Document
  return dice.below(4) === 0 ? others : { ...others, [name]: changed(held, dice) }
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

const seen = (decoded: Result.Result<unknown, Schema.SchemaError>) =>
  Result.isSuccess(decoded) ? { value: decoded.success } : { issues: issuesOf(decoded.failure.issue).issues }

describe.each(Object.entries(cases))("%s, compiled and interpreted", (_name, { schema, valid }) => {
  const interpreted = Schema.decodeUnknownResult(schema)
  // What was captured before stays as it was.
  it("takes its sample", () => expect(seen(interpreted(valid))).toHaveProperty("value"))

  property("comes to the same", 1_500, (dice) => {
    const generated = Schema.decodeUnknownResult(compiled(schema))
    expect(seen(generated(valid))).toEqual(seen(interpreted(valid)))
    const document = changed(valid, dice)
    expect(seen(generated(document))).toEqual(seen(interpreted(document)))
    const twice = changed(document, dice)
    expect(seen(generated(twice))).toEqual(seen(interpreted(twice)))
  })
})

it("is interpreted where code can't be generated", () => {
  const script = `
    import { Result, Schema } from "effect"
    import { compiled } from ${JSON.stringify(new URL("../../src/fast/compiled.ts", import.meta.url).href)}
    const decode = Schema.decodeUnknownResult(compiled(Schema.Struct({ q: Schema.String })))
    console.log(Result.isSuccess(decode({ q: "x" })), Result.isFailure(decode({ q: 1 })))
  `
  const printed = execFileSync(
    process.execPath,
    ["--disallow-code-generation-from-strings", "--input-type=module", "--eval", script],
    { cwd: new URL("../..", import.meta.url), encoding: "utf8", timeout: 120_000 }
  )
  expect(printed.trim()).toBe("true true")
})
