import type { Authorization } from "../../domain/PaymentPayload.ts"
import type { Charge } from "../../ports/Charges.ts"

/**
 * The authorization of a charge, as far as queries of the chain need it: the nonce comes from the key
 * (`chain:asset:payer:nonce`). `validAfter` isn't stored; no proof depends on it.
 */
export const chargedAuthorization = (
  charge: Pick<Charge, "key" | "payer" | "payTo" | "amountAtomic" | "validBeforeSeconds">
): Authorization => ({
  from: charge.payer,
  to: charge.payTo,
  value: charge.amountAtomic,
  validAfter: "0",
  validBefore: String(charge.validBeforeSeconds),
  nonce: charge.key.slice(charge.key.lastIndexOf(":") + 1)
})
