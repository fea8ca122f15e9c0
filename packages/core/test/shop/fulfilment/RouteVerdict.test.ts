import { AddressNotServed, ProductNotFound, ProductUnavailable, TemporarilyUnavailable } from "@till402/core"
import { describe, expect, it } from "vitest"
import { routeFulfilment } from "../../../src/shop/fulfilment/routeFulfilment.ts"
import { context, upstream, failing, request, thrownBy } from "../orders/scriptedRoutes.ts"

describe("when all routes fail, the error is", () => {
  const notFound = new ProductNotFound({ message: "unknown" })
  const soldOut = new ProductUnavailable({ message: "sold out", reason: "out_of_stock" })
  const notServed = new AddressNotServed({ message: "not there" })
  const down = (retryAfterSeconds?: number) =>
    new TemporarilyUnavailable({
      message: "down",
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
    })
  const boom = new Error("boom")

  const verdictOf = (errors: ReadonlyArray<unknown>) => {
    const names = errors.map((_, index) => `r${index}`)
    const { quote } = routeFulfilment({
      routes: Object.fromEntries(errors.map((error, index) => [`r${index}`, failing(error).fulfilment])),
      choose: () => names
    })
    return thrownBy(quote(request(), context))
  }

  it.each<[string, ReadonlyArray<unknown>, unknown]>([
    ["the only one's", [notServed], notServed],
    ["sold out before not delivered", [notFound, notServed, soldOut], soldOut],
    ["not delivered before not found", [notFound, notServed], notServed],
    ["the first of two alike", [notServed, new AddressNotServed({ message: "other" })], notServed],
    ["broken before any refusal", [soldOut, boom, notFound], boom]
  ])("%s", async (_, errors, expected) => {
    expect(await verdictOf(errors)).toBe(expected)
  })

  it("down before anything else, with the shortest wait", async () => {
    const error = await verdictOf([soldOut, down(60), boom, down(20), down()])
    expect(error).toBeInstanceOf(TemporarilyUnavailable)
    expect(error).toMatchObject({ retryAfterSeconds: 20 })
  })

  it("both of two broken ones", async () => {
    const other = new Error("other")
    expect(await verdictOf([boom, notFound, other])).toMatchObject({ errors: [boom, other] })
  })

  it("down, where a route took too long", async () => {
    const { quote } = routeFulfilment({
      routes: {
        slow: upstream("slow", { quote: () => new Promise(() => undefined) }).fulfilment,
        refuses: failing(notFound).fulfilment
      },
      choose: () => ["slow", "refuses"],
      routeTimeoutMillis: 5
    })
    expect(await thrownBy(quote(request(), context))).toBeInstanceOf(TemporarilyUnavailable)
  })
})
