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

/** The newest block with a transaction: a slow test may be overtaken by empty ones. */
const newestFilled = async (client: LocalChain["chain"]["client"]): Promise<bigint> => {
  let block = await client.getBlock()
  while (block.transactions.length === 0) block = await client.getBlock({ blockNumber: block.number - 1n })
  return block.number
}

/** Reads the nonce from a node that is one block behind. */
export const oneBlockBehind = ({ chain: { client }, facilitator }: LocalChain): FacilitatorClient => ({
  verify: async (payment) => {
    const { from, nonce } = (payment as Payment).payload.authorization
    const isUsed = await client.readContract({
      address: usdc,
      abi: usdcAbi,
      functionName: "authorizationState",
      args: [from as Hex, nonce as Hex],
      blockNumber: (await newestFilled(client)) - 1n
    })
    return isUsed
      ? { isValid: false, invalidReason: "invalid_exact_evm_nonce_already_used", payer: from }
      : { isValid: true, payer: from }
  },
  settle: facilitator.client.settle
})
