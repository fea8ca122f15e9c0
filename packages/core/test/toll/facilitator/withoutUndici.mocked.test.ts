import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Layer } from "effect"
import { expect, it, onTestFinished, vi } from "vitest"
import { Facilitator } from "../../../src/toll/facilitator/Facilitator.ts"
import { requestV2 } from "./members.ts"

it.each<[string, () => object]>([
  [
    "undici is not installed",
    () => {
      throw new Error("Cannot find package 'undici'")
    }
  ],
  [
    "an earlier version of undici refuses the handler",
    () => ({
      getGlobalDispatcher: () => ({
        dispatch: () => {
          throw new TypeError("invalid onError method")
        }
      })
    })
  ]
])("a facilitator is called by fetch where %s", async (_, undici) => {
  const calls: Array<IncomingHttpHeaders> = []
  const server = createServer((request, response) => {
    calls.push(request.headers)
    response.setHeader("content-type", "application/json").end('{"isValid":true}')
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  vi.resetModules()
  vi.doMock("undici", undici)
  onTestFinished(() => void vi.doUnmock("undici"))
  const { platformHttp: withoutUndici } = await import("../../../src/till/platformHttp.ts")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const layer = Layer.provide(Facilitator.layerHttp({ url }), withoutUndici)
  const verifying = Effect.flatMap(Facilitator, (service) => service.verify(requestV2))
  expect((await Effect.runPromise(Effect.provide(verifying, layer)))._tag).toBe("Valid")
  expect(calls[0]!["sec-fetch-mode"]).toBe("cors")
})
