import { describe, expect, it } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import { nowMillis, presented, charges, everyFacts } from "./chargePaths.ts"

const met = (charge: Charge, changes: Partial<typeof presented> = {}, patient = true): ChargeStep => {
  const found = { charge, presented: { ...presented, ...changes } }
  return next([{ _tag: "Find" }], { _tag: "Found", found, patient, nowMillis }, everyFacts[0]!)[0]
}

describe("a payment that meets a charge of its key", () => {
  const expected: ReadonlyArray<readonly [string, string]> = [
    ["a claim that runs", "Wait"],
    ["a claim that lapsed", "TakeOver"],
    ["a response that is being settled", "Wait"],
    ["a response that no process settles", "TakeOver"],
    ["a settled charge", "Replay"],
    ["a settled charge whose effect is pending", "TakeOver"],
    ["a settled charge whose response has expired", "payment_already_used"],
    ["a settled charge that is owed back", "payment_refund_due"],
    ["a settled charge that was sent back", "payment_refund_due"],
    ["a voided charge", "TakeOver"],
    ["a settled charge whose proof isn't final", "Replay"],
    ["a settled charge whose response is owed", "TakeOver"],
    ["a settled charge whose response is being produced", "Wait"],
    ["a settled charge whose response was owed for too long", "TakeOver"],
    ["a voided charge that is looked after", "Wait"],
    ["a refunded charge that was reopened", "payment_refund_due"],
    ["a refunded charge that was reopened and has no response", "payment_refund_due"]
  ]
  const endingOf = (step: ChargeStep): string =>
    step._tag !== "End"
      ? step._tag
      : step.ending._tag === "Refused"
        ? step.ending.refusal.code
        : step.ending._tag
  it.each(charges)("%s", (name, charge) => {
    expect(endingOf(met(charge))).toBe(new Map(expected).get(name))
  })
  it("of another payload: refused", () => {
    for (const [name, charge] of charges) {
      const step = met(charge, { payloadDigest: "forged" })
      expect(endingOf(step), name).toBe("payment_already_used")
    }
  })
  it("for another request: refused, but where nothing is due for the charge", () => {
    for (const [name, charge] of charges) {
      const step = endingOf(met(charge, { sameRequest: false }))
      const isOpen =
        name === "a claim that lapsed" || (charge.state === "voided" && charge.refund === undefined)
      expect(step === "payment_already_used", name).toBe(!isOpen)
    }
  })
  it("and can't wait any longer: in progress", () => {
    expect(endingOf(met(charges[0]![1], {}, false))).toBe("InProgress")
  })
})
