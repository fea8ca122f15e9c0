import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { runExample, start } from "../../express/test/exampleProcess.ts"
import { startFakeUpstreams } from "../../upstreams/test/fakeUpstreams.ts"
import { keys } from "./fakeUpstreams.ts"

const main = new URL("../src/main.ts", import.meta.url)

describe("the example's program", () => {
  it("names the missing variables", async () => {
    const { code, output } = await runExample(main, { BASE_URL: "https://shop.example" })
    assert.strictEqual(code, 1)
    assert.match(
      output,
      /^Set these in the environment first: PAY_TO, RPC_URL, FACILITATOR_URL, TILL_SECRET\./
    )
  })

  it("serves until it is stopped", async () => {
    const fakes = await startFakeUpstreams()
    const folder = await mkdtemp(join(tmpdir(), "till402-service-"))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { stop, url } = await start(main, {
      ...keys,
      PORT: "0",
      BASE_URL: "https://shop.example",
      PAY_TO: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
      RPC_URL: `${fakes.url}/rpc`,
      FACILITATOR_URL: `${fakes.url}/facilitator`,
      TILL_SECRET: "a secret of the example's own, for this test",
      TILL_DATABASE: join(folder, "till.sqlite")
    })
    assert.strictEqual((await fetch(`${url}/x402/search?q=shoes`)).status, 402)
    assert.strictEqual((await fetch(`${url}/.well-known/ucp-agent.json`)).status, 200)
    assert.strictEqual((await fetch(`${url}/webhooks/rye`, { method: "POST", body: "{}" })).status, 401)
    assert.strictEqual(await stop(), 0)
  })
})
