import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { unknownFields } from "../../src/http/UnknownFields.ts"

const text = Schema.optionalKey(Schema.String)
const schema = Schema.Struct({
  q: text,
  priceMin: text,
  priceMax: text,
  brand: text,
  variantId: text,
  tags: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String }))),
  address: Schema.optionalKey(Schema.Struct({ line1: Schema.String, line2: text, postalCode: text }))
})
const otherNames = {
  names: { q: ["query"], "address.postalCode": ["address.zip"] },
  notOffered: { quantity: "can't be chosen" }
}
const findLenient = unknownFields(schema, { otherNames, refuseUnknown: false })
const findStrict = unknownFields(schema, { otherNames, refuseUnknown: true })
const lines = (find: typeof findLenient, input: object) =>
  find(input).map(({ message, path }) => `${path} ${message}`)
const meant = (path: string, field: string) =>
  `${path} is not a field of this request: did you mean ${field}?`

describe("an unknown field", () => {
  it.each([
    ["priceMXa", "priceMax"],
    ["pricemax", "priceMax"],
    ["price_max", "priceMax"],
    ["maxPrice", "priceMax"],
    ["max-price", "priceMax"],
    ["brnad", "brand"],
    ["brands", "brand"],
    ["variant", "variantId"],
    ["Q", "q"],
    ["query", "q"],
    ["QUERY", "q"]
  ])("%s is taken for %s", (name, field) => {
    expect(lines(findLenient, { [name]: "x" })).toEqual([meant(name, field)])
  })

  it("is found in an object of the input", () => {
    const address = { line1: "a", line_2: "b", zip: "c", country: "d" }
    expect(lines(findLenient, { address })).toEqual([
      meant("address.line_2", "address.line2"),
      meant("address.zip", "address.postalCode")
    ])
  })

  it("that changes the deal is refused, in any case", () => {
    expect(lines(findLenient, { quantity: 2, Quantity: 3, q: "lamp" })).toEqual([
      "quantity can't be chosen",
      "Quantity can't be chosen"
    ])
  })

  it.each([
    "t",
    "_",
    "v",
    "ts",
    "sort",
    "lang",
    "utm_source",
    "id",
    "page",
    "priced_in_currency",
    "brandId",
    "address_id",
    "toString"
  ])("%s is ignored", (name) => expect(lines(findLenient, { [name]: "x" })).toEqual([]))

  it("is ignored beside the field that it resembles", () => {
    expect(lines(findLenient, { priceMax: "1", maxPrice: "1", q: "a", query: "a" })).toEqual([])
  })

  it("is refused in strict mode, by a name that can be repeated", () => {
    expect(lines(findStrict, { q: "a", query: "a", sort: "b", address: { line1: "a", floor: 3 } })).toEqual([
      "query is not a field of this request",
      "sort is not a field of this request",
      "address.floor is not a field of this request"
    ])
    expect(lines(findStrict, { "<b>\n": 1 })).toEqual([" has a field that this request doesn't have"])
  })

  it("costs no more than twenty comparisons; those that are listed are always found", () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]))
    expect(lines(findLenient, { ...many, brnad: 1, quantity: 2 })).toEqual(["quantity can't be chosen"])
  })

  it.each([
    ["an input that takes any name", Schema.Record(Schema.String, Schema.String)],
    ["no object", Schema.Unknown]
  ])("isn't looked for in %s", (_, any) => {
    expect(unknownFields(any, { refuseUnknown: true })({ anything: "x" })).toEqual([])
  })

  it("isn't looked for in what is no object", () => {
    for (const input of ["text", [1], null]) expect(findStrict(input as never)).toEqual([])
  })
})
