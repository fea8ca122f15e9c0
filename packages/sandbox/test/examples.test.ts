import { expect, it, onTestFinished } from "vitest"
import { payingFetch, startSandbox } from "@till402/sandbox"
import { examples } from "../src/shop/index.ts"

it("the examples that a sandbox publishes are quoted and paid", async () => {
  const sandbox = await startSandbox({ storage: "memory" })
  onTestFinished(() => sandbox.stop())
  const pay = payingFetch(sandbox.wallets[0]!.privateKey, 200)
  const tracked = await pay(`${sandbox.baseUrl}/x402/track?number=${examples.track.number}`)
  expect([tracked.status, ((await tracked.json()) as { readonly status: string }).status]).toEqual([
    200,
    "Delivered"
  ])
  for (const [path, body] of [
    ["/x402/buy", examples.buy],
    ["/x402/vault/buy", examples.vaultBuy]
  ] as const) {
    const response = await pay(sandbox.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    expect(response.status, await response.text()).toBe(200)
  }
})
