import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import { Headers } from "effect/http"
import { makeAdminApi } from "../../src/shopify-admin/AdminApi.ts"
import { makeDrafts } from "../../src/shopify-admin/Drafts.ts"
import type { Upstream } from "../../src/upstream/index.ts"
import { within } from "../upstream/virtualTime.ts"
import { FakeShopifyAdmin } from "./fakeShopifyAdmin.ts"
import { request } from "./shop.ts"

/** Drafts of a fake shop that needs some reads to compute its prices. */
const start = (pendingReads: number) => {
  const shop = new FakeShopifyAdmin()
  shop.pendingReads = pendingReads
  const upstream: Upstream = {
    name: "shopify-admin",
    call: ({ body, headers, url }) =>
      Effect.promise(async () => {
        const sent = body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
        const response = await shop.respond(new Request(url, { method: "POST", headers, body: sent }))
        const { status } = response
        return { upstream: "shopify-admin", status, headers: Headers.empty, text: await response.text() }
      }),
    recordQuotaSpent: () => Effect.void,
    recordQuotaRemaining: () => Effect.void,
    usage: () => assert.fail("not used")
  }
  const token = { get: Effect.succeed(Redacted.make("shpat_secret")), drop: () => Effect.void }
  const drafts = makeDrafts(
    makeAdminApi({ upstream, token, endpoint: "https://northwind.example/graphql.json" })
  )
  const input = {
    lineItems: [{ variantId: "gid://shopify/ProductVariant/71", quantity: 1 }],
    shippingAddress: { countryCode: request.shippingAddress.country, zip: "27701" }
  }
  const create = Effect.flatMap(drafts.create(input), drafts.whenReady)
  const reads = () => shop.received.filter(({ operation }) => operation === "GetDraft").length
  return { create, reads }
}

describe("a draft whose prices the shop is still computing", () => {
  it.effect("is read until it is ready", () =>
    Effect.gen(function* () {
      const { create, reads } = start(3)
      const result = yield* within(create)
      assert(Result.isSuccess(result))
      assert.isTrue(result.success.ready)
      assert.strictEqual(reads(), 3)
    })
  )

  it.effect("is given up after three seconds", () =>
    Effect.gen(function* () {
      const { create, reads } = start(100)
      const result = yield* within(create)
      assert(Result.isFailure(result))
      assert.strictEqual(result.failure._tag, "DraftNotReady")
      assert.strictEqual(reads(), 6)
    })
  )
})
