import { memory, operation, type TillOptions } from "@till402/core"
import { Chain, Facilitator, Operation, Till } from "@till402/core/effect"
import { fakeFacilitator } from "@till402/testing"
import { payingFetch } from "@till402/sandbox"
import { Effect, Layer, ManagedRuntime, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { generatePrivateKey } from "viem/accounts"
import { describe, expect, it, onTestFinished } from "vitest"
import { z } from "zod"
import { effectHosts } from "./effect.ts"
import { expressHosts } from "./express.ts"
import { honoHosts } from "./hono.ts"
import { type Hosts, serve } from "./hosts.ts"
import { koaHosts } from "./koa.ts"
import type { Seam } from "./till.ts"

/*
 * Operations of a host's own, in both styles, paid by the official client through all four adapters.
 */

const settings = {
  baseUrl: "https://shop.example",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  networks: ["base-sepolia"],
  secret: "a text that nobody can guess, of 32 characters or more"
} satisfies Partial<TillOptions>

const paths = ["/weather/:city", "/words"] as const

const plainTill = (): Seam => {
  const till = Till.make({
    ...settings,
    facilitator: fakeFacilitator(),
    storage: memory(),
    operations: [
      operation({
        id: "weather",
        method: "GET",
        path: "/weather/:city",
        description: "Weather of a city, now",
        input: z.object({ city: z.string(), days: z.coerce.number().int().default(1) }),
        price: "0.02",
        work: ({ city, days }) => ({ city, days })
      }),
      operation({
        id: "words",
        method: "POST",
        path: "/words",
        description: "Counts words",
        input: z.object({ text: z.string().max(1000) }),
        price: { min: "0.01", max: "1.00", of: ({ text }) => (text.length / 100).toFixed(2) },
        work: async ({ text }) => ({ words: text.split(" ").length })
      })
    ]
  })
  onTestFinished(() => till.dispose())
  return { ...till, paths }
}

const Weather = Operation.make({
  id: "weather",
  method: "GET",
  path: "/weather/:city",
  description: "Weather of a city, now",
  input: Schema.Struct({ city: Schema.String, days: Schema.optionalKey(Schema.Finite) }),
  output: Schema.Struct({ city: Schema.String, days: Schema.Finite }),
  price: "0.02",
  work: ({ city, days = 1 }) => Effect.succeed({ city, days })
})

const Words = Operation.make({
  id: "words",
  method: "POST",
  path: "/words",
  description: "Counts words",
  input: Schema.Struct({ text: Schema.String }),
  output: Schema.Struct({ words: Schema.Finite }),
  price: { min: "0.01", max: "1.00", of: ({ text }) => (text.length / 100).toFixed(2) },
  work: ({ text }) => Effect.succeed({ words: text.split(" ").length })
})

const effectTill = (): Seam => {
  const runtime = ManagedRuntime.make(
    Till.layer(settings, [Weather, Words]).pipe(
      Layer.provide([Facilitator.layerClient(fakeFacilitator()), Chain.layerRpc([]), memory()]),
      Layer.provide(FetchHttpClient.layer)
    )
  )
  onTestFinished(() => runtime.dispose())
  const within = <A>(use: (till: Till["Service"]) => Effect.Effect<A>) => runtime.runPromise(Till.use(use))
  return {
    paths,
    handles: (path) => /^\/(?:weather\/[^/]+|words)$/.test(path),
    fetch: (request, caller) => within(({ fetch }) => fetch(request, caller)),
    handle: (request, caller) => within(({ fetch }) => fetch(request.toRequest(), caller))
  }
}

const styles: ReadonlyArray<readonly [string, () => Seam]> = [
  ["plain TypeScript", plainTill],
  ["Effect", effectTill]
]

const frameworks: ReadonlyArray<readonly [string, Hosts]> = [
  ["Express", expressHosts],
  ["Hono", honoHosts],
  ["Koa", koaHosts],
  ["Effect's server", effectHosts]
]

describe.each(styles)("an operation of the host, in %s", (_style, till) => {
  it.each(frameworks)("can be paid by the official client on %s", async (_name, hosts) => {
    const port = await serve(hosts.atRoot(till(), () => undefined))
    const origin = `http://127.0.0.1:${port}`
    const pay = payingFetch(generatePrivateKey())

    const weather = await pay(`${origin}/weather/oslo?days=3`)
    expect([weather.status, await weather.json()]).toEqual([200, { city: "oslo", days: 3 }])
    expect(weather.headers.get("payment-response")).toBeTruthy()

    const words = await pay(`${origin}/words`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ text: "four words are here" })
    })
    expect([words.status, await words.json()]).toEqual([200, { words: 4 }])

    const invalid = await pay(`${origin}/weather/oslo?days=soon`)
    expect(invalid.status).toBe(400)
    expect(await invalid.json()).toMatchObject({ code: "VALIDATION_ERROR" })
    expect(await (await fetch(`${origin}/own`)).text()).toBe("my own route")
  })
})
