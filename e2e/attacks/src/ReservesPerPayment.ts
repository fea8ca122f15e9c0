import type { FacilitatorClient } from "@till402/core"

/** The naive relayer: it keeps gas money for each payment that it has verified, until that is settled. */
export const reservesPerPayment = "a relayer that reserves gas money for each verified payment"

interface Presented {
  readonly payload: { readonly authorization: { readonly nonce: string } }
}

/** A relayer with gas money for so many settlements, in front of a facilitator that verifies and settles. */
export const openReservingRelayer = (
  { settle, verify }: Pick<Required<FacilitatorClient>, "settle" | "verify">,
  affordable: number
) => {
  const reserved = new Set<string>()
  return {
    verify: async (payment: Presented, requirements: unknown) => {
      const { nonce } = payment.payload.authorization
      if (!reserved.has(nonce) && reserved.size >= affordable) throw new Error("out of gas money")
      const verified = await verify(payment, requirements)
      if (verified.isValid) reserved.add(nonce)
      return verified
    },
    settle: async (payment: Presented, requirements: unknown) => {
      reserved.delete(payment.payload.authorization.nonce)
      return settle(payment, requirements)
    }
  }
}
