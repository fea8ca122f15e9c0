import { type Chain, usdcAbi } from "@till402/sandbox"
import { encodeFunctionData, type Hex } from "viem"
import { fundedRelayer, type Terms } from "./relayers.ts"

/*
 * A plausible relayer: it simulates each payment by itself and sends all that pass.
 */

const gasPrice = 10_000_000_000n

export const startNaiveRelayer = async (chain: Chain) => {
  const account = await fundedRelayer(chain)
  let nonce = 0
  const callOf = ({ from, nonce: unique, to, validAfter, validBefore, value }: Terms, signature: Hex) => ({
    to: chain.usdc,
    data: encodeFunctionData({
      abi: usdcAbi,
      functionName: "transferWithAuthorization",
      args: [from, to, value, validAfter, validBefore, unique, signature]
    })
  })
  return {
    account,
    isPayable: async (terms: Terms, signature: Hex): Promise<boolean> => {
      const call = { ...callOf(terms, signature), account: account.address }
      return chain.client.estimateGas(call).then(
        () => true,
        () => false
      )
    },
    /** Whether its transaction succeeded. */
    send: async (terms: Terms, signature: Hex): Promise<boolean> => {
      const { chainId } = chain
      const call = callOf(terms, signature)
      const fees = { maxFeePerGas: gasPrice, maxPriorityFeePerGas: 1n }
      const transaction = {
        type: "eip1559",
        chainId,
        nonce: nonce++,
        gas: 300_000n,
        ...fees,
        ...call
      } as const
      const serializedTransaction = await account.signTransaction(transaction)
      const hash = await chain.client.sendRawTransaction({ serializedTransaction })
      return (await chain.client.waitForTransactionReceipt({ hash })).status === "success"
    }
  }
}
