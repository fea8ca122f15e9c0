import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { start } from "../../express/test/exampleProcess.ts"
import { exampleSuite, sandboxSuite } from "../../express/test/runningExample.ts"
import { effectSettings } from "./settings.ts"

const sources = new URL("../src/", import.meta.url)
exampleSuite("Effect", sources, undefined, effectSettings)
sandboxSuite(["SIGINT", "SIGTERM with a database", "failure"], "Effect", sources, undefined, effectSettings)

/** A node and a facilitator that accept calls, and don't respond. */
const startSilent = async (): Promise<{ readonly url: string; readonly port: number }> => {
  const server = createServer(() => undefined).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

it("leaves no request without a response while its till starts", { timeout: 180_000 }, async () => {
  const silent = await startSilent()
  const port = await freePort()
  const running = start(new URL("main.ts", sources), {
    ...effectSettings.more,
    PORT: String(port),
    TILL_DATABASE: ":memory:",
    TILL_BASE_URL: "https://shop.example",
    TILL_PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    TILL_SECRET: "a secret of the example's own, for this test",
    TILL_RPC_URL_BASE_SEPOLIA: silent.url,
    TILL_FACILITATOR_URL: silent.url
  })
  const outcomes: Array<string> = []
  const attempt = () =>
    fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(20_000) }).then(
      ({ status }) => String(status),
      (error: Error) => (error.name === "TimeoutError" ? "no response" : "refused")
    )
  while (outcomes.at(-1) !== "200" && !outcomes.includes("no response")) {
    outcomes.push(await attempt())
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(new Set(outcomes)).toEqual(new Set(["refused", "200"]))
  expect(await (await running).stop()).toBe(0)
})
