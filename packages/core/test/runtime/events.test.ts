import { Cause, Context, Effect, Layer, Logger } from "effect"
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { StoreError } from "../../src/domain/Errors.ts"
import { TemporarilyUnavailable } from "../../src/shop/ports/PortErrors.ts"
import { memory } from "../../src/stores/memory.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { Charges } from "../../src/ports/Charges.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { printProviderFailure } from "../../src/ports/ProviderFailure.ts"
import type { Stores } from "../../src/stores/Stores.ts"
import {
  type ReceivedResponse,
  buy,
  type Call,
  email,
  jsonOf,
  openTill,
  search,
  shippingAddress,
  track,
  trackingNumber,
  vaultBuy
} from "../toll/openTill.ts"
import { payer } from "../toll/wallet.ts"

/** What a provider that quotes its request throws. */
const talkative = () =>
  new Error(`no response for ${trackingNumber} of ${email}, ${shippingAddress.line1}`, {
    cause: new Error(`GET https://upstream.example/?number=${trackingNumber}&mail=${email}`)
  })

/** Storage whose charges fail by `fault` when it is set; the error quotes what was stored. */
const failingStorage = (fault: { on: boolean }): Layer.Layer<Stores> =>
  Layer.effectContext(
    Effect.map(Layer.build(memory()), (stores) => {
      const charges = Context.get(stores, Charges)
      const fails = Effect.suspend(() =>
        Effect.fail(new StoreError({ operation: "charges.complete", cause: talkative() }))
      )
      return Context.add(stores, Charges, {
        ...charges,
        complete: (...args) => (fault.on ? fails : charges.complete(...args))
      })
    })
  )

afterEach(() => {
  vi.restoreAllMocks()
})

type Shop = Awaited<ReturnType<typeof openTill>>

interface Misfortune {
  readonly name: string
  readonly call: Call
  readonly options?: Partial<TillOptions>
  readonly befalls: (shop: Shop) => void
  /** The message of the host's event. */
  readonly pattern: RegExp
}

const storageFault = { on: false }
const misfortunes: ReadonlyArray<Misfortune> = [
  {
    name: "a provider throws",
    call: track,
    befalls: ({ tracker }) => tracker.track.failsOnceWith(talkative()),
    pattern: /A provider failed/
  },
  {
    name: "a provider is down",
    call: track,
    befalls: ({ tracker }) =>
      tracker.track.failsOnceWith(new TemporarilyUnavailable({ message: talkative().message })),
    pattern: /A provider failed/
  },
  {
    name: "a provider returns nonsense",
    call: track,
    befalls: ({ tracker }) => tracker.track.returnsOnce({ number: trackingNumber, status: email } as never),
    pattern: /A provider failed/
  },
  {
    name: "a provider is too slow",
    call: track,
    options: { upstreamTimeoutMillis: 30 },
    befalls: ({ tracker }) => tracker.track.hangsOnce(),
    pattern: /A provider failed/
  },
  {
    name: "a settlement is lost",
    call: vaultBuy,
    befalls: ({ facilitator }) =>
      facilitator.settle.returnsOnce(() => {
        throw talkative()
      }),
    pattern: /outcome of a settlement is unknown/
  },
  {
    name: "a facilitator gives its reasons in free text",
    call: buy,
    befalls: ({ facilitator }) =>
      facilitator.settle.returnsOnce({
        success: false,
        errorReason: talkative().message,
        transaction: ""
      }),
    pattern: /outcome of a settlement is unknown/
  },
  {
    name: "the chain can't be read",
    call: vaultBuy,
    options: { networks: [{ network: "base-sepolia", rpcUrl: "http://127.0.0.1:1/rpc-key-canary" }] },
    befalls: ({ facilitator }) => facilitator.losesNextSettlement(true),
    pattern: /chain could not be read/
  },
  {
    name: "the mail can't be sent",
    call: vaultBuy,
    befalls: ({ mailer }) => mailer.send.failsWith(talkative()),
    pattern: /confirmation could not be sent/
  },
  {
    name: "an order can't be placed",
    call: buy,
    befalls: ({ fulfilment }) => fulfilment.place.failsWith(talkative()),
    pattern: /order is not placed yet/
  },
  {
    name: "the storage fails when the money has moved",
    call: vaultBuy,
    options: { storage: failingStorage(storageFault) },
    befalls: () => {
      storageFault.on = true
    },
    pattern: /store failed/
  },
  {
    name: "a marketplace is missing",
    call: search,
    befalls: ({ marketplace }) => marketplace.search.failsOnceWith(talkative()),
    pattern: /marketplace is missing|A provider failed/
  }
]

const tokenOf = (response: ReceivedResponse): ReadonlyArray<string> => {
  const token: unknown = response.status === 200 ? jsonOf(response)["downloadToken"] : undefined
  return typeof token === "string" ? [token, token.split(".")[1]!] : []
}

const strings = (value: unknown): ReadonlyArray<string> =>
  typeof value === "string"
    ? [value]
    : typeof value === "object" && value !== null
      ? Object.values(value).flatMap(strings)
      : []

describe("a host gets an event, without secrets and personal data, when", () => {
  it.each(misfortunes)("$name", async ({ befalls, call, options, pattern }) => {
    const written = [
      vi.spyOn(process.stderr, "write"),
      vi.spyOn(process.stdout, "write"),
      vi.spyOn(console, "error"),
      vi.spyOn(console, "log")
    ]
    vi.stubEnv("NODE_ENV", "production")
    onTestFinished(() => {
      vi.unstubAllEnvs()
    })
    const shop = await openTill({ onProviderError: printProviderFailure, ...options })
    const payment = await shop.payFor(call)
    befalls(shop)
    const response = await shop.present(call, payment)
    await vi.waitFor(() => expect(shop.events.map(({ message }) => message).join("\n")).toMatch(pattern))
    // A lease is held by whoever could not write that it is over: no need to wait that out here.
    if (!storageFault.on) await shop.present(call, payment)
    storageFault.on = false
    await shop.till.reconcile()

    // The key of a charge names its payer's wallet and nonce, as the chain does.
    const events = shop.events.flatMap((event) => strings({ ...event, chargeKey: undefined })).join("\n")
    const document = JSON.parse(Buffer.from(payment, "base64").toString("utf8"))
    const secrets = [
      payment,
      payment.slice(0, 60),
      String(document.payload.signature).slice(2),
      String(document.payload.signature).slice(2, 66),
      payer.address,
      ...tokenOf(response),
      email,
      trackingNumber,
      shippingAddress.name,
      shippingAddress.line1,
      "So11111111111111111111111111111111111111112",
      "upstream.example",
      "rpc-key-canary"
    ]
    for (const secret of secrets) expect(events.toLowerCase()).not.toContain(secret.toLowerCase())
    // With `onEvent` the till writes nothing anywhere else in production.
    for (const spy of written)
      expect(spy.mock.calls.filter(([text]) => /till402|Error/.test(String(text)))).toEqual([])
  })
})

it.each<[string, () => void | Promise<void>]>([
  [
    "throws",
    () => {
      throw new Error("observer")
    }
  ],
  ["rejects", () => Promise.reject(new Error("observer"))]
])("an observer that %s breaks nothing, and its events are printed", async (_, onEvent) => {
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
  const unhandled: Array<unknown> = []
  const note = (error: unknown) => void unhandled.push(error)
  process.on("unhandledRejection", note)
  onTestFinished(() => void process.off("unhandledRejection", note))
  const shop = await openTill({ onEvent })
  shop.tracker.track.failsOnceWith(new Error("reset by peer"))
  const payment = await shop.payFor(track)
  expect((await shop.present(track, payment)).status).toBe(502)
  expect((await shop.present(track, payment)).status).toBe(200)
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(unhandled).toEqual([])
  const events = printed.mock.calls.flatMap(([text]) =>
    String(text).startsWith('{"till402"') ? [JSON.parse(text)] : []
  )
  expect(events).toEqual([
    expect.objectContaining({ till402: "warning", code: "provider_failed", onEventFailed: "Error" })
  ])
})

it("a caller's response has nothing of a provider's error", async () => {
  const shop = await openTill()
  for (const thrown of [talkative(), new TemporarilyUnavailable({ message: talkative().message })]) {
    shop.tracker.track.failsOnceWith(thrown)
    const response = await shop.present(track, await shop.payFor(track))
    expect([502, 503]).toContain(response.status)
    expect(response.text).not.toContain(email)
  }
})

it("an entry of the log without a message is an event with one", async () => {
  const events: Array<TillEvent> = []
  await Effect.logError(Cause.fail(talkative())).pipe(
    Effect.andThen(Effect.logInfo()),
    Effect.provide(Logger.layer([eventLogger((event) => events.push(event))])),
    Effect.runPromise
  )
  const message = "An error was logged without a message"
  expect(events).toMatchObject([
    { level: "error", code: "log", message, error: "Error" },
    { level: "info", code: "log", message: "An entry was logged without a message" }
  ])
})
