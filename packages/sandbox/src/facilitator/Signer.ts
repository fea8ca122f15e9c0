import { toFacilitatorEvmSigner } from "@x402/evm"
import {
  isAddressEqual,
  type Abi,
  type Account,
  type Address,
  type Hex,
  type VerifyTypedDataParameters
} from "viem"
import { makeSender } from "../chain/Sender.ts"
import type { Chain } from "../chain/Chain.ts"

type FacilitatorEvmSigner = ReturnType<typeof toFacilitatorEvmSigner>

/** Timeout for receipts. Anvil mines at once, so a healthy chain never reaches it. */
const confirmationTimeoutMillis = 15_000

/** Connects the official facilitator with the local chain, settling as `account`. */
export const facilitatorSigner = (chain: Chain, account: Account): FacilitatorEvmSigner => {
  const { client } = chain
  const send = makeSender()
  return toFacilitatorEvmSigner(
    {
      address: account.address,
      readContract: (call) =>
        isAddressEqual(call.address, multicall3)
          ? aggregate(chain, call.args)
          : client.readContract({ ...call, abi: call.abi as Abi }),
      verifyTypedData: (parameters) => client.verifyTypedData(parameters as VerifyTypedDataParameters),
      getCode: (parameters) => client.getCode(parameters),
      writeContract: (call) =>
        send(() => client.writeContract({ ...call, abi: call.abi as Abi, account, chain: client.chain })),
      sendTransaction: (transaction) =>
        send(() => client.sendTransaction({ ...transaction, account, chain: client.chain })),
      waitForTransactionReceipt: (parameters) => client.waitForTransactionReceipt(parameters)
    },
    { confirmationTimeoutMs: confirmationTimeoutMillis }
  )
}

const multicall3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11"

/**
 * Implements Multicall3's `tryAggregate`, which the local chain lacks, with single calls. The official
 * facilitator uses it to find out why a payment would fail.
 */
const aggregate = (chain: Chain, args: ReadonlyArray<unknown> | undefined) => {
  const [, calls] = args as readonly [
    boolean,
    ReadonlyArray<{ readonly target: Address; readonly callData: Hex }>
  ]
  return Promise.all(
    calls.map(async ({ target, callData }) => {
      try {
        const { data } = await chain.client.call({ to: target, data: callData })
        return { success: true, returnData: data ?? "0x" }
      } catch {
        // A reverted call is a valid result, as in the contract.
        return { success: false, returnData: "0x" }
      }
    })
  )
}
