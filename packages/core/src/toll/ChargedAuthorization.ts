import type { Authorization } from "../domain/PaymentPayload.ts"
import type { Charge } from "../ports/Charges.ts"

/**
 * The authorization that paid for a charge, as far as the chain needs it: payer and nonce come from the key
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
