import type { Address } from "@solana/kit"
import { statusJson, transactionJson } from "./RpcJson.ts"
import { RpcError } from "./RpcParams.ts"
import type { RpcView } from "./RpcView.ts"
import { blockhashLifetime } from "./Slots.ts"
import type { LandedTransaction, SolanaVm } from "./SolanaVm.ts"
import type { RpcMethod } from "./TransactionMethods.ts"

/** The most statuses and signatures of one call, as on the public networks. */
const maxStatuses = 256
const maxSignatures = 1_000

const statusOf = (vm: SolanaVm, view: RpcView, signature: string, old: boolean) => {
  const landed = vm.transaction(signature)
  // Nodes keep the statuses of the latest 150 slots at hand, and search for others only if told to.
  if (landed === undefined || (!old && landed.slot + blockhashLifetime < vm.slot)) return null
  return {
    slot: Number(landed.slot),
    confirmations: view.isFinal(landed) ? null : Number(vm.slot - landed.slot),
    err: landed.error,
    status: statusJson(landed.error),
    confirmationStatus: view.isFinal(landed) ? "finalized" : "confirmed"
  }
}

/** Newest first, from the transaction after `before` down to the one above `until`. */
const signaturesFor = (
  vm: SolanaVm,
  address: Address,
  options: {
    readonly limit: number
    readonly before: string | undefined
    readonly until: string | undefined
    readonly counts: (landed: LandedTransaction) => boolean
    readonly isFinal: (landed: LandedTransaction) => boolean
  }
) => {
  const all = [...vm.transactions()].toReversed()
  const { before, until } = options
  const place = all.findIndex((each) => each.signature === before)
  // As a node does that doesn't know it.
  if (before !== undefined && place === -1) return []
  const end = until === undefined ? -1 : all.findIndex((each) => each.signature === until)
  return all
    .slice(place + 1, end < 0 ? undefined : end)
    .filter((landed) => landed.accounts.includes(address) && options.counts(landed))
    .slice(0, options.limit)
    .map((landed) => ({
      signature: landed.signature,
      slot: Number(landed.slot),
      err: landed.error,
      memo: null,
      blockTime: landed.blockTimeSeconds,
      confirmationStatus: options.isFinal(landed) ? "finalized" : "confirmed"
    }))
}

/** The methods that look up transactions of the past. */
export const historyMethods = (vm: SolanaVm, view: RpcView): ReadonlyArray<readonly [string, RpcMethod]> => [
  [
    "getSignatureStatuses",
    (params) => {
      const old = params.options(1).flag("searchTransactionHistory")
      return view.inContext(params.list(0, maxStatuses).map((each) => statusOf(vm, view, String(each), old)))
    }
  ],
  [
    "getTransaction",
    (params) => {
      const options = params.options(1)
      const encoding = options.encoding("json")
      const landed = vm.transaction(params.text(0))
      if (landed === undefined || (options.finalizedOnly && !view.isFinal(landed))) return null
      if (landed.wire.message.version !== "legacy" && !options.has("maxSupportedTransactionVersion")) {
        throw new RpcError(
          -32015,
          "Transaction version (0) is not supported by the requesting client. Please try the request again with " +
            'the following configuration parameter: "maxSupportedTransactionVersion": 0'
        )
      }
      return transactionJson(landed, encoding)
    }
  ],
  [
    "getSignaturesForAddress",
    (params) => {
      const options = params.options(1)
      options.requireSlot(view.slotFor(options))
      return signaturesFor(vm, params.address(0), {
        limit: Math.min(options.wholeNumber("limit", maxSignatures), maxSignatures),
        before: options.text("before"),
        until: options.text("until"),
        counts: (landed) => !options.finalizedOnly || view.isFinal(landed),
        isFinal: (landed) => view.isFinal(landed)
      })
    }
  ]
]
