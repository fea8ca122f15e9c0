import { describe, expect, it, onTestFinished, vi } from "vitest"
import { calls } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { pay } from "./payer.ts"
import { emptyZip } from "./samples.ts"
import { openShop } from "./till.ts"

const hour = 3_600_000
const open = async () => ({ body: emptyZip })

/** An item bought from a shop whose purchases can be downloaded for an hour. */
const buyForAnHour = async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  const shop = await openShop({ options: { vault: { open, maxAgeMillis: hour } } })
  const bought = (await buyResponse(shop, calls.vaultBuy)) as { purchaseId: string; downloadToken: string }
  return {
    shop,
    call: { path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}` }
  }
}

describe("downloads of a host that ends them after an hour", () => {
  it("are sold until then", async () => {
    const { call, shop } = await buyForAnHour()
    vi.setSystemTime(Date.now() + hour - 60_000)
    expect((await pay(shop, call)).response.status).toBe(200)
  })

  it("are refused afterwards, and not charged", async () => {
    const { call, shop } = await buyForAnHour()
    vi.setSystemTime(Date.now() + hour + 1)
    const { response } = await pay(shop, call)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: "DOWNLOAD_EXPIRED" })
    expect(shop.settlements).toHaveLength(1)
  })

  it("can be resumed afterwards if they were paid before", async () => {
    const { call, shop } = await buyForAnHour()
    const paid = await pay(shop, call)
    await paid.response.arrayBuffer()
    vi.setSystemTime(Date.now() + hour + 1)
    const rest = await paid.again({ ...call, headers: { range: "bytes=4-" } })
    expect(rest.status).toBe(206)
  })
})

it.each([0, 59_999, -1, Number.NaN])("refuses a time of %s", async (maxAgeMillis) => {
  await expect(openShop({ options: { vault: { open, maxAgeMillis } } })).rejects.toThrow(
    /vault\.maxAgeMillis must be milliseconds, 60000 or more/
  )
})
