import type { Charge } from "../../ports/Charges.ts"
import type { Refusal } from "../request/Verdict.ts"

/**
 * What to do when a payment finds the charge of an earlier request with the same key. `Replay`: return the recorded
 * response. `Wait`: another call or process holds the charge. `TakeOver`: its lease has expired, so first take it over
 * and complete it. That includes claims: their holder may be slow rather than dead, and must lose its lease before
 * another caller learns that nothing was charged.
 */
export type ReplayDecision =
  | { readonly _tag: "Replay" }
  | { readonly _tag: "TakeOver" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Refuse"; readonly refusal: Refusal }

const refuse = (code: string, message: string): ReplayDecision => ({
  _tag: "Refuse",
  refusal: { code, message }
})

const alreadyUsed = "this payment has been used; sign a new one"

/** The response can't be replayed any more. Names what the payment bought, so that its owner doesn't pay again. */
const refuseReplay = ({ subject }: Charge): ReplayDecision =>
  subject === undefined
    ? refuse("payment_already_used", `${alreadyUsed}; its response can't be replayed any more`)
    : {
        _tag: "Refuse",
        refusal: {
          code: "payment_already_used",
          message: "this payment has bought this, and its response can't be sent again; don't pay again",
          bought: subject
        }
      }

export const otherRequest = "this payment was made for another request; a payment buys one request"
export const sentBack = "this payment has been refunded; sign a new one to buy"

/** A payment as presented, compared with the charge of an earlier request with the same key. */
export interface Presented {
  readonly payloadDigest: string
  /** The charge's fingerprint is that of the presented request. */
  readonly sameRequest: boolean
  /** The presented signature is the payer's own. Only read for a voided charge. */
  readonly proven?: boolean
  /** Until when the response is replayed, in milliseconds since the epoch. */
  readonly replayableUntilMillis: number
}

/** Decides about a replay. Pure. */
export const decideReplay = (charge: Charge, presented: Presented, nowMillis: number): ReplayDecision => {
  const lapsed = charge.leaseUntilMillis <= nowMillis
  // Payer and nonce are public once settled: a replay needs the payment itself, signature included. A voided charge may
  // come from a forgery that was refused: the payer's own payment, by its signature, may take its place.
  const mayReplaceForgery = charge.state === "voided" && presented.proven === true
  if (charge.payloadDigest !== presented.payloadDigest && !mayReplaceForgery)
    return refuse("payment_already_used", alreadyUsed)
  // A refunded payment buys nothing, even if a reorganization has undone its settlement.
  if (charge.refund?._tag === "Sent")
    return presented.sameRequest
      ? refuse("payment_refund_due", sentBack)
      : refuse("payment_already_used", otherRequest)
  // Nothing is due for a voided charge, nor for a claim with an expired lease: once it is completed, the payment may
  // buy this request or another one.
  if (charge.state === "voided") return lapsed ? { _tag: "TakeOver" } : { _tag: "Wait" }
  if (charge.state === "claimed" && lapsed) return { _tag: "TakeOver" }
  if (!presented.sameRequest) {
    return refuse("payment_already_used", otherRequest)
  }
  switch (charge.state) {
    case "claimed":
      return { _tag: "Wait" }
    case "ready":
      return lapsed ? { _tag: "TakeOver" } : { _tag: "Wait" }
    case "settled":
      if (charge.refund !== undefined) {
        return refuse(
          "payment_refund_due",
          "this payment settled and will be refunded; sign a new one to buy"
        )
      }
      // Settled, but its effect is not applied yet, or its response is owed. One that is owed for too long may still be
      // delivered by its holder, up to the takeover that makes its refund due.
      if (charge.effectPending || charge.responseOwedUntilMillis !== undefined)
        return lapsed ? { _tag: "TakeOver" } : { _tag: "Wait" }
      return charge.response === undefined || nowMillis > presented.replayableUntilMillis
        ? refuseReplay(charge)
        : { _tag: "Replay" }
  }
}
