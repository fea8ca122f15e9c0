import { NotPlaced, ProductUnavailable } from "@till402/core"
import { describe, expect, it } from "vitest"
import { routeFulfilment } from "../../../src/shop/fulfilment/routeFulfilment.ts"
import { dice, property } from "../../domain/seeded.ts"
import { context, offer, upstream, request, thrownBy } from "../orders/scriptedRoutes.ts"

const placing = (reference: string) => ({
  orderId: "order-1",
  reference,
  ...request(),
  total: "13"
})

describe("what follows a quote", () => {
  const [zinc, rye] = [upstream("zinc"), upstream("rye")]
  const routes = { zinc: zinc.fulfilment, rye: rye.fulfilment }

  it("goes to who quoted, though the rule has changed", async () => {
    const { reference } = await routeFulfilment({ routes, choose: () => "zinc" }).quote(request(), context)
    const changed = routeFulfilment({ routes, choose: () => "rye" })
    zinc.calls.length = 0
    const placed = await changed.place(placing(reference), context)
    expect(placed).toEqual({ reference: "zinc:zinc-order:1" })
    expect(await changed.find!("order-1", { ...context, reference })).toBe("zinc:zinc-order:1")
    expect(await changed.status!(placed.reference, context)).toEqual({
      status: "shipped",
      shipments: [{ trackingNumber: "1Z" }]
    })
    expect(zinc.calls).toEqual([
      "place order-1 zinc-quote:1",
      "find order-1 zinc-quote:1",
      "status zinc-order:1"
    ])
    expect(rye.calls).toEqual([])
  })

  it("hands on the rest of an order as it came", async () => {
    const seen: Array<unknown> = []
    const noting = upstream("noting", {
      place: async (order, { signal }) => {
        seen.push(order, signal)
        return { reference: "1" }
      }
    })
    const { place } = routeFulfilment({ routes: { noting: noting.fulfilment }, choose: () => "noting" })
    await place(placing("noting:q"), context)
    expect(seen).toEqual([{ ...placing("noting:q"), reference: "q" }, context.signal])
  })

  it.each(["gone:zinc-quote:1", "bare", "", "zinc", "zinc:", ":1", "Zinc:1", "__proto__:1", "constructor:1"])(
    "of %j, which is no route's: not placed, and no upstream is called",
    async (reference) => {
      zinc.calls.length = 0
      const fulfilment = routeFulfilment({ routes, choose: () => "zinc" })
      expect(await thrownBy(fulfilment.place(placing(reference), context))).toBeInstanceOf(NotPlaced)
      expect(await thrownBy(fulfilment.find!("order-1", { ...context, reference }))).toMatchObject({
        message: expect.stringMatching(/route/)
      })
      expect(await thrownBy(fulfilment.status!(reference, context))).toMatchObject({
        message: expect.stringMatching(/route/)
      })
      expect((fulfilment.placesOnce as (text: string) => boolean)(reference)).toBe(false)
      expect(zinc.calls).toEqual([])
    }
  )

  it("of a reference from before there were routes goes to the unnamed one", async () => {
    zinc.calls.length = 0
    const fulfilment = routeFulfilment({ routes, choose: () => "rye", unnamed: "zinc" })
    await fulfilment.place(placing("old-quote"), context)
    expect(await fulfilment.status!("old-order", context)).toMatchObject({ status: "shipped" })
    expect(zinc.calls).toEqual(["place order-1 old-quote", "status old-order"])
    // One with a name is never taken for one without.
    expect(await thrownBy(fulfilment.place(placing("gone:1"), context))).toBeInstanceOf(NotPlaced)
  })

  it("of a reference with a scheme, as Shopify's are, goes to the unnamed one, not to a route of that name", async () => {
    const [draft, order] = ["gid://shopify/DraftOrder/1", "gid://shopify/Order/1"]
    const shop = upstream("shop")
    const fulfilment = routeFulfilment({
      routes: { rye: rye.fulfilment, shop: shop.fulfilment },
      choose: () => "rye",
      unnamed: "shop"
    })
    await fulfilment.place(placing(draft), context)
    await fulfilment.find!("order-1", { ...context, reference: draft })
    await fulfilment.status!(order, context)
    expect(shop.calls).toEqual([`place order-1 ${draft}`, `find order-1 ${draft}`, `status ${order}`])
    // Without an unnamed route, it still is nobody's.
    const named = routeFulfilment({ routes, choose: () => "rye" })
    expect(await thrownBy(named.place(placing(draft), context))).toBeInstanceOf(NotPlaced)
  })

  it("fails as the route fails", async () => {
    const sold = new ProductUnavailable({ message: "sold out since" })
    const { place } = routeFulfilment({
      routes: {
        only: upstream("only", {
          place: async () => {
            throw sold
          }
        }).fulfilment
      },
      choose: () => "only"
    })
    expect(await thrownBy(place(placing("only:1"), context))).toBe(sold)
  })

  it.each([undefined, {}, { reference: "" }, { reference: 5 }])(
    "a response of %j may mean that the order was placed, so the error isn't NotPlaced",
    async (response) => {
      const { place } = routeFulfilment({
        routes: {
          only: upstream("only", { place: async () => response as { reference: string } }).fulfilment
        },
        choose: () => "only"
      })
      expect(await thrownBy(place(placing("only:1"), context))).toMatchObject({ _tag: "MalformedResponse" })
    }
  )

  it.each([null, undefined])(
    "an order that was not found is reported as the route does: %s",
    async (found) => {
      const { find } = routeFulfilment({
        routes: { only: upstream("only", { find: async () => found as null }).fulfilment },
        choose: () => "only"
      })
      expect(await find!("order-1", { ...context, reference: "only:1" })).toBe(found)
    }
  )
})

describe("what a route can't do", () => {
  const { find: _find, status: _status, ...bare } = upstream("bare").fulfilment
  const routes = { full: upstream("full").fulfilment, bare }

  it("status: the order stays placed", async () => {
    const { status } = routeFulfilment({ routes, choose: () => "bare" })
    expect(await status!("bare:1", context)).toBeUndefined()
  })

  it("find: it is unknown, which is not the same as not placed", async () => {
    const { find } = routeFulfilment({ routes, choose: () => "bare" })
    expect(await thrownBy(find!("order-1", { ...context, reference: "bare:1" }))).toMatchObject({
      message: "route bare can't report whether an order was placed"
    })
  })

  it("no route can, nor can the whole", () => {
    const fulfilment = routeFulfilment({ routes: { bare }, choose: () => "bare" })
    expect(Object.keys(fulfilment).sort()).toEqual(["place", "placesOnce", "quote"])
  })

  it("placesOnce is each route's own", () => {
    const { placesOnce } = routeFulfilment({
      routes: {
        once: { ...bare, placesOnce: true },
        never: { ...bare, placesOnce: false },
        silent: bare,
        some: { ...bare, placesOnce: (reference) => reference === "good" }
      },
      choose: () => "once"
    })
    const placesOnceAt = placesOnce as (reference: string) => boolean
    expect(["once:1", "never:1", "silent:1", "some:good", "some:bad"].map(placesOnceAt)).toEqual([
      true,
      false,
      false,
      true,
      false
    ])
  })

  it("routes of routes keep their names apart", async () => {
    const inner = routeFulfilment({ routes: { zinc: upstream("zinc").fulfilment }, choose: () => "zinc" })
    const outer = routeFulfilment({ routes: { inner }, choose: () => "inner" })
    const { reference } = await outer.quote(request(), context)
    expect(reference).toBe("inner:zinc:zinc-quote:1")
    expect(await outer.place(placing(reference), context)).toEqual({
      reference: "inner:zinc:zinc-order:1"
    })
  })
})

property("whatever a route's references are, they come back to it unchanged", 300, async (rolled) => {
  const letters = "abcXYZ019-_"
  const names = Array.from(
    { length: 1 + rolled.below(4) },
    (_, index) => `${index}${rolled.text(letters, rolled.below(10))}`
  )
  const anything = () =>
    dice(rolled.below(2 ** 31)).text(`${letters}: /#%\n\u00e9\u{1f600}`, 1 + rolled.below(30))
  const seen: Array<string> = []
  const [mine, other] = [anything(), anything()]
  const chosen = rolled.pick(names)
  const fulfilment = routeFulfilment({
    routes: Object.fromEntries(
      names.map((name) => [
        name,
        upstream(name, {
          quote: async () => offer(mine),
          place: async ({ reference }) => {
            seen.push(`${name} place ${reference}`)
            return { reference: other }
          },
          status: async (reference) => {
            seen.push(`${name} status ${reference}`)
            return { status: "placed", shipments: [] }
          }
        }).fulfilment
      ])
    ),
    choose: () => chosen
  })
  const quoted = await fulfilment.quote(request(), context)
  const placed = await fulfilment.place(placing(quoted.reference), context)
  await fulfilment.status!(placed.reference, context)
  expect(seen).toEqual([`${chosen} place ${mine}`, `${chosen} status ${other}`])
})
