import { describe, expect, it } from "vitest"
import { anotherPurchase, calls } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { pay } from "./payer.ts"
import { emptyZip } from "./samples.ts"
import { type Call, openShop, type Shop } from "./till.ts"

type Facilitator = Exclude<NonNullable<Parameters<typeof openShop>[0]>["options"], undefined>["facilitator"]

/** A purchase that can be downloaded twice. Opening its file fails while `isBroken`. */
const buyTwice = async (facilitator?: Facilitator) => {
  const state = { isBroken: false }
  const open = async () => {
    if (state.isBroken) throw new Error("the disk is gone")
    return { body: emptyZip }
  }
  const vault = { open, maxDownloads: 2 }
  const shop = await openShop({ options: { vault, ...(facilitator === undefined ? {} : { facilitator }) } })
  const bought = (await buyResponse(shop, anotherPurchase(calls.vaultBuy))) as {
    purchaseId: string
    downloadToken: string
  }
  const call = { path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}` }
  return { shop, call, state }
}

const statusesOf = async (shop: Shop, call: Call, count: number): Promise<ReadonlyArray<number>> => {
  const statuses: Array<number> = []
  for (let round = 0; round < count; round++) statuses.push((await pay(shop, call)).response.status)
  return statuses
}

/** Settles every payment but the second one, which it refuses. */
const refusingSecond = (): Facilitator => {
  let settlements = 0
  return {
    verify: async () => ({ isValid: true }),
    settle: async () => {
      settlements++
      const transaction = `0x${settlements.toString(16).padStart(64, "0")}`
      return settlements === 2
        ? {
            success: false,
            errorReason: "invalid_exact_evm_payload_signature",
            transaction: "",
            network: "eip155:84532"
          }
        : { success: true, transaction, network: "eip155:84532" }
    }
  }
}

describe("downloads of a host that limits them to two", () => {
  it("are a 403 from the third one on, which isn't charged", async () => {
    const { call, shop } = await buyTwice()
    expect(await statusesOf(shop, call, 2)).toEqual([200, 200])
    const settled = shop.settlements.length
    const { response } = await pay(shop, call)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: "DOWNLOADS_USED_UP" })
    expect(shop.settlements).toHaveLength(settled)
  })

  it("are counted once each, however often they are resumed", async () => {
    const { call, shop } = await buyTwice()
    const paid = await pay(shop, call)
    await paid.response.arrayBuffer()
    for (const range of ["bytes=20-", "bytes=21-"])
      expect((await paid.again({ ...call, headers: { range } })).status).toBe(206)
    expect(await statusesOf(shop, call, 2)).toEqual([200, 403])
  })

  it("don't count if the file couldn't be opened", async () => {
    const { call, shop, state } = await buyTwice()
    state.isBroken = true
    expect(await statusesOf(shop, call, 3)).toEqual([502, 502, 502])
    state.isBroken = false
    expect(await statusesOf(shop, call, 3)).toEqual([200, 200, 403])
  })

  it("don't count if their payment was refused", async () => {
    const { call, shop } = await buyTwice(refusingSecond())
    expect(await statusesOf(shop, call, 1)).toEqual([402])
    expect(await statusesOf(shop, call, 3)).toEqual([200, 200, 403])
  })

  it("are counted for each purchase", async () => {
    const { call, shop } = await buyTwice()
    expect(await statusesOf(shop, call, 3)).toEqual([200, 200, 403])
    const bought = (await buyResponse(shop, anotherPurchase(calls.vaultBuy))) as {
      purchaseId: string
      downloadToken: string
    }
    const other = `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}`
    expect(await statusesOf(shop, { path: other }, 3)).toEqual([200, 200, 403])
  })
})

it.each([0, 1.5, -1, 1_001, Number.NaN])("refuses a limit of %s", async (maxDownloads) => {
  const vault = { open: async () => ({ body: emptyZip }), maxDownloads }
  await expect(openShop({ options: { vault } })).rejects.toThrow(
    /vault\.maxDownloads must be a whole number between 1 and 1000/
  )
})
