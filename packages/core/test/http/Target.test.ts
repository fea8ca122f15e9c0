import { describe, expect, it } from "vitest"
import { targetOf, targetOfUrl } from "../../src/http/Target.ts"
import { property } from "../domain/seeded.ts"

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

property("a path and query are read as a URL reads them, whatever they hold", 2_000, (rolled) => {
  const letters = "abZ09-_./%2eE?&=+#:;@'\"<> \\é~"
  const target = `/x${rolled.text(letters, rolled.below(20))}`
  const { pathname, search } = new URL(`http://till.invalid${target}`)
  expect(partsOf(target)).toBe(pathname + search)
})

describe("targetOfUrl", () => {
  property("reads the path and query of a request's URL", 2_000, (dice) => {
    const characters = "aZ09-_/./..//%41%2e?&=#'\"<>\\;:@ \u00e9~!*()[]{}|^`"
    const origin = dice.pick([
      "http://shop.example",
      "https://shop.example:8443",
      "https://user:word@shop.example"
    ])
    const url = new URL(`${origin}${dice.pick(["/", "?", "#"])}${dice.text(characters, dice.below(12))}`)
    const { pathname, search } = targetOfUrl(url.href)
    expect([url.href, pathname, search]).toEqual([url.href, url.pathname, url.search])
  })
})
