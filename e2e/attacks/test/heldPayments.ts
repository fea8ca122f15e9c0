import type { FacilitatorClient } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { type ReceivedResponse, type Call } from "../src/Calls.ts"
import { openOurs } from "../src/Ours.ts"
import type { Payment } from "../src/Payments.ts"
import { introduce, type Standing } from "../src/Standing.ts"
import { type Visitor, visit } from "../src/Visitor.ts"

/** Presents one payment for several calls while the first is at work. */
export const presentTogether = (visitor: Visitor, payment: Payment, all: ReadonlyArray<Call>) =>
  Promise.all(all.map((call) => visitor.present(call, payment)))

/** A till whose facilitator holds the first settlement back, so that its charge stays open until it is let go. */
export const openHeld = async (standing: Standing = "new") => {
  const facilitator = fakeFacilitator()
  let isHolding = false
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  const held: FacilitatorClient = {
    verify: facilitator.verify,
    settle: async (payment, requirements) => {
      if (isHolding) {
        reached.resolve()
        await gate.promise
      }
      return facilitator.settle(payment, requirements)
    }
  }
  const server = await openOurs(held)
  const visitor = visit(server)
  await introduce(visitor, standing, facilitator)
  isHolding = true
  /** Presents a payment and resolves once its work is done and it is about to settle. */
  const claim = async (
    call: Call,
    payment: Payment
  ): Promise<{ readonly response: Promise<ReceivedResponse> }> => {
    const response = visitor.present(call, payment)
    await reached.promise
    return { response }
  }
  return { server, facilitator, visitor, claim, letGo: gate.resolve }
}
