import { describe, expect, it } from "vitest"
import { ClientBudget } from "../../src/runtime/ClientBudget.ts"
import { clientOf } from "../../src/runtime/ClientAddress.ts"
import {
  readResponse,
  baseUrl,
  buy,
  email,
  expectFailed,
  openTill,
  search,
  shippingAddress,
  vaultBuy
} from "../toll/openTill.ts"

/** Quotes granted at one moment to addresses that each try this often, in turn. */
const takenBy = (
  budget: { readonly take: (address: string, nowMillis: number) => number | undefined },
  addresses: ReadonlyArray<string>,
  tries: number
): number => {
  let taken = 0
  for (let round = 0; round < tries; round++)
    for (const address of addresses) if (budget.take(address, 0) === undefined) taken++
  return taken
}

type Shop = Awaited<ReturnType<typeof openTill>>

/** Requests a quote from an address; each asin is a request of its own. */
const requestQuote = async ({ till }: Shop, asin: string, clientAddress?: string, headers = {}) =>
  readResponse(
    await till.fetch(
      new Request(`${baseUrl}/x402/buy`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ shippingAddress, email, asin })
      }),
      { clientAddress }
    )
  )

describe("unpaid quotes", () => {
  it("of one client have a budget: past it a 429, and fulfilment is not called", async () => {
    const shop = await openTill({ limits: { quotesPerClientPerMinute: 2 } })
    for (const asin of ["B000000001", "B000000002"])
      expect((await requestQuote(shop, asin, "192.0.2.1")).status).toBe(402)
    const over = await requestQuote(shop, "B000000003", "192.0.2.1")
    expectFailed(over, 429, "RATE_LIMITED")
    expect(Number(over.headers.get("retry-after"))).toBeGreaterThan(0)
    expect(shop.fulfilment.quote.calls).toHaveLength(2)
    // A live quote costs nothing, another client has a budget of their own.
    expect((await requestQuote(shop, "B000000001", "192.0.2.1")).status).toBe(402)
    expect((await requestQuote(shop, "B000000003", "192.0.2.2")).status).toBe(402)
  })

  it("are requested with a name of the client, which is no address", async () => {
    const shop = await openTill()
    const addresses = ["192.0.2.1", "192.0.2.1", "192.0.2.2", "2001:db8:1:2::1", "2001:db8:1:3::1", undefined]
    for (const [index, address] of addresses.entries()) {
      expect((await requestQuote(shop, `B00000000${index}`, address)).status).toBe(402)
    }
    const clients = shop.fulfilment.quote.calls.map(([{ client }]) => client)
    expect(new Set(clients).size).toBe(4)
    expect([clients[1], clients[4], clients[5]]).toEqual([clients[0], clients[3], undefined])
    expect(clients.join(" ")).not.toMatch(/192\.0|2001:/)
  })

  it("of all clients have a budget too, also of those whose address nobody knows", async () => {
    const shop = await openTill({ limits: { quotesPerMinute: 2 } })
    expect((await requestQuote(shop, "B000000001", "192.0.2.1")).status).toBe(402)
    expect((await requestQuote(shop, "B000000002")).status).toBe(402)
    expectFailed(await requestQuote(shop, "B000000003", "192.0.2.3"), 429, "RATE_LIMITED")
  })

  it("are counted by the host's own name of the caller", async () => {
    const shop = await openTill({
      limits: { quotesPerClientPerMinute: 1 },
      clientAddress: (request) => request.headers.get("x-real-ip") ?? undefined
    })
    expect((await requestQuote(shop, "B000000001", "10.0.0.1", { "x-real-ip": "192.0.2.1" })).status).toBe(
      402
    )
    expect((await requestQuote(shop, "B000000002", "10.0.0.1", { "x-real-ip": "192.0.2.2" })).status).toBe(
      402
    )
    expect((await requestQuote(shop, "B000000003", "10.0.0.1", { "x-real-ip": "192.0.2.2" })).status).toBe(
      429
    )
  })

  it("are those of one unknown client where the host's function dies, and paid calls need no address", async () => {
    const failures: Array<unknown> = []
    const shop = await openTill({
      limits: { quotesPerClientPerMinute: 1 },
      clientAddress: () => {
        throw new Error("no such header")
      },
      onProviderError: ({ error }) => void failures.push(error)
    })
    expect((await requestQuote(shop, "B000000001", "10.0.0.1")).status).toBe(402)
    expectFailed(await requestQuote(shop, "B000000002", "10.0.0.2"), 429, "RATE_LIMITED")
    expect(failures).toContainEqual(new Error("no such header"))
    const paid = await shop.present(search, await shop.payFor(search))
    expect(paid.status).toBe(200)
  })

  it("leave a payment of a standing quote alone, and other routes", async () => {
    const shop = await openTill({ limits: { quotesPerMinute: 1 } })
    const payment = await shop.payFor(buy)
    expect((await requestQuote(shop, "B000000009")).status).toBe(429)
    expect((await shop.present(buy, payment)).status).toBe(200)
    expect((await shop.send(vaultBuy)).status).toBe(402)
  })

  it("for one request are made once, however many requests arrive at a time", async () => {
    const shop = await openTill({ limits: { quotesPerClientPerMinute: 1 } })
    shop.fulfilment.quote.delays(30)
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => requestQuote(shop, "B000000001", "192.0.2.1"))
    )
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([402]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(shop.fulfilment.quote.calls).toHaveLength(1)
  })

  it("that fail fail for all that waited, and the next request starts anew", async () => {
    const shop = await openTill()
    shop.fulfilment.quote.delays(30).failsOnceWith(new Error("reset by peer"))
    const responses = await Promise.all(Array.from({ length: 5 }, () => requestQuote(shop, "B000000001")))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([502]))
    expect((await requestQuote(shop, "B000000001")).status).toBe(402)
  })
})

describe("a budget", () => {
  it("is full again after a minute, and returns how long that is", () => {
    const budget = new ClientBudget({ perClient: 1, inAll: 10 })
    const taken = [0, 1_000, 59_500, 60_000].map((at) => budget.take("192.0.2.1", at))
    expect(taken).toEqual([undefined, 59, 1, undefined])
  })

  it("counts all clients without a known address as one", () => {
    const budget = new ClientBudget({ perClient: 2, inAll: 100 })
    const taken = [undefined, undefined, undefined, "192.0.2.1"].map((address) => budget.take(address, 0))
    expect(taken).toEqual([undefined, undefined, 60, undefined])
  })

  it("gives a /48 of IPv6 four times as much as a client", () => {
    const budget = new ClientBudget({ perClient: 5, inAll: 1_000 })
    const taken = takenBy(
      budget,
      Array.from({ length: 100 }, (_, index) => `2001:db8:1:${index.toString(16)}::1`),
      5
    )
    expect(taken).toBe(20)
    expect(budget.take("2001:db8:1:ffff::1", 0)).toBe(60)
    expect(budget.take("2001:db8:2::1", 0)).toBeUndefined()
    expect(budget.take("2001:db8:1:ffff::1", 60_000)).toBeUndefined()
  })

  it("reserves half of the total for the first three quotes of a newcomer", () => {
    const budget = new ClientBudget({ perClient: 1_000, inAll: 100 })
    expect(takenBy(budget, ["192.0.2.1"], 1_000)).toBe(50)
    expect(takenBy(budget, ["192.0.2.2"], 1_000)).toBe(3)
    expect(takenBy(budget, ["2001:db8:1:1::1", "2001:db8:1:2::1", "2001:db8:1:3::1"], 1_000)).toBe(3)
    const newcomers = Array.from({ length: 100 }, (_, index) => `198.51.100.${index}`)
    expect(takenBy(budget, newcomers, 1)).toBe(100 - 50 - 3 - 3)
    expect(budget.take("203.0.113.1", 59_000)).toBe(1)
    expect(budget.take("203.0.113.1", 60_000)).toBeUndefined()
  })

  it("never gives more than a total of one, nor less", () => {
    const budget = new ClientBudget({ perClient: 1, inAll: 1 })
    expect([budget.take("192.0.2.1", 0), budget.take("192.0.2.2", 0)]).toEqual([undefined, 60])
  })

  it("counts no call that it refused", () => {
    const budget = new ClientBudget({ perClient: 1, inAll: 1_000 })
    expect(takenBy(budget, ["2001:db8:1:1::1"], 50)).toBe(1)
    const others = ["2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:1:4::1", "2001:db8:1:5::1"]
    expect(takenBy(budget, others, 1)).toBe(3)
  })

  it("is bounded in memory, and evicts the oldest client", () => {
    const budget = new ClientBudget({ perClient: 1, inAll: 1_000_000 })
    const addresses = Array.from(
      { length: 10_001 },
      (_, index) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
    )
    expect(takenBy(budget, addresses, 1)).toBe(addresses.length)
    expect(budget.size).toBe(20_000)
    expect(budget.take(addresses[1], 0)).toBe(60)
    expect(budget.take(addresses[0], 0)).toBeUndefined()
  })
})

/** The rule that a shop writes first: so many per address, so many in all, first come, first served. */
class FirstComeBudget {
  private readonly clients = new Map<string, number>()
  private all = 0
  take(address: string): number | undefined {
    const count = this.clients.get(clientOf(address)) ?? 0
    if (count >= 60 || this.all >= 600) return 60
    this.clients.set(clientOf(address), count + 1)
    this.all++
    return undefined
  }
}

describe("a few addresses that take all they can", () => {
  const attackers: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["ten IPv4 addresses", Array.from({ length: 10 }, (_, index) => `198.51.100.${index}`)],
    [
      "the networks of one /48",
      Array.from({ length: 1_000 }, (_, index) => `2001:db8:1:${index.toString(16)}::1`)
    ],
    [
      "the networks of ten /48",
      Array.from({ length: 100 }, (_, index) => `2001:db8:${index % 10}:${index}::1`)
    ]
  ]
  it.each(attackers)(
    "%s lock every new buyer out of a naive budget, and none out of ours",
    (_, addresses) => {
      const naive = new FirstComeBudget()
      expect(takenBy(naive, addresses, 60)).toBe(600)
      expect(naive.take("192.0.2.1")).toBeDefined()

      const ours = new ClientBudget({ perClient: 60, inAll: 600 })
      const taken = takenBy(ours, addresses, 60)
      expect(taken).toBeLessThanOrEqual(300)
      const buyers = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`)
      expect(takenBy(ours, buyers, 3)).toBe(300)
    }
  )
})

it("a quote that is given back can be taken again: of the client, and in total", () => {
  const budget = new ClientBudget({ perClient: 1, inAll: 2 })
  const isTaken = (client: string): boolean => budget.take(client, 0) === undefined
  expect(["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(isTaken)).toEqual([true, true, false])
  budget.giveBack("192.0.2.2", 0)
  expect(["192.0.2.1", "192.0.2.3", "192.0.2.2"].map(isTaken)).toEqual([false, true, false])
  budget.giveBack("192.0.2.1", 0)
  expect(["192.0.2.1", "192.0.2.4"].map(isTaken)).toEqual([true, false])
})

it("a quote that is given back counts no longer for its /48", () => {
  const budget = new ClientBudget({ perClient: 1, inAll: 100 })
  const takeFrom = (subnet: number) => budget.take(`2001:db8:1:${subnet}::1`, 0)
  expect([1, 2, 3, 4, 5].map((subnet) => takeFrom(subnet) === undefined)).toEqual([
    true,
    true,
    true,
    true,
    false
  ])
  budget.giveBack("2001:db8:1:4::1", 0)
  expect(takeFrom(5)).toBeUndefined()
})
