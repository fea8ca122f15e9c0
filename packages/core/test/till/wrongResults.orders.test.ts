import { Effect, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { Buy, Chain, Facilitator, Fulfilment, Mailer, Orders, Till } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { eventLogger } from "../../src/runtime/events.ts"
import type { ShopEvent } from "../../src/shop/ports/ShopEvents.ts"
import { fakeFacilitator } from "../../../testing/src/index.ts"
import { buy, readResponse } from "../toll/openTill.ts"
import { advance, pay, settings, started } from "./hosted.ts"
import { type Doing, hangs, returns, wrongEverywhere } from "./wrongDoings.ts"

/*
 * What becomes of a paid order for what `place`, `placesOnce`, `find`, `status` and `send` return after its payment: for
 * ports of plain functions and for layers. Nobody is charged for a wrong result, and no order is placed twice.
 */

type PortName = "place" | "placesOnce" | "find" | "status" | "send"

const unclear = wrongEverywhere.find(({ what }) => what === "a defect")!
const wrongBut = (...right: ReadonlyArray<string>): ReadonlyArray<Doing> =>
  wrongEverywhere.filter(({ what }) => !right.includes(what))

/** What is called, and what it may return; `others` is what the other functions do meanwhile. */
const ports: Record<
  PortName,
  {
    readonly honest: Doing
    readonly wrong: ReadonlyArray<Doing>
    readonly others?: Partial<Record<PortName, Doing>>
    /** The event that follows that of the provider. */
    readonly follow?: ShopEvent["code"]
    /** The order after an honest result. */
    readonly after: string
  }
> = {
  place: {
    honest: returns("a reference", { reference: "order-1" }),
    wrong: [
      ...wrongEverywhere,
      returns("an empty reference", { reference: "" }),
      returns("a number as reference", { reference: 17 }),
      returns("a reference with NUL", { reference: "order\u00001" }),
      returns("a reference of nothing", { reference: "acme-undefined" }),
      hangs
    ],
    others: { find: unclear },
    follow: "order_not_placed",
    after: "placed"
  },
  placesOnce: {
    honest: returns("true", true),
    // Nothing is false. Promises that reject are those of PortGuard.contract.test.ts.
    wrong: wrongBut("nothing", "a defect", "an untyped failure", "a failure that can't be read"),
    others: { place: unclear, find: unclear },
    after: "placing"
  },
  find: {
    honest: returns("a reference", "order-1"),
    // Null is a result: the order was not placed. Any text may be a reference.
    wrong: [...wrongBut("null", "text"), returns("an empty reference", ""), returns("false", false), hangs],
    others: { place: unclear },
    after: "placed"
  },
  status: {
    honest: returns("a status", { status: "shipped", shipments: [{ trackingNumber: "1Z9" }] }),
    // Nothing is a result: there is no status.
    wrong: [
      ...wrongBut("nothing", "null"),
      returns("an unknown status", { status: "lost", shipments: [] }),
      returns("no shipments", { status: "delivered" }),
      returns("a parcel without a number", { status: "shipped", shipments: [{ trackingNumber: "" }] }),
      hangs
    ],
    after: "shipped"
  },
  send: {
    honest: returns("anything", { data: { id: "mail-1" }, error: null }),
    // Anything else is taken, unless it says itself that nothing was sent.
    wrong: [
      ...wrongEverywhere.filter(({ what }) => /defect|failure|before|read/.test(what)),
      returns("a response of fetch with 401", new Response(null, { status: 401 })),
      returns("an error that a client returns", { data: null, error: { statusCode: 403 } }),
      hangs
    ],
    follow: "order_mail_failed",
    after: "placed"
  }
}

type Script = Record<PortName, Doing>

const quoted = {
  product: { title: "Canvas tote bag" },
  subtotal: "20.00",
  tax: "0",
  shipping: "0",
  total: "20.00",
  currency: "USD",
  reference: "quote-1",
  expiresAt: new Date("2027-01-01")
}

/** The ports of plain functions, as layers. */
const functions = (script: Script, called: (name: PortName) => void) => {
  const does = (name: PortName) => () => {
    called(name)
    return script[name].plain()
  }
  return [
    Fulfilment.layerPromise({
      quote: async () => quoted,
      place: does("place"),
      placesOnce: () => does("placesOnce")() as never,
      find: does("find"),
      status: does("status")
    }),
    Mailer.layerPromise({ send: does("send") })
  ] as const
}

const layers = (script: Script, called: (name: PortName) => void) => {
  const does = (name: PortName) => () => {
    called(name)
    return script[name].effect()
  }
  return [
    Layer.succeed(Fulfilment, {
      quote: () => Effect.succeed(quoted),
      place: does("place"),
      placesOnce: () => does("placesOnce")() as never,
      find: does("find"),
      status: does("status")
    }),
    Layer.succeed(Mailer, { send: does("send") })
  ] as const
}

const kinds = { function: functions, layer: layers }

/** Orders a bag, lets one function do something, and returns what became of the order. */
const outcomeOf = (kind: keyof typeof kinds, port: PortName, doing: Doing) => {
  const { follow, others = {} } = ports[port]
  const script: Script = {
    place: ports.place.honest,
    placesOnce: returns("false", false),
    find: ports.find.honest,
    status: returns("a status", { status: "placed", shipments: [] }),
    send: ports.send.honest,
    ...others,
    [port]: doing
  }
  const calls: Array<PortName> = []
  const events: Array<ShopEvent> = []
  const facilitator = fakeFacilitator()
  const [fulfilment, mailer] = kinds[kind](script, (name) => calls.push(name))
  const till = Till.layer(
    { ...settings, trustFacilitator: true, upstreamTimeoutMillis: 2_000, onProviderError: () => undefined },
    [Buy.layer]
  ).pipe(
    Layer.provide([
      fulfilment,
      mailer,
      Facilitator.layerClient(facilitator),
      Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer))
    ]),
    Layer.provideMerge(memory()),
    Layer.provideMerge(Logger.layer([eventLogger((event) => events.push(event as ShopEvent))]))
  )
  const failures = () =>
    events.filter((event) => event.code === "provider_failed" && event.operation === port).length
  const ordered = Effect.gen(function* () {
    const response = yield* Effect.flatMap(pay(buy), (sent) => Effect.promise(() => readResponse(sent)))
    expect(response.status, response.text).toBe(200)
    const { orderId } = JSON.parse(response.text) as { readonly orderId: string }
    const find = Orders.use((orders) => orders.find(orderId))
    const isHonest = doing === ports[port].honest
    const isDone = Effect.map(find, (order) =>
      isHonest
        ? calls.includes(port) && order?.status === ports[port].after
        : failures() > 0 &&
          calls.includes("place") &&
          (follow === undefined || events.some(({ code }) => code === follow))
    )
    for (let time = 0; time < 30 && !(yield* isDone); time++) yield* advance("4 seconds")
    expect(yield* isDone, `${kind}: ${port} ${doing.what}: ${JSON.stringify(events)}`).toBe(true)
    const seen = [...(failures() > 0 ? ["provider_failed"] : []), ...(follow === undefined ? [] : [follow])]
    return {
      order: (yield* find)?.status,
      placed: calls.filter((name) => name === "place").length,
      settled: facilitator.settled.length,
      events: isHonest ? events.filter(({ level }) => level !== "info").map(({ code }) => code) : seen
    }
  })
  return Effect.runPromise(
    Effect.andThen(started, Effect.provide(ordered, till)).pipe(Effect.provide(TestClock.layer()))
  )
}

it("after the payment, a wrong result leaves the order as it was, charges nothing and places nothing twice", async () => {
  const rows: Array<string> = []
  for (const [port, { wrong }] of Object.entries(ports) as Array<[PortName, (typeof ports)[PortName]]>)
    for (const doing of wrong) {
      const ofFunction = await outcomeOf("function", port, doing)
      const ofLayer = await outcomeOf("layer", port, doing)
      expect(ofLayer).toEqual(ofFunction)
      expect(ofFunction).toMatchObject({ placed: 1, settled: 1 })
      for (const [kind, { events, order }] of Object.entries({ function: ofFunction, layer: ofLayer }))
        rows.push([port, doing.what, kind, String(order), "nothing", events.join(", ")].join(" | "))
    }
  await expect(
    ["port | result | made by | order | charged | events", ...rows, ""].join("\n")
  ).toMatchFileSnapshot("./wrongResults.orders.txt")
})

it("after the payment, a correct result brings the order on", async () => {
  for (const kind of ["function", "layer"] as const)
    for (const [port, { after, honest }] of Object.entries(ports) as Array<
      [PortName, (typeof ports)[PortName]]
    >)
      expect(await outcomeOf(kind, port, honest)).toMatchObject({ order: after, settled: 1 })
})
