import type { ArchiveLink } from "@till402/core"
import { expect, it } from "vitest"
import { calls } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { pay } from "./payer.ts"
import { openShop } from "./till.ts"

/*
 * A host that sends buyers to its storage instead of streaming: a 302, by the host's choice.
 */

const mebibyte = 2 ** 20

/** Buys an item whose download is a link. */
const startDownload = async (open: () => ArchiveLink) => {
  const shop = await openShop()
  const bought = (await buyResponse(shop, calls.vaultBuy)) as { purchaseId: string; downloadToken: string }
  shop.script.open = async () => open()
  const call = { path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}` }
  return { shop, call, paid: await pay(shop, call) }
}

it("sends the buyer to the host's link, with a receipt, and to a new one for the same payment", async () => {
  let links = 0
  const open = () => ({ redirect: `https://bucket.example/goods.zip?signature=${++links}`, size: 1_000 })
  const { call, paid, shop } = await startDownload(open)
  const { response } = paid
  expect([response.status, await response.text()]).toEqual([302, ""])
  expect(response.headers.get("location")).toBe("https://bucket.example/goods.zip?signature=1")
  expect(response.headers.get("cache-control")).toBe("private, no-store")
  expect(response.headers.get("payment-response")).not.toBeNull()
  expect(response.headers.get("content-type")).toBeNull()
  const again = await paid.again({ ...call, headers: { range: "bytes=10-" } })
  expect([again.status, again.headers.get("location")]).toEqual([
    302,
    "https://bucket.example/goods.zip?signature=2"
  ])
  // One for the purchase, one for the download.
  expect(shop.settlements).toHaveLength(2)
})

it("counts each link as a whole download: two for one payment of a large file", async () => {
  const open = () => ({ redirect: "https://bucket.example/goods.zip", size: 20 * mebibyte })
  const { call, paid } = await startDownload(open)
  expect((await paid.again(call)).status).toBe(302)
  expect((await paid.again(call)).status).toBe(402)
})

it("counts links to a file of unknown size: two for one payment", async () => {
  const { call, paid, shop } = await startDownload(() => ({ redirect: "https://bucket.example/goods.zip" }))
  expect((await paid.again(call)).status).toBe(302)
  for (let copy = 0; copy < 3; copy++) expect((await paid.again(call)).status).toBe(402)
  // One for the purchase, which opens its archive, two for the download.
  expect(shop.calls.open).toHaveLength(3)
  // One for the purchase, one for the download.
  expect(shop.settlements).toHaveLength(2)
})

it.each([
  "javascript:alert(1)",
  "//bucket.example/goods.zip",
  "https://bucket.example/a b",
  "https://bucket.example/\r\nset-cookie: a=b",
  ""
])("isn't charged where the host's link is %j", async (redirect) => {
  const { paid, shop } = await startDownload(() => ({ redirect }))
  expect([paid.response.status, (await paid.response.json()).code]).toEqual([502, "VAULT_ERROR"])
  expect(shop.settlements).toHaveLength(1)
})
