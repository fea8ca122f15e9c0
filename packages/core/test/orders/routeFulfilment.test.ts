import {
  AddressNotServed,
  ConfigurationError,
  type FulfilmentOptions,
  NotPlaced,
  ProductNotFound,
  type ProductReference,
  ProductUnavailable,
  type QuotedOffer,
  TemporarilyUnavailable
} from "@till402/core"
import { describe, expect, it } from "vitest"
import type { FulfilmentRoutes } from "../../src/orders/FulfilmentRoutes.ts"
import { routeFulfilment } from "../../src/orders/routeFulfilment.ts"
import { dice, property } from "../domain/seeded.ts"

const ofA: ProductReference = { source: "marketplace_a", asin: "B0ABCDEFGH", productUrl: undefined }
const ofB: ProductReference = {
  source: "marketplace_b",
  productUrl: "https://store.example/products/tote",
  variantId: "4001"
}
const shippingAddress = {
  name: "Ada",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const email = "ada@shop.example"
const context = { signal: new AbortController().signal }

const offer = (reference: string): QuotedOffer => ({
  product: { title: "Tote" },
  subtotal: "10",
  tax: "1",
  shipping: "2",
  total: "13",
  currency: "USD",
  reference,
  expiresAt: new Date(0)
})

/** An upstream that notes what it is asked, and quotes unless it is told to fail. */
const upstream = (name: string, changes: Partial<FulfilmentOptions> = {}) => {
  const asked: Array<string> = []
  const fulfilment: FulfilmentOptions = {
    quote: async () => offer(`${name}-quote:1`),
    place: async ({ orderId, reference }) => {
      asked.push(`place ${orderId} ${reference}`)
      return { reference: `${name}-order:1` }
    },
    find: async (orderId, { reference }) => {
      asked.push(`find ${orderId} ${reference}`)
      return `${name}-order:1`
    },
    status: async (reference) => {
      asked.push(`status ${reference}`)
      return { status: "shipped", shipments: [{ trackingNumber: "1Z" }] }
    },
    ...changes
  }
  const { quote } = fulfilment
  return {
    asked,
    fulfilment: {
      ...fulfilment,
      quote: async (...args: Parameters<typeof quote>) => {
        asked.push("quote")
        return quote(...args)
      }
    } satisfies FulfilmentOptions
  }
}

const failing = (error: unknown) =>
  upstream("failing", {
    quote: async () => {
      throw error
    }
  })

const request = (product: ProductReference = ofA) => ({ product, shippingAddress, email })
const placing = (reference: string) => ({
  orderId: "order-1",
  reference,
  ...request(),
  total: "13"
})
const thrownBy = (response: Promise<unknown>): Promise<unknown> =>
  response.then(
    (value) => {
      throw new Error(`returned ${JSON.stringify(value)}`)
    },
    (error: unknown) => error
  )

describe("which route quotes", () => {
  it("is said by a table of marketplaces", async () => {
    const [zinc, rye] = [upstream("zinc"), upstream("rye")]
    const fulfilment = routeFulfilment({
      routes: { zinc: zinc.fulfilment, rye: rye.fulfilment },
      choose: { marketplace_a: "zinc", marketplace_b: "rye" }
    })
    expect((await fulfilment.quote(request(ofA), context)).reference).toBe("zinc:zinc-quote:1")
    expect((await fulfilment.quote(request(ofB), context)).reference).toBe("rye:rye-quote:1")
    expect([zinc.asked, rye.asked]).toEqual([["quote"], ["quote"]])
  })

  it("is said by the host's own rule, which sees product and address and no e-mail", async () => {
    const seen: Array<unknown> = []
    const fulfilment = routeFulfilment({
      routes: { here: upstream("here").fulfilment, abroad: upstream("abroad").fulfilment },
      choose: (asked) => {
        seen.push(asked)
        return asked.shippingAddress.country === "US" ? "here" : "abroad"
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
    expect(zinc.asked).toEqual([])
  })

  it("a rule that names an unknown route asks nobody", async () => {
    const zinc = upstream("zinc")
    const { quote } = routeFulfilment({
      routes: { zinc: zinc.fulfilment },
      choose: () => ["zinc", "rye"] as unknown as "zinc"
    })
    const error = await thrownBy(quote(request(), context))
    expect(error).toBeInstanceOf(ConfigurationError)
    expect(error).toMatchObject({ message: 'routeFulfilment: choose: no route is named "rye"' })
    expect(zinc.asked).toEqual([])
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

  it("asks a name that comes twice once", async () => {
    const down = failing(new TemporarilyUnavailable({ message: "down" }))
    const { quote } = routeFulfilment({ routes: { down: down.fulfilment }, choose: () => ["down", "down"] })
    await thrownBy(quote(request(), context))
    expect(down.asked).toEqual(["quote"])
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
  it.each(failures)("goes on where the first %s, and says so", async (_, error) => {
    const [first, second, third] = [failing(error), upstream("second"), upstream("third")]
    const passed: Array<unknown> = []
    const { quote } = routeFulfilment({
      routes: { first: first.fulfilment, second: second.fulfilment, third: third.fulfilment },
      choose: () => ["first", "second", "third"],
      onPassedOver: (each) => passed.push(each)
    })
    expect((await quote(request(), context)).reference).toBe("second:second-quote:1")
    expect(passed).toEqual([{ route: "first", error }])
    expect(third.asked).toEqual([])
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

  it("goes on where the first takes too long, and aborts it", { timeout: 5000 }, async () => {
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

  it("asks nobody else once the caller's time is over", { timeout: 5000 }, async () => {
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
    expect(second.asked).toEqual([])
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

  const ask = (errors: ReadonlyArray<unknown>) => {
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
    expect(await ask(errors)).toBe(expected)
  })

  it("down before anything else, with the shortest wait", async () => {
    const error = await ask([soldOut, down(60), boom, down(20), down()])
    expect(error).toBeInstanceOf(TemporarilyUnavailable)
    expect(error).toMatchObject({ retryAfterSeconds: 20 })
  })

  it("both of two broken ones", async () => {
    const other = new Error("other")
    expect(await ask([boom, notFound, other])).toMatchObject({ errors: [boom, other] })
  })

  it("down, where a route took too long", { timeout: 5000 }, async () => {
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

describe("what follows a quote", () => {
  const [zinc, rye] = [upstream("zinc"), upstream("rye")]
  const routes = { zinc: zinc.fulfilment, rye: rye.fulfilment }

  it("goes to who quoted, though the rule has changed", async () => {
    const { reference } = await routeFulfilment({ routes, choose: () => "zinc" }).quote(request(), context)
    const changed = routeFulfilment({ routes, choose: () => "rye" })
    zinc.asked.length = 0
    const placed = await changed.place(placing(reference), context)
    expect(placed).toEqual({ reference: "zinc:zinc-order:1" })
    expect(await changed.find!("order-1", { ...context, reference })).toBe("zinc:zinc-order:1")
    expect(await changed.status!(placed.reference, context)).toEqual({
      status: "shipped",
      shipments: [{ trackingNumber: "1Z" }]
    })
    expect(zinc.asked).toEqual([
      "place order-1 zinc-quote:1",
      "find order-1 zinc-quote:1",
      "status zinc-order:1"
    ])
    expect(rye.asked).toEqual([])
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
    "of %j, which is no route's: not placed, and nobody is asked",
    async (reference) => {
      zinc.asked.length = 0
      const fulfilment = routeFulfilment({ routes, choose: () => "zinc" })
      expect(await thrownBy(fulfilment.place(placing(reference), context))).toBeInstanceOf(NotPlaced)
      expect(await thrownBy(fulfilment.find!("order-1", { ...context, reference }))).toMatchObject({
        message: expect.stringMatching(/route/)
      })
      expect(await thrownBy(fulfilment.status!(reference, context))).toMatchObject({
        message: expect.stringMatching(/route/)
      })
      expect((fulfilment.placesOnce as (text: string) => boolean)(reference)).toBe(false)
      expect(zinc.asked).toEqual([])
    }
  )

  it("of a reference from before there were routes goes to the unnamed one", async () => {
    zinc.asked.length = 0
    const fulfilment = routeFulfilment({ routes, choose: () => "rye", unnamed: "zinc" })
    await fulfilment.place(placing("old-quote"), context)
    expect(await fulfilment.status!("old-order", context)).toMatchObject({ status: "shipped" })
    expect(zinc.asked).toEqual(["place order-1 old-quote", "status old-order"])
    // One with a name is never taken for one without.
    expect(await thrownBy(fulfilment.place(placing("gone:1"), context))).toBeInstanceOf(NotPlaced)
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

  it("an order that was not found is told so", async () => {
    const { find } = routeFulfilment({
      routes: { only: upstream("only", { find: async () => undefined }).fulfilment },
      choose: () => "only"
    })
    expect(await find!("order-1", { ...context, reference: "only:1" })).toBeUndefined()
  })
})

describe("what a route can't do", () => {
  const { find: _find, status: _status, ...bare } = upstream("bare").fulfilment
  const routes = { full: upstream("full").fulfilment, bare }

  it("status: the order stays placed", async () => {
    const { status } = routeFulfilment({ routes, choose: () => "bare" })
    expect(await status!("bare:1", context)).toBeUndefined()
  })

  it("find: it can't be told, which is not the same as not placed", async () => {
    const { find } = routeFulfilment({ routes, choose: () => "bare" })
    expect(await thrownBy(find!("order-1", { ...context, reference: "bare:1" }))).toMatchObject({
      message: "route bare can't tell whether an order was placed"
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
    const ask = placesOnce as (reference: string) => boolean
    expect(["once:1", "never:1", "silent:1", "some:good", "some:bad"].map(ask)).toEqual([
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

describe("options that can't be used", () => {
  const { fulfilment } = upstream("any")
  const messageOf = (options: unknown): string => {
    try {
      routeFulfilment(options as FulfilmentRoutes<string>)
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError)
      return (error as ConfigurationError).message
    }
    return ""
  }

  it.each<[string, unknown, RegExp]>([
    ["no routes", { routes: {}, choose: () => "a" }, /routes: give at least one/],
    ["routes left out", { choose: () => "a" }, /routes: give at least one/],
    ["a name with a colon", { routes: { "a:b": fulfilment }, choose: () => "a:b" }, /routes\.a:b: a name/],
    ["an empty name", { routes: { "": fulfilment }, choose: () => "" }, /a name has/],
    ["a name that is too long", { routes: { ["a".repeat(33)]: fulfilment }, choose: () => "" }, /a name has/],
    [
      "a route that is none",
      { routes: { a: {} }, choose: () => "a" },
      /routes\.a\.quote: must be a function/
    ],
    ["a route that is null", { routes: { a: null }, choose: () => "a" }, /routes\.a\.place: must be/],
    ["no rule", { routes: { a: fulfilment } }, /choose: must be a function, or a table/],
    ["an empty table", { routes: { a: fulfilment }, choose: {} }, /choose: names no marketplace/],
    [
      "a table with an unknown marketplace",
      { routes: { a: fulfilment }, choose: { amazon: "a" } },
      /choose\.amazon: must be marketplace_a or marketplace_b/
    ],
    [
      "a table with an unknown route",
      { routes: { a: fulfilment }, choose: { marketplace_a: ["a", "b"] } },
      /choose\.marketplace_a: no route is named "b"/
    ],
    [
      "a table with an empty list",
      { routes: { a: fulfilment }, choose: { marketplace_a: [] } },
      /choose\.marketplace_a: names no route/
    ],
    [
      "nine routes for one quote",
      {
        routes: Object.fromEntries(Array.from("abcdefghi", (name) => [name, fulfilment])),
        choose: { marketplace_a: [..."abcdefghi"] }
      },
      /choose\.marketplace_a: 9 routes; at most 8/
    ],
    [
      "an unknown unnamed route",
      { routes: { a: fulfilment }, choose: () => "a", unnamed: "b" },
      /unnamed: no route is named "b"/
    ],
    [
      "a deadline of no length",
      { routes: { a: fulfilment }, choose: () => "a", routeTimeoutMillis: 0 },
      /routeTimeoutMillis/
    ]
  ])("%s", (_, options, message) => {
    expect(messageOf(options)).toMatch(message)
  })

  it("names every fault at once", () => {
    const message = messageOf({
      routes: { "a b": fulfilment, c: {} },
      choose: { marketplace_a: "x", marketplace_c: "c" },
      routeTimeoutMillis: Number.NaN,
      unnamed: "y"
    })
    expect(message.split("\n").slice(1)).toHaveLength(7)
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
