import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { sampleTrackResult } from "../../../../testing/src/samples.ts"
import {
  buy,
  expectFailed,
  expectRefused,
  openTill,
  search,
  track,
  vaultBuy,
  vaultSearch,
  workDone
} from "../openTill.ts"

type Shop = Awaited<ReturnType<typeof openTill>>
type Call = typeof search

const stranger = () => privateKeyToAccount(generatePrivateKey())
const paymentsFor = (shop: Shop, call: Call, count: number) =>
  Promise.all(Array.from({ length: count }, () => shop.payFor(call)))
const presentAll = (shop: Shop, call: Call, payments: ReadonlyArray<string>) =>
  Promise.all(payments.map((payment) => shop.present(call, payment)))
const chargesOf = async (shop: Shop) => (await shop.till.charges.list()).map(({ state }) => state)

/** Tracks as many shipments at once: the same number would be looked up once. */
const trackAll = async (shop: Shop, count: number) => {
  const calls = Array.from({ length: count }, (_, call) => ({ path: `${track.path}${call}` }))
  const payments = await Promise.all(calls.map((call) => shop.payFor(call)))
  return Promise.all(calls.map((call, index) => shop.present(call, payments[index]!)))
}

/** Has lookups of shipments counted: the most at a time. */
const countTracks = (shop: Shop, millis = 20) => {
  let running = 0
  const counts = { most: 0 }
  shop.tracker.track.returns(async ({ number }) => {
    counts.most = Math.max(counts.most, ++running)
    await new Promise((resolve) => setTimeout(resolve, millis))
    running--
    return sampleTrackResult(number)
  })
  return counts
}

describe("a payment that is refused before it is claimed", () => {
  it.each([
    ["insufficient_funds", "by the facilitator, for lack of money"],
    ["invalid_exact_evm_nonce_already_used", "by the facilitator, for its nonce"]
  ])("leaves nothing behind: %s", async (reason) => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.rejectsVerification(reason)
    for (const payment of await paymentsFor(shop, search, 5))
      expectRefused(await shop.present(search, payment), reason)
    expect(await chargesOf(shop)).toEqual([])
    expect(workDone(shop)).toBe(0)
  })

  it("leaves nothing behind where the facilitator is down", async () => {
    const shop = await openTill()
    shop.facilitator.verify.failsWith(new Error("down"))
    for (const { status } of await presentAll(shop, search, await paymentsFor(shop, search, 3)))
      expect(status).toBe(503)
    expect(await chargesOf(shop)).toEqual([])
  })
})

it("a facilitator that verifies nothing is reported at most once a minute, with the number of failed calls", async () => {
  const shop = await openTill()
  const outages = () => shop.events.filter(({ code }) => code === "facilitator_unavailable")
  const payments = await paymentsFor(shop, search, 5)
  shop.facilitator.verify.failsWith(new Error("down"))
  await presentAll(shop, search, payments.slice(0, 3))
  expect(outages()).toEqual([
    {
      level: "error",
      code: "facilitator_unavailable",
      message: expect.stringMatching(
        /^The facilitator verifies no payment \(.+\), so none can be accepted: check facilitator\.url .* docs\/facilitator\.md for one in this process\..*: 1$/
      ),
      port: "facilitator",
      network: "eip155:84532",
      reason: expect.any(String)
    }
  ])
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
  onTestFinished(() => void vi.useRealTimers())
  await presentAll(shop, search, payments.slice(3))
  expect(outages().map(({ message }) => message.slice(-3))).toEqual([": 1", ": 3"])
})

it("a facilitator that verifies nothing is reported with the reason of one in this process, or where another is looked up", async () => {
  const out = Object.assign(new Error("no coin"), { reason: "relayer_out_of_funds" })
  const local = { verify: () => Promise.reject(out), settle: () => Promise.reject(out) }
  for (const [facilitator, reason, text] of [
    [local, "relayer_out_of_funds", "for one in this process"],
    [{ url: "http://127.0.0.1:1" }, expect.any(String), "check facilitator.url and its headers"]
  ] as const) {
    const shop = await openTill({ facilitator })
    const payment = await shop.payFor(search)
    expectFailed(await shop.present(search, payment), 503, "FACILITATOR_UNAVAILABLE")
    const message = expect.stringContaining(text)
    expect(shop.events).toContainEqual(
      expect.objectContaining({ code: "facilitator_unavailable", reason, message })
    )
  }
})

it("copies of a payment that is being verified wait for the first: one verification, one settlement", async () => {
  const shop = await openTill()
  shop.facilitator.verify.delays(30)
  const payment = await shop.payFor(search)
  const responses = await Promise.all(Array.from({ length: 10 }, () => shop.present(search, payment)))
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
  expect([shop.facilitator.verify.calls.length, shop.facilitator.settled.length]).toEqual([1, 1])
})

it("only 64 copies of a payment wait while it is verified: the others get a 409 at once", async () => {
  const shop = await openTill()
  const held = Promise.withResolvers<void>()
  shop.facilitator.verify.returns(async () => {
    await held.promise
    return { isValid: true }
  })
  const payment = await shop.payFor(search)
  const ended: Array<number> = []
  const responses = Array.from({ length: 100 }, async () => {
    const { status } = await shop.present(search, payment)
    ended.push(status)
    return status
  })
  await vi.waitFor(() => expect(ended.length).toBeGreaterThan(0))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(ended).toEqual(Array.from({ length: 35 }, () => 409))
  held.resolve()
  expect((await Promise.all(responses)).filter((status) => status === 200)).toHaveLength(65)
  expect(shop.facilitator.settled).toHaveLength(1)
})

it("payers who have settled here share verifications fairly: one with many payments doesn't take them all", async () => {
  const shop = await openTill({ limits: { unsettled: 4, failedPayerMillis: 0 } })
  const other = stranger()
  for (const account of [undefined, other])
    await shop.present(search, await shop.payFor(search, account && { account }))
  const held = Promise.withResolvers<void>()
  let running = 0
  let most = 0
  const verified: Array<string> = []
  shop.facilitator.verify.returns(async (payment) => {
    const payer = (payment as { payload: { authorization: { from: string } } }).payload.authorization.from
    most = Math.max(most, ++running)
    await held.promise
    running--
    verified.push(payer)
    return { isValid: true, payer }
  })
  const many = presentAll(shop, search, await paymentsFor(shop, search, 12))
  await vi.waitFor(() => expect(running).toBe(4))
  const one = shop.present(search, await shop.payFor(search, { account: other }))
  held.resolve()
  expect((await one).status).toBe(200)
  await many
  expect(most).toBe(4)
  expect(verified.indexOf(other.address)).toBeLessThan(8)
})

it("strangers share verifications fairly: a site with a /48 of addresses counts as one", async () => {
  const shop = await openTill({ limits: { unverified: 4, failedPayerMillis: 0 } })
  const held = Promise.withResolvers<void>()
  const newcomer = stranger()
  let running = 0
  const verified: Array<string> = []
  shop.facilitator.verify.returns(async (payment) => {
    const payer = (payment as { payload: { authorization: { from: string } } }).payload.authorization.from
    running++
    await held.promise
    verified.push(payer)
    return { isValid: false, invalidReason: "insufficient_funds" }
  })
  const many = (await paymentsFor(shop, search, 12)).map((payment, index) =>
    shop.present(search, payment, `2001:db8:1:${index}::1`)
  )
  await vi.waitFor(() => expect(running).toBe(4))
  await new Promise((resolve) => setTimeout(resolve, 20))
  const one = shop.present(search, await shop.payFor(search, { account: newcomer }), "192.0.2.1")
  await new Promise((resolve) => setTimeout(resolve, 20))
  held.resolve()
  expectRefused(await one, "insufficient_funds")
  await Promise.all(many)
  expect(verified.indexOf(newcomer.address)).toBeLessThan(5)
})

it("a payer short of money on one network is not refused on another", async () => {
  const shop = await openTill({ networks: ["base-sepolia", "base"] })
  const account = stranger()
  shop.facilitator.rejectsVerification("insufficient_funds")
  expectRefused(await shop.present(search, await shop.payFor(search, { account })), "insufficient_funds")
  shop.facilitator.verify.reset()
  expectRefused(await shop.present(search, await shop.payFor(search, { account })), "insufficient_funds")
  const elsewhere = await shop.present(search, await shop.payFor(search, { account, option: 1 }))
  expect([elsewhere.status, shop.facilitator.verify.calls.length]).toEqual([200, 1])
})

it("a payment that waited for another of its payer, who could not pay, is told so", async () => {
  const shop = await openTill({ limits: { unsettledPerPayer: 1 } })
  const held = Promise.withResolvers<void>()
  shop.facilitator.verify.returns(async () => {
    await held.promise
    return { isValid: false, invalidReason: "insufficient_funds" }
  })
  const both = presentAll(shop, search, await paymentsFor(shop, search, 2))
  await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(1))
  held.resolve()
  const errors = (await both).map(({ text }) => text)
  expect(errors.filter((text) => text.includes("the payer could not pay a moment ago"))).toHaveLength(1)
  expect(errors.filter((text) => text.includes("the facilitator refused the payment"))).toHaveLength(1)
  expect(shop.facilitator.verify.calls).toHaveLength(1)
})

describe("unsettled work of one payer", () => {
  it("that waits keeps nothing which another could use", async () => {
    const shop = await openTill({ limits: { lossPerHour: "1.10" } })
    const held = Promise.withResolvers<void>()
    shop.tracker.track.returns(async ({ number }) => {
      await held.promise
      return sampleTrackResult(number)
    })
    const present = async (account: ReturnType<typeof stranger>) =>
      shop.present(track, await shop.payFor(track, { account }))
    const one = stranger()
    const calls = [present(one), present(one), present(one)]
    await vi.waitFor(() => expect(shop.tracker.track.calls).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    // The budget is two calls of 0.52.
    calls.push(present(stranger()))
    await vi.waitFor(() => expect(shop.tracker.track.calls).toHaveLength(2))
    held.resolve()
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it("is one call of 0.52 at a time to begin with, and more with what has settled", async () => {
    const shop = await openTill()
    const counts = countTracks(shop)
    const first = await trackAll(shop, 3)
    expect(first.map(({ status }) => status)).toEqual([200, 200, 200])
    // By the third, one had settled: 0.10 + 0.52 is less than two calls.
    expect(counts.most).toBe(1)
    counts.most = 0
    await trackAll(shop, 6)
    expect(counts.most).toBeGreaterThan(1)
    expect(counts.most).toBeLessThanOrEqual(9)
  })

  it("leaves ten parallel searches of an agent alone", async () => {
    const shop = await openTill()
    let running = 0
    let most = 0
    shop.marketplace.search.returns(async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running--
      return { products: [], totalResults: 0, hasMore: false }
    })
    const responses = await presentAll(shop, search, await paymentsFor(shop, search, 10))
    expect(responses.map(({ status }) => status)).toEqual(Array.from(responses, () => 200))
    expect(most).toBe(10)
  })

  it("that nobody paid for is never more than the bound, however many payments are signed", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.rejectsSettlement("insufficient_funds")
    const payments = await paymentsFor(shop, track, 20)
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
    try {
      const running = presentAll(shop, track, payments)
      // The first one was not paid for: one more is verified, and none of the rest while that waits for room.
      await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(2))
      // Past the time that calls wait for room.
      vi.setSystemTime(Date.now() + 11_000)
      const responses = await running
      expect(responses.filter(({ status }) => status === 402)).toHaveLength(1)
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(19)
    } finally {
      vi.useRealTimers()
    }
    expect(workDone(shop)).toBe(1)
  })
})

describe("a payer who has paid", () => {
  it("is verified before all work, whatever they have just paid", async () => {
    const shop = await openTill()
    for (const call of [track, search, vaultSearch, vaultBuy, buy, search])
      expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    expect(shop.facilitator.verify.calls).toHaveLength(6)
    const before = workDone(shop)
    shop.facilitator.rejectsVerification("insufficient_funds")
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expect(workDone(shop)).toBe(before)
  })

  it("is served 64 concurrent calls", async () => {
    const shop = await openTill()
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    const responses = await presentAll(shop, search, await paymentsFor(shop, search, 64))
    expect(responses.map(({ status }) => status)).toEqual(Array.from(responses, () => 200))
    expect([workDone(shop), shop.facilitator.settled.length]).toEqual([65, 65])
  })

  it.each(["the facilitator", "an upstream"])(
    "is served again after ten minutes without %s",
    async (what) => {
      const shop = await openTill()
      expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
      const down = what === "an upstream" ? shop.marketplace.search : shop.facilitator.verify
      down.failsWith(new Error("reset by peer"))
      onTestFinished(() => void vi.useRealTimers())
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
      for (let minute = 0; minute < 10; minute++) {
        const { status } = await shop.present(search, await shop.payFor(search))
        expect([502, 503]).toContain(status)
        vi.setSystemTime(Date.now() + 60_000)
      }
      down.reset()
      expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    }
  )
})

it("work that fails for strangers is bounded by the same budget as work that is not paid for", async () => {
  const shop = await openTill({ limits: { lossPerHour: "1.04" } })
  shop.tracker.track.failsWith(new Error("reset by peer"))
  for (let attempt = 0; attempt < 2; attempt++) {
    const payment = await shop.payFor(track, { account: stranger() })
    expect((await shop.present(track, payment)).status).toBe(502)
  }
  const payment = await shop.payFor(track, { account: stranger() })
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  try {
    const waiting = shop.present(track, payment)
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(3))
    vi.setSystemTime(Date.now() + 11_000)
    expect((await waiting).status).toBe(429)
  } finally {
    vi.useRealTimers()
  }
  expect(workDone(shop)).toBe(2)
})

it("work that fails for one payer leaves new payers the rest of that budget", async () => {
  const shop = await openTill()
  shop.tracker.track.returns(async ({ number }) => {
    if (number === "1Z999AA10000000000") throw new Error("reset by peer")
    return sampleTrackResult(number)
  })
  const failing = { path: "/x402/track?number=1Z999AA10000000000" }
  const present = async () => shop.present(failing, await shop.payFor(failing), "192.0.2.9")
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  try {
    // A tenth of 20.00 is three calls of 0.52.
    for (let call = 0; call < 3; call++) expect((await present()).status).toBe(502)
    const waiting = present()
    await vi.waitFor(() => expect(shop.facilitator.verify.calls).toHaveLength(4))
    await new Promise((resolve) => setTimeout(resolve, 50))
    const newcomer = await shop.payFor(track, { account: stranger() })
    expect((await shop.present(track, newcomer, "198.51.100.7")).status).toBe(200)
    vi.setSystemTime(Date.now() + 11_000)
    expect((await waiting).status).toBe(429)
  } finally {
    vi.useRealTimers()
  }
  expect(workDone(shop)).toBe(4)
})

it("losses to strangers have a budget; payers who have paid as much are not refused for it", async () => {
  const shop = await openTill({ limits: { lossPerHour: "1.00", failedPayerMillis: 0 } })
  const payer = await shop.present(track, await shop.payFor(track))
  expect(payer.status).toBe(200)
  shop.facilitator.rejectsSettlement("insufficient_funds")
  let stolen = 0
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = workDone(shop)
      const presenting = shop.present(track, await shop.payFor(track, { account: stranger() }))
      const response = await Promise.race([
        presenting,
        new Promise<undefined>((resolve) => setTimeout(resolve, 200, undefined))
      ])
      if (response === undefined) vi.setSystemTime(Date.now() + 11_000)
      expect([402, 429]).toContain((await presenting).status)
      stolen += workDone(shop) - before
    }
  } finally {
    vi.useRealTimers()
  }
  // 1.00 is one call of 0.52, and what refilled meanwhile is less than another.
  expect(stolen).toBe(1)
  shop.facilitator.settle.reset()
  expect((await shop.present(track, await shop.payFor(track))).status).toBe(200)
})

describe("where a till takes real money and play money", () => {
  /** Shipments that are tracked on base at once, for payments that don't settle, after ten were paid on a network. */
  const trackedUnpaid = async (earnedOn: "base" | "base-sepolia"): Promise<number> => {
    const networks = ["base", "base-sepolia"] as const
    const shop = await openTill({ networks, allowPlayMoney: true })
    countTracks(shop, 50)
    const account = stranger()
    const pay = async (network: (typeof networks)[number], number: number) => {
      const call = { path: `${track.path}${number}` }
      const payment = await shop.payFor(call, { account, option: networks.indexOf(network) })
      return shop.present(call, payment)
    }
    for (let number = 0; number < 10; number++) expect((await pay(earnedOn, number)).status).toBe(200)
    shop.facilitator.rejectsSettlement("insufficient_funds")
    await Promise.all(Array.from({ length: 12 }, (_, number) => pay("base", 100 + number)))
    return shop.tracker.track.calls.length - 10
  }

  it("a payer who has paid real money is trusted with as much work", async () =>
    expect(await trackedUnpaid("base")).toBeGreaterThan(5))

  it("one who has paid play money is trusted with no more than a new one", async () =>
    expect(await trackedUnpaid("base-sepolia")).toBe(1))
})
