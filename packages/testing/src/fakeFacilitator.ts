import {
  type FacilitatorClient,
  type NamedFacilitatorClient,
  networks as knownNetworks,
  toBase58
} from "@till402/core/effect"
import { type Scripted, scripted } from "./scripted.ts"

type Verify = FacilitatorClient["verify"]
type Settle = FacilitatorClient["settle"]
type GetSupported = () => Promise<Awaited<ReturnType<NonNullable<FacilitatorClient["getSupported"]>>>>

/** A payment whose money has moved. */
export interface FakeSettlement {
  /** Unique for each settlement: 32 bytes in hexadecimal, on Solana 64 bytes in base58. */
  readonly transaction: string
  readonly payer: string | undefined
  readonly payTo: string
  /** Atomic units, in decimal digits. */
  readonly amountAtomic: string
  readonly network: string
}

/** A facilitator without a chain, with scripted calls. */
export interface FakeFacilitator extends NamedFacilitatorClient {
  /** No till takes it where real money is paid, but in tests. */
  readonly movesNoMoney: true
  /** Returns `isValid: true` for nonces that were not settled yet. Doesn't check signatures. */
  readonly verify: Scripted<Verify>
  /** Settles each nonce once. */
  readonly settle: Scripted<Settle>
  readonly getSupported: Scripted<GetSupported>
  /** Settlements, oldest first. */
  readonly settled: ReadonlyArray<FakeSettlement>
  /** From now on, `verify` reports every payment as invalid. */
  readonly rejectsVerification: (invalidReason: string) => FakeFacilitator
  /** From now on, `settle` refuses before sending anything: no money moves. */
  readonly rejectsSettlement: (errorReason?: string) => FakeFacilitator
  /** The next settlement gets no response, so its outcome is unknown. `moved`: whether the money moves. */
  readonly losesNextSettlement: (moved: boolean) => FakeFacilitator
  /** From now on, settlements are broadcast but not confirmed in time. */
  readonly leavesPending: () => FakeFacilitator
  /** Delays every later `verify` and `settle` by this many milliseconds. */
  readonly delays: (millis: number) => FakeFacilitator
  /** Clears script, calls and settlements. */
  readonly reset: () => FakeFacilitator
}

type Fields = { readonly [key: string]: unknown }
const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {}
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Identifies a payment: payer and nonce on EVM, the transaction on Solana. */
const paymentOf = (paymentPayload: unknown): { readonly key: string; readonly payer: string | undefined } => {
  const payload = fieldsOf(fieldsOf(paymentPayload)["payload"])
  const transaction = payload["transaction"]
  if (typeof transaction === "string") return { key: transaction, payer: undefined }
  const { from, nonce } = fieldsOf(payload["authorization"])
  if (typeof from !== "string" || typeof nonce !== "string") {
    throw new TypeError("the payment payload holds neither an authorization nor a transaction")
  }
  return { key: `${from}:${nonce}`.toLowerCase(), payer: from }
}

const isSolana = (network: string): boolean => network.startsWith("solana")
/** Pays the fees on Solana. */
const feePayer = toBase58(new Uint8Array(32).fill(7))

const withPayer = (payer: string | undefined) => (payer === undefined ? {} : { payer })

/**
 * Creates a facilitator that accepts every payment and settles each nonce once, at once.
 *
 * It lists every known network, or those of `networks`. Settling a nonce again returns a reverted transaction, as real facilitators do.
 *
 * @example
 * const facilitator = fakeFacilitator()
 * const till = Till.make({ ...options, facilitator })
 * facilitator.losesNextSettlement(true)   // the money moves, the response is lost
 */
export const fakeFacilitator = (
  options: { readonly networks?: ReadonlyArray<string> } = {}
): FakeFacilitator => {
  const networks = options.networks ?? knownNetworks.map(({ caip2 }) => caip2)
  const settlements = new Map<string, FakeSettlement>()
  const settled: Array<FakeSettlement> = []
  let transactions = 0
  const nextTransaction = (requirements: unknown) => {
    const number = ++transactions
    if (!isSolana(textOf(fieldsOf(requirements)["network"])))
      return `0x${number.toString(16).padStart(64, "0")}`
    const signature = new Uint8Array(64).fill(1)
    new DataView(signature.buffer).setUint32(0, number)
    return toBase58(signature)
  }

  const move = (paymentPayload: unknown, paymentRequirements: unknown): Awaited<ReturnType<Settle>> => {
    const { key, payer } = paymentOf(paymentPayload)
    const requirements = fieldsOf(paymentRequirements)
    if (settlements.has(key)) {
      return {
        success: false,
        errorReason: "invalid_transaction_state",
        transaction: nextTransaction(requirements),
        ...withPayer(payer)
      }
    }
    const settlement: FakeSettlement = {
      transaction: nextTransaction(requirements),
      payer,
      payTo: textOf(requirements["payTo"]),
      amountAtomic: textOf(requirements["amount"] ?? requirements["maxAmountRequired"]),
      network: textOf(requirements["network"])
    }
    settlements.set(key, settlement)
    settled.push(settlement)
    return { success: true, transaction: settlement.transaction, ...withPayer(payer) }
  }

  const verify = scripted<Verify>("facilitator.verify", (paymentPayload) => {
    const { key, payer } = paymentOf(paymentPayload)
    return settlements.has(key)
      ? { isValid: false, invalidReason: "invalid_exact_evm_nonce_already_used", ...withPayer(payer) }
      : { isValid: true, ...withPayer(payer) }
  })
  const settle = scripted<Settle>("facilitator.settle", move)
  const getSupported = scripted<GetSupported>("facilitator.getSupported", () => ({
    kinds: networks.flatMap((network) =>
      [1, 2].map((x402Version) => ({
        x402Version,
        scheme: "exact",
        network,
        ...(isSolana(network) ? { extra: { feePayer } } : {})
      }))
    )
  }))

  const fake: FakeFacilitator = {
    movesNoMoney: true,
    verify,
    settle,
    getSupported,
    settled,
    rejectsVerification: (invalidReason) => {
      verify.returns({ isValid: false, invalidReason })
      return fake
    },
    rejectsSettlement: (errorReason = "insufficient_funds") => {
      settle.returns({ success: false, errorReason, transaction: "" })
      return fake
    },
    losesNextSettlement: (moved) => {
      settle.returnsOnce((paymentPayload, paymentRequirements) => {
        if (moved) move(paymentPayload, paymentRequirements)
        throw new Error("connection reset")
      })
      return fake
    },
    leavesPending: () => {
      settle.returns((_, requirements) => ({
        success: false,
        errorReason: "settlement_pending",
        transaction: nextTransaction(requirements)
      }))
      return fake
    },
    delays: (millis) => {
      verify.delays(millis)
      settle.delays(millis)
      return fake
    },
    reset: () => {
      verify.reset()
      settle.reset()
      getSupported.reset()
      settlements.clear()
      settled.length = 0
      return fake
    }
  }
  return fake
}
