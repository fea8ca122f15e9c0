import { Effect, Layer, Schema } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type AnyPlainOperation,
  ApiFailure,
  TemporarilyUnavailable,
  type ProviderFailure
} from "../../src/index.ts"
import { memory, Operation, Till, Track, Tracker } from "../../src/effect.ts"
import { fakes, pay, settings, testLogger } from "./hosted.ts"
import { expectFailed, jsonOf, type OpenOptions, openTill, search, track } from "../toll/openTill.ts"

class NoSuchParcel extends Error {
  override readonly name = "NoSuchParcel"
}

const thrown = new NoSuchParcel("nothing for ada@mail.example")

/** Calls a till whose tracker throws, and returns the response with what was printed. */
const trackFailing = async (options: OpenOptions, error: Error = thrown) => {
  const shop = await openTill(options)
  const payment = await shop.payFor(track)
  const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
  shop.tracker.track.failsOnceWith(error)
  const response = await shop.present(track, payment)
  const lines = printed.mock.calls
  printed.mockRestore()
  return { response, printed: lines, retried: await shop.present(track, payment), shop }
}

beforeEach(() => {
  vi.stubEnv("NODE_ENV", "development")
})
afterEach(() => {
  vi.unstubAllEnvs()
})

describe("onProviderError", () => {
  it.each<[string, () => unknown, string]>([
    [
      "throws",
      () => {
        throw thrown
      },
      "nothing for"
    ],
    ["returns a promise", () => Promise.reject(thrown), "must return text or undefined: got the type object"],
    ["returns a number", () => 5, "must return text or undefined: got the type number"]
  ])("receives it where clientAddress %s, and the call is served", async (_, clientAddress, message) => {
    const failures: Array<ProviderFailure> = []
    const shop = await openTill({
      clientAddress: clientAddress as () => string,
      onProviderError: (failure) => failures.push(failure)
    })
    expect((await shop.present(track, await shop.payFor(track))).status).toBe(200)
    expect(failures).toContainEqual(
      expect.objectContaining({
        port: "clientAddress",
        error: expect.objectContaining({ message: expect.stringContaining(message) })
      })
    )
  })

  it("receives the error that a port threw, with its stack, port and operation", async () => {
    const failures: Array<ProviderFailure> = []
    const { printed, response } = await trackFailing({ onProviderError: (failure) => failures.push(failure) })
    expectFailed(response, 502, "TRACKING_PROVIDER_ERROR")
    expect(failures).toEqual([{ error: thrown, stack: thrown.stack, port: "tracking", operation: "track" }])
    expect(failures[0]!.error).toBe(thrown)
    expect(failures[0]!.stack).toMatch(
      /NoSuchParcel: nothing for ada@mail\.example\n.*onProviderError\.test\.ts/
    )
    expect(printed).toEqual([])
  })

  it("receives failures of marketplaces, which have a deadline of their own", async () => {
    const failures: Array<ProviderFailure> = []
    const shop = await openTill({ onProviderError: (failure) => failures.push(failure) })
    shop.marketplace.search.failsOnceWith(thrown)
    await shop.present(search, await shop.payFor(search))
    expect(failures).toMatchObject([{ error: thrown, port: "marketplace", operation: "search" }])
  })

  it.each([
    [
      "throws",
      () => {
        throw new Error("observer")
      }
    ],
    [
      "rejects",
      async () => {
        throw new Error("observer")
      }
    ]
  ] as ReadonlyArray<readonly [string, () => void | Promise<void>]>)(
    "changes nothing where it %s",
    async (_, onProviderError) => {
      const silent = await trackFailing({ onProviderError: () => undefined })
      const faulty = await trackFailing({ onProviderError })
      expect([faulty.response.status, jsonOf(faulty.response)]).toEqual([502, jsonOf(silent.response)])
      expect(faulty.retried.status).toBe(200)
    }
  )

  it("leaves a temporary failure a 503", async () => {
    const failures: Array<ProviderFailure> = []
    const error = new TemporarilyUnavailable({ message: "closed", retryAfterSeconds: 7 })
    const { response } = await trackFailing({ onProviderError: (failure) => failures.push(failure) }, error)
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "7"])
    expect(failures).toMatchObject([{ error, port: "tracking" }])
  })
})

describe("onProviderError of a host's own route", () => {
  const throwing = async (own: Partial<AnyPlainOperation>) => {
    const failures: Array<ProviderFailure> = []
    const shop = await openTill({
      onProviderError: (failure) => failures.push(failure),
      operations: [
        {
          id: "weather",
          method: "GET",
          path: "/weather",
          description: "Weather",
          price: "0.02",
          work: () => ({}),
          ...own
        }
      ]
    })
    return { failures, shop }
  }

  it("receives the error that its work threw, with its id", async () => {
    const { failures, shop } = await throwing({ work: () => Promise.reject(thrown) })
    const weather = { path: "/weather" }
    expectFailed(await shop.present(weather, await shop.payFor(weather)), 500, "INTERNAL_ERROR")
    expect(failures).toEqual([
      { error: thrown, stack: thrown.stack, port: "operations", operation: "weather" }
    ])
    expect(JSON.stringify(shop.events)).not.toContain("ada@mail.example")
  })

  it("receives the error of a result that can't be sent", async () => {
    const { failures, shop } = await throwing({ work: () => 1n })
    const weather = { path: "/weather" }
    expectFailed(await shop.present(weather, await shop.payFor(weather)), 500, "INTERNAL_ERROR")
    expect(failures).toMatchObject([{ error: expect.any(TypeError), operation: "weather" }])
  })

  it("receives the error that its price threw", async () => {
    const price = {
      min: "0.01",
      max: "1.00",
      of: () => {
        throw thrown
      }
    }
    const { failures, shop } = await throwing({ price })
    expectFailed(await shop.send({ path: "/weather" }), 500, "INTERNAL_ERROR")
    expect(failures).toMatchObject([{ error: thrown, port: "operations", operation: "weather" }])
  })

  it("receives no refusal", async () => {
    const refusal = new ApiFailure({ status: 404, code: "NO_SUCH_CITY", message: "No such city." })
    const { failures, shop } = await throwing({ work: () => Promise.reject(refusal) })
    const weather = { path: "/weather" }
    expectFailed(await shop.present(weather, await shop.payFor(weather)), 404, "NO_SUCH_CITY")
    expect(failures).toEqual([])
  })
})

describe("onProviderError of an Effect host", () => {
  /** Failures of a till with a tracker that dies, and a route of the host that does. */
  const failing = async (failures: Array<ProviderFailure>) => {
    const Weather = Operation.make({
      id: "weather",
      method: "GET",
      path: "/weather",
      description: "Weather",
      price: "0.02",
      output: Schema.Struct({}),
      work: () => Effect.die(thrown)
    })
    const { chainLayer, facilitatorLayer } = fakes()
    const { events, layer: logger } = testLogger()
    const onProviderError = (failure: ProviderFailure) => void failures.push(failure)
    const till = Till.layer({ ...settings, onProviderError }, [Track.layer, Weather]).pipe(
      Layer.provide([
        Layer.succeed(Tracker, { track: () => Effect.die(thrown) }),
        chainLayer,
        facilitatorLayer,
        memory()
      ]),
      Layer.provideMerge(logger)
    )
    const statuses = await Effect.runPromise(
      Effect.all([pay(), pay({ path: "/weather" })]).pipe(
        Effect.map((responses) => responses.map(({ status }) => status)),
        Effect.provide(till)
      )
    )
    return { statuses, events }
  }

  it("receives what its ports and its own routes threw", async () => {
    const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
    const failures: Array<ProviderFailure> = []
    const { events, statuses } = await failing(failures)
    expect(statuses).toEqual([502, 500])
    const { stack } = thrown
    expect(failures).toEqual([
      { error: thrown, stack, port: "tracking", operation: "track" },
      { error: thrown, stack, port: "operations", operation: "weather" }
    ])
    expect(printed).not.toHaveBeenCalled()
    expect(JSON.stringify(events)).not.toContain("ada@mail.example")
    printed.mockRestore()
  })

  it("is checked as the other settings are", async () => {
    const { chainLayer, facilitatorLayer, trackerLayer } = fakes()
    const given: object = { ...settings, onProviderError: "console" }
    const till = Till.layer(given as typeof settings, [Track.layer]).pipe(
      Layer.provide([trackerLayer, chainLayer, facilitatorLayer, memory()])
    )
    const error = await Effect.runPromise(Effect.flip(Effect.provide(Till, till)))
    expect(error.message).toContain("onProviderError must be a function")
  })
})

describe("without onProviderError", () => {
  it.each([undefined, "development", "test"])("prints the error where NODE_ENV is %s", async (mode) => {
    vi.stubEnv("NODE_ENV", mode)
    const { printed, response } = await trackFailing({ without: ["onProviderError"] })
    expect(response.status).toBe(502)
    expect(printed).toEqual([["Till402: a provider failed (port tracking, operation track):", thrown]])
  })

  it("prints nothing where NODE_ENV is production", async () => {
    vi.stubEnv("NODE_ENV", "production")
    const { printed, response, shop } = await trackFailing({ without: ["onProviderError"] })
    expect(response.status).toBe(502)
    expect(printed).toEqual([])
    expect(JSON.stringify(shop.events)).toContain("NoSuchParcel")
    expect(JSON.stringify(shop.events)).not.toContain("ada@mail.example")
  })
})
