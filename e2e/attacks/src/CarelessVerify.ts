import type { FacilitatorClient } from "@till402/core"
import { usdcAbi } from "@till402/sandbox"
import type { Hex } from "viem"
import { usdc } from "./Calls.ts"
import type { LocalChain } from "./LocalChain.ts"
import type { Payment } from "./Payments.ts"

/*
 * Facilitators that settle honestly, and whose verification says less than servers expect of it.
 */

/** Never reads the nonce, as `verify` of `x402` 1.2.0, nor the balance. */
export const acceptingUsedNonces = ({ facilitator }: LocalChain): FacilitatorClient => ({
  verify: async (payment) => ({
    isValid: true,
    payer: (payment as Payment).payload.authorization.from
  }),
  settle: facilitator.client.settle
})

/** Reads the nonce from a node that is one block behind. */
export const oneBlockBehind = ({ chain: { client }, facilitator }: LocalChain): FacilitatorClient => ({
  verify: async (payment) => {
    const { from, nonce } = (payment as Payment).payload.authorization
    const latest = await client.getBlockNumber({ cacheTime: 0 })
    const isUsed = await client.readContract({
      address: usdc,
      abi: usdcAbi,
      functionName: "authorizationState",
      args: [from as Hex, nonce as Hex],
      blockNumber: latest - 1n
    })
    return isUsed
      ? { isValid: false, invalidReason: "invalid_exact_evm_nonce_already_used", payer: from }
      : { isValid: true, payer: from }
  },
  settle: facilitator.client.settle
})
