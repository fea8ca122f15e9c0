import { getBase64Encoder } from "@solana/kit"
import { innerInstructionsJson } from "./RpcJson.ts"
import { invalidParams, RpcError, type RpcOptions, type RpcParams } from "./RpcParams.ts"
import type { RpcView } from "./RpcView.ts"
import type { Outcome, SolanaVm } from "./SolanaVm.ts"
import { maxTransactionBytes, readTransaction, type WireTransaction } from "./WireTransaction.ts"

/** A method of JSON-RPC: returns its result, or throws an `RpcError`. */
export type RpcMethod = (params: RpcParams) => unknown

const readWire = (params: RpcParams, options: RpcOptions): WireTransaction => {
  const wire = readTransaction(params.text(0), options.wireEncoding)
  if (wire === undefined) {
    throw invalidParams(`failed to deserialize a transaction of at most ${maxTransactionBytes} bytes.`)
  }
  return wire
}

const simulationJson = ({ error, meta }: Outcome) => ({
  err: error,
  logs: meta?.logs() ?? [],
  unitsConsumed: Number(meta?.computeUnitsConsumed() ?? 0n),
  accounts: null,
  returnData: null
})

/** The methods that simulate and send transactions. */
export const transactionMethods = (
  vm: SolanaVm,
  view: RpcView
): ReadonlyArray<readonly [string, RpcMethod]> => [
  [
    "simulateTransaction",
    (params) => {
      const options = params.options(1)
      const wire = readWire(params, options)
      const verifySignatures = options.flag("sigVerify")
      const replaces = options.flag("replaceRecentBlockhash")
      if (verifySignatures && replaces) {
        throw invalidParams("sigVerify may not be used with replaceRecentBlockhash.")
      }
      const outcome = vm.simulate(wire, { verifySignatures, checkBlockhash: !replaces })
      if (outcome.error === "SignatureFailure") throw signatureFailure()
      const { blockhash, lastValidBlockHeight } = vm.latestBlockhash
      return view.inContext({
        ...simulationJson(outcome),
        ...(replaces
          ? { replacementBlockhash: { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight) } }
          : {}),
        innerInstructions: options.flag("innerInstructions")
          ? innerInstructionsJson(outcome.meta, wire.message.staticAccounts, "jsonParsed")
          : null
      })
    }
  ],
  [
    "sendTransaction",
    (params) => {
      const options = params.options(1)
      const wire = readWire(params, options)
      if (!options.flag("skipPreflight")) {
        const outcome = vm.simulate(wire, { verifySignatures: true, checkBlockhash: true })
        if (outcome.error === "SignatureFailure") throw signatureFailure()
        if (outcome.error !== null) {
          throw new RpcError(
            -32002,
            `Transaction simulation failed: ${JSON.stringify(outcome.error)}`,
            simulationJson(outcome)
          )
        }
      }
      // Without a preflight check, a node doesn't report that it drops a transaction.
      vm.send(wire)
      return wire.signatures[0]
    }
  ],
  [
    "getFeeForMessage",
    (params) => {
      const signers = new Uint8Array(getBase64Encoder().encode(params.text(0)))
      // The first byte is the version of a message that isn't of the legacy format.
      const count = (signers[0] ?? 0) > 127 ? signers[1] : signers[0]
      return view.inContext(5_000 * (count ?? 1))
    }
  ],
  ["getRecentPrioritizationFees", () => [{ slot: Number(vm.slot), prioritizationFee: 0 }]]
]

const signatureFailure = (): RpcError => new RpcError(-32003, "Transaction signature verification failure")
