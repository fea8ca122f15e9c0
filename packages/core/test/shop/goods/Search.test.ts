import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { SearchQuery } from "../../../src/shop/goods/SearchRequest.ts"
import { decoder, readQuery } from "../../../src/http/Input.ts"

const decode = decoder(SearchQuery)
const known = new Set(Object.keys(SearchQuery.fields))

const read = (query: string) => {
  const { faults, input } = readQuery(query, known)
  return Result.getOrUndefined(decode(input, faults))
}

describe("the query of a search", () => {
  it.each([
    ["q=mouse", { q: "mouse", page: 1 }],
    ["page=3&q=trail+shoes%21", { q: "trail shoes!", page: 3 }],
    [`q=${"a".repeat(500)}&page=999999999999`, { q: "a".repeat(500), page: 999_999_999_999 }],
    ["q=caf%C3%A9", { q: "café", page: 1 }],
    ["q=a&priceMin=1&priceMax=1.5", { q: "a", priceMin: 1, priceMax: 1.5, page: 1 }],
    ["q=a&brand=b", { q: "a", brand: "b", page: 1 }],
    ["q=a&unknown=1", { q: "a", page: 1 }]
  ])("accepts %s", (query, expected) => {
    expect(read(query)).toEqual(expected)
  })

  it.each([
    "",
    "q=",
    "page=1",
    "q=a&q=b",
    "q=a&page=1&page=2",
    "q=a&page=0",
    "q=a&page=1.5",
    "q=a&page=",
    "q=a&priceMin=0",
    "q=a&priceMin=2&priceMax=1",
    `q=${"a".repeat(501)}`
  ])("rejects %j", (query) => {
    expect(read(query)).toBeUndefined()
  })
})
