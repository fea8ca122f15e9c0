import { fakeFacilitator } from "../../../testing/src/index.ts"
import type { NamedFacilitatorClient } from "../../src/effect.ts"

/** A facilitator that settles, as far as a till can tell: it takes no payment that nobody has signed. */
export const settling = (...options: Parameters<typeof fakeFacilitator>): NamedFacilitatorClient => {
  const { getSupported, settle, verify } = fakeFacilitator(...options)
  const isSigned = (payment: unknown): boolean => !JSON.stringify(payment).includes("00".repeat(64))
  return {
    settle,
    getSupported,
    verify: async (payment, requirements) =>
      isSigned(payment)
        ? verify(payment, requirements)
        : { isValid: false, invalidReason: "invalid_exact_evm_payload_signature" }
  }
}
