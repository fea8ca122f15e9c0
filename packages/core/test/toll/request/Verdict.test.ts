import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import type { PaymentPayload } from "../../../src/domain/PaymentPayload.ts"
import {
  clockSkewSeconds,
  judge,
  matchOffer,
  settlementSeconds,
  type PaymentOffer
} from "../../../src/toll/request/Verdict.ts"
import { nowSeconds, offer, payloadV1, payloadV2, payTo, resourceUrl, sepolia } from "../payments.ts"

const offers = [offer()]
const v2 = payloadV2()
const { resource: _resource, ...unnamed } = v2
type Accepted = Extract<PaymentPayload, { x402Version: 2 }>["accepted"]
const accepting = (change: Partial<Accepted>): PaymentPayload => ({
  ...v2,
  accepted: { ...v2.accepted, ...change }
})
const naming = (url: string): PaymentPayload => ({ ...v2, resource: { url } })
const verdictOf = (payload: PaymentPayload, on: ReadonlyArray<PaymentOffer> = offers): string => {
  const verdict = judge(payload, on, { resourceUrl, workSeconds: 0, nowSeconds })
  return verdict._tag === "Accepted" ? "accepted" : verdict.refusal.code
}

const stranger = "0x1111111111111111111111111111111111111111"
const mainnet = findNetwork("base")!
const mismatch = "resource_mismatch"
const unsupported = "unsupported_scheme_or_network"
const recipient = "invalid_exact_evm_payload_recipient_mismatch"
const value = "invalid_exact_evm_payload_authorization_value_mismatch"
const validAfter = "invalid_exact_evm_payload_authorization_valid_after"
const validBefore = "invalid_exact_evm_payload_authorization_valid_before"
const at = (seconds: number): string => String(nowSeconds + seconds)

describe("judge accepts", () => {
  const forms: ReadonlyArray<readonly [string, PaymentPayload]> = [
    ["a version-2 payment", v2],
    ["a version-1 payment by the short name of the network", payloadV1()],
    ["a version-1 payment by the CAIP-2 identifier", { ...payloadV1(), network: "eip155:84532" }],
    ["addresses in lower case", payloadV2({ to: payTo.toLowerCase() })],
    ["an asset in lower case", accepting({ asset: sepolia.asset.toLowerCase() })],
    ["a payee in upper case", accepting({ payTo: `0x${payTo.slice(2).toUpperCase()}` })],
    ["a payment without resource", unnamed],
    ["a resource with its query", naming(`${resourceUrl}?q=tote&page=2`)],
    ["a resource with a fragment", naming(`${resourceUrl}#a`)],
    ["a resource by another host name and port", naming("http://127.0.0.1:3000/x402/search?q=tote")],
    ["a resource with a slash at its end", naming(`${resourceUrl}/`)],
    ["a resource in the words of a client", naming("HTTPS://SHOP.example:443/x402/./search?q=a b")],
    ["an authorization that is valid from now on", payloadV2({ validAfter: at(0) })],
    ["one that was always valid", payloadV2({ validAfter: "0" })],
    ["one that is valid just long enough", payloadV2({ validBefore: at(settlementSeconds) })],
    ["one of a clock that is ahead", payloadV2({ validBefore: at(120 + clockSkewSeconds) })]
  ]
  it.each(forms)("%s", (_, payload) => {
    expect(verdictOf(payload)).toBe("accepted")
  })
})

describe("judge refuses", () => {
  const tamperings: ReadonlyArray<readonly [string, PaymentPayload, string]> = [
    ["another scheme", accepting({ scheme: "upto" }), unsupported],
    ["another scheme in version 1", { ...payloadV1(), scheme: "upto" }, unsupported],
    ["a network that is not offered", accepting({ network: "eip155:8453" }), unsupported],
    ["a short name in version 2", accepting({ network: "base-sepolia" }), unsupported],
    ["a network that is not offered in version 1", { ...payloadV1(), network: "base" }, unsupported],
    ["another asset", accepting({ asset: stranger }), unsupported],
    ["another recipient", payloadV2({ to: stranger }), recipient],
    ["another recipient in version 1", payloadV1({ to: stranger }), recipient],
    ["another payTo than is offered", accepting({ payTo: stranger }), recipient],
    ["less", payloadV2({ value: "9999" }), value],
    ["more: a wrong amount is a misunderstanding, not a gift", payloadV2({ value: "10001" }), value],
    ["nothing", payloadV1({ value: "0" }), value],
    ["another amount in what was accepted", accepting({ amount: "9999" }), value],
    ["an authorization that is not valid yet", payloadV2({ validAfter: at(1) }), validAfter],
    ["one that has expired", payloadV2({ validBefore: at(-1) }), validBefore],
    ["one that leaves too little time", payloadV2({ validBefore: at(settlementSeconds - 1) }), validBefore],
    ["one that lives too long", payloadV2({ validBefore: at(120 + clockSkewSeconds + 1) }), validBefore],
    ["one that lives for ever", payloadV1({ validBefore: (2n ** 256n - 1n).toString() }), validBefore],
    ["a payment that names another resource", naming("https://shop.example/x402/track"), mismatch],
    ["one that names a path below", naming(`${resourceUrl}/x`), mismatch],
    ["one that names a longer path", naming(`${resourceUrl}es?q=tote`), mismatch],
    ["one that names a path above", naming(`${resourceUrl}/..`), mismatch],
    ["one that names a path with two slashes at its end", naming(`${resourceUrl}//`), mismatch],
    ["one that names the path in a query", naming("https://shop.example/?/x402/search"), mismatch],
    [
      "one that names the resource in a query, at the length of its path",
      naming(`https://shop.example/x402/tracks?${resourceUrl}`),
      mismatch
    ],
    ["one that names a path alone", naming("/x402/search"), mismatch],
    ["one that names no URL", naming("search"), mismatch],
    ["one that names nothing", naming(""), mismatch]
  ]
  it.each(tamperings)("%s", (_, payload, code) => {
    expect(verdictOf(payload)).toBe(code)
  })

  it("what names no path, even where ours has none", () => {
    const request = { resourceUrl: "search", workSeconds: 0, nowSeconds }
    expect(judge(naming("no URL either"), offers, request)).toMatchObject({ refusal: { code: mismatch } })
  })

  it("no version-1 payment for its resource: it has none", () => {
    const named = { ...payloadV1(), resource: { url: "https://other.example/" } } as PaymentPayload
    expect(verdictOf(named)).toBe("accepted")
  })

  it("with a verdict that names itself", () => {
    const verdict = judge(payloadV2({ value: "1" }), offers, { resourceUrl, workSeconds: 0, nowSeconds })
    expect(verdict).toEqual({
      _tag: "Refused",
      refusal: { code: value, message: "the payment is of 1 atomic units; exactly 10000 are required" }
    })
  })

  it.each(["https://other.example/x402/search", "https://shop.example/x402/search", ""])(
    "a payment for %s below a prefix",
    (url) => {
      const request = { resourceUrl: "https://shop.example/api/x402/search", workSeconds: 0, nowSeconds }
      expect(judge(naming(url), offers, request)).toMatchObject({ refusal: { code: mismatch } })
      expect(judge(naming("http://[::1]/api/x402/search"), offers, request)._tag).toBe("Accepted")
    }
  )

  it("names the amount that is due", () => {
    const verdict = judge(payloadV2({ value: "1" }), offers, { resourceUrl, workSeconds: 0, nowSeconds })
    expect(verdict).toMatchObject({
      refusal: { message: expect.stringContaining("exactly 10000 are required") }
    })
  })

  it("every payment without an offer", () => {
    expect(verdictOf(v2, [])).toBe(unsupported)
  })
})

describe("the time that an authorization must leave", () => {
  const leaving = (seconds: number, workSeconds: number): string => {
    const verdict = judge(payloadV2({ validBefore: at(seconds) }), offers, {
      resourceUrl,
      workSeconds,
      nowSeconds: nowSeconds + 0.9
    })
    return verdict._tag === "Accepted" ? "accepted" : verdict.refusal.code
  }
  it.each([
    ["covers the work, begun seconds as whole ones", 19.1, settlementSeconds + 20],
    ["is half of what the offer grants at most", 1_000, 60]
  ])("%s", (_, workSeconds, needed) => {
    expect(leaving(needed, workSeconds)).toBe("accepted")
    expect(leaving(needed - 1, workSeconds)).toBe(validBefore)
  })
})

describe("a quote", () => {
  const quoted = [offer(sepolia, { quoteId: "quote-b" })]
  it.each([
    ["of this request is accepted", { quoteId: "quote-b" }, "accepted"],
    ["that the payment does not name is accepted", { name: "USDC" }, "accepted"],
    ["of earlier is refused", { quoteId: "quote-a" }, "quote_expired"],
    ["that is no text is refused", { quoteId: 1 }, "quote_expired"]
  ])("%s", (_, extra, verdict) => {
    expect(verdictOf(accepting({ extra }), quoted)).toBe(verdict)
  })

  it("that is not on offer is no reason to refuse", () => {
    expect(verdictOf(accepting({ extra: { quoteId: "quote-a" } }))).toBe("accepted")
  })

  it("need not be repeated at all", () => {
    const { extra: _extra, ...accepted } = v2.accepted
    expect(verdictOf({ ...v2, accepted }, quoted)).toBe("accepted")
  })

  it("is nothing that a version-1 payment can name", () => {
    expect(verdictOf(payloadV1(), quoted)).toBe("accepted")
  })

  it("is checked before its amount: the payer needs the new one, not the old one", () => {
    const earlier = { ...accepting({ extra: { quoteId: "quote-a" }, amount: "9999" }) }
    expect(verdictOf(earlier, quoted)).toBe("quote_expired")
  })
})

describe("matchOffer", () => {
  const both = [offer(mainnet), offer(sepolia), offer(findNetwork("eip155:42161")!)]
  it.each([
    ["version 2 by its network", v2, 1],
    ["version 1 by the short name", { ...payloadV1(), network: "base" }, 0],
    ["version 1 by CAIP-2 where there is no short name", { ...payloadV1(), network: "eip155:42161" }, 2]
  ])("finds %s", (_, payload, index) => {
    expect(matchOffer(payload as PaymentPayload, both)).toBe(both[index])
  })

  it("doesn't match the name undefined to a network without one", () => {
    expect(matchOffer({ ...payloadV1(), network: "undefined" }, both)).toBeUndefined()
  })
})
