import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import { decideReplay } from "../../../src/toll/machine/ReplayDecision.ts"

const now = 1_700_000_000_000
const response = {
  status: 200,
  contentType: "application/json",
  body: { _tag: "Plain", text: "{}" }
} as const
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
  exposureAtomic: "0",
  settlesFirst: false,
  repeatKey: "",
  paymentId: "",
  transferLogIndex: undefined,
  reportedBy: undefined,
  awaitsFinality: false,
  refusedDigest: "",
  reopenings: 0,
  responseOwedUntilMillis: undefined,
  createdAtMillis: now - 1_000,
  claimedAfterBlock: "",
  state: "claimed",
  leaseOwner: "owner",
  leaseUntilMillis: now + 1_000,
  response: undefined,
  subject: undefined,
  receipt: undefined,
  attempts: 0,
  checkAfterMillis: 0,
  responseExpiredAtMillis: undefined,
  effectPending: false,
  refund: undefined,
  settledAtMillis: undefined,
  ...overrides
})

const lapsed = { leaseUntilMillis: now }
const claimed = charge({})
const ready = charge({ state: "ready", response: response })
const settled = charge({
  state: "settled",
  response: response,
  receipt,
  settledAtMillis: now - 500,
  settlement: ""
})
const tombstone = { ...settled, response: undefined }
const voided = charge({ state: "voided", settlement: "" })
const unapplied = { ...settled, effectPending: true }
const owing = { ...tombstone, settlesFirst: true, responseOwedUntilMillis: now + 1 }
const owedBack = { ...tombstone, refund: { _tag: "Due", startedAtMillis: undefined } } as const
const sentBack = { ...settled, refund: { _tag: "Sent", transaction: "0x05" } } as const
const own = { payloadDigest: "digest", sameRequest: true, replayableUntilMillis: now }

const decide = (found: Charge, presented: Partial<Parameters<typeof decideReplay>[1]> = {}): string => {
  const decision = decideReplay(found, { ...own, ...presented }, now)
  return decision._tag === "Refuse" ? decision.refusal.code : decision._tag
}

describe("the same payment for the same request", () => {
  it.each([
    ["waits while somebody works on it", claimed, "Wait"],
    ["takes up a claim that nobody holds any more", { ...claimed, ...lapsed }, "TakeOver"],
    ["waits while somebody settles it", ready, "Wait"],
    ["finishes what nobody is settling", { ...ready, ...lapsed }, "TakeOver"],
    ["gets the response replayed", settled, "Replay"],
    ["is given it again whoever holds the lease", { ...settled, ...lapsed }, "Replay"],
    ["learns that the recorded response is gone", tombstone, "payment_already_used"],
    ["waits while somebody looks into what was voided", voided, "Wait"],
    ["finishes what was voided and nobody looks into", { ...voided, ...lapsed }, "TakeOver"],
    ["waits while the settlement's effect is applied", unapplied, "Wait"],
    ["applies an effect that nobody applies", { ...unapplied, ...lapsed }, "TakeOver"],
    ["waits while the response that it is owed is produced", owing, "Wait"],
    ["has the response produced that it is owed", { ...owing, ...lapsed }, "TakeOver"],
    [
      "waits for the response that its holder may still deliver",
      { ...owing, responseOwedUntilMillis: now },
      "Wait"
    ],
    [
      "has its refund made due once the response is owed no longer",
      { ...owing, ...lapsed, responseOwedUntilMillis: now },
      "TakeOver"
    ],
    [
      "has the effect applied before the response is produced",
      { ...owing, ...lapsed, effectPending: true, responseOwedUntilMillis: now },
      "TakeOver"
    ],
    ["is refused as owed back", owedBack, "payment_refund_due"],
    [
      "is refused as owed back, whatever is pending",
      { ...owedBack, effectPending: true },
      "payment_refund_due"
    ],
    ["is refused as sent back", sentBack, "payment_refund_due"],
    [
      "is refused as sent back, once its settlement was undone",
      { ...ready, ...lapsed, refund: sentBack.refund },
      "payment_refund_due"
    ],
    [
      "is refused as sent back, once its settlement was undone without a response",
      { ...ready, ...lapsed, state: "voided", response: undefined, refund: sentBack.refund } as Charge,
      "payment_refund_due"
    ]
  ])("%s", (_, found, decision) => {
    expect(decide(found)).toBe(decision)
  })

  it("gets the response until it expires, and not a millisecond longer", () => {
    expect(decide(settled, { replayableUntilMillis: now })).toBe("Replay")
    expect(decide(settled, { replayableUntilMillis: now - 1 })).toBe("payment_already_used")
  })

  it("holds a lease up to its end", () => {
    expect(decide(charge({ leaseUntilMillis: now + 1 }))).toBe("Wait")
    expect(decide(charge({ leaseUntilMillis: now }))).toBe("TakeOver")
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
    ["settled, its response owed", { ...owing, ...lapsed }],
    ["owed back", owedBack],
    ["sent back", sentBack],
    ["a tombstone", tombstone]
  ])("is refused where the charge is %s", (_state, found) => {
    expect(decide(found, presented)).toBe("payment_already_used")
  })

  it("goes on where the charge is a dead claim of the very payment: nothing was bought by it", () => {
    const isSame = !("payloadDigest" in presented)
    expect(decide({ ...claimed, ...lapsed }, presented)).toBe(isSame ? "TakeOver" : "payment_already_used")
  })
})

it("reveals nothing of the bought request to a forger", () => {
  const forged = decideReplay(settled, { ...own, payloadDigest: "forged", sameRequest: false }, now)
  const alsoForged = decideReplay(settled, { ...own, payloadDigest: "forged" }, now)
  expect(forged).toEqual(alsoForged)
})

describe("a forged signature", () => {
  it("that was refused does not use up the payer's own payment", () => {
    const genuine = { payloadDigest: "genuine", proven: true }
    expect(decide({ ...voided, ...lapsed }, genuine)).toBe("TakeOver")
    expect(decide(voided, genuine)).toBe("Wait")
    expect(decide({ ...voided, ...lapsed }, { ...genuine, sameRequest: false })).toBe("TakeOver")
  })

  it.each([false, undefined])("gets nowhere, where it was found to be the payer's own: %s", (proven) => {
    const forged = { payloadDigest: "forged", ...(proven === undefined ? {} : { proven }) }
    expect(decide({ ...voided, ...lapsed }, forged)).toBe("payment_already_used")
  })

  it("of the payer's own key gets nowhere where something is due for the charge", () => {
    for (const found of [
      claimed,
      ready,
      settled,
      owedBack,
      { ...claimed, ...lapsed },
      { ...ready, ...lapsed }
    ])
      expect(decide(found, { payloadDigest: "other", proven: true }), found.state).toBe(
        "payment_already_used"
      )
  })
})

it("a refund that is due differs from one that was sent", () => {
  const words = [owedBack, sentBack].map((found) => {
    const decision = decideReplay(found, own, now)
    return decision._tag === "Refuse" ? decision.refusal.message : undefined
  })
  expect(words).toEqual([
    expect.stringContaining("will be refunded"),
    expect.stringContaining("has been refunded")
  ])
})
