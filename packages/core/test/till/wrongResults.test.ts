import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import { FetchHttpClient } from "effect/http"
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest"
import {
  Assistant,
  Buy,
  Chain,
  Facilitator,
  Fulfilment,
  Marketplaces,
  Search,
  Shop,
  Till,
  Track,
  Tracker,
  VaultBuy,
  VaultDownload,
  VaultFiles,
  VaultOperator
} from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import {
  fakeFacilitator,
  sampleArchive,
  sampleProduct,
  sampleTrackResult
} from "../../../testing/src/index.ts"
import {
  buy,
  type Call,
  clientOf,
  downloadOf,
  jsonOf,
  openTill,
  search,
  shop,
  track,
  trackingNumber,
  vaultBuy,
  vaultItem
} from "../toll/openTill.ts"
import { settings } from "./hosted.ts"
import { type Doing, hangs, returns, wrongEverywhere } from "./wrongDoings.ts"

/*
 * What callers get, and pay, for what a host's ports return: for ports of plain functions and for layers. What `place`,
 * `find`, `status` and `send` return reaches no caller: wrongResults.orders.test.ts has it.
 */

const quoted = {
  product: { title: "Canvas tote bag" },
  subtotal: "20.00",
  tax: "1.65",
  shipping: "4.99",
  total: "26.64",
  currency: "USD",
  reference: "quote-1",
  expiresAt: new Date(Date.now() + 3_600_000)
}
const page = { products: [sampleProduct()], totalResults: 1, hasMore: false }
const shipment = sampleTrackResult(trackingNumber)

type PortName = "search" | "reply" | "quote" | "track" | "open"

/** A port: the call that needs it, what it returns, and what is wrong from it alone. */
const ports: Record<PortName, { readonly honest: Doing; readonly wrong: ReadonlyArray<Doing> }> = {
  search: {
    honest: returns("products", page),
    wrong: [
      returns("a price that is no number", {
        ...page,
        products: [{ ...sampleProduct(), price: Number.NaN }]
      }),
      returns("fewer than no results", { ...page, totalResults: -1 })
    ]
  },
  reply: {
    honest: returns("a reply", { reply: "These fit.", products: [] }),
    wrong: [
      returns("a product without a title", {
        reply: "These fit.",
        products: [{ ...sampleProduct(), title: undefined }]
      }),
      returns("an empty reply", { reply: " ", products: [sampleProduct()] })
    ]
  },
  quote: {
    honest: returns("a quote", quoted),
    wrong: [
      returns("a total of 0", { ...quoted, subtotal: "0", tax: "0", shipping: "0", total: "0" }),
      returns("a total of -5", { ...quoted, subtotal: "-5", tax: "0", shipping: "0", total: "-5" }),
      returns("a sum that is wrong", { ...quoted, total: "26.63" }),
      returns("euros", { ...quoted, currency: "EUR" }),
      returns("an expired quote", { ...quoted, expiresAt: new Date(0) })
    ]
  },
  track: {
    honest: returns("a shipment", shipment),
    wrong: [
      returns("an unknown status", { ...shipment, status: "Lost" }),
      returns("the time yesterday", { ...shipment, deliveredAt: "yesterday" }),
      returns("another shipment", sampleTrackResult(`${trackingNumber}9`)),
      returns("a page that is no URL", { ...shipment, trackingPageUrl: "our site" })
    ]
  },
  open: {
    honest: returns("an archive", { body: sampleArchive({ "README.md": "# Plan" }) }),
    wrong: [
      returns("an empty archive", { body: new Uint8Array() }),
      returns("a negative size", { body: new Blob(["PK"]).stream(), size: -1 })
    ]
  }
}

/** What each port does next. */
type Script = Record<PortName, Doing>
const honestScript = (): Script => ({
  search: ports.search.honest,
  reply: ports.reply.honest,
  quote: ports.quote.honest,
  track: ports.track.honest,
  open: ports.open.honest
})

/** Failed work counts as a loss until its payer has paid as much. */
const limits = { exposurePerPayer: "1000.00", maxExposurePerPayer: "1000.00", lossPerHour: "10000.00" }

/** A till whose ports are plain functions. */
const openPlain = async (script: Script, upstreamTimeoutMillis: number) => {
  const place = async () => ({ reference: "order-1" })
  const { events, facilitator, ...client } = await openTill({
    upstreamTimeoutMillis,
    limits,
    marketplaces: { marketplace_a: { search: () => script.search.plain() } },
    assistant: { reply: () => script.reply.plain() },
    fulfilment: { quote: () => script.quote.plain(), place },
    tracker: { track: () => script.track.plain() },
    vault: { open: () => script.open.plain() }
  })
  return { events, facilitator, ...client }
}

/** A till whose ports are layers. */
const openLayered = async (script: Script, upstreamTimeoutMillis: number) => {
  const events: Array<TillEvent> = []
  const facilitator = fakeFacilitator()
  const place = () => Effect.succeed({ reference: "order-1" })
  const runtime = ManagedRuntime.make(
    Till.layer({ ...settings, trustFacilitator: true, limits, upstreamTimeoutMillis }, [
      Search.layer,
      Shop.layer,
      Buy.layer,
      Track.layer,
      VaultBuy.layer,
      VaultDownload.layer
    ]).pipe(
      Layer.provide([
        Layer.succeed(Marketplaces, [{ source: "marketplace_a", search: () => script.search.effect() }]),
        Layer.succeed(Assistant, { reply: () => script.reply.effect() }),
        Layer.succeed(Fulfilment, { quote: () => script.quote.effect(), place }),
        Layer.succeed(Tracker, { track: () => script.track.effect() }),
        Layer.succeed(VaultFiles, { open: () => script.open.effect() }),
        Facilitator.layerClient(facilitator),
        Chain.layerRpc([]).pipe(Layer.provide(FetchHttpClient.layer)),
        memory()
      ]),
      Layer.provideMerge(Logger.layer([eventLogger((event) => events.push(event))]))
    )
  )
  onTestFinished(() => runtime.dispose())
  await runtime.runPromise(VaultOperator.use((vault) => vault.put(vaultItem)))
  const client = clientOf((request) => runtime.runPromise(Till.use((till) => till.fetch(request))))
  return { events, facilitator, ...client }
}

const kinds = { function: openPlain, layer: openLayered }
type Opened = Awaited<ReturnType<typeof openPlain>> | Awaited<ReturnType<typeof openLayered>>

/** The status of a call that is paid as far as the till offers it, what was settled for it, and the events. */
const outcomeOf = async ({ events, facilitator, present, send, payFor }: Opened, call: Call) => {
  const settledBefore = facilitator.settled.length
  events.length = 0
  const unpaid = await send(call)
  const { status } = unpaid.status === 402 ? await present(call, await payFor(call)) : unpaid
  // That all networks have play money is said some seconds after a start.
  const told = events.filter(({ code, level }) => level !== "info" && code !== "risky_setting")
  const codes = told.map(({ code }) => code)
  return {
    status,
    isCharged: facilitator.settled.length > settledBefore,
    events: codes.join(", ") || "none"
  }
}

const purchased = async ({ payFor, present }: Opened): Promise<Call> => {
  const { downloadToken, purchaseId } = jsonOf(await present(vaultBuy, await payFor(vaultBuy)))
  return downloadOf(String(purchaseId), String(downloadToken))
}

// Elsewhere a till prints the errors of its providers.
beforeEach(() => {
  vi.stubEnv("NODE_ENV", "production")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** Calls a till once for each thing that each port may do. */
const linesOf = async (
  kind: keyof typeof kinds,
  upstreamTimeoutMillis: number,
  doingOf: (port: (typeof ports)[PortName]) => ReadonlyArray<Doing>
) => {
  const script = honestScript()
  const till = await kinds[kind](script, upstreamTimeoutMillis)
  const calls = { search, reply: shop, quote: buy, track, open: await purchased(till) }
  const lines: Array<Awaited<ReturnType<typeof outcomeOf>> & { readonly of: string; readonly what: string }> =
    []
  for (const [port, call] of Object.entries(calls) as ReadonlyArray<readonly [PortName, Call]>) {
    for (const doing of doingOf(ports[port])) {
      script[port] = doing
      lines.push({ of: port, what: doing.what, ...(await outcomeOf(till, call)) })
    }
    script[port] = ports[port].honest
  }
  return lines
}

it("a wrong result is never charged, and a layer is judged as a function is", async () => {
  const [ofFunctions, ofLayers] = await Promise.all(
    (["function", "layer"] as const).map(async (kind) => [
      ...(await linesOf(kind, 20_000, ({ wrong }) => [...wrongEverywhere, ...wrong])),
      ...(await linesOf(kind, 1_000, () => [hangs]))
    ])
  )
  for (const line of [...ofFunctions!, ...ofLayers!]) {
    expect(line).toMatchObject({ isCharged: false, events: expect.stringContaining("provider_failed") })
    expect([502, 503]).toContain(line.status)
  }
  expect(ofLayers).toEqual(ofFunctions)
  const rows = ofFunctions!.flatMap((line, index) =>
    Object.entries({ function: line, layer: ofLayers![index]! }).map(([kind, { events, of, status, what }]) =>
      [of, what, kind, String(status), "nothing", events].join(" | ")
    )
  )
  await expect(
    ["port | result | made by | status | charged | events", ...rows, ""].join("\n")
  ).toMatchFileSnapshot("./wrongResults.txt")
})

it("a correct result is served and charged, from a function and from a layer", async () => {
  for (const kind of ["function", "layer"] as const) {
    const lines = await linesOf(kind, 20_000, ({ honest }) => [honest])
    for (const line of lines) expect(line).toMatchObject({ status: 200, isCharged: true, events: "none" })
  }
})
