import type { TillOptions } from "@till402/core"
import { fakeFulfilment, fakeVaultFiles } from "@till402/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { exampleCalls, headOf, openTill, serve, type WireCall } from "./tillServer.ts"

/*
 * The size of a 402's head. A proxy with its defaults takes 4,096 bytes of it, and answers 502 for more: so none grows.
 */

const solana = { network: "solana", payTo: "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM" }
const networks = {
  one: ["base"],
  "two of EVM": ["base", "polygon"],
  "one of EVM and Solana": ["base", solana],
  three: ["base", "polygon", solana]
} satisfies Record<string, TillOptions["networks"]>
type Networks = keyof typeof networks

/** Bytes of the unpaid 402 to each route's example, by networks: before the header had its outline, and at most now. */
const sizes: Readonly<Record<string, Readonly<Record<Networks, readonly [before: number, now: number]>>>> = {
  search: {
    one: [2689, 1891],
    "two of EVM": [2997, 2199],
    "one of EVM and Solana": [3073, 2279],
    three: [3381, 2587]
  },
  shop: {
    one: [2828, 2086],
    "two of EVM": [3141, 2399],
    "one of EVM and Solana": [3217, 2475],
    three: [3525, 2783]
  },
  buy: {
    one: [4481, 2971],
    "two of EVM": [5005, 3491],
    "one of EVM and Solana": [5141, 3631],
    three: [5665, 4151]
  },
  track: {
    one: [3629, 1979],
    "two of EVM": [3937, 2287],
    "one of EVM and Solana": [4013, 2363],
    three: [4325, 2675]
  },
  vaultSearch: {
    one: [3169, 2131],
    "two of EVM": [3477, 2439],
    "one of EVM and Solana": [3553, 2515],
    three: [3861, 2823]
  },
  vaultBuy: {
    one: [2865, 2167],
    "two of EVM": [3177, 2479],
    "one of EVM and Solana": [3253, 2555],
    three: [3565, 2867]
  },
  vaultDownload: {
    one: [2744, 2142],
    "two of EVM": [3053, 2451],
    "one of EVM and Solana": [3129, 2527],
    three: [3437, 2835]
  }
}

/** A till for the tests of a suite, which change nothing in it: returns the head of a response. */
const useTill = (options: Partial<TillOptions>) => {
  let port: number
  let close: () => Promise<void>
  beforeAll(async () => {
    const till = await openTill(options)
    const server = await serve(till)
    port = server.port
    close = async () => {
      server.close()
      await till.dispose()
    }
  })
  afterAll(() => close())
  return (call: WireCall) => headOf(port, call)
}

/** A proxy with its defaults takes as many. */
const proxyBytes = 4_096
/** What a framework may add, such as the name of its software. */
const frameworkBytes = 32

describe.each(Object.keys(networks) as ReadonlyArray<Networks>)(
  "the head of a 402 with networks: %s",
  (given) => {
    const head = useTill({ networks: networks[given] })

    it("is no larger than it was", async () => {
      for (const [id, call] of Object.entries(exampleCalls)) {
        const text = await head(call)
        const [before, now] = sizes[id]![given]
        expect(text, id).toMatch(/^HTTP\/1\.1 402 /)
        expect(text.length, id).toBeLessThanOrEqual(now)
        expect(now).toBeLessThan(before)
      }
    })
  }
)

/** 200 bytes of JSON: the most. */
const service = {
  serviceName: "Commerce of the Analytical Works",
  tags: ["shopping", "parcel tracking", "digital assets", "skills"],
  iconUrl: "https://www.commerce-of-the-analytical-works.example/icon-256x256.png"
}
const longTitle = "Wireless noise-cancelling over-ear headphones, ".repeat(4)
const quote = {
  product: { title: longTitle, price: "1089.99" },
  subtotal: "1089.99",
  tax: "98.10",
  shipping: "104.99",
  total: "1293.08",
  currency: "USD",
  reference: "upstream-quote",
  expiresAt: new Date(Date.now() + 3_600_000)
} as const
const buyExample = {
  productUrl: "https://store.example/products/tote?variant=1234",
  email: "me@shop.example",
  shippingAddress: {
    name: "Ada Lovelace",
    line1: "12 Analytical Way",
    line2: "Floor 2",
    city: "San Francisco",
    state: "CA",
    postalCode: "94105",
    country: "US"
  }
}
/** A payment that can be read, and is refused. */
const payment = (x402Version: 1 | 2, network: string) => {
  const authorization = {
    from: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    to: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    value: "1",
    validAfter: "0",
    validBefore: "9999999999",
    nonce: `0x${"1".repeat(64)}`
  }
  const payload = { signature: `0x${"2".repeat(130)}`, authorization }
  const accepted = {
    scheme: "exact",
    network,
    amount: "1",
    asset: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    payTo: authorization.to,
    maxTimeoutSeconds: 60,
    extra: {}
  }
  const document =
    x402Version === 1
      ? { x402Version, scheme: "exact", network, payload }
      : { x402Version, accepted, payload }
  return { "payment-signature": Buffer.from(JSON.stringify(document)).toString("base64") }
}

describe.each(["two of EVM", "one of EVM and Solana"] as const)(
  "with every option, and networks: %s",
  (given) => {
    const useFull = (options: Partial<TillOptions> = {}) => {
      const fulfilment = fakeFulfilment()
      fulfilment.quote.returns(quote)
      return useTill({
        networks: networks[given],
        ...service,
        fulfilment,
        margin: 250,
        examples: { buy: buyExample },
        settlement: { search: "before-work", track: "before-work", vaultDownload: "before-work" },
        vault: { ...fakeVaultFiles(), freeReaccess: true },
        cors: ["https://agents.commerce.shop.example"],
        ...options
      })
    }
    const head = useFull()
    const heads = [head, useFull({ vault: fakeVaultFiles() })]
    const origin = { origin: "https://agents.commerce.shop.example" }
    const calls: typeof exampleCalls = {
      ...exampleCalls,
      buy: { ...exampleCalls["buy"]!, body: JSON.stringify(buyExample) }
    }

    it.each(Object.keys(calls))(
      "a 402 of %s fits through a proxy, of an example and of nothing",
      async (id) => {
        const call = calls[id]!
        const path = call.path.replace(/\?.*/, "")
        for (const sent of [call, { method: call.method, path }]) {
          const text = await head({ ...sent, headers: origin })
          expect(text).toMatch(/^HTTP\/1\.1 402 /)
          expect(text.length).toBeLessThanOrEqual(proxyBytes - frameworkBytes)
        }
      }
    )

    it.each(Object.keys(calls))("a 402 of %s fits through a proxy, of a refused payment", async (id) => {
      const call = calls[id]!
      for (const headers of [payment(1, "base"), payment(2, "eip155:8453"), payment(2, "x".repeat(2_000))]) {
        const text = await head({ ...call, headers: { ...headers, ...origin } })
        expect(text).toMatch(/^HTTP\/1\.1 402 /)
        expect(text).toMatch(/\r\npayment-response: /i)
        expect(text.length).toBeLessThanOrEqual(proxyBytes - frameworkBytes)
      }
    })

    it.each(["/x402/search?q=", "/x402/vault/search?q=", "/x402/track?number=", "/x402/vault/download/"])(
      "a 402 of %s fits through a proxy, however long the rest is",
      async (start) => {
        for (let length = 50; length < 1_050; length += 50)
          for (const headers of [{}, payment(2, "eip155:8453")])
            for (const each of heads) {
              const path = start + "a".repeat(length)
              const text = await each({ method: "GET", path, headers: { ...headers, ...origin } })
              // A path of more than 1,024 characters is none.
              if (text.startsWith("HTTP/1.1 404 ")) continue
              expect(text, String(length)).toMatch(/^HTTP\/1\.1 40[02] /)
              expect(text.length, String(length)).toBeLessThanOrEqual(proxyBytes - frameworkBytes)
            }
      }
    )

    it("a 402 of a refused proof of a wallet fits through a proxy", async () => {
      const text = await head({
        ...calls["vaultDownload"]!,
        headers: { ...origin, "sign-in-with-x": "e30=" }
      })
      expect(text).toMatch(/^HTTP\/1\.1 402 /)
      expect(text.length).toBeLessThanOrEqual(proxyBytes - frameworkBytes)
    })
  }
)
