import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { startCuttableProxy, throughProxy } from "../../src/day/CuttableProxy.ts"

it("a proxy passes requests on, cuts those in flight, and refuses new ones for a while", async () => {
  let isSilent = false
  let arrived = 0
  const server = createServer((_request, response) => {
    arrived++
    if (!isSilent) response.end("hello")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()))
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}/path`
  const proxy = await startCuttableProxy(Number(new URL(target).port))
  onTestFinished(async () => {
    await proxy.stop()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const url = throughProxy(target, proxy)
  expect(await (await fetch(url)).text()).toBe("hello")

  isSilent = true
  const inFlight = fetch(url).catch(() => "cut")
  await expect.poll(() => arrived).toBe(2)
  const cutting = proxy.cut(100)
  expect(await inFlight).toBe("cut")
  await expect(fetch(url)).rejects.toThrow("fetch failed")
  expect(arrived).toBe(2)

  await cutting
  isSilent = false
  expect(await (await fetch(url)).text()).toBe("hello")
})

it("an address of a database keeps its user and name", () => {
  const proxy = { port: 5, cut: async () => undefined, stop: async () => undefined }
  expect(throughProxy("postgres://me:secret@127.0.0.1:5432/shop", proxy)).toBe(
    "postgres://me:secret@127.0.0.1:5/shop"
  )
})
