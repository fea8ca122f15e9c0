import type { Charge } from "../ports/Charges.ts"
import type { Refusal } from "./Verdict.ts"

/**
 * What to do when a payment meets the charge of an earlier request with the same key.
 * `Replay`: give its answer again. `Wait`: somebody is at work on it. `Finish`: nobody is, as far as is known,
 * and it has to be brought to an end first. That goes for a claim as well: whoever made it may be slow, not
 * dead, and has to lose its hold before anybody else is told that nothing is charged.
 */
export type Resumption =
  | { readonly _tag: "Replay" }
  | { readonly _tag: "Finish" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Refuse"; readonly refusal: Refusal }

const refuse = (code: string, message: string): Resumption => ({ _tag: "Refuse", refusal: { code, message } })

export const otherRequest = "this payment was made for another request; a payment buys one request"
const responseNotProduced =
  "the response to this payment could not be produced in time; the payment is refunded, sign a new one to buy"
export const sentBack = "this payment has been sent back to the payer; sign a new one to buy"
const alreadyUsed = "this payment has been used; sign a new one"

/** Decides it. Pure: `sameRequest` says whether the charge's fingerprint is that of the request at hand. */
export const resumption = (
  charge: Charge,
  presented: {
    readonly payloadDigest: string
    readonly sameRequest: boolean
    /** The signature presented was found to be the payer's own; looked at only where it matters. */
    readonly proven?: boolean
    /** Until when the answer is given again, in milliseconds since the epoch. */
    readonly replayableUntilMillis: number
  },
  nowMillis: number
): Resumption => {
  const lapsed = charge.leaseUntilMillis <= nowMillis
  // Payer and nonce are public once settled: only the payment itself, signature included, gets on.
  // But for a charge that came to nothing: a forgery that was refused must not use the payer's own payment up.
  const isForgery = charge.state === "voided" && presented.proven === true
  if (charge.payloadDigest !== presented.payloadDigest && !isForgery)
    return refuse("payment_already_used", alreadyUsed)
  // Whatever became of its settlement since: what was sent back buys nothing.
  if (charge.refund?._tag === "Sent")
    return presented.sameRequest
      ? refuse("payment_refund_due", sentBack)
      : refuse("payment_already_used", otherRequest)
  // Nothing is due for a voided charge, nor for a claim that nobody holds: once whatever came of it is seen
  // to, the payment may buy anew, this or something else.
  if (charge.state === "voided") return lapsed ? { _tag: "Finish" } : { _tag: "Wait" }
  if (charge.state === "claimed" && lapsed) return { _tag: "Finish" }
  if (!presented.sameRequest) {
    return refuse("payment_already_used", otherRequest)
  }
  switch (charge.state) {
    case "claimed":
      return { _tag: "Wait" }
    case "ready":
      return lapsed ? { _tag: "Finish" } : { _tag: "Wait" }
    case "settled":
      if (charge.refund !== undefined) {
        return refuse(
          "payment_refund_due",
          "this payment moved but can't be answered; it is owed back to the payer, sign a new one to buy"
        )
      }
      // Paid, and cut short before the effect was applied: that comes first.
      if (charge.effectPending) return lapsed ? { _tag: "Finish" } : { _tag: "Wait" }
      if (charge.responseOwedUntilMillis !== undefined) {
        if (nowMillis >= charge.responseOwedUntilMillis)
          return refuse("payment_refund_due", responseNotProduced)
        return lapsed ? { _tag: "Finish" } : { _tag: "Wait" }
      }
      return charge.answer === undefined || nowMillis > presented.replayableUntilMillis
        ? refuse(
            "payment_already_used",
            `${alreadyUsed}; the time in which its answer is given again is over`
          )
        : { _tag: "Replay" }
  }
}
