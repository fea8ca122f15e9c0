import { describe, expect, it } from "vitest"
import { targetOf } from "../../src/http/Target.ts"

const partsOf = (target: string) => {
  const found = targetOf(target)
  return found === undefined ? undefined : found.pathname + found.search
}

describe("the target of a request", () => {
  it.each([
    ["/x402/search?q=tote", "/x402/search?q=tote"],
    ["/x402/search", "/x402/search"],
    ["/", "/"],
    ["/x402/search?", "/x402/search"],
    ["/a/../x402/./buy", "/x402/buy"],
    ["/a/%2e%2e/x402/buy", "/x402/buy"],
    ["/x402/search?q=a b#part", "/x402/search?q=a%20b"],
    ["//evil.example/x402", "//evil.example/x402"],
    ["https://evil.example/x402/buy?a=1", "/x402/buy?a=1"],
    ["http://shop.example:8080/x402", "/x402"],
    ["*", "/*"],
    ["ftp://shop.example/x402", undefined],
    ["shop.example:443", undefined],
    ["", undefined]
  ])("%s is read as %s", (target, expected) => {
    expect(partsOf(target)).toBe(expected)
  })
})
