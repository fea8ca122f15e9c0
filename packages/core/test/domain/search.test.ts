import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { readPlainSearch, SearchQuery } from "../../src/domain/Search.ts"
import { decoder, readQuery } from "../../src/Input.ts"
import { property } from "./seeded.ts"

const decode = decoder(SearchQuery)
const known = new Set(Object.keys(SearchQuery.fields))

const bySchema = (params: URLSearchParams) => {
  const { faults, input } = readQuery(params, known)
  return Result.getOrUndefined(decode(input, faults))
}

describe("readPlainSearch", () => {
  it.each([
    ["q=mouse", { q: "mouse", page: 1 }],
    ["page=3&q=trail+shoes%21", { q: "trail shoes!", page: 3 }],
    [`q=${"a".repeat(500)}&page=999999999999`, { q: "a".repeat(500), page: 999_999_999_999 }]
  ])("reads %s by itself", (query, expected) => {
    expect(readPlainSearch(new URLSearchParams(query))).toEqual(expected)
  })

  it.each([
    "",
    "q=",
    "page=1",
    "q=a&q=b",
    "q=a&page=1&page=2",
    "q=a&page=0",
    "q=a&page=01",
    "q=a&page=1.5",
    "q=a&page=",
    "q=a&priceMin=1",
    "q=a&brand=b",
    "q=a&unknown=1",
    "q=caf%C3%A9",
    "q=a%00",
    "q=a%7F",
    `q=${"a".repeat(501)}`
  ])("leaves %j to the schema", (query) => {
    expect(readPlainSearch(new URLSearchParams(query))).toBeUndefined()
  })

  const pieces = [
    "q=",
    "q=mouse",
    "q=%09",
    "q=a+b",
    "page=1",
    "page=007",
    "page=12",
    "page=",
    "brand=x",
    "z=1",
    "q=é"
  ]
  property("reads nothing otherwise than the schema", 2_000, (dice) => {
    const query = Array.from({ length: dice.below(4) }, () =>
      dice.below(3) === 0 ? `q=${dice.text("aZ %+~\u007f\u00e9\n&=", dice.below(8))}` : dice.pick(pieces)
    ).join("&")
    const params = new URLSearchParams(query)
    const plain = readPlainSearch(params)
    if (plain !== undefined) expect(plain).toEqual(bySchema(params))
  })
})
