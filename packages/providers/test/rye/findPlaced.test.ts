import { memoryPlacementJournal } from "@till402/providers/rye"
import { HttpResponse } from "msw"
import { afterEach, assert, describe, it, vi } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { type IntentFixture, intentFixture } from "./fakeRye.ts"
import { request, startShop } from "./shop.ts"

const server = interceptRequests()
afterEach(() => void vi.useRealTimers())
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

const confirm = /^POST .*\/confirm$/
/** An intent with an offer, made now. */
const offered = (change: Partial<IntentFixture> = {}) => ({
  ...intentFixture("2-awaiting"),
  createdAt: new Date().toISOString(),
  ...change
})
const id = intentFixture("2-awaiting").id

describe("finding an order", () => {
  it("returns its intent, once it is placed", async () => {
    const { place, shop, upstream } = start()
    upstream.put(offered())
    await place(id)
    assert.strictEqual(await shop.find("order-1"), id)
  })

  it("uses another process's record in a shared journal", async () => {
    const placements = memoryPlacementJournal()
    const { open, place, upstream } = start({ placements })
    upstream.put(offered())
    await place(id)
    const other = open()
    assert.strictEqual(await other.find("order-1"), id)
    assert.strictEqual(await other.find("order-2"), null)
  })

  it("rejects for another process's order, without a journal", async () => {
    const { open, place, upstream } = start()
    upstream.put(offered())
    await place(id)
    assert.strictEqual((await rejectionOf(open().find("order-1")))._tag, "PlacementUnknown")
    assert.strictEqual(
      (await rejectionOf(open().find("order-1", { reference: "?" })))._tag,
      "PlacementUnknown"
    )
  })

  it.each<[string, IntentFixture, string | null]>([
    ["placed", intentFixture("3-placing"), id],
    ["completed", intentFixture("4-completed"), id],
    ["failed", intentFixture("5-failed"), null],
    ["lapsed", offered({ createdAt: "2026-11-20T10:00:00.000Z" }), null]
  ])("looks up the quote's reference at Rye: %s", async (_what, intent, found) => {
    const { shop, upstream } = start()
    upstream.put(intent)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-20T12:00:00.000Z") })
    assert.strictEqual(await shop.find("order-1", { reference: id }), found)
  })

  it.each<[string, IntentFixture, string]>([
    ["is open", offered(), "PlacementUnknown"],
    ["has no age", { ...offered(), createdAt: "soon" }, "PlacementUnknown"],
    ["waits for a person", offered({ state: "requires_action" }), "IntentNotPlaceable"],
    ["is in a new state", offered({ state: "pondering" }), "IntentNotPlaceable"]
  ])("rejects while the quote's intent %s", async (_what, intent, tag) => {
    const { shop, upstream } = start()
    upstream.put(intent)
    assert.strictEqual((await rejectionOf(shop.find("order-1", { reference: id })))._tag, tag)
  })

  it("rejects for an intent that was confirmed without a record, as placing it does", async () => {
    const { place, shop, upstream } = start({ placements: memoryPlacementJournal() })
    upstream.put(intentFixture("3-placing"))
    assert.strictEqual((await rejectionOf(place(id)))._tag, "PlacementUnknown")
    assert.strictEqual((await rejectionOf(shop.find("order-1", { reference: id })))._tag, "PlacementUnknown")
  })

  it("waits a minute for a confirmation that may be under way, then knows", async () => {
    const { place, shop, upstream } = start({ placements: memoryPlacementJournal() })
    upstream.put(offered())
    upstream.next(confirm, () => HttpResponse.error())
    await rejectionOf(place(id))
    const { _tag, code, retryAfterSeconds } = await rejectionOf(shop.find("order-1"))
    assert.strictEqual(_tag, "TemporarilyUnavailable")
    assert.strictEqual(code, "ConfirmationInFlight")
    assert.isAbove(retryAfterSeconds as number, 50)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 })
    assert.strictEqual(await shop.find("order-1"), null)
  })

  it.each<[string, () => Response, string]>([
    ["Rye is down", () => HttpResponse.json({}, { status: 503 }), "TemporarilyUnavailable"],
    ["Rye knows it no more", () => HttpResponse.json({}, { status: 404 }), "Rejected"],
    ["the response is unreadable", () => HttpResponse.json({ id: 1 }), "ResponseMalformed"]
  ])("rejects if %s", async (_what, reply, tag) => {
    const { place, shop, upstream } = start()
    upstream.put(offered())
    await place(id)
    upstream.next(/^GET/, reply)
    assert.strictEqual((await rejectionOf(shop.find("order-1")))._tag, tag)
  })

  it("forgets the oldest of ten thousand orders in memory", async () => {
    const placements = memoryPlacementJournal()
    for (let order = 0; order <= 10_000; order++) {
      await placements.record(`order-${order}`, { reference: request.product.asin, atMillis: order })
    }
    assert.strictEqual(await placements.find("order-0"), undefined)
    assert.deepInclude(await placements.find("order-1"), { atMillis: 1 })
    assert.deepInclude(await placements.find("order-10000"), { atMillis: 10_000 })
  })
})
