import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { ConfigurationError, Operation, Till } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import type { ProviderFailure } from "../../src/ports/ProviderFailure.ts"
import { fakes, pay, settings } from "../till/hosted.ts"

it("lists every fault of its options", async () => {
  const { chainLayer, facilitatorLayer } = fakes()
  const Weather = Operation.make({
    id: "the weather",
    method: "GET",
    path: "weather",
    description: "Weather of a city",
    price: "0.02",
    output: Schema.Struct({}),
    work: () => Effect.succeed({})
  })
  const layer = Till.layer(settings, [Weather]).pipe(Layer.provide([chainLayer, facilitatorLayer, memory()]))
  const fault = await Effect.runPromise(Effect.scoped(Effect.flip(Layer.build(layer))))
  expect(fault).toBeInstanceOf(ConfigurationError)
  expect(fault.message).toBe(
    "operation the weather: id must be a name such as weather; path must be a path such as /weather or /weather/:city, each parameter once"
  )
})

it("says that a field of its input has no form as text", async () => {
  const { chainLayer, facilitatorLayer } = fakes()
  const Weather = Operation.make({
    id: "weather",
    method: "GET",
    path: "/weather",
    description: "Weather",
    price: "0.02",
    input: Schema.Struct({ at: Schema.declare((value: unknown): value is URL => value instanceof URL) }),
    output: Schema.Struct({}),
    work: () => Effect.succeed({})
  })
  const layer = Till.layer(settings, [Weather]).pipe(Layer.provide([chainLayer, facilitatorLayer, memory()]))
  const fault = await Effect.runPromise(Effect.scoped(Effect.flip(Layer.build(layer))))
  expect(fault.message).toMatch(
    /^operation weather: a field of input or output has no form as text or JSON \(.+\): give a schema/
  )
})

it("reports another failure than an ApiFailure, of a host without types, as it is", async () => {
  const { chainLayer, facilitatorLayer } = fakes()
  const Weather = Operation.make({
    id: "weather",
    method: "GET",
    path: "/weather",
    description: "Weather",
    price: "0.02",
    output: Schema.Unknown,
    work: () => Effect.fail(new Error("down")) as Effect.Effect<never, never>
  })
  const failures: Array<ProviderFailure> = []
  const layer = Till.layer(
    { ...settings, onProviderError: (failure: ProviderFailure) => void failures.push(failure) },
    [Weather]
  ).pipe(Layer.provide([chainLayer, facilitatorLayer, memory()]))
  const { status } = await Effect.runPromise(Effect.provide(pay({ path: "/weather" }), layer))
  expect(status).toBe(500)
  expect(failures.map(({ error }) => String(error))).toEqual(["Error: down"])
})

it("awaits a promise that is the result of an effect, charges nothing where it rejects, and survives that", async () => {
  const { chainLayer, facilitatorLayer } = fakes()
  const selling = (id: string, work: Effect.Effect<unknown>) =>
    Operation.make({
      id,
      method: "GET",
      path: `/${id}`,
      description: "Weather",
      price: "0.02",
      output: Schema.Unknown,
      work: () => work
    })
  const operations = [
    selling(
      "sync",
      Effect.sync(() => Promise.reject(new Error("down")))
    ),
    selling(
      "resolved",
      Effect.sync(() => Promise.resolve({}))
    )
  ] as const
  const failures: Array<ProviderFailure> = []
  const onProviderError = (failure: ProviderFailure) => void failures.push(failure)
  const layer = Till.layer({ ...settings, onProviderError }, operations).pipe(
    Layer.provide([chainLayer, facilitatorLayer, memory()])
  )
  const responses = Effect.all([pay({ path: "/sync" }), pay({ path: "/resolved" })])
  const statuses = Effect.map(responses, (all) => all.map(({ status }) => status))
  expect(await Effect.runPromise(Effect.provide(statuses, layer))).toEqual([500, 200])
  expect(failures.map(({ error }) => String(error))).toEqual(["Error: down"])
})
