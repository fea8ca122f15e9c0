import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, type Call, calls, downloadOf, jsonOf, searchFor, vaultBuyOf } from "../src/Calls.ts"
import { expectRefused } from "../src/expectations.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { openUrlChecker, urlChecker } from "../src/UrlChecker.ts"
import { visit, type Visitor } from "../src/Visitor.ts"

/*
 * A check stricter than the protocol refuses honest payers: clients name the URL that they request.
 */

/** A payment that names a URL chosen by the client. */
const payNaming = async (visitor: Visitor, call: Call, url: string): Promise<Payment> => ({
  ...(await visitor.payFor(call)),
  resource: { url }
})

const trackUrl = `${baseUrl}${calls.track.path}`

attack("an honest payment refused because it names the URL that it requests", {
  on: urlChecker,
  lands: async () => {
    const visitor = visit(openUrlChecker(fakeFacilitator()))
    const payment = await payNaming(visitor, calls.track, trackUrl)
    expect((await visitor.present(calls.track, payment)).status).toBe(402)
    const plain = await payNaming(visitor, calls.track, `${baseUrl}/x402/track`)
    expect((await visitor.present(calls.track, plain)).status).toBe(200)
  },
  fails: async () => {
    const visitor = visit(await openOurs(fakeFacilitator()))
    for (const url of [trackUrl, `${baseUrl}/x402/track`, `${trackUrl}&carrier=100003`]) {
      const payment = await payNaming(visitor, calls.track, url)
      expect((await visitor.present(calls.track, payment)).status, url).toBe(200)
    }
    // Another path is another resource, whatever its query and origin.
    for (const url of [`${baseUrl}/x402/search?number=1Z999AA10123456784`, `${baseUrl}/x402`]) {
      const payment = await payNaming(visitor, calls.track, url)
      expectRefused(await visitor.present(calls.track, payment), "resource_mismatch")
      // It stays valid for the request that it names.
      expect((await visitor.present(calls.track, { ...payment, resource: { url: trackUrl } })).status).toBe(
        200
      )
    }
  }
})

attack("an honest payment refused because it names this machine differently", {
  on: urlChecker,
  lands: async () => {
    const visitor = visit(openUrlChecker(fakeFacilitator()))
    const payment = await payNaming(visitor, calls.search, "http://localhost:4021/x402/search")
    expect((await visitor.present(calls.search, payment)).status).toBe(402)
  },
  fails: async () => {
    const visitor = visit(await openOurs(fakeFacilitator(), { baseUrl: "http://127.0.0.1:4021/api" }))
    const local = { ...calls.search, path: `/api${calls.search.path}` }
    for (const url of [
      "http://localhost:4021/api/x402/search",
      "http://127.0.0.1:4021/api/x402/search?q=tote"
    ]) {
      const payment = await payNaming(visitor, local, url)
      expect((await visitor.present(local, payment)).status, url).toBe(200)
    }
  }
})

attack("a private query leaked in the 402", {
  on: "the same server, which names the URL that was requested",
  lands: async () => {
    // Like the official Express adapter: the 402 contains the whole URL, which ends up in logs and caches.
    const { fetch } = openUrlChecker(fakeFacilitator())
    const visitor = visit({
      fetch: async (request) => {
        const response = await fetch(request)
        const required = await response.json()
        const named = { ...(required as object), resource: { url: request.url } }
        const header = Buffer.from(JSON.stringify(named)).toString("base64")
        return Response.json(named, { status: 402, headers: { "payment-required": header } })
      }
    })
    expect((await visitor.challenge(calls.track)).resource.url).toContain("1Z999AA10123456784")
  },
  fails: async () => {
    const visitor = visit(await openOurs(fakeFacilitator()))
    const urlOf = async (call: Call) => (await visitor.challenge(call)).resource.url
    const bought = await visitor.present(calls.vaultBuy, await visitor.payFor(vaultBuyOf("launch-plan")))
    const { downloadToken, purchaseId } = jsonOf(bought) as Record<string, string>
    const download = downloadOf(purchaseId!, downloadToken!)
    const withPhone = { path: `${calls.track.path}&phone=5551234567` }
    expect(await urlOf(withPhone)).toBe(`${baseUrl}/x402/track`)
    // A query of nothing but the parcel is named, like that of a search.
    expect(await urlOf(calls.track)).toBe(baseUrl + calls.track.path)
    expect(await urlOf(download)).not.toContain("downloadToken")
    // One known client sends the paid request to the URL in the 402: it needs the query, which is public here.
    expect(await urlOf(searchFor("red tote"))).toMatch(/\/x402\/search\?q=red(\+|%20)tote$/)
    expect(await urlOf({ path: "/x402/vault/search?q=plan" })).toBe(`${baseUrl}/x402/vault/search?q=plan`)
  }
})
