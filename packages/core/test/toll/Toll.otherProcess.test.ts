import { describe, expect, it, vi } from "vitest"
import { operation, type TillOptions } from "../../src/index.ts"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import { expectRefused, jsonOf, openTill, search, track, workDone } from "./openTill.ts"
import { headerOf, payChallenge } from "./wallet.ts"

/*
 * A payment of a payer who has paid here. A copy of it may have bought something before, in another process.
 */

/** Two processes with one database. The payer has paid at both; `seller` sells, `other` hasn't seen its payments. */
const openTwo = async (options: Partial<TillOptions> = {}) => {
  const { storage } = sharedDatabase()
  const open = () => openTill({ storage: storage(), ...options })
  const [seller, other] = [await open(), await open()]
  for (const till of [seller, other])
    for (let paid = 0; paid < 2; paid++)
      expect((await till.present(track, await till.payFor(track))).status).toBe(200)
  const before = { work: workDone(other), verified: other.facilitator.verify.calls.length }
  /** What the other process has done since. */
  const since = () => ({
    work: workDone(other) - before.work,
    verified: other.facilitator.verify.calls.length - before.verified
  })
  return { seller, other, since }
}

const nothing = { work: 0, verified: 0 }

it("gets the response that its copy bought in another process", async () => {
  const { other, seller, since } = await openTwo()
  const payment = await seller.payFor(search)
  const sold = await seller.present(search, payment)
  const copy = await other.present(search, payment)
  expect([copy.status, copy.text]).toEqual([200, sold.text])
  expect(copy.headers.get("payment-response")).toBe(sold.headers.get("payment-response"))
  expect(since()).toEqual(nothing)
})

it("gets that response though its time is over", async () => {
  const { other, seller, since } = await openTwo()
  const payment = await seller.payFor(search)
  const sold = await seller.present(search, payment)
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 200_000 })
  const copy = await other.present(search, payment).finally(() => vi.useRealTimers())
  expect([copy.status, copy.text]).toEqual([200, sold.text])
  expect(since()).toEqual(nothing)
})

it("waits for a copy that another process works on", async () => {
  const { other, seller, since } = await openTwo()
  seller.marketplace.search.delays(300)
  const payment = await seller.payFor(search)
  const first = seller.present(search, payment)
  await vi.waitFor(() => expect(seller.marketplace.search.calls).toHaveLength(1))
  const copy = await other.present(search, payment)
  expect([copy.status, copy.text]).toEqual([200, (await first).text])
  expect(since()).toEqual(nothing)
})

it("buys nothing more with another request, or another signature", async () => {
  const { other, seller, since } = await openTwo()
  const payment = await payChallenge(await seller.challenge(search), { withoutResource: true })
  expect((await seller.present(search, headerOf(payment))).status).toBe(200)
  const elsewhere = { path: "/x402/search?q=bag" }
  expectRefused(await other.present(elsewhere, headerOf(payment)), "payment_already_used")
  const forged = { ...payment, payload: { ...payment.payload, signature: `0x${"11".repeat(64)}1b` as const } }
  expectRefused(await other.present(search, headerOf(forged)), "payment_already_used")
  expect(since()).toEqual(nothing)
})

it("gets that response though its price can't be computed any more", async () => {
  let fails = false
  const quote = operation({
    id: "quote",
    method: "GET",
    path: "/quote",
    description: "Counts letters",
    price: {
      min: "0.01",
      max: "0.05",
      of: () => {
        if (fails) throw new Error("no price")
        return "0.02"
      }
    },
    work: () => ({ letters: 2 })
  })
  const { other, seller } = await openTwo({ operations: [quote] })
  const call = { path: "/quote" }
  const payment = await seller.payFor(call)
  const sold = await seller.present(call, payment)
  expect(sold.status).toBe(200)
  fails = true
  const copy = await other.present(call, payment)
  expect([copy.status, copy.text]).toEqual([200, sold.text])
})

describe("after a rotation of the host's key", () => {
  const [key, next] = ["1", "2"].map((id) => ({
    id,
    secret: `a text ${id} that nobody can guess, of 32 characters`
  }))
  const openRotated = async () => {
    const { storage } = sharedDatabase()
    const old = await openTill({ storage: storage(), secret: [key!] })
    const seller = await openTill({ storage: storage(), secret: [next!, key!] })
    const payment = await seller.payFor(track)
    const sold = await seller.present(track, payment)
    return { old, seller, payment, sold }
  }

  it("a process without the new key asks nobody to pay again, and says what is missing", async () => {
    const { old, payment, seller, sold } = await openRotated()
    expect(sold.status).toBe(200)
    const copy = await old.present(track, payment)
    expect([copy.status, jsonOf(copy)["code"]]).toEqual([503, "STORAGE_UNAVAILABLE"])
    expect(old.events).toContainEqual(
      expect.objectContaining({ code: "storage_failed", error: "secret lacks the key of a stored payment" })
    )
    expect((await seller.present(track, payment)).text).toBe(sold.text)
    expect((await old.present(search, await old.payFor(search))).status).toBe(200)
  })
})
