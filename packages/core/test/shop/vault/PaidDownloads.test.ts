import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { expect, it } from "vitest"
import { TemporarilyUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { sampleArchive } from "../../../../testing/src/index.ts"
import { downloadOf, expectFailed, openTill, vaultBuy } from "../../toll/openTill.ts"
import { buyItem } from "./openShop.ts"

/** A stream of an archive, and whether it was canceled. */
const watchedStream = () => {
  const seen = { canceled: 0 }
  const archive = sampleArchive({ "README.md": "# Launch plan\n" })
  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.enqueue(archive), cancel: () => void seen.canceled++ },
    { highWaterMark: 0 }
  )
  return { body, seen }
}

it("a download whose payment doesn't settle cancels the stream that was opened for it", async () => {
  const { body, seen } = watchedStream()
  const shop = await openTill()
  const { downloadToken, purchaseId } = await buyItem(shop)
  shop.facilitator.rejectsSettlement()
  shop.files.open.returnsOnce(() => ({ body }))
  const call = downloadOf(purchaseId, downloadToken)
  expect((await shop.present(call, await shop.payFor(call))).status).toBe(402)
  expect(seen.canceled).toBe(1)
})

it("an error page isn't sold as an archive", async () => {
  const shop = await openTill()
  const { downloadToken, purchaseId } = await buyItem(shop)
  const settled = shop.facilitator.settled.length
  const page = "<?xml version='1.0'?><Error><Code>AccessDenied</Code></Error>"
  const call = downloadOf(purchaseId, downloadToken)
  for (const body of [new TextEncoder().encode(page), new Response(page, { status: 403 }).body!]) {
    shop.files.open.returnsOnce(() => ({ body }))
    expectFailed(await shop.present(call, await shop.payFor(call)), 502, "VAULT_ERROR")
  }
  expect(shop.facilitator.settled).toHaveLength(settled)
})

it("an item whose archive can't be opened isn't sold, and an opened stream is canceled", async () => {
  const shop = await openTill()
  const gone = Object.assign(new Error("no such file: /srv/vault/launch-plan.zip"), { code: "ENOENT" })
  shop.files.open.failsOnceWith(gone)
  expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 502, "VAULT_ERROR")
  shop.files.open.failsOnceWith(new TemporarilyUnavailable({ message: "away" }))
  expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "VAULT_UNAVAILABLE")
  expect(shop.facilitator.settled).toEqual([])
  expect(shop.mailer.send.calls).toEqual([])
  expect(shop.events).toContainEqual(
    expect.objectContaining({
      code: "provider_failed",
      operation: "open",
      error: "UpstreamFailed: Error ENOENT"
    })
  )
  const { body, seen } = watchedStream()
  shop.files.open.returnsOnce(() => ({ body }))
  await buyItem(shop)
  expect(seen.canceled).toBe(1)
  expect(shop.facilitator.settled).toHaveLength(1)
})

it("a link is sold as it is, and a replayed sale opens nothing", async () => {
  const shop = await openTill()
  shop.files.open.returns({ redirect: "https://bucket.example/launch-plan.zip" })
  const payment = await shop.payFor(vaultBuy)
  const first = await shop.present(vaultBuy, payment)
  expect(first.status, first.text).toBe(200)
  expect((await shop.presentAgain(vaultBuy, payment)).text).toBe(first.text)
  expect(shop.files.open.calls).toHaveLength(1)
})

it("an archive is opened again after a failure, and not in the minute after it opened", async () => {
  const shop = await openTill()
  const sale = async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    return (await shop.present(vaultBuy, await shop.payFor(vaultBuy, { account }))).status
  }
  shop.files.open.failsOnceWith(new Error("away"))
  expect(await sale()).toBe(502)
  expect(await Promise.all([sale(), sale(), sale()])).toEqual([200, 200, 200])
  expect(await sale()).toBe(200)
  expect(shop.files.open.calls).toHaveLength(2)
})

it("an archive that couldn't be opened for a download isn't sold in the minute after it opened, until it opens", async () => {
  const shop = await openTill()
  const sale = async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    return (await shop.present(vaultBuy, await shop.payFor(vaultBuy, { account }))).status
  }
  const { downloadToken, purchaseId } = await buyItem(shop)
  const call = downloadOf(purchaseId, downloadToken)
  shop.files.open.failsOnceWith(new Error("gone"))
  expectFailed(await shop.present(call, await shop.payFor(call)), 502, "VAULT_ERROR")
  shop.files.open.failsOnceWith(new Error("gone"))
  expect(await sale()).toBe(502)
  expect(await sale()).toBe(200)
  const opens = shop.files.open.calls.length
  expect(await sale()).toBe(200)
  expect(shop.files.open.calls).toHaveLength(opens)
})
