import { describe, expect, it } from "vitest"
import type { Charge } from "../../src/ports/Charges.ts"
import { resumption } from "../../src/toll/Resume.ts"

const now = 1_700_000_000_000
const answer = { status: 200, contentType: "application/json", body: { _tag: "Plain", text: "{}" } } as const
const receipt = { success: true, transaction: "0x01", network: "eip155:84532", payer: "0x02" } as const

const charge = (overrides: Partial<Charge>): Charge => ({
  key: "key",
  payloadDigest: "digest",
  fingerprint: "1:fingerprint",
  operation: "search",
  network: "eip155:84532",
  asset: "0x03",
  payer: "0x02",
  payTo: "0x04",
  amountAtomic: "10000",
  validBeforeSeconds: now / 1000 + 120,
  x402Version: 2,
  settlement: "{}",
  createdAtMillis: now - 1_000,
  state: "claimed",
  leaseOwner: "owner",
  leaseUntilMillis: now + 1_000,
  answer: undefined,
  subject: undefined,
  receipt: undefined,
  firstClaimedAtMillis: 1_000,
  attempts: 0,
  checkAfterMillis: 0,
  answerExpiredAtMillis: undefined,
  effectPending: false,
  refund: undefined,
  settledAtMillis: undefined,
  ...overrides
})

const lapsed = { leaseUntilMillis: now }
const claimed = charge({})
const ready = charge({ state: "ready", answer })
const settled = charge({ state: "settled", answer, receipt, settledAtMillis: now - 500, settlement: "" })
const tombstone = { ...settled, answer: undefined }
const own = { payloadDigest: "digest", sameRequest: true, replayableUntilMillis: now }

const decide = (found: Charge, presented: Partial<typeof own> = {}): string => {
  const decision = resumption(found, { ...own, ...presented }, now)
  return decision._tag === "Refuse" ? decision.refusal.code : decision._tag
}

describe("the same payment for the same request", () => {
  it.each([
    ["waits while somebody works on it", claimed, "Wait"],
    ["takes up a claim that nobody holds any more", { ...claimed, ...lapsed }, "Finish"],
    ["waits while somebody settles it", ready, "Wait"],
    ["finishes what nobody is settling", { ...ready, ...lapsed }, "Finish"],
    ["is given the answer again", settled, "Replay"],
    ["is given it again whoever holds the lease", { ...settled, ...lapsed }, "Replay"],
    ["is told that the answer's record is gone", tombstone, "payment_already_used"]
  ])("%s", (_, found, decision) => {
    expect(decide(found)).toBe(decision)
  })

  it("is given the answer until its time is over, and not a millisecond longer", () => {
    expect(decide(settled, { replayableUntilMillis: now })).toBe("Replay")
    expect(decide(settled, { replayableUntilMillis: now - 1 })).toBe("payment_already_used")
  })

  it("holds a lease up to its end", () => {
    expect(decide(charge({ leaseUntilMillis: now + 1 }))).toBe("Wait")
    expect(decide(charge({ leaseUntilMillis: now }))).toBe("Finish")
  })
})

describe.each([
  ["another payload with the same payer and nonce", { payloadDigest: "forged" }],
  ["the same payment for another request", { sameRequest: false }],
  ["another payload for another request", { payloadDigest: "forged", sameRequest: false }]
])("%s", (_, presented) => {
  it.each([
    ["claimed", claimed],
    ["ready", ready],
    ["ready, its lease lapsed", { ...ready, ...lapsed }],
    ["settled", settled],
    ["a tombstone", tombstone]
  ])("is refused where the charge is %s", (_state, found) => {
    expect(decide(found, presented)).toBe("payment_already_used")
  })

  it("goes on where the charge is a dead claim of the very payment: nothing was bought by it", () => {
    const isSame = !("payloadDigest" in presented)
    expect(decide({ ...claimed, ...lapsed }, presented)).toBe(isSame ? "Finish" : "payment_already_used")
  })
})

it("tells a forger nothing of the request that was bought", () => {
  const forged = resumption(settled, { ...own, payloadDigest: "forged", sameRequest: false }, now)
  const alsoForged = resumption(settled, { ...own, payloadDigest: "forged" }, now)
  expect(forged).toEqual(alsoForged)
})
