import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { Operation, Till } from "../../src/effect.ts"
import { operation, type StandardSchema } from "../../src/index.ts"
import { memory } from "../../src/stores/memory.ts"
import { fakes, settings } from "../till/hosted.ts"
import { type Call, challengeOf, openTill, readResponse } from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"

/*
 * A payment buys the request that it was made for: another path, query or body costs another payment.
 */

const common = { path: "/weather/:city", description: "Weather of a city", price: "0.02" } as const

type Send = (call: Call, headers?: Record<string, string>) => Promise<Response>

const requestOf = ({ body, path }: Call, headers: Record<string, string> = {}) =>
  new Request(
    settings.baseUrl + path,
    body === undefined
      ? { headers }
      : {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: typeof body === "string" ? body : JSON.stringify(body)
        }
  )

const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) }
}

const plain = async (method: "GET" | "POST"): Promise<Send> => {
  const { till } = await openTill({
    operations: [operation({ ...common, id: "weather", method, input: anything, work: () => ({}) })]
  })
  return async (call, headers) => till.fetch(requestOf(call, headers))
}

const withEffect = async (method: "GET" | "POST"): Promise<Send> => {
  const { chainLayer, facilitatorLayer } = fakes()
  const Weather = Operation.make({
    ...common,
    id: "weather",
    method,
    input: Schema.Struct({ city: Schema.String, days: Schema.optionalKey(Schema.Unknown) }),
    output: Schema.Struct({}),
    work: () => Effect.succeed({})
  })
  const runtime = ManagedRuntime.make(
    Till.layer(settings, [Weather]).pipe(Layer.provide([chainLayer, facilitatorLayer, memory()]))
  )
  onTestFinished(() => runtime.dispose())
  return (call, headers) => runtime.runPromise(Till.use(({ fetch }) => fetch(requestOf(call, headers))))
}

const get = { bought: { path: "/weather/oslo?days=2" } } as const
const post = { bought: { path: "/weather/oslo", body: '{"days":1}' } } as const

describe.each([
  ["plain TypeScript", plain],
  ["Effect", withEffect]
])("in %s", (_style, open) => {
  it.each<[string, "GET" | "POST", Call, Call]>([
    ["path", "GET", get.bought, { path: "/weather/rome?days=2" }],
    ["query", "GET", get.bought, { path: "/weather/oslo?days=3" }],
    ["path", "POST", post.bought, { path: "/weather/rome", body: post.bought.body }],
    ["body", "POST", post.bought, { path: "/weather/oslo", body: '{"days":3}' }],
    ["body that reads alike", "POST", post.bought, { path: "/weather/oslo", body: '{"days":1.0}' }]
  ])("a payment does not buy another %s of a %s", async (_what, method, bought, other) => {
    const send = await open(method)
    const challenge = challengeOf(await readResponse(await send(bought)))
    const payment = { "payment-signature": headerOf(await payChallenge(challenge, {})) }
    expect((await send(bought, payment)).status).toBe(200)
    expect((await send(other, payment)).status).toBe(402)
    expect((await send(bought, payment)).status).toBe(200)
  })
})
