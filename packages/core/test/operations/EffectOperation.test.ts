import { Effect, Layer, Schema } from "effect"
import { expect, it } from "vitest"
import { ConfigurationError, Operation, Till } from "../../src/effect.ts"
import { memory } from "../../src/stores/memory.ts"
import { fakes, settings } from "../till/hosted.ts"

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
