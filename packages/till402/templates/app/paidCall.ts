import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, type AddressInfo } from "node:net"
import { createInterface } from "node:readline"
import { test } from "node:test"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { payingFetch } from "@till402/sandbox"

/*
 * Runs the app against a local chain with play money, and pays a call.
 */

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0)
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false
  )

test("a search is paid, and returns products", { timeout: 300_000 }, async (context) => {
  const port = await freePort()
  const sandbox = spawn(process.execPath, [fileURLToPath(import.meta.resolve("../src/sandbox.ts"))], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PORT: String(port) }
  })
  const ended = once(sandbox, "exit")
  context.after(async () => {
    sandbox.kill("SIGTERM")
    await ended
  })
  const lines = createInterface({ input: sandbox.stdout })
  const [line] = (await once(lines, "line")) as [string]
  const key = /private key (0x[0-9a-f]{64})/.exec(line)?.[1] as `0x${string}`
  while (!(await isUp(`http://localhost:${port}/health`)))
    await sleep(100, undefined, { signal: context.signal })

  const search = `http://localhost:${port}/x402/search?q=headphones`
  assert.equal((await fetch(search)).status, 402)
  const paid = await payingFetch(key)(search)
  assert.equal(paid.status, 200)
  assert.ok(paid.headers.has("payment-response"))
  const { products } = (await paid.json()) as { readonly products: ReadonlyArray<unknown> }
  assert.ok(products.length > 0)
})
