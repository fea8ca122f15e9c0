import { expect, it } from "vitest"
import { sampleArchive } from "../../../../testing/src/index.ts"
import { downloadOf, expectFailed, openTill } from "../../toll/openTill.ts"
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
