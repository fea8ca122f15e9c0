import {
  AddressNotServed,
  ConfigurationError,
  ProductNotFound,
  type ProductReference,
  ProductUnavailable,
  type QuotedOffer,
  TemporarilyUnavailable
} from "@till402/core"
import { describe, expect, it } from "vitest"
import type { FulfilmentRoutes } from "../../../src/shop/fulfilment/FulfilmentRoutes.ts"
import { routeFulfilment } from "../../../src/shop/fulfilment/routeFulfilment.ts"
import {
  ofA,
  shippingAddress,
  context,
  offer,
  upstream,
  failing,
  request,
  thrownBy
} from "../orders/scriptedRoutes.ts"

const ofB: ProductReference = {
  source: "marketplace_b",
  productUrl: "https://store.example/products/tote",
  variantId: "4001"
}

describe("the general marketplaces of routes", () => {
  const buysAt = (host: string, country: string) =>
    upstream(country, { generalMarketplace: { hosts: [host], country } })
  const pageAt = (host: string): ProductReference => ({
    source: "marketplace_a",
    asin: "B0ABCDEFGH",
    productUrl: `https://www.${host}/dp/B0ABCDEFGH`
  })

  it("are those of all, and a page goes to the route that buys there", async () => {
    const [us, de] = [buysAt("amazon.com", "US"), buysAt("amazon.de", "DE")]
    const fulfilment = routeFulfilment({
      routes: { us: us.fulfilment, de: de.fulfilment, own: upstream("own").fulfilment },
      choose: { marketplace_a: ["us", "de"], marketplace_b: "own" }
    })
    expect(fulfilment.generalMarketplace?.hosts).toEqual(["amazon.com", "amazon.de"])
    expect((await fulfilment.quote(request(pageAt("amazon.de")), context)).reference).toMatch(/^de:/)
    expect((await fulfilment.quote(request(pageAt("amazon.com")), context)).reference).toMatch(/^us:/)
    expect((await fulfilment.quote(request(ofA), context)).reference).toMatch(/^us:/)
    const refusal = await thrownBy(fulfilment.quote(request(pageAt("amazon.fr")), context))
    expect(refusal).toMatchObject({ _tag: "ProductUnavailable", reason: "foreign_page" })
    expect([us.calls, de.calls]).toEqual([["quote", "quote"], ["quote"]])
  })

  it("have the country that all name, and are none if none is named", () => {
    const routes = { a: buysAt("amazon.com", "US").fulfilment, b: buysAt("shop.example", "US").fulfilment }
    const both = routeFulfilment({ routes, choose: () => "a" })
    expect(both.generalMarketplace).toEqual({ hosts: ["amazon.com", "shop.example"], country: "US" })
    const unnamed = routeFulfilment({ routes: { a: upstream("a").fulfilment }, choose: () => "a" })
    expect(unnamed).not.toHaveProperty("generalMarketplace")
  })
})

describe("which route quotes", () => {
  it("is chosen by a table of marketplaces", async () => {
    const [zinc, rye] = [upstream("zinc"), upstream("rye")]
    const fulfilment = routeFulfilment({
      routes: { zinc: zinc.fulfilment, rye: rye.fulfilment },
      choose: { marketplace_a: "zinc", marketplace_b: "rye" }
    })
    expect((await fulfilment.quote(request(ofA), context)).reference).toBe("zinc:zinc-quote:1")
    expect((await fulfilment.quote(request(ofB), context)).reference).toBe("rye:rye-quote:1")
    expect([zinc.calls, rye.calls]).toEqual([["quote"], ["quote"]])
  })

  it("is chosen by the host's own rule, which sees product and address and no e-mail", async () => {
    const seen: Array<unknown> = []
    const fulfilment = routeFulfilment({
      routes: { here: upstream("here").fulfilment, abroad: upstream("abroad").fulfilment },
      choose: (ordered) => {
        seen.push(ordered)
        return ordered.shippingAddress.country === "US" ? "here" : "abroad"
      }
    })
    const german = { ...shippingAddress, country: "DE" }
    expect((await fulfilment.quote(request(), context)).reference).toMatch(/^here:/)
    expect((await fulfilment.quote({ ...request(), shippingAddress: german }, context)).reference).toMatch(
      /^abroad:/
    )
    expect(seen).toEqual([
      { product: ofA, shippingAddress },
      { product: ofA, shippingAddress: german }
    ])
  })

  it("gives the offer as it is, but for the reference", async () => {
    const { quote } = routeFulfilment({
      routes: { zinc: upstream("zinc").fulfilment },
      choose: () => "zinc"
    })
    expect(await quote(request(), context)).toEqual(offer("zinc:zinc-quote:1"))
  })

  it.each<[string, FulfilmentRoutes<"zinc">["choose"]]>([
    ["a marketplace that is not in the table", { marketplace_b: "zinc" }],
    ["an empty list", () => []]
  ])("none, for %s: the product is not sold", async (_, choose) => {
    const zinc = upstream("zinc")
    const { quote } = routeFulfilment({ routes: { zinc: zinc.fulfilment }, choose })
    expect(await thrownBy(quote(request(ofA), context))).toMatchObject({
      _tag: "ProductUnavailable",
      reason: "not_sold"
    })
    expect(zinc.calls).toEqual([])
  })

  it("a rule that names an unknown route calls no upstream", async () => {
    const zinc = upstream("zinc")
    const { quote } = routeFulfilment({
      routes: { zinc: zinc.fulfilment },
      choose: () => JSON.parse('["zinc", "rye"]')
    })
    const error = await thrownBy(quote(request(), context))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ message: 'routeFulfilment: choose: no route is named "rye"' })
    expect(zinc.calls).toEqual([])
  })

  it("what the rule throws is what the quote fails with", async () => {
    const { quote } = routeFulfilment({
      routes: { zinc: upstream("zinc").fulfilment },
      choose: () => {
        throw new AddressNotServed({ message: "Not there." })
      }
    })
    expect(await thrownBy(quote(request(), context))).toBeInstanceOf(AddressNotServed)
  })

  it("calls a route that is named twice once", async () => {
    const down = failing(new TemporarilyUnavailable({ message: "down" }))
    const { quote } = routeFulfilment({ routes: { down: down.fulfilment }, choose: () => ["down", "down"] })
    await thrownBy(quote(request(), context))
    expect(down.calls).toEqual(["quote"])
  })
})

describe("a list of routes", () => {
  const failures: ReadonlyArray<readonly [string, unknown]> = [
    ["has no such product", new ProductNotFound({ message: "no" })],
    ["is sold out", new ProductUnavailable({ message: "no" })],
    ["does not deliver there", new AddressNotServed({ message: "no" })],
    ["is down", new TemporarilyUnavailable({ message: "no" })],
    ["is broken", new TypeError("boom")],
    ["throws what is no error", "boom"]
  ]
  it.each(failures)("goes on where the first %s, and reports it", async (_, error) => {
    const [first, second, third] = [failing(error), upstream("second"), upstream("third")]
    const passed: Array<unknown> = []
    const { quote } = routeFulfilment({
      routes: { first: first.fulfilment, second: second.fulfilment, third: third.fulfilment },
      choose: () => ["first", "second", "third"],
      onPassedOver: (each) => passed.push(each)
    })
    expect((await quote(request(), context)).reference).toBe("second:second-quote:1")
    expect(passed).toEqual([{ route: "first", error }])
    expect(third.calls).toEqual([])
  })

  it.each<[string, unknown]>([
    ["no reference", { ...offer("x"), reference: undefined }],
    ["an empty reference", offer("")],
    ["nothing", undefined]
  ])("tries the next route when the first returns %s", async (_, response) => {
    const first = upstream("first", { quote: async () => response as QuotedOffer })
    const { quote } = routeFulfilment({
      routes: { first: first.fulfilment, second: upstream("second").fulfilment },
      choose: () => ["first", "second"]
    })
    expect((await quote(request(), context)).reference).toBe("second:second-quote:1")
  })

  it("goes on where the first takes too long, and aborts it", async () => {
    let aborted = false
    const slow = upstream("slow", {
      quote: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => void (aborted = true)))
    })
    const { quote } = routeFulfilment({
      routes: { slow: slow.fulfilment, second: upstream("second").fulfilment },
      choose: () => ["slow", "second"],
      routeTimeoutMillis: 10
    })
    expect((await quote(request(), context)).reference).toBe("second:second-quote:1")
    expect(aborted).toBe(true)
  })

  it("gives the last one all the time there is", async () => {
    const slow = upstream("slow", {
      quote: () => new Promise((resolve) => setTimeout(() => resolve(offer("late")), 40))
    })
    const { quote } = routeFulfilment({
      routes: { first: failing(new ProductNotFound({ message: "no" })).fulfilment, slow: slow.fulfilment },
      choose: () => ["first", "slow"],
      routeTimeoutMillis: 5
    })
    expect((await quote(request(), context)).reference).toBe("slow:late")
  })

  it("calls no other route once the caller's time is over", async () => {
    const deadline = new AbortController()
    const slow = upstream("slow", {
      quote: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted")))
          deadline.abort()
        })
    })
    const second = upstream("second")
    const { quote } = routeFulfilment({
      routes: { slow: slow.fulfilment, second: second.fulfilment },
      choose: () => ["slow", "second"]
    })
    await thrownBy(quote(request(), { signal: deadline.signal }))
    expect(second.calls).toEqual([])
  })

  it("a listener that throws changes nothing", async () => {
    const { quote } = routeFulfilment({
      routes: {
        first: failing(new Error("boom")).fulfilment,
        second: upstream("second").fulfilment
      },
      choose: () => ["first", "second"],
      onPassedOver: () => {
        throw new Error("listener")
      }
    })
    expect((await quote(request(), context)).reference).toBe("second:second-quote:1")
  })
})
