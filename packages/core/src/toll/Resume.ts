import type { Charge } from "../ports/Charges.ts"
import type { Refusal } from "./Verdict.ts"

/**
 * What to do when a payment meets the charge of an earlier request with the same key.
 * `Begin`: the earlier one died before anything was settled. `Replay`: give its answer again.
 * `Finish`: its answer stands and nobody is settling it. `Wait`: somebody is at work on it.
 */
export type Resumption =
  | { readonly _tag: "Begin" }
  | { readonly _tag: "Replay" }
  | { readonly _tag: "Finish" }
  | { readonly _tag: "Wait" }
  | { readonly _tag: "Refuse"; readonly refusal: Refusal }

const refuse = (code: string, message: string): Resumption => ({ _tag: "Refuse", refusal: { code, message } })

const alreadyUsed = "this payment has been used; sign a new one"

/** Decides it. Pure: `sameRequest` says whether the charge's fingerprint is that of the request at hand. */
export const resumption = (
  charge: Charge,
  presented: {
    readonly payloadDigest: string
    readonly sameRequest: boolean
    /** Until when the answer is given again, in milliseconds since the epoch. */
    readonly replayableUntilMillis: number
  },
  nowMillis: number
): Resumption => {
  const lapsed = charge.leaseUntilMillis <= nowMillis
  if (charge.state === "claimed" && lapsed) return { _tag: "Begin" }
  // Payer and nonce are public once settled: only the payment itself, signature included, gets on.
  if (charge.payloadDigest !== presented.payloadDigest) return refuse("payment_already_used", alreadyUsed)
  if (!presented.sameRequest) {
    return refuse(
      "payment_already_used",
      "this payment was made for another request; a payment buys one request"
    )
  }
  switch (charge.state) {
    case "claimed":
      return { _tag: "Wait" }
    case "ready":
      return lapsed ? { _tag: "Finish" } : { _tag: "Wait" }
    case "settled":
      return charge.answer === undefined || nowMillis > presented.replayableUntilMillis
        ? refuse(
            "payment_already_used",
            `${alreadyUsed}; the time in which its answer is given again is over`
          )
        : { _tag: "Replay" }
  }
}
