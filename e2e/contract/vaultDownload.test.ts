import { TemporarilyUnavailable } from "@till402/core"
import { describe, expect, it } from "vitest"
import { anotherPurchase, calls, noPurchase } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { account, headerOf, pay } from "./payer.ts"
import { emptyZip, vaultItem } from "./samples.ts"
import { openShop, type Shop } from "./till.ts"

describe("GET /x402/vault/download/{purchaseId}", () => {
  const purchase = async (shop: Shop) =>
    (await buyResponse(shop, anotherPurchase(calls.vaultBuy))) as {
      purchaseId: string
      downloadToken: string
    }
  const download = (id: string, token?: string) => ({
    path: `/x402/vault/download/${id}${token === undefined ? "" : `?downloadToken=${encodeURIComponent(token)}`}`
  })

  it("200: the ZIP archive, paid separately from the purchase", async () => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    const { challenge, response } = await pay(shop, download(purchaseId, downloadToken))
    expect(challenge.body.accepts[0]).toMatchObject({
      maxAmountRequired: "10000",
      mimeType: "application/zip"
    })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/zip")
    expect(response.headers.get("content-length")).toBe(String(emptyZip.length))
    expect(response.headers.get("cache-control")?.split(/\s*,\s*/)).toEqual(["private", "no-store"])
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(emptyZip)
    // The purchase looks whether it can be opened.
    expect(shop.calls.open).toMatchObject([{ slug: vaultItem.slug }, { slug: vaultItem.slug }])
    expect(shop.settlements.map(({ amount }) => amount)).toEqual(["7000000", "10000"])
  })

  it.each([
    [1, "X-PAYMENT", "x-payment-response"],
    [1, "PAYMENT-SIGNATURE", "x-payment-response"],
    [2, "PAYMENT-SIGNATURE", "payment-response"],
    [2, "X-PAYMENT", "payment-response"]
  ] as const)("is paid by version %d in %s, with its %s", async (version, header, receipt) => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId, downloadToken), { version, header })
    expect(response.status).toBe(200)
    expect(headerOf(response, receipt)).toMatchObject({
      success: true,
      transaction: shop.settlements[1]?.transaction,
      payer: account.address
    })
    expect(response.headers.has("x-payment-response")).toBe(version === 1)
  })

  it("streams an archive whose size is not known", async () => {
    const shop = await openShop({
      script: { open: async () => ({ body: new Blob([emptyZip]).stream() }) }
    })
    const { downloadToken, purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(emptyZip)
  })

  it("each download is paid separately", async () => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    await pay(shop, download(purchaseId, downloadToken))
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    expect(response.status).toBe(200)
    expect(shop.settlements).toHaveLength(3)
  })

  /** Expects an error without a charge: the only settlement is the purchase's. */
  const expectUncharged = async (shop: Shop, response: Response, status: number, code: string) => {
    const body = (await response.json()) as { code: string }
    expect({ status: response.status, code: body.code }).toEqual({ status, code })
    expect(shop.settlements).toHaveLength(1)
  }

  it("400: no downloadToken", async () => {
    const shop = await openShop()
    const { purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId))
    await expectUncharged(shop, response, 400, "VALIDATION_ERROR")
  })

  it.each([
    ["another token", () => "wrong"],
    ["a token cut short", (token: string) => token.slice(0, -1)],
    [
      "a token in another case",
      (token: string) => (token === token.toUpperCase() ? token.toLowerCase() : token.toUpperCase())
    ]
  ])("403: %s", async (_, change) => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    const { response } = await pay(shop, download(purchaseId, change(downloadToken)))
    await expectUncharged(shop, response, 403, "DOWNLOAD_FORBIDDEN")
  })

  it("403: the token of another purchase", async () => {
    const shop = await openShop()
    const first = await purchase(shop)
    const second = await purchase(shop)
    const { response } = await pay(shop, download(first.purchaseId, second.downloadToken))
    expect(response.status).toBe(403)
    expect(shop.settlements).toHaveLength(2)
  })

  it("404: a purchase that does not exist", async () => {
    const shop = await openShop()
    const { downloadToken } = await purchase(shop)
    const { response } = await pay(shop, download(noPurchase, downloadToken))
    await expectUncharged(shop, response, 404, "PURCHASE_NOT_FOUND")
  })

  it("an id that is no UUID belongs to no purchase", async () => {
    const shop = await openShop()
    const { response } = await pay(shop, download("nothing", "secret"))
    expect([400, 404]).toContain(response.status)
    expect(shop.settlements).toEqual([])
  })

  it.each<[string, () => Error, number, string]>([
    ["502: the archive can't be opened", () => new Error("disk"), 502, "VAULT_ERROR"],
    [
      "503: the archive is unavailable",
      () => new TemporarilyUnavailable({ message: "away" }),
      503,
      "VAULT_UNAVAILABLE"
    ]
  ])("%s", async (_, error, status, code) => {
    const shop = await openShop()
    const { downloadToken, purchaseId } = await purchase(shop)
    shop.script.open = async () => {
      throw error()
    }
    const { response } = await pay(shop, download(purchaseId, downloadToken))
    await expectUncharged(shop, response, status, code)
  })
})
