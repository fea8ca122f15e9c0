import { memoryPlacementJournal, type PlacementJournal } from "@till402/providers/rye"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { type FakeRye, type IntentFixture, intentFixture } from "./fakeRye.ts"
import { apiKey, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

const confirm = /^POST .*\/confirm$/
const confirmed = (upstream: FakeRye) => upstream.count(confirm)
/** An intent with an offer, made now. */
const offered = (change: Partial<IntentFixture> = {}) => ({
  ...intentFixture("2-awaiting"),
  createdAt: new Date().toISOString(),
  ...change
})
const id = intentFixture("2-awaiting").id

describe("an order", () => {
  it("is placed by the intent of its quote, from the drawdown balance", async () => {
    const { place, quote, upstream } = start()
    const { reference } = await quote()
    assert.deepStrictEqual(await place(reference), { reference })
    assert.deepStrictEqual(upstream.goods, [reference])
    assert.deepStrictEqual(
      upstream.received.filter(({ path }) => path.endsWith("/confirm")),
      [
        {
          method: "POST",
          path: `/checkout-intents/${reference}/confirm`,
          authorization: `Bearer ${apiKey}`,
          idempotencyKey: "order-1",
          body: { paymentMethod: { type: "drawdown" } }
        }
      ]
    )
  })

  it("is placed while Rye refuses further quotes for a day", async () => {
    const { place, quote, upstream } = start()
    const { reference } = await quote()
    const headers = { "retry-after": "86400" }
    upstream.next(/^POST \/checkout-intents$/, () => HttpResponse.json({}, { status: 429, headers }))
    await rejectionOf(quote({ email: "another@example.com" }))
    assert.deepStrictEqual(await place(reference), { reference })
  })

  it("is placed once for repeated and concurrent calls", async () => {
    const { place, upstream } = start()
    upstream.put(offered())
    await Promise.all([place(id), place(id), place(id)])
    await place(id)
    assert.deepStrictEqual(upstream.goods, [id])
    assert.strictEqual(confirmed(upstream), 1)
  })

  it("is placed once by processes that know nothing of each other", async () => {
    const { open, place, upstream } = start()
    upstream.put(offered())
    await Promise.all([place(id), place(id, {}, open()), place(id, {}, open())])
    assert.deepStrictEqual(upstream.goods, [id])
  })

  it("is not said to be placed if its intent was confirmed for another order", async () => {
    const { place, upstream } = start({ placements: memoryPlacementJournal() })
    upstream.put(offered())
    assert.deepStrictEqual(await place(id), { reference: id })
    assert.strictEqual((await rejectionOf(place(id, { orderId: "order-2" })))._tag, "PlacementUnknown")
    assert.deepStrictEqual(await place(id), { reference: id })
  })

  it("keeps to the intent that was written down, whatever quote it comes with", async () => {
    const { place, upstream } = start()
    upstream.put(offered())
    upstream.put(offered({ id: "ci_other" }))
    await place(id)
    assert.deepStrictEqual(await place("ci_other"), { reference: id })
    assert.deepStrictEqual(upstream.goods, [id])
  })

  it.each([
    ["placing_order", intentFixture("3-placing")],
    ["completed", intentFixture("4-completed")]
  ])("that Rye has in state %s is not confirmed again", async (_state, intent) => {
    const { place, upstream } = start()
    upstream.put(intent)
    assert.deepStrictEqual(await place(id), { reference: id })
    assert.strictEqual(confirmed(upstream), 0)
  })

  it.each<[string, IntentFixture, object, object]>([
    ["it costs more", offered(), { total: "97.34" }, { _tag: "PlacementRefused", reason: "price_changed" }],
    [
      "it costs a fraction more",
      offered(),
      { total: "97.3499" },
      { _tag: "PlacementRefused", reason: "price_changed" }
    ],
    [
      "the total is no amount",
      offered(),
      { total: "a lot" },
      { _tag: "PlacementRefused", code: "OfferChanged" }
    ],
    ["the offer is gone", offered({ offer: { cost: {} } }), {}, { _tag: "ResponseMalformed" }],
    [
      "it is in another currency",
      offered({ offer: { cost: { total: { amountSubunits: 1, currencyCode: "EUR" } } } }),
      {},
      { _tag: "PlacementRefused", code: "OfferChanged" }
    ],
    ["it failed", intentFixture("5-failed"), {}, { _tag: "PlacementRefused", reason: "out_of_stock" }],
    [
      "it lapsed",
      { ...intentFixture("5-failed"), failureReason: { code: "checkout_intent_expired" } },
      {},
      { _tag: "PlacementRefused", reason: "checkout_intent_expired" }
    ],
    [
      "there is no offer yet",
      intentFixture("1-retrieving"),
      {},
      { _tag: "NotPlaced", code: "OfferNotReady" }
    ],
    [
      "a person has to act",
      offered({ state: "requires_action" }),
      {},
      { _tag: "IntentNotPlaceable", code: "requires_action" }
    ],
    [
      "its state is new",
      offered({ state: "pondering" }),
      {},
      { _tag: "IntentNotPlaceable", code: "pondering" }
    ]
  ])("is not placed if %s", async (_what, intent, change, error) => {
    const { place, upstream } = start()
    upstream.put(intent)
    if (intent.state === "retrieving_offer") upstream.looksToOffer = 100
    assert.deepInclude(await rejectionOf(place(id, change)), error)
    assert.strictEqual(confirmed(upstream), 0)
  })

  it("may have been sold for more than Rye takes", async () => {
    const { place, upstream } = start()
    upstream.put(offered())
    assert.deepStrictEqual(await place(id, { total: "107.09" }), { reference: id })
  })

  it.each([["../billing"], [""], ["ci 1"]])("is not placed by what is no id: %j", async (reference) => {
    const { place, upstream } = start()
    assert.strictEqual((await rejectionOf(place(reference)))._tag, "IntentNotPlaceable")
    assert.strictEqual(upstream.received.length, 0)
  })

  it("is not placed if it could not be recorded", async () => {
    const broken: PlacementJournal = {
      find: async () => undefined,
      record: async () => {
        throw new Error("disk full")
      }
    }
    const { place, upstream } = start({ placements: broken })
    upstream.put(offered())
    assert.deepInclude(await rejectionOf(place(id)), {
      _tag: "NotPlaced",
      code: "JournalFailed"
    })
    assert.strictEqual(confirmed(upstream), 0)
  })
})

describe("a confirmation", () => {
  const lost = (act: () => Response) => {
    act()
    return HttpResponse.error()
  }

  it.each<[string, (act: () => Response) => Response]>([
    ["was lost", lost],
    [
      "broke on the way",
      (act) => {
        act()
        return HttpResponse.json({}, { status: 502 })
      }
    ],
    [
      "can't be read",
      (act) => {
        act()
        return new HttpResponse("<html>")
      }
    ],
    [
      "came too late, somebody else's was first",
      (act) => {
        act()
        return act()
      }
    ],
    [
      "leads elsewhere",
      (act) => {
        act()
        return HttpResponse.redirect("https://elsewhere.example/", 302)
      }
    ]
  ])("whose response %s is looked up, and not sent again", async (_what, reply) => {
    const { place, upstream } = start()
    upstream.put(offered())
    upstream.next(confirm, reply)
    assert.deepStrictEqual(await place(id), { reference: id })
    assert.deepStrictEqual(upstream.goods, [id])
    assert.strictEqual(confirmed(upstream), 1)
  })

  it.each<[string, () => Response, object]>([
    ["the connection breaks", () => HttpResponse.error(), { _tag: "TemporarilyUnavailable" }],
    [
      "the balance is too low",
      () => HttpResponse.json({ message: "Insufficient drawdown balance" }, { status: 402 }),
      { _tag: "TemporarilyUnavailable", code: "HTTP_402" }
    ],
    [
      "Rye is busy",
      () => HttpResponse.json({}, { status: 429, headers: { "retry-after": "30" } }),
      { _tag: "NotPlaced", code: "HTTP_429", retryAfterSeconds: 30 }
    ],
    ["Rye is down", () => HttpResponse.json({}, { status: 503 }), { _tag: "TemporarilyUnavailable" }],
    ["Rye refuses", () => HttpResponse.json({}, { status: 400 }), { _tag: "Rejected", status: 400 }],
    [
      "the key is wrong",
      () => HttpResponse.json({}, { status: 401 }),
      { _tag: "NotPlaced", code: "HTTP_401" }
    ],
    [
      "the order failed at once",
      () => HttpResponse.json({ ...intentFixture("5-failed"), failureReason: { code: "payment_failed" } }),
      { _tag: "PlacementRefused", reason: "payment_failed" }
    ]
  ])("that bought nothing keeps its error if %s, and may be sent again", async (_what, reply, error) => {
    const { open, place, upstream } = start()
    upstream.put(offered())
    upstream.next(confirm, reply)
    assert.deepInclude(await rejectionOf(place(id)), error)
    assert.strictEqual(confirmed(upstream), 1)
    assert.deepStrictEqual(await place(id, {}, open()), { reference: id })
    assert.deepStrictEqual(upstream.goods, [id])
  })

  it("is unknown if the lookup fails too, and the next call looks it up before sending", async () => {
    const { place, upstream } = start()
    upstream.put(offered())
    upstream.next(confirm, (act) => {
      upstream.next(/^GET/, () => HttpResponse.error())
      return lost(act)
    })
    assert.strictEqual((await rejectionOf(place(id)))._tag, "TemporarilyUnavailable")
    assert.deepStrictEqual(await place(id), { reference: id })
    assert.deepStrictEqual(upstream.goods, [id])
    assert.strictEqual(confirmed(upstream), 1)
  })

  it("whose response has an unknown state was accepted", async () => {
    const { place, upstream } = start()
    upstream.put(offered())
    upstream.next(confirm, () => HttpResponse.json({ id, state: "queued_for_placing" }))
    assert.deepStrictEqual(await place(id), { reference: id })
  })
})
