import { describe, expect, it } from "vitest"
import { OpenCalls, type OpenLimits } from "../../../src/toll/limits/OpenCalls.ts"
import { openAttempt } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { nowSeconds, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

/** A call with a payment of a payer, whose signature is theirs. */
const attemptOf = (
  nonce: number,
  { client = "192.0.2.1", from = 1, isProven = true, settlesFirst = false } = {}
) => {
  const payer = `0x${String(from).padStart(40, "0")}` as const
  const payload = payloadV2({ nonce: `0x${String(nonce).padStart(64, "0")}`, from: payer })
  const attempt = openAttempt(
    tollRequest(payload, { settlesFirst, clientAddress: () => client }),
    { ...sepolia, separator: "0x00" },
    { owner: "me", nowMillis: () => nowSeconds * 1_000, waitMillis: 10_000, canReadChain: false }
  )
  attempt.learned.isProven = isProven
  return attempt
}

type Attempt = ReturnType<typeof attemptOf>

/** Counts calls within limits: by default two payments, of 10 together. */
const open = ({ maxAtomic = 10n, maxPayments = 2 }: Partial<OpenLimits> = {}) => {
  const calls = new OpenCalls()
  const enter = (attempt: Attempt, atomic = 1n) => calls.enter(attempt, atomic, { maxAtomic, maxPayments })
  return { calls, enter }
}

describe("a payer's open calls", () => {
  it("are limited in number: one that ends leaves its place, once", () => {
    const { enter } = open()
    const [first, second, third, fourth] = [1, 2, 3, 4].map((nonce) => attemptOf(nonce)) as [
      Attempt,
      Attempt,
      Attempt,
      Attempt
    ]
    expect([enter(first), enter(second), enter(third)]).toEqual([true, true, false])
    // It holds nothing that it could leave.
    expect([third.releases.release("openCall"), enter(third)]).toEqual([false, false])
    expect([first.releases.release("openCall"), first.releases.release("openCall")]).toEqual([true, false])
    expect([enter(third), enter(fourth)]).toEqual([true, false])
  })

  it("count once if they enter again, as a call does that verifies twice", () => {
    const { calls, enter } = open({ maxPayments: 1 })
    const first = attemptOf(1)
    expect([enter(first), enter(first)]).toEqual([true, true])
    first.releases.release("openCall")
    expect([calls.size, enter(attemptOf(2))]).toEqual([0, true])
  })

  it("are limited in amount: what ends no longer counts", () => {
    const { enter } = open({ maxPayments: 10 })
    const first = attemptOf(1)
    expect([enter(first, 6n), enter(attemptOf(2), 5n), enter(attemptOf(3), 4n)]).toEqual([true, false, true])
    first.releases.release("openCall")
    expect([enter(attemptOf(4), 7n), enter(attemptOf(5), 6n)]).toEqual([false, true])
  })

  it("may be one of any amount, beside others that cost nothing", () => {
    const { enter } = open({ maxPayments: 10 })
    expect([enter(attemptOf(1), 0n), enter(attemptOf(2), 11n)]).toEqual([true, true])
    expect([enter(attemptOf(3), 0n), enter(attemptOf(4), 1n)]).toEqual([true, false])
  })

  it("leave the payer room at another address: those may be copies of what the payer has paid elsewhere", () => {
    const { enter } = open({ maxPayments: 1 })
    expect([enter(attemptOf(1)), enter(attemptOf(2)), enter(attemptOf(3, { client: "192.0.2.2" }))]).toEqual([
      true,
      false,
      true
    ])
    const ofNeighbors = [1, 2].map((subnet) => attemptOf(3 + subnet, { client: `2001:db8:7:${subnet}::9` }))
    expect(ofNeighbors.map((attempt) => enter(attempt))).toEqual([true, false])
  })

  it("count a payment once, until the last of its calls ends", () => {
    const { enter } = open({ maxPayments: 1 })
    const copies = [1, 1, 1].map((nonce) => attemptOf(nonce))
    expect(copies.map((copy) => enter(copy, 10n))).toEqual([true, true, true])
    for (const copy of copies) {
      expect(enter(attemptOf(2))).toBe(false)
      copy.releases.release("openCall")
    }
    const next = attemptOf(2)
    expect(enter(next, 10n)).toBe(true)
    // The amount counted once, and left once.
    next.releases.release("openCall")
    expect([enter(attemptOf(3), 10n), enter(attemptOf(4))]).toEqual([true, false])
  })

  it("leave what they counted, though another call with their payment is for another amount", () => {
    const { enter } = open({ maxPayments: 10 })
    const [first, copy] = [attemptOf(1), attemptOf(1)]
    expect([enter(attemptOf(2), 4n), enter(first, 1n), enter(copy, 9n)]).toEqual([true, true, true])
    first.releases.release("openCall")
    copy.releases.release("openCall")
    expect([enter(attemptOf(3), 7n), enter(attemptOf(4), 6n)]).toEqual([false, true])
  })

  it("are forgotten when all have ended", () => {
    const { calls, enter } = open()
    const attempts = [attemptOf(1), attemptOf(2), attemptOf(3, { settlesFirst: true })]
    expect([attempts.map((attempt) => enter(attempt)), calls.size]).toEqual([[true, true, true], 2])
    const sizes = attempts.map(({ releases }) => {
      releases.release("openCall")
      return calls.size
    })
    expect(sizes).toEqual([2, 1, 0])
  })

  it("count apart from those of another payer, and from payments that settle first", () => {
    const { enter } = open({ maxPayments: 1 })
    expect(enter(attemptOf(1))).toBe(true)
    expect([enter(attemptOf(2, { from: 2 })), enter(attemptOf(3, { settlesFirst: true }))]).toEqual([
      true,
      true
    ])
    expect([
      enter(attemptOf(4)),
      enter(attemptOf(5, { from: 2 })),
      enter(attemptOf(6, { settlesFirst: true }))
    ]).toEqual([false, false, false])
  })

  it("don't count where the signature isn't proven: it may be a forgery in the payer's name", () => {
    const { enter } = open({ maxPayments: 1 })
    const forged = [1, 2].map((nonce) => attemptOf(nonce, { isProven: false }))
    expect(forged.map((each) => enter(each, 11n))).toEqual([true, true])
    expect([enter(attemptOf(3), 10n), forged[0]?.releases.release("openCall")]).toEqual([true, false])
    expect(forged.map((each) => enter(each))).toEqual([true, true])
  })
})
