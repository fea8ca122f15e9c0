import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { calls, solanaWallet, vaultBuyBody } from "./calls.ts"
import { buyResponse, expectFault, expectPaidFault, expectRefusal } from "./expectations.ts"
import { pay, readChallenge, signPayment } from "./payer.ts"
import { integer, itHasFields, object, oneOf, string, text, url, uuid } from "./shape.ts"
import { vaultItem } from "./samples.ts"
import { keepShop, openShop, requestOf, type Shop } from "./till.ts"

const productTypes = ["skill", "knowledge", "persona"] as const

const buyItem = (body: unknown) => ({ method: "POST", path: "/x402/vault/buy", body })
const withoutField = (name: string) => {
  const body: Record<string, unknown> = { ...vaultBuyBody }
  delete body[name]
  return body
}

describe("POST /x402/vault/buy: bodies that are refused", () => {
  describe.each<readonly [string, unknown, string]>([
    ["slug left out", withoutField("slug"), "slug"],
    ["slug empty", { ...vaultBuyBody, slug: "" }, "slug"],
    ["slug a number", { ...vaultBuyBody, slug: 7 }, "slug"],
    ["slug with a control character", { ...vaultBuyBody, slug: "a\u0007" }, "slug"],
    ["walletAddress left out", withoutField("walletAddress"), "walletAddress"],
    ["walletAddress empty", { ...vaultBuyBody, walletAddress: "" }, "walletAddress"],
    [
      "walletAddress of an EVM chain",
      { ...vaultBuyBody, walletAddress: `0x${"a".repeat(40)}` },
      "walletAddress"
    ],
    [
      "walletAddress with a letter that is not base58",
      { ...vaultBuyBody, walletAddress: `0${solanaWallet.slice(1)}` },
      "walletAddress"
    ],
    ["walletAddress of 31 bytes", { ...vaultBuyBody, walletAddress: "1".repeat(31) }, "walletAddress"],
    [
      "walletAddress of more than 32 bytes",
      { ...vaultBuyBody, walletAddress: `${solanaWallet}1` },
      "walletAddress"
    ],
    ["walletAddress a number", { ...vaultBuyBody, walletAddress: 5 }, "walletAddress"],
    ["email left out", withoutField("email"), "email"],
    ["email empty", { ...vaultBuyBody, email: "" }, "email"],
    ["email without @", { ...vaultBuyBody, email: "ada" }, "email"],
    ["email null", { ...vaultBuyBody, email: null }, "email"]
  ])("%s", (_name, body, path) => {
    it("without payment: 400", async () => {
      const shop = await openShop()
      await expectFault(shop, await shop.send(buyItem(body)), path)
    })
    it("with payment: 400, nothing charged", async () => {
      const shop = await openShop()
      await expectPaidFault(shop, buyItem(body), path, calls.vaultBuy)
    })
  })

  it("names every fault in one response", async () => {
    const shop = await openShop()
    const response = await shop.send(buyItem({ slug: "", walletAddress: "x", email: "y" }))
    const { details } = await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
    expect(details?.issues?.map(({ path }) => path).sort()).toEqual(["email", "slug", "walletAddress"])
  })

  it("an unknown slug: 404, paid or not", async () => {
    const shop = await openShop()
    const unknown = buyItem({ ...vaultBuyBody, slug: "no-such-item" })
    await expectRefusal(shop, await shop.send(unknown), 404, "ITEM_NOT_FOUND")
    const { response } = await pay(shop, unknown, { priced: calls.vaultBuy })
    await expectRefusal(shop, response, 404, "ITEM_NOT_FOUND")
  })
})

describe("POST /x402/vault/buy: an empty request gets an indicative amount", () => {
  it.each<[string, unknown]>([
    ["no body", undefined],
    ["{}", {}]
  ])("%s: a 402 that names the reason and can't be paid", async (_, body) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(buyItem(body)))
    expect(challenge.body.error).toMatch(/indicative/i)
    expect(challenge.body.accepts[0]?.maxAmountRequired).toMatch(/^[1-9]\d*$/)
    const { response } = await pay(shop, buyItem(body))
    await expectRefusal(shop, response, 400, "VALIDATION_ERROR")
  })
})

describe("POST /x402/vault/buy: the response", () => {
  const itemFields = {
    slug: text,
    title: string,
    productType: oneOf(...productTypes),
    price: integer,
    coverImageUrl: url
  }
  let shop: Shop
  let body: { purchaseId: string; downloadToken: string; item: unknown }
  beforeAll(async () => {
    shop = await keepShop()
    body = (await buyResponse(shop, calls.vaultBuy)) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("the purchase", () =>
    itHasFields({ purchaseId: uuid, downloadToken: text, item: object(itemFields) }, () => body))
  describe("its item", () => itHasFields(itemFields, () => body.item))
  it("costs what the item costs", () => expect(shop.settlements).toMatchObject([{ amount: "7000000" }]))
  it("is for the named item", () => expect(body.item).toMatchObject({ slug: vaultItem.slug, price: 7 }))
  it("is confirmed by email", async () => {
    await vi.waitFor(() => expect(shop.calls.send).toHaveLength(1), { timeout: 60_000 })
    expect(shop.calls.send[0]?.to).toBe("ada@example.com")
  })
})

describe("POST /x402/vault/buy: an item that changes after its 402", () => {
  /** Signs a payment of today's price; presents it once the item has changed. */
  const presentAfter = async (change: (shop: Shop) => Promise<unknown>) => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(calls.vaultBuy))
    const payment = await signPayment(challenge, 2)
    await change(shop)
    const response = await shop.till.fetch(requestOf(calls.vaultBuy, { "PAYMENT-SIGNATURE": payment }))
    return { shop, response }
  }

  it.each([1, 6, 8, 70])("402 with the new price, $%d instead of $7; nothing is charged", async (price) => {
    const { response, shop } = await presentAfter(({ till }) => till.vault.put({ ...vaultItem, price }))
    const { body } = await readChallenge(response)
    expect(body.accepts[0]?.maxAmountRequired).toBe(String(price * 1_000_000))
    expect(shop.settlements).toEqual([])
    expect(shop.calls.send).toEqual([])
    const { response: bought } = await pay(shop, calls.vaultBuy)
    expect(bought.status).toBe(200)
    expect(shop.settlements).toMatchObject([{ amount: String(price * 1_000_000) }])
  })

  it("404: it was taken off the listing; nothing is charged, and its buyers can download it", async () => {
    const shop = await openShop()
    const bought = (await buyResponse(shop, calls.vaultBuy)) as { purchaseId: string; downloadToken: string }
    const challenge = await readChallenge(await shop.send(calls.vaultBuy))
    const payment = await signPayment(challenge, 2)
    expect(await shop.till.vault.unlist(vaultItem.slug)).toBe(true)
    const refused = await shop.till.fetch(requestOf(calls.vaultBuy, { "PAYMENT-SIGNATURE": payment }))
    expect(refused.status).toBe(404)
    expect(await refused.json()).toMatchObject({ code: "ITEM_NOT_FOUND" })
    expect(shop.settlements).toHaveLength(1)
    const path = `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}`
    const { response } = await pay(shop, { path })
    expect(response.status).toBe(200)
    expect(await shop.till.vault.unlist(vaultItem.slug)).toBe(false)
  })
})
