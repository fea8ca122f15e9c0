import { describe, expect } from "vitest"
import { targetOfUrl } from "../../src/http/Target.ts"
import { property } from "../domain/seeded.ts"

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
